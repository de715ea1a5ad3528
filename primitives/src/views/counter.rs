//! The indices themselves, from no memory at all.

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostView, Layout, Source, View, ViewExpand};
use crate::{Device, Error, Wide};

/// The items `0, 1, … , len - 1`. Reads no memory; may be longer than 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    len: u64,
}

impl Counter {
    /// The first `len` whole numbers.
    pub fn new(len: u64) -> Self {
        Counter { len }
    }
}

/// Gives back the index.
#[derive(Argument)]
pub struct Indices;

impl Layout for Indices {
    const STORED: bool = false;
}

#[cube]
impl View for Indices {
    type Item = Wide;

    fn read(&self, index: Wide) -> Wide {
        index
    }
}

impl HostView for Counter {
    type Item = Wide;

    fn read(&self, index: u64) -> Wide {
        index.into()
    }
}

impl Source for Counter {
    type Item = Wide;
    type View = Indices;
    type Host<'a> = Counter;

    fn len(&self) -> u64 {
        self.len
    }

    fn bind(&self, _: &Device) -> Result<(), Error> {
        Ok(())
    }

    fn on_host(&self) -> Result<Counter, Error> {
        Ok(*self)
    }
}
