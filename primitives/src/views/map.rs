//! Every item through an operator.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostView, Layout, Operator, Source, View, ViewExpand};
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

impl<V: View, O: Mapping<V::Item>> Layout for MapView<V, O> {
    const STORED: bool = V::STORED;
}

#[cube]
impl<V: View, O: Mapping<V::Item>> View for MapView<V, O> {
    type Item = O::Output;

    fn read(&self, index: Wide) -> O::Output {
        self.op.map(self.source.read(index))
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

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn bind(&self, device: &Device) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.source.bind(device)?, self.op.bind(device)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        self.op.check_host()?;
        Ok(HostMap { source: self.source.on_host()?, op: &self.op })
    }
}
