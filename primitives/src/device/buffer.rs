//! [`Buffer`]: items on the host or on a device.

use std::marker::PhantomData;
use std::sync::Arc;

use cubecl::prelude::BufferArg;
use cubecl::server::Handle;

use super::Device;
use crate::{Error, State};

/// Items of one type, on the host or on a device. Cheap to clone: clones share the items.
///
/// A primitive's result is a buffer; it goes into the next primitive without leaving the device.
#[derive(Clone)]
pub struct Buffer<T: State> {
    len: usize,
    pub(crate) storage: Storage<T>,
}

#[derive(Clone)]
pub(crate) enum Storage<T> {
    Host(Arc<Vec<T>>),
    Device { device: Device, handle: Handle, item: PhantomData<T> },
}

impl<T: State> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} items on {})", self.len, self.home())
    }
}

impl<T: State> Buffer<T> {
    /// Wraps an existing CubeCL handle, without a copy. The items are the words of `T`, one after another.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where the handle holds fewer than `len` items, [`Error::NotOnHost`] where `device`
    /// is the host.
    pub fn from_handle(device: &Device, handle: Handle, len: usize) -> Result<Self, Error> {
        let Some(gpu) = device.gpu() else {
            return Err(Error::NotOnHost { home: "a CubeCL client".to_owned() });
        };
        device.fitting::<T>(gpu, len as u64)?;
        let held = handle.size_in_used() / (4 * T::WORDS as u64);
        if held < len as u64 {
            return Err(Error::Length { what: "the handle", got: held, expected: len as u64 });
        }
        Ok(Self::on_device(device, handle, len))
    }

    pub(crate) fn on_device(device: &Device, handle: Handle, len: usize) -> Self {
        let storage = Storage::Device { device: device.clone(), handle, item: PhantomData };
        Buffer { len, storage }
    }

    pub(crate) fn on_host(items: Vec<T>) -> Self {
        Buffer { len: items.len(), storage: Storage::Host(Arc::new(items)) }
    }

    /// How many items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The CubeCL handle, to hand the items to other CubeCL code without a copy; none on the host.
    pub fn handle(&self) -> Option<&Handle> {
        match &self.storage {
            Storage::Host(_) => None,
            Storage::Device { handle, .. } => Some(handle),
        }
    }

    /// Copies the items to the host. Waits for the work that makes them.
    ///
    /// # Errors
    ///
    /// What went wrong on the device while the items were made.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        match &self.storage {
            Storage::Host(items) => Ok(items.to_vec()),
            Storage::Device { .. } if self.len == 0 => Ok(Vec::new()),
            Storage::Device { device, handle, .. } => download(device, handle.clone(), self.len),
        }
    }

    /// The items on the host, as [`to_vec`](Buffer::to_vec), but moved where they are there already and no clone shares them.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Buffer::to_vec).
    pub fn into_vec(self) -> Result<Vec<T>, Error> {
        match self.storage {
            Storage::Host(items) => Ok(Arc::unwrap_or_clone(items)),
            Storage::Device { .. } => self.to_vec(),
        }
    }

    /// Copies the items `start..start + len` to the host.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`], or what went wrong on the device.
    pub fn range(&self, start: usize, len: usize) -> Result<Vec<T>, Error> {
        let end = start.saturating_add(len);
        if end > self.len {
            return Err(Error::OutOfBounds { index: end as u64, len: self.len as u64 });
        }
        match &self.storage {
            _ if len == 0 => Ok(Vec::new()),
            Storage::Host(items) => Ok(items[start..end].to_vec()),
            Storage::Device { device, handle, .. } => download_range(device, handle, start, len),
        }
    }

    /// Copies one item to the host.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`], or what went wrong on the device.
    pub fn get(&self, index: usize) -> Result<T, Error> {
        if index >= self.len {
            return Err(Error::OutOfBounds { index: index as u64, len: self.len as u64 });
        }
        self.range(index, 1).map(|items| items[0])
    }

    /// The handle, if the buffer lives on `device`.
    pub(crate) fn handle_on(&self, device: &Device) -> Result<Handle, Error> {
        match &self.storage {
            Storage::Device { device: home, handle, .. } if home.same(device) => Ok(handle.clone()),
            _ => Err(Error::ForeignBuffer { home: self.home(), device: device.label() }),
        }
    }

    /// Replaces an item of a buffer on the host. Copies the items first where a clone shares them.
    pub(crate) fn replace_on_host(&mut self, index: usize, item: T) -> Result<(), Error> {
        match &mut self.storage {
            Storage::Host(items) => {
                Arc::make_mut(items)[index] = item;
                Ok(())
            }
            Storage::Device { device, .. } => Err(Error::NotOnHost { home: device.label() }),
        }
    }

    /// Replaces all items of a buffer on the host.
    pub(crate) fn fill_on_host(&mut self, results: Vec<T>) -> Result<(), Error> {
        match &mut self.storage {
            Storage::Host(items) => {
                self.len = results.len();
                *items = Arc::new(results);
                Ok(())
            }
            Storage::Device { device, .. } => Err(Error::NotOnHost { home: device.label() }),
        }
    }

    /// The first `len` items, in the same memory.
    pub(crate) fn first(mut self, len: usize) -> Self {
        self.len = self.len.min(len);
        if let Storage::Host(items) = &mut self.storage {
            Arc::make_mut(items).truncate(self.len);
        }
        self
    }

    /// Whether the items lie in this memory.
    pub(crate) fn shares(&self, memory: &Handle) -> bool {
        self.handle().is_some_and(|handle| handle.memory.descriptor() == memory.memory.descriptor())
    }

    pub(crate) fn home(&self) -> String {
        match &self.storage {
            Storage::Host(_) => "the host".to_owned(),
            Storage::Device { device, .. } => device.label(),
        }
    }
}

