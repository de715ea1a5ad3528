//! The indices themselves, from no memory at all.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{HostView, Source, View, ViewExpand, read_each};
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

#[cube]
impl View for Indices {
    type Item = Wide;

    fn read(&self, index: Wide) -> Wide {
        index
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        read_each::<Indices>(self, start, registers, at, count);
    }
}

impl HostView for Counter {
    type Item = Wide;

    #[inline]
    fn read(&self, index: u64) -> Wide {
        index.into()
    }
}

impl Source for Counter {
    type Item = Wide;
    type View = Indices;
    type Host<'a> = Counter;
    const STORED: usize = 0;

    fn len(&self) -> u64 {
        self.len
    }

    fn bind(&self, _: &Device, _: u32) -> Result<(), Error> {
        Ok(())
    }

    fn on_host(&self) -> Result<Counter, Error> {
        Ok(*self)
    }

    fn reads(&self, _: &Handle) -> bool {
        false
    }
}
