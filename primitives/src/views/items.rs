//! Stored items: host slices, vectors and buffers.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{Bound, HostView, Memory, Place, PlaceExpand, Source, View, ViewExpand};
use crate::device::Storage;
use crate::{Buffer, Device, Error, State, Wide, state_of};

/// Items in a buffer of words.
#[derive(Argument)]
pub struct Words<T: State> {
    words: Memory,
    item: PhantomData<T>,
}

#[cube]
impl<T: State> View for Words<T> {
    type Item = T;

    fn read(&self, index: Wide) -> T {
        let first = index.low * comptime!(T::WORDS as u32);
        let mut words = Sequence::<u32>::new();
        #[unroll]
        for word in 0..comptime!(T::WORDS) {
            words.push(self.words.load(first + comptime!(word as u32)));
        }
        state_of::<T>(&words)
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let first = start.low * comptime!(T::WORDS as u32);
        self.words.load_run(first, registers, comptime!(at as usize * T::WORDS), comptime!(count as usize * T::WORDS));
    }
}

#[cube]
impl<T: State> Place for Words<T> {
    type Item = T;

    fn write_run(&mut self, start: u32, registers: &Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let width = comptime!(T::WORDS as u32);
        self.words.store_run(
            start * width,
            registers,
            comptime!((at * width) as usize),
            comptime!((count * width) as usize),
        );
    }

    fn write_part(
        &mut self,
        start: u32,
        registers: &Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        valid: u32,
    ) {
        let width = comptime!(T::WORDS as u32);
        self.words.store_part(
            start * width,
            registers,
            comptime!((at * width) as usize),
            comptime!((count * width) as usize),
            valid * width,
        );
    }
}

/// Items in host memory.
#[derive(Debug, Clone, Copy)]
pub struct HostItems<'a, T>(pub(crate) &'a [T]);

impl<T: State> HostView for HostItems<'_, T> {
    type Item = T;

    fn read(&self, index: u64) -> T {
        self.0[index as usize]
    }

    fn stored(&self) -> Option<&[T]> {
        Some(self.0)
    }
}

/// The handle of a buffer on the device that is about to read it, and its words. Host items are uploaded.
pub fn buffer_on<T: State>(device: &Device, buffer: &Buffer<T>) -> Result<(Handle, usize), Error> {
    match &buffer.storage {
        Storage::Host(items) => buffer_on(device, &device.upload(items)?),
        Storage::Device { .. } => Ok((buffer.handle_on(device)?, buffer.len() * T::WORDS)),
    }
}

fn bound<T: State>(device: &Device, buffer: &Buffer<T>, run: u32) -> Result<(Bound,), Error> {
    buffer_on(device, buffer).map(|(handle, words)| (Bound::in_runs(handle, words, run as usize * T::WORDS),))
}

impl<T: State> Source for Buffer<T> {
    type Item = T;
    type View = Words<T>;
    type Host<'a> = HostItems<'a, T>;

    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn bind(&self, device: &Device, run: u32) -> Result<(Bound,), Error> {
        bound(device, self, run)
    }

    fn on_host(&self) -> Result<HostItems<'_, T>, Error> {
        match &self.storage {
            Storage::Host(items) => Ok(HostItems(items)),
            Storage::Device { device, .. } => Err(Error::NotOnHost { home: device.label() }),
        }
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.shares(memory)
    }
}

macro_rules! host_source {
    ($type:ty) => {
        impl<T: State> Source for $type {
            type Item = T;
            type View = Words<T>;
            type Host<'a>
                = HostItems<'a, T>
            where
                Self: 'a;

            fn len(&self) -> u64 {
                <[T]>::len(self) as u64
            }

            fn bind(&self, device: &Device, run: u32) -> Result<(Bound,), Error> {
                bound(device, &device.upload(self)?, run)
            }

            fn on_host(&self) -> Result<HostItems<'_, T>, Error> {
                Ok(HostItems(self))
            }

            fn reads(&self, _: &Handle) -> bool {
                false
            }
        }
    };
}

host_source!([T]);
host_source!(Vec<T>);
