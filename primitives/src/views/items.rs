//! Stored items: host slices, vectors and buffers.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostView, Layout, Source, View, ViewExpand};
use crate::device::Storage;
use crate::{Buffer, Device, Error, State, Wide, state_of};

/// Items in a buffer of words.
#[derive(Argument)]
pub struct Words<T: State> {
    words: Box<[u32]>,
    item: PhantomData<T>,
}

impl<T: State> Layout for Words<T> {
    const STORED: bool = true;
}

#[cube]
impl<T: State> View for Words<T> {
    type Item = T;

    fn read(&self, index: Wide) -> T {
        let first = index.low as usize * comptime!(T::WORDS);
        let mut words = Sequence::<u32>::new();
        #[unroll]
        for word in 0..comptime!(T::WORDS) {
            words.push(self.words[first + word]);
        }
        state_of::<T>(&words)
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
}

/// The launch argument of a buffer, on the device that is about to read it.
pub fn bind_items<T: State>(device: &Device, buffer: &Buffer<T>) -> Result<BufferArg, Error> {
    match &buffer.storage {
        Storage::Host(items) => bind_items(device, &device.upload(items)?),
        Storage::Device { device: home, handle, .. } if home.same(device) => {
            Ok(crate::device::argument(handle.clone(), buffer.len() * T::WORDS))
        }
        Storage::Device { device: home, .. } => {
            Err(Error::ForeignBuffer { home: home.label(), device: device.label() })
        }
    }
}

impl<T: State> Source for Buffer<T> {
    type Item = T;
    type View = Words<T>;
    type Host<'a> = HostItems<'a, T>;

    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn bind(&self, device: &Device) -> Result<(BufferArg,), Error> {
        Ok((bind_items(device, self)?,))
    }

    fn on_host(&self) -> Result<HostItems<'_, T>, Error> {
        match &self.storage {
            Storage::Host(items) => Ok(HostItems(items)),
            Storage::Device { device, .. } => Err(Error::NotOnHost { home: device.label() }),
        }
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

            fn bind(&self, device: &Device) -> Result<(BufferArg,), Error> {
                Ok((bind_items(device, &device.upload(self)?)?,))
            }

            fn on_host(&self) -> Result<HostItems<'_, T>, Error> {
                Ok(HostItems(self))
            }
        }
    };
}

host_source!([T]);
host_source!(Vec<T>);
