//! Heads of segments that begin at offsets: a bit an item.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::launch;
use crate::tile::keep;
use crate::views::{HostView, Source, View, ViewExpand, read_each};
use crate::{Buffer, Device, Error, Wide};

/// Items of a word of bits.
pub const BITS: u32 = u32::BITS;

/// 1 where a bit is set, else 0.
#[derive(Debug, Clone)]
pub struct Marks {
    bits: Buffer<u32>,
    len: u64,
}

impl Marks {
    /// The heads of `len` items, of which segments begin at `offsets`.
    ///
    /// Offsets that the host can read are checked: the first is 0, none is smaller than the one before it, and the last is
    /// at most `len`. A device's are taken as they are; those past the items mark nothing.
    pub fn new<F: Source<Item = u32> + ?Sized>(device: &Device, offsets: &F, len: u64) -> Result<Self, Error> {
        Self::checked(device, offsets, len, 0)
    }

    /// The same, of offsets that end with the number of items.
    pub fn ending<F: Source<Item = u32> + ?Sized>(device: &Device, offsets: &F, len: u64) -> Result<Self, Error> {
        Self::checked(device, offsets, len, len)
    }

    fn checked<F: Source<Item = u32> + ?Sized>(
        device: &Device,
        offsets: &F,
        len: u64,
        end: u64,
    ) -> Result<Self, Error> {
        match offsets.on_host() {
            Ok(view) => check(&view, offsets.len(), len, end)?,
            Err(Error::NotOnHost { .. }) if !device.is_host() => {}
            Err(error) => return Err(error),
        }
        let bits = match device.gpu() {
            None => Buffer::on_host(marked(&offsets.on_host()?, offsets.len(), len)),
            Some(gpu) => launch::mark(device, gpu, offsets, len)?,
        };
        Ok(Marks { bits, len })
    }
}

/// Whether offsets begin at 0, never fall and stay at or below `len`; the last is at least `end`.
fn check<V: HostView<Item = u32>>(offsets: &V, count: u64, len: u64, end: u64) -> Result<(), Error> {
    let mut before = 0;
    for index in 0..count {
        let offset = u64::from(offsets.read(index));
        let high = if index == 0 { 0 } else { len };
        let low = if index + 1 == count { before.max(end) } else { before };
        if offset < low || offset > high {
            return Err(Error::Offset { index, offset, low, high });
        }
        before = offset;
    }
    Ok(())
}

/// The host's bits.
fn marked<V: HostView<Item = u32>>(offsets: &V, count: u64, len: u64) -> Vec<u32> {
    let mut bits = vec![0u32; len.div_ceil(u64::from(BITS)) as usize];
    for offset in (0..count).map(|index| offsets.read(index)).filter(|&offset| u64::from(offset) < len) {
        bits[(offset / BITS) as usize] |= 1 << (offset % BITS);
    }
    bits
}

/// The device's half of [`Marks`]. A launch has less than 2^32 results: the low word of an index is all of it.
#[derive(Argument)]
pub struct MarksView<V: View<Item = u32>> {
    bits: V,
}

#[cube]
fn word_of(index: Wide) -> Wide {
    Wide { low: index.low / comptime!(BITS), high: 0u32.runtime() }
}

#[cube]
impl<V: View<Item = u32>> View for MarksView<V> {
    type Item = u32;

    fn read(&self, index: Wide) -> u32 {
        (self.bits.read(word_of(index)) >> (index.low % comptime!(BITS))) & 1u32
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        if comptime!(BITS.is_multiple_of(count)) {
            // The run lies in one word.
            let bits = self.bits.read(word_of(start)) >> (start.low % comptime!(BITS));
            #[unroll]
            for item in 0..count {
                keep::<u32>(registers, (bits >> item) & 1u32, comptime!(at + item));
            }
        } else {
            read_each::<MarksView<V>>(self, start, registers, at, count);
        }
    }
}

/// The host's half of [`Marks`].
#[derive(Debug, Clone, Copy)]
pub struct HostMarks<V> {
    bits: V,
}

impl<V: HostView<Item = u32>> HostView for HostMarks<V> {
    type Item = u32;

    fn read(&self, index: u64) -> u32 {
        let bits = u64::from(BITS);
        (self.bits.read(index / bits) >> (index % bits)) & 1
    }
}

impl Source for Marks {
    type Item = u32;
    type View = MarksView<<Buffer<u32> as Source>::View>;
    type Host<'a> = HostMarks<<Buffer<u32> as Source>::Host<'a>>;

    fn len(&self) -> u64 {
        self.len
    }

    fn bind(&self, device: &Device, _: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.bits.bind(device, 1)?,))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(HostMarks { bits: self.bits.on_host()? })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.bits.reads(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::HostItems;

    #[test]
    fn offsets_hold_up_to_the_last_that_cuts_the_items_and_the_first_that_does_not_is_named() {
        let checked = |offsets: &[u32], end: u64| check(&HostItems(offsets), offsets.len() as u64, 10, end);
        for right in [&[] as &[u32], &[0], &[0, 10], &[0, 0, 3, 3, 10, 10], &[0, 4]] {
            assert_eq!(checked(right, 0), Ok(()), "{right:?}");
        }
        let wrong = |index, offset, low, high| Err(Error::Offset { index, offset, low, high });
        assert_eq!(checked(&[1, 10], 0), wrong(0, 1, 0, 0));
        assert_eq!(checked(&[0, 5, 4, 10], 0), wrong(2, 4, 5, 10));
        assert_eq!(checked(&[0, 11], 0), wrong(1, 11, 0, 10));
        assert_eq!(checked(&[0, 4, 9], 10), wrong(2, 9, 10, 10));
        assert_eq!(checked(&[0, 4, 10], 10), Ok(()));
        let said = checked(&[0, 5, 4, 10], 0).unwrap_err().to_string();
        assert_eq!(
            said,
            "offset 2 is 4, which is not in 5..=10: offsets begin at 0, never fall and end with the items"
        );
    }

    #[test]
    fn bits_are_set_at_offsets_alone() {
        let offsets = [0, 0, 31, 32, 33, 64, 99, 100];
        let bits = marked(&HostItems(&offsets), 8, 100);
        let marks = HostMarks { bits: HostItems(&bits) };
        let heads: Vec<u64> = (0..100).filter(|&index| marks.read(index) == 1).collect();
        assert_eq!(heads, [0, 31, 32, 33, 64, 99]);
    }
}
