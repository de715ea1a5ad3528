//! The sink that writes kept items close together.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::picking::{KEPT, Pick};
use crate::tile::kept;
use crate::views::{Bound, Memory, Place, PlaceExpand, Sink};
use crate::{Buffer, Device, Error, State};

/// Words of a [`Pick`] before its item.
const HEAD: usize = 2;

/// Results of a scan of picks: an item that is kept goes to the place of its count, and the last count is kept too.
#[derive(Debug)]
pub struct Compacted<T: State> {
    items: Buffer<T>,
    count: Buffer<u32>,
}

impl<T: State> Compacted<T> {
    /// Room for as many items as there are picks, and for the count, which is 0 if there is none.
    pub fn new(items: Buffer<T>, count: Buffer<u32>) -> Self {
        Compacted { items, count }
    }

    pub fn into_parts(self) -> (Buffer<T>, Buffer<u32>) {
        (self.items, self.count)
    }
}

/// The device's half of [`Compacted`].
#[derive(Argument)]
pub struct Packed<T: State> {
    words: Memory,
    count: Memory,
    last: u32,
    item: PhantomData<T>,
}

#[cube]
impl<T: State> Place for Packed<T> {
    type Item = Pick<T>;

    fn write_run(&mut self, start: u32, registers: &Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let width = comptime!(T::WORDS);
        #[unroll]
        for item in 0..count {
            let pick = kept::<Pick<T>>(registers, comptime!(at + item));
            let first = comptime!((at + item) as usize * (width + HEAD));
            if pick.last == comptime!(KEPT) {
                // It counts itself: there are at most as many as there are items.
                let place = (pick.kept - 1u32) * comptime!(width as u32);
                self.words.store_run(place, registers, comptime!(first + HEAD), width);
            }
            if start + item == self.last {
                self.count.store_run(0u32.runtime(), registers, first, 1usize);
            }
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

impl<T: State> Sink for Compacted<T> {
    type Item = Pick<T>;
    type Place = Packed<T>;

    fn room(&self) -> u64 {
        self.items.len() as u64
    }

    fn bind_place(&mut self, device: &Device, _: u32) -> Result<(Bound, Bound, u32), Error> {
        let words = Bound::narrow(self.items.handle_on(device)?, self.items.len() * T::WORDS);
        let count = Bound::narrow(self.count.handle_on(device)?, 1);
        Ok((words, count, (self.items.len() as u32).wrapping_sub(1)))
    }

    fn memory(&self) -> Option<&Handle> {
        self.items.handle()
    }

    fn put(&mut self, picks: Vec<Pick<T>>) -> Result<(), Error> {
        let last = picks.last().map_or(0, |pick| pick.kept);
        self.items.fill_on_host(picks.into_iter().filter(|pick| pick.last == KEPT).map(|pick| pick.item).collect())?;
        self.count.replace_on_host(0, last)
    }
}