pub fn upload<T: State>(device: &Device, items: &[T]) -> Result<Buffer<T>, Error> {
    let Some(gpu) = device.gpu() else {
        return Ok(Buffer::on_host(items.to_vec()));
    };
    device.fitting::<T>(gpu, items.len() as u64)?;
    // Whole vectors of four words, so that kernels can move 16 bytes at once.
    let mut words = vec![0u32; (items.len() * T::WORDS).next_multiple_of(4).max(4)];
    for (index, item) in items.iter().enumerate() {
        item.pack(&mut words, index * T::WORDS);
    }
    gpu.scratch.count_allocation();
    let handle = gpu.client.create_from_slice(bytemuck::cast_slice(&words));
    Ok(Buffer::on_device(device, handle, items.len()))
}

fn download<T: State>(device: &Device, handle: Handle, len: usize) -> Result<Vec<T>, Error> {
    let client = device.client().expect("a device buffer has a client");
    let bytes = client.read_one(handle).map_err(|error| Error::from_server(&device.label(), &error))?;
    Ok(unpack_all(&bytes, 0, len))
}

/// Reads a few items from the middle; a device reads from aligned offsets only.
fn download_range<T: State>(device: &Device, handle: &Handle, start: usize, len: usize) -> Result<Vec<T>, Error> {
    let client = device.client().expect("a device buffer has a client");
    let item = 4 * T::WORDS as u64;
    let (first, last) = (start as u64 * item, (start + len) as u64 * item);
    let aligned = first - first % client.properties().memory.alignment.max(4);
    let tail = handle.size_in_used() - last;
    let part = handle.clone().offset_start(aligned).offset_end(tail);
    let bytes = client.read_one(part).map_err(|error| Error::from_server(&device.label(), &error))?;
    Ok(unpack_all(&bytes, (first - aligned) as usize, len))
}

fn unpack_all<T: State>(bytes: &[u8], from: usize, len: usize) -> Vec<T> {
    let words: Vec<u32> = bytemuck::allocation::pod_collect_to_vec(&bytes[from..from + len * T::WORDS * 4]);
    (0..len).map(|index| T::unpack(&words, index * T::WORDS)).collect()
}

/// The launch argument of a handle that holds `words` words.
pub fn argument(handle: Handle, words: usize) -> BufferArg {
    elements(handle, words, 4)
}

/// The launch argument of a handle that holds `count` elements of so many bytes.
pub fn elements(handle: Handle, count: usize, bytes: u64) -> BufferArg {
    assert!(count as u64 * bytes <= handle.size_in_used(), "the handle holds the elements");
    // SAFETY: the length was just checked against the handle.
    unsafe { BufferArg::from_raw_parts(handle, count.max(1)) }
}
