//! What exclusive scans of segments read: the item before each, and none at a head.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::{Argument, Operator};

use crate::ops::{Optional, absent, choose, present, zeroed};
use crate::tile::{keep, kept};
use crate::views::{HostView, Source, View, ViewExpand, both, read_each};
use crate::{Both, Device, Error, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State, Wide, wide_add};

/// `O` over items that may be missing: none lifts to the identity, and `O` never sees it.
#[derive(Debug, Clone, Copy, Operator)]
#[operator(like = O)]
pub struct Optionally<O: Monoid> {
    op: O,
}

impl<O: Monoid> Optionally<O> {
    pub fn new(op: O) -> Self {
        Optionally { op }
    }
}

#[cube]
impl<O: Monoid> Monoid for Optionally<O> {
    type State = O::State;

    fn identity(&self) -> O::State {
        self.op.identity()
    }

    fn combine(&self, left: O::State, right: O::State) -> O::State {
        self.op.combine(left, right)
    }
}

#[cube]
impl<T: State, O: Lift<T>> Lift<Optional<T>> for Optionally<O> {
    fn lift(&self, item: Optional<T>) -> O::State {
        let mut state = self.op.identity();
        if item.present != 0u32 {
            state = self.op.lift(item.value);
        }
        state
    }
}

#[cube]
impl<O: Lower> Lower for Optionally<O> {
    type Output = O::Output;

    fn lower(&self, state: O::State) -> O::Output {
        self.op.lower(state)
    }
}

/// The item before each, beside the head flags; none at a head and none before the first.
#[derive(Debug, Clone, Copy)]
pub struct Shifted<H, S> {
    heads: H,
    source: S,
}

impl<H: Source<Item = u32>, S: Source> Shifted<H, S> {
    pub fn new(heads: H, source: S) -> Self {
        Shifted { heads, source }
    }
}

/// The device's half of [`Shifted`].
#[derive(Argument)]
pub struct ShiftedView<H: View<Item = u32>, V: View> {
    heads: H,
    source: V,
}

/// The index before one that is not 0.
#[cube]
fn before(index: Wide) -> Wide {
    wide_add(index, Wide { low: 0xffff_ffffu32.runtime(), high: 0xffff_ffffu32.runtime() })
}

#[cube]
impl<H: View<Item = u32>, V: View> View for ShiftedView<H, V> {
    type Item = Both<u32, Optional<V::Item>>;

    fn read(&self, index: Wide) -> Both<u32, Optional<V::Item>> {
        let head = self.heads.read(index);
        let mut value = zeroed::<V::Item>();
        let mut there = 0u32;
        if head == 0u32 && (index.low | index.high) != 0u32 {
            value = self.source.read(before(index));
            there = 1u32;
        }
        let item = choose::<Optional<V::Item>>(there != 0u32, present::<V::Item>(value), absent::<V::Item>());
        both::<u32, Optional<V::Item>>(head, item)
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let mut heads = Array::<u32>::new(comptime!(count as usize));
        let mut items = Array::<u32>::new(comptime!(count as usize * <V::Item as State>::WORDS));
        self.heads.read_run(start, &mut heads, 0u32, count);
        self.source.read_run(start, &mut items, 0u32, count);
        keep::<Both<u32, Optional<V::Item>>>(registers, self.read(start), at);
        #[unroll]
        for item in 1..count {
            let head = heads[item as usize];
            let previous = present::<V::Item>(kept::<V::Item>(&items, comptime!(item - 1)));
            let item_before = choose::<Optional<V::Item>>(head == 0u32, previous, absent::<V::Item>());
            let pair = both::<u32, Optional<V::Item>>(head, item_before);
            keep::<Both<u32, Optional<V::Item>>>(registers, pair, comptime!(at + item));
        }
    }
}

impl<H: HostView<Item = u32>, V: HostView> HostView for Shifted<H, V> {
    type Item = Both<u32, Optional<V::Item>>;

    fn read(&self, index: u64) -> Self::Item {
        let head = self.heads.read(index);
        let right = if head == 0 && index > 0 { present(self.source.read(index - 1)) } else { absent() };
        Both { left: head, right }
    }
}

impl<H: Source<Item = u32>, S: Source> Source for Shifted<H, S> {
    type Item = Both<u32, Optional<S::Item>>;
    type View = ShiftedView<H::View, S::View>;
    type Host<'a>
        = Shifted<H::Host<'a>, S::Host<'a>>
    where
        Self: 'a;

    fn len(&self) -> u64 {
        self.heads.len().min(self.source.len())
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.heads.bind(device, run)?, self.source.bind(device, run)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(Shifted { heads: self.heads.on_host()?, source: self.source.on_host()? })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.heads.reads(memory) || self.source.reads(memory)
    }
}

/// Flags of the last items of segments, from those of the first: the heads of the reversed source.
#[derive(Debug, Clone, Copy)]
pub struct Ends<H> {
    heads: H,
}

impl<H: Source<Item = u32>> Ends<H> {
    pub fn new(heads: H) -> Self {
        Ends { heads }
    }
}

/// The device's half of [`Ends`].
#[derive(Argument)]
pub struct EndsView<H: View<Item = u32>> {
    heads: H,
    len_low: u32,
    len_high: u32,
}

#[cube]
impl<H: View<Item = u32>> View for EndsView<H> {
    type Item = u32;

    fn read(&self, index: Wide) -> u32 {
        let next = wide_add(index, Wide { low: 1u32.runtime(), high: 0u32.runtime() });
        let mut end = 1u32;
        if next.low != self.len_low || next.high != self.len_high {
            end = self.heads.read(next);
        }
        end
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        read_each::<EndsView<H>>(self, start, registers, at, count);
    }
}

/// The host's half of [`Ends`].
#[derive(Debug, Clone, Copy)]
pub struct HostEnds<V> {
    heads: V,
    len: u64,
}

impl<V: HostView<Item = u32>> HostView for HostEnds<V> {
    type Item = u32;

    fn read(&self, index: u64) -> u32 {
        if index + 1 == self.len { 1 } else { self.heads.read(index + 1) }
    }
}

impl<H: Source<Item = u32>> Source for Ends<H> {
    type Item = u32;
    type View = EndsView<H::View>;
    type Host<'a>
        = HostEnds<H::Host<'a>>
    where
        Self: 'a;

    fn len(&self) -> u64 {
        self.heads.len()
    }

    fn bind(&self, device: &Device, _: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        let len = Wide::from(self.heads.len());
        // Runs begin one item further.
        Ok((self.heads.bind(device, 1)?, len.low, len.high))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(HostEnds { heads: self.heads.on_host()?, len: self.heads.len() })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.heads.reads(memory)
    }
}
