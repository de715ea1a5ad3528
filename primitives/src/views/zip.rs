//! Pairs of items.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostView, Layout, Source, View, ViewExpand};
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

impl<A: View, B: View> Layout for ZipView<A, B> {
    const STORED: bool = A::STORED || B::STORED;
}

#[cube]
impl<A: View, B: View> View for ZipView<A, B> {
    type Item = Both<A::Item, B::Item>;

    fn read(&self, index: Wide) -> Both<A::Item, B::Item> {
        both::<A::Item, B::Item>(self.left.read(index), self.right.read(index))
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

    fn len(&self) -> u64 {
        self.left.len().min(self.right.len())
    }

    fn bind(&self, device: &Device) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.left.bind(device)?, self.right.bind(device)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(Zip { left: self.left.on_host()?, right: self.right.on_host()? })
    }
}
