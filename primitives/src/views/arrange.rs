//! A part of a source, or all of it backwards.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{HostView, Source, View, ViewExpand, read_each};
use crate::{Device, Error, Wide, wide_add};

/// A run of neighbouring items of a source.
#[derive(Debug, Clone, Copy)]
pub struct Slice<S> {
    source: S,
    start: u64,
    len: u64,
}

impl<S: Source> Slice<S> {
    pub(super) fn new(source: S, start: u64, len: u64) -> Result<Self, Error> {
        match start.checked_add(len) {
            Some(end) if end <= source.len() => Ok(Slice { source, start, len }),
            _ => Err(Error::OutOfBounds { index: start.saturating_add(len), len: source.len() }),
        }
    }
}

/// All items of a source, the last one first.
#[derive(Debug, Clone, Copy)]
pub struct Reversed<S> {
    pub(super) source: S,
}

/// The device's half of both: item `i` is the source's `start + i`, or `start - i` when `step` is all ones.
#[derive(Argument)]
pub struct Shifted<V: View> {
    source: V,
    start_low: u32,
    start_high: u32,
    /// 0 to go forward; all ones to go backward: the two's complement of an index is its complement plus 1.
    flip: u32,
}

#[cube]
impl<V: View> View for Shifted<V> {
    type Item = V::Item;

    fn read(&self, index: Wide) -> V::Item {
        let flipped = Wide { low: index.low ^ self.flip, high: index.high ^ self.flip };
        let start = Wide { low: self.start_low, high: self.start_high };
        self.source.read(wide_add(start, flipped))
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        read_each::<Shifted<V>>(self, start, registers, at, count);
    }
}

fn shifted<S: Source>(
    source: &S,
    device: &Device,
    start: u64,
    flip: u32,
) -> Result<<Shifted<S::View> as LaunchArg>::RuntimeArg, Error> {
    let start = Wide::from(start);
    // The runs of the whole source begin elsewhere.
    Ok((source.bind(device, 1)?, start.low, start.high, flip))
}

impl<V: HostView> HostView for Slice<V> {
    type Item = V::Item;

    fn read(&self, index: u64) -> V::Item {
        self.source.read(self.start + index)
    }
}

impl<S: Source> Source for Slice<S> {
    type Item = S::Item;
    type View = Shifted<S::View>;
    type Host<'a>
        = Slice<S::Host<'a>>
    where
        Self: 'a;
    const STORED: usize = S::STORED;

    fn len(&self) -> u64 {
        self.len
    }

    fn bind(&self, device: &Device, _: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        shifted(&self.source, device, self.start, 0)
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(Slice { source: self.source.on_host()?, start: self.start, len: self.len })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.source.reads(memory)
    }
}

/// The host's half of [`Reversed`].
#[derive(Debug, Clone, Copy)]
pub struct HostReversed<V> {
    source: V,
    len: u64,
}

impl<V: HostView> HostView for HostReversed<V> {
    type Item = V::Item;

    fn read(&self, index: u64) -> V::Item {
        self.source.read(self.len - 1 - index)
    }
}

impl<S: Source> Source for Reversed<S> {
    type Item = S::Item;
    type View = Shifted<S::View>;
    type Host<'a>
        = HostReversed<S::Host<'a>>
    where
        Self: 'a;
    const STORED: usize = S::STORED;

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn bind(&self, device: &Device, _: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        // last - i = len - 1 - i = len + !i modulo 2^64
        shifted(&self.source, device, self.len(), u32::MAX)
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(HostReversed { source: self.source.on_host()?, len: self.len() })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.source.reads(memory)
    }
}
