//! Where items come from, [`Source`] and [`Matrix`], and where results go, [`Sink`]. A primitive reads and writes them
//! in one pass, so a chain of views needs no buffer in between.
//!
//! | source | items | memory |
//! |---|---|---|
//! | `&[T]`, `Vec<T>`, [`Buffer<T>`](crate::Buffer) | its own | one read; host items are uploaded |
//! | [`Counter`] | its indices | none |
//! | [`map`](Source::map) | another source's, through an operator | none of its own |
//! | [`zip`](Source::zip) | pairs of two sources | none of its own |
//! | [`Halves`] | `f32` of 16-bit floats | two a word |
//! | [`slice`](Source::slice), [`reversed`](Source::reversed) | a part, or all backwards | none of its own |
//!
//! | sink | where result i goes |
//! |---|---|
//! | [`Buffer<T>`](crate::Buffer) | item i |
//! | [`strided`](crate::Buffer::strided) | item start + i · stride: a part, a column, or backwards |
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

mod arrange;
mod batch;
mod counter;
mod flat;
mod halves;
mod items;
mod map;
mod matrix;
mod memory;
mod sink;
mod zip;

pub use arrange::{Reversed, Slice};
pub use batch::{Batch, Stack, StackView};
pub use counter::Counter;
pub(crate) use flat::Flat;
pub use halves::{Half, Halves, HalvesView, HostHalves};
pub(crate) use items::buffer_on;
pub use items::{HostItems, Words};
pub use map::{Map, Mapping, MappingExpand};
pub use matrix::*;
pub use memory::{Bound, Memory, MemoryExpand};
pub(crate) use sink::Backwards;
pub use sink::{Place, PlaceExpand, Sink, Spread, Strided};
pub use zip::{Both, BothExpand, Zip, both};

use cubecl::prelude::*;
use cubecl::server::Handle;

use crate::tile::keep;
use crate::{Device, Error, Operator, State, Wide, wrapping_add};

/// The device's half of a source: reads an item by its index.
#[cube]
pub trait View: LaunchArg + Send + Sync {
    /// The items.
    type Item: State;

    /// The item at `index`, which is inside the source.
    fn read(&self, index: Wide) -> Self::Item;

    /// Puts the words of the items `start .. start + count` into `registers`, from item `at` of it on. All are inside
    /// the source, and `start` is a multiple of `count`: stored items come 16 bytes at a time.
    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32);
}

/// [`View::read_run`] an item at a time.
#[cube]
pub(crate) fn read_each<V: View>(
    view: &V,
    start: Wide,
    registers: &mut Array<u32>,
    #[comptime] at: u32,
    #[comptime] count: u32,
) {
    #[unroll]
    for item in 0..count {
        let index = Wide { low: wrapping_add(start.low, item), high: start.high };
        keep::<V::Item>(registers, view.read(index), comptime!(at + item));
    }
}

/// The host's half of a source.
pub trait HostView: Sync {
    /// The items.
    type Item: State;

    /// The item at `index`, which is inside the source.
    fn read(&self, index: u64) -> Self::Item;

    /// All items, where they lie one after another in memory.
    fn stored(&self) -> Option<&[Self::Item]> {
        None
    }
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
    /// Words of memory that an item is read from: its own, where it is not computed.
    const STORED: usize = <Self::Item as State>::WORDS;

    /// How many items.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The launch argument of the view, read in runs of `run` items. Items on the host are uploaded.
    ///
    /// # Errors
    ///
    /// Items that the device cannot hold, or that live on another one.
    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error>;

    /// The host's view.
    ///
    /// # Errors
    ///
    /// [`Error::NotOnHost`] where items live on a device.
    fn on_host(&self) -> Result<Self::Host<'_>, Error>;

    /// Whether any item comes out of this memory, which a primitive is about to write to.
    fn reads(&self, memory: &Handle) -> bool;

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
    const STORED: usize = S::STORED;

    fn len(&self) -> u64 {
        S::len(self)
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<S::View as LaunchArg>::RuntimeArg, Error> {
        S::bind(self, device, run)
    }

    fn on_host(&self) -> Result<S::Host<'_>, Error> {
        S::on_host(self)
    }

    fn reads(&self, memory: &Handle) -> bool {
        S::reads(self, memory)
    }
}
