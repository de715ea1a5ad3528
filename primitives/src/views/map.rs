//! Every item through an operator.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{HostView, Operator, Source, View, ViewExpand};
use crate::tile::{keep, kept};
use crate::{Device, Error, State, Wide};

/// A function of one item.
#[cube]
pub trait Mapping<T: State>: Operator {
    /// The results.
    type Output: State;

    /// The result for `item`.
    fn map(&self, item: T) -> Self::Output;
}

/// A source whose every item goes through an operator.
#[derive(Debug, Clone, Copy)]
pub struct Map<S, O> {
    pub(super) source: S,
    pub(super) op: O,
}

/// The device's half of [`Map`].
#[derive(Argument)]
pub struct MapView<V: View, O: Mapping<V::Item>> {
    source: V,
    op: O,
}

#[cube]
impl<V: View, O: Mapping<V::Item>> View for MapView<V, O> {
    type Item = O::Output;

    fn read(&self, index: Wide) -> O::Output {
        self.op.map(self.source.read(index))
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let mut items = Array::<u32>::new(comptime!(count as usize * <V::Item as State>::WORDS));
        self.source.read_run(start, &mut items, 0u32, count);
        #[unroll]
        for item in 0..count {
            keep::<O::Output>(registers, self.op.map(kept::<V::Item>(&items, item)), comptime!(at + item));
        }
    }
}

/// The host's half of [`Map`].
#[derive(Debug)]
pub struct HostMap<'a, V, O> {
    source: V,
    op: &'a O,
}

impl<V: HostView, O: Mapping<V::Item>> HostView for HostMap<'_, V, O> {
    type Item = O::Output;

    fn read(&self, index: u64) -> O::Output {
        self.op.map(self.source.read(index))
    }
}

impl<S: Source, O: Mapping<S::Item>> Source for Map<S, O> {
    type Item = O::Output;
    type View = MapView<S::View, O>;
    type Host<'a>
        = HostMap<'a, S::Host<'a>, O>
    where
        Self: 'a;
    const STORED: usize = S::STORED;

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.source.bind(device, run)?, self.op.bind(device)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        self.op.check_host()?;
        Ok(HostMap { source: self.source.on_host()?, op: &self.op })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.source.reads(memory) || self.op.reads(memory)
    }
}
