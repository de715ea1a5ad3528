//! Where items come from: [`Source`] and [`Matrix`]. A primitive reads them in one pass, so a chain of views
//! needs no buffer in between.
//!
//! | source | items | memory |
//! |---|---|---|
//! | `&[T]`, `Vec<T>`, [`Buffer<T>`](crate::Buffer) | its own | one read; host items are uploaded |
//! | [`Counter`] | its indices | none |
//! | [`map`](Source::map) | another source's, through an operator | none of its own |
//! | [`zip`](Source::zip) | pairs of two sources | none of its own |
//! | [`slice`](Source::slice), [`reversed`](Source::reversed) | a part, or all backwards | none of its own |
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

mod arrange;
mod counter;
mod items;
mod map;
mod matrix;
mod zip;

pub use arrange::{Reversed, Slice};
pub use counter::Counter;
pub(crate) use items::bind_items;
pub use items::{HostItems, Words};
pub use map::{Map, Mapping, MappingExpand};
pub use matrix::*;
pub use zip::{Both, BothExpand, Zip, both};

use cubecl::prelude::*;

use crate::{Device, Error, Operator, State, Wide};

/// The device's half of a source: reads an item by its index.
#[cube]
pub trait View: Layout {
    /// The items.
    type Item: State;

    /// The item at `index`, which is inside the source.
    fn read(&self, index: Wide) -> Self::Item;
}

/// How items lie, for kernels to choose the order in which units read them.
pub trait Layout: LaunchArg + Send + Sync {
    /// Whether neighbours lie side by side in memory, so that units do well to read neighbours together.
    const STORED: bool;
}

/// The host's half of a source.
pub trait HostView: Sync {
    /// The items.
    type Item: State;

    /// The item at `index`, which is inside the source.
    fn read(&self, index: u64) -> Self::Item;
}

/// A sequence of items, stored or computed, that a primitive can read.
pub trait Source {
    /// The items.
    type Item: State;
    /// What a kernel reads through.
    type View: View<Item = Self::Item>;
    /// What the host reads through.
    type Host<'a>: HostView<Item = Self::Item>
    where
        Self: 'a;

    /// How many items.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The launch argument of the view. Items on the host are uploaded.
    ///
    /// # Errors
    ///
    /// Items that the device cannot hold, or that live on another one.
    fn bind(&self, device: &Device) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error>;

    /// The host's view.
    ///
    /// # Errors
    ///
    /// [`Error::NotOnHost`] where items live on a device.
    fn on_host(&self) -> Result<Self::Host<'_>, Error>;

    /// Every item through `op`.
    fn map<O: Mapping<Self::Item>>(self, op: O) -> Map<Self, O>
    where
        Self: Sized,
    {
        Map { source: self, op }
    }

    /// Pairs with the items of `other`; as long as the shorter one.
    fn zip<B: Source>(self, other: B) -> Zip<Self, B>
    where
        Self: Sized,
    {
        Zip { left: self, right: other }
    }

    /// The items `start..start + len`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`].
    fn slice(self, start: u64, len: u64) -> Result<Slice<Self>, Error>
    where
        Self: Sized,
    {
        Slice::new(self, start, len)
    }

    /// The items from the last to the first.
    fn reversed(self) -> Reversed<Self>
    where
        Self: Sized,
    {
        Reversed { source: self }
    }
}

impl<S: Source + ?Sized> Source for &S {
    type Item = S::Item;
    type View = S::View;
    type Host<'a>
        = S::Host<'a>
    where
        Self: 'a;

    fn len(&self) -> u64 {
        S::len(self)
    }

    fn bind(&self, device: &Device) -> Result<<S::View as LaunchArg>::RuntimeArg, Error> {
        S::bind(self, device)
    }

    fn on_host(&self) -> Result<S::Host<'_>, Error> {
        S::on_host(self)
    }
}
