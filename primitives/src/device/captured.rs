//! [`Captured`]: an array inside an operator.

use std::ops::Index;
use std::sync::Arc;

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::{Buffer, Device, Storage};
use crate::{Element, Error, Operator, views};

/// An array of scalars that an operator reads by index: `self.table[i]` in a `#[cube]` body, on both sides.
///
/// Made of a host array, of which it keeps a copy, it is uploaded at every launch; made of a [`Buffer`] on a device it is bound as it
/// is.
#[derive(Clone)]
pub struct Captured<T: Element>(Source<T>);

#[derive(Clone)]
enum Source<T: Element> {
    /// Its address and length stand here, not behind one more pointer: a loop may then check indices before it begins.
    Host(Arc<[T]>),
    Device(Buffer<T>),
}

impl<T: Element> std::fmt::Debug for Captured<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Source::Host(items) => write!(f, "Captured({} items on the host)", items.len()),
            Source::Device(buffer) => write!(f, "Captured({buffer:?})"),
        }
    }
}

impl<T: Element> From<Vec<T>> for Captured<T> {
    fn from(items: Vec<T>) -> Self {
        Captured(Source::Host(items.into()))
    }
}

impl<T: Element> From<Buffer<T>> for Captured<T> {
    fn from(buffer: Buffer<T>) -> Self {
        Captured(match &buffer.storage {
            Storage::Host(items) => Source::Host(items.as_slice().into()),
            Storage::Device { .. } => Source::Device(buffer),
        })
    }
}

impl<T: Element> Captured<T> {
    /// The same items on `device`, so that launches there need not upload them.
    ///
    /// # Errors
    ///
    /// What goes wrong on the device, and [`Error::ForeignBuffer`] for items that live on another one.
    pub fn on(&self, device: &Device) -> Result<Self, Error> {
        match &self.0 {
            Source::Host(_) if device.is_host() => Ok(self.clone()),
            Source::Host(items) => Ok(device.upload(items)?.into()),
            Source::Device(buffer) => buffer.handle_on(device).map(|_| self.clone()),
        }
    }
}

/// The host reads the item; [`Operator::check_host`] has refused arrays that live on a device.
impl<T: Element> Index<usize> for Captured<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        match &self.0 {
            Source::Host(items) => &items[index],
            Source::Device(_) => unreachable!("check_host refuses arrays that live on a device"),
        }
    }
}

impl<T: Element> CubeType for Captured<T> {
    type ExpandType = NativeExpand<Box<[T]>>;
}

impl<T: Element> LaunchArg for Captured<T> {
    type RuntimeArg = BufferArg;
    type CompilationArg = <Box<[T]> as LaunchArg>::CompilationArg;

    fn register(argument: BufferArg, launcher: &mut KernelLauncher) -> Self::CompilationArg {
        <Box<[T]> as LaunchArg>::register(argument, launcher)
    }

    fn expand(argument: &Self::CompilationArg, builder: &mut KernelBuilder) -> NativeExpand<Box<[T]>> {
        <Box<[T]> as LaunchArg>::expand(argument, builder)
    }
}

impl<T: Element> Operator for Captured<T> {
    fn bind(&self, device: &Device) -> Result<BufferArg, Error> {
        match &self.0 {
            Source::Host(items) => bound(device, &device.upload(items)?),
            Source::Device(buffer) => bound(device, buffer),
        }
    }

    fn check_host(&self) -> Result<(), Error> {
        match &self.0 {
            Source::Host(_) => Ok(()),
            Source::Device(buffer) => Err(Error::NotOnHost { home: buffer.home() }),
        }
    }

    fn reads(&self, memory: &Handle) -> bool {
        match &self.0 {
            Source::Host(_) => false,
            Source::Device(buffer) => buffer.shares(memory),
        }
    }
}

fn bound<T: Element>(device: &Device, buffer: &Buffer<T>) -> Result<BufferArg, Error> {
    views::buffer_on(device, buffer).map(|(handle, words)| super::argument(handle, words))
}
