//! The sink that counts: result `i` adds 1 to its bin.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use crate::device::argument;
use crate::views::{Place, PlaceExpand, Sink};
use crate::{Buffer, Device, Error};

/// Words of all copies together, about: enough that the units of a large GPU seldom meet, few enough to sum in no time.
const WORDS: u32 = 1 << 16;

/// Copies of so many bins: cubes take turns, so that fewer units wait for one another.
pub fn copies(bins: u32) -> u32 {
    (WORDS / bins.max(1)).clamp(1, 256)
}

/// Counts of bins, which results are.
#[derive(Debug)]
pub struct Counts {
    words: Buffer<u32>,
    bins: u32,
    copies: u32,
}

impl Counts {
    /// Bin `b` of copy `c` is word `c · bins + b` of `words`, all of them 0.
    pub fn new(words: Buffer<u32>, bins: u32, copies: u32) -> Self {
        Counts { words, bins, copies }
    }

    pub fn into_buffer(self) -> Buffer<u32> {
        self.words
    }
}

/// The device's half of [`Counts`].
#[derive(Argument)]
pub struct Counted {
    words: Box<[Atomic<u32>]>,
    bins: u32,
    copies: u32,
}

#[cube]
impl Place for Counted {
    type Item = u32;

    fn write_run(&mut self, _start: u32, registers: &Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let first = CUBE_POS as u32 % self.copies * self.bins;
        #[unroll]
        for item in 0..count {
            self.words[(first + registers[comptime!((at + item) as usize)]) as usize].fetch_add(1u32);
        }
    }

    fn write_part(
        &mut self,
        start: u32,
        registers: &Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        valid: u32,
    ) {
        #[unroll]
        for item in 0..count {
            if item < valid {
                self.write_run(start + item, registers, comptime!(at + item), 1u32);
            }
        }
    }
}

impl Sink for Counts {
    type Item = u32;
    type Place = Counted;

    fn room(&self) -> u64 {
        u64::MAX
    }

    fn bind_place(&mut self, device: &Device, _: u32) -> Result<(BufferArg, u32, u32), Error> {
        Ok((argument(self.words.handle_on(device)?, self.words.len()), self.bins, self.copies))
    }

    fn memory(&self) -> Option<&Handle> {
        self.words.handle()
    }

    fn put(&mut self, bins: Vec<u32>) -> Result<(), Error> {
        let mut counts = vec![0; self.words.len()];
        bins.into_iter().for_each(|bin| counts[bin as usize] += 1);
        self.words.fill_on_host(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bins_have_many_copies_and_many_bins_one() {
        assert_eq!([0, 1, 256, 257, 1 << 16, u32::MAX].map(copies), [256, 256, 256, 255, 1, 1]);
    }
}
