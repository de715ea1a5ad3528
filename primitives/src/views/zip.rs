//! Pairs of items.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{HostView, Source, View, ViewExpand};
use crate::tile::{keep, kept};
use crate::{Device, Error, State, Wide};

/// Two items side by side; also the state of two folds in one pass.
#[derive(Debug, Clone, Copy, PartialEq, cubefold_derive::State)]
pub struct Both<A: State, B: State> {
    /// The first.
    pub left: A,
    /// The second.
    pub right: B,
}

/// Two items side by side.
#[cube]
pub fn both<A: State, B: State>(left: A, right: B) -> Both<A, B> {
    Both::<A, B> { left, right }
}

/// Pairs of two sources' items; as long as the shorter one.
#[derive(Debug, Clone, Copy)]
pub struct Zip<A, B> {
    pub(super) left: A,
    pub(super) right: B,
}

/// The device's half of [`Zip`].
#[derive(Argument)]
pub struct ZipView<A: View, B: View> {
    left: A,
    right: B,
}

#[cube]
impl<A: View, B: View> View for ZipView<A, B> {
    type Item = Both<A::Item, B::Item>;

    fn read(&self, index: Wide) -> Both<A::Item, B::Item> {
        both::<A::Item, B::Item>(self.left.read(index), self.right.read(index))
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let mut left = Array::<u32>::new(comptime!(count as usize * <A::Item as State>::WORDS));
        let mut right = Array::<u32>::new(comptime!(count as usize * <B::Item as State>::WORDS));
        self.left.read_run(start, &mut left, 0u32, count);
        self.right.read_run(start, &mut right, 0u32, count);
        #[unroll]
        for item in 0..count {
            let pair = both::<A::Item, B::Item>(kept::<A::Item>(&left, item), kept::<B::Item>(&right, item));
            keep::<Both<A::Item, B::Item>>(registers, pair, comptime!(at + item));
        }
    }
}

impl<A: HostView, B: HostView> HostView for Zip<A, B> {
    type Item = Both<A::Item, B::Item>;

    fn read(&self, index: u64) -> Self::Item {
        Both { left: self.left.read(index), right: self.right.read(index) }
    }
}

impl<A: Source, B: Source> Source for Zip<A, B> {
    type Item = Both<A::Item, B::Item>;
    type View = ZipView<A::View, B::View>;
    type Host<'a>
        = Zip<A::Host<'a>, B::Host<'a>>
    where
        Self: 'a;
    const STORED: usize = A::STORED + B::STORED;

    fn len(&self) -> u64 {
        self.left.len().min(self.right.len())
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.left.bind(device, run)?, self.right.bind(device, run)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(Zip { left: self.left.on_host()?, right: self.right.on_host()? })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.left.reads(memory) || self.right.reads(memory)
    }
}
