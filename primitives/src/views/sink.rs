//! Where results go: a buffer, or evenly spaced items of one.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{Bound, Memory, Words};
use crate::{Buffer, Device, Error, State};

/// A place for the results of a primitive, written in the same pass.
///
/// Results on a device go into the buffer's memory, which its clones share. A source that reads the same memory is
/// refused with [`Error::Overlap`]: a tile may be read again after its results are written.
///
/// A thread that writes to memory which another one made waits for the device. Where the thread that made it writes there
/// again, other threads must not read before it has called [`synchronize`](Device::synchronize).
pub trait Sink {
    /// The results.
    type Item: State;
    /// What a kernel writes through.
    type Place: Place<Item = Self::Item>;

    /// How many results there is room for.
    fn room(&self) -> u64;

    /// The launch argument of the place, written in runs of `run` items.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignBuffer`] where the memory is not the device's.
    fn bind_place(&mut self, device: &Device, run: u32) -> Result<<Self::Place as LaunchArg>::RuntimeArg, Error>;

    /// The device memory that is written to; none on the host.
    fn memory(&self) -> Option<&Handle>;

    /// Puts results of the host in place, as many as there is room for.
    ///
    /// # Errors
    ///
    /// [`Error::NotOnHost`] where the memory is a device's.
    fn put(&mut self, results: Vec<Self::Item>) -> Result<(), Error>;
}

/// The device's half of a sink.
#[cube]
pub trait Place: LaunchArg + Send + Sync {
    /// The results.
    type Item: State;

    /// Writes results `start .. start + count`, whose words begin at item `at` of `registers`; `start` is a multiple of
    /// `count`.
    fn write_run(&mut self, start: u32, registers: &Array<u32>, #[comptime] at: u32, #[comptime] count: u32);

    /// Writes the first `valid` of such a run.
    fn write_part(
        &mut self,
        start: u32,
        registers: &Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        valid: u32,
    );
}

/// The device's half of [`Strided`]: result `i` is item `start + i · stride`, modulo 2^32.
#[derive(Argument)]
pub struct Spread<T: State> {
    words: Memory,
    start: u32,
    stride: u32,
    item: PhantomData<T>,
}

#[cube]
impl<T: State> Place for Spread<T> {
    type Item = T;

    fn write_run(&mut self, start: u32, registers: &Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        let width = comptime!(T::WORDS);
        #[unroll]
        for item in 0..count {
            let index = self.start + (start + item) * self.stride;
            self.words.store_run(
                index * comptime!(width as u32),
                registers,
                comptime!((at + item) as usize * width),
                width,
            );
        }
    }

    fn write_part(
        &mut self,
        start: u32,
        registers: &Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        valid: u32,
    ) {
        #[unroll]
        for item in 0..count {
            if item < valid {
                self.write_run(start + item, registers, comptime!(at + item), 1u32);
            }
        }
    }
}

impl<T: State> Sink for Buffer<T> {
    type Item = T;
    type Place = Words<T>;

    fn room(&self) -> u64 {
        self.len() as u64
    }

    fn bind_place(&mut self, device: &Device, run: u32) -> Result<(Bound,), Error> {
        Ok((Bound::in_runs(self.handle_on(device)?, self.len() * T::WORDS, run as usize * T::WORDS),))
    }

    fn memory(&self) -> Option<&Handle> {
        self.handle()
    }

    fn put(&mut self, results: Vec<T>) -> Result<(), Error> {
        self.fill_on_host(results)
    }
}

/// Evenly spaced items of a buffer: see [`Buffer::strided`].
#[derive(Debug)]
pub struct Strided<'a, T: State> {
    buffer: &'a mut Buffer<T>,
    start: u64,
    stride: i64,
    len: u64,
}

impl<T: State> Buffer<T> {
    /// Room for `len` results: result `i` becomes item `start + i · stride`. A part of the buffer (stride 1), a column of
    /// a row-major matrix (stride = its columns), or from the last item backwards (stride −1).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] where a result would lie outside; a stride of 0 is only for one result.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Counter, Device, ScanOptions, ops::Sum};
    ///
    /// let device = Device::host();
    /// let mut rows = device.upload(&[0u32; 6])?; // 3 rows, 2 columns
    /// device.scan_into(&vec![1u32, 2, 3], &Sum::new(), &mut rows.strided(1, 2, 3)?, &ScanOptions::default())?;
    /// assert_eq!(rows.to_vec()?, [0, 1, 0, 3, 0, 6]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn strided(&mut self, start: u64, stride: i64, len: u64) -> Result<Strided<'_, T>, Error> {
        let items = self.len() as u64;
        let last = i128::from(start) + i128::from(len.saturating_sub(1)) * i128::from(stride);
        let outside = |index: i128| index < 0 || index >= i128::from(items);
        if len > 0 && (outside(start.into()) || outside(last)) {
            let index = if outside(start.into()) { start } else { u64::try_from(last).unwrap_or(u64::MAX) };
            return Err(Error::OutOfBounds { index, len: items });
        }
        if stride == 0 && len > 1 {
            return Err(Error::Length { what: "a sink of stride 0", got: 1, expected: len });
        }
        Ok(Strided { buffer: self, start, stride, len })
    }
}

impl<T: State> Sink for Strided<'_, T> {
    type Item = T;
    type Place = Spread<T>;

    fn room(&self) -> u64 {
        self.len
    }

    fn bind_place(&mut self, device: &Device, _: u32) -> Result<(Bound, u32, u32), Error> {
        let handle = self.buffer.handle_on(device)?;
        // Buffers on a device have fewer than 2^32 items: indices modulo 2^32 are exact.
        Ok((Bound::narrow(handle, self.buffer.len() * T::WORDS), self.start as u32, self.stride as u32))
    }

    fn memory(&self) -> Option<&Handle> {
        self.buffer.handle()
    }

    fn put(&mut self, results: Vec<T>) -> Result<(), Error> {
        for (index, result) in results.into_iter().enumerate() {
            let place = self.start as i64 + index as i64 * self.stride;
            self.buffer.replace_on_host(place as usize, result)?;
        }
        Ok(())
    }
}

/// Results written from the last place to the first.
#[derive(Debug)]
pub(crate) struct Backwards<'a, K: ?Sized> {
    sink: &'a mut K,
    len: u64,
}

impl<'a, K: Sink + ?Sized> Backwards<'a, K> {
    /// The places of `sink`, of which there are `len`.
    pub(crate) fn new(sink: &'a mut K, len: u64) -> Self {
        Backwards { sink, len }
    }
}

/// The device's half of [`Backwards`].
#[derive(Argument)]
pub struct Turned<P: Place> {
    place: P,
    last: u32,
}

#[cube]
impl<P: Place> Place for Turned<P> {
    type Item = P::Item;

    fn write_run(&mut self, start: u32, registers: &Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        #[unroll]
        for item in 0..count {
            self.place.write_run(self.last - (start + item), registers, comptime!(at + item), 1u32);
        }
    }

    fn write_part(
        &mut self,
        start: u32,
        registers: &Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        valid: u32,
    ) {
        #[unroll]
        for item in 0..count {
            if item < valid {
                self.place.write_run(self.last - (start + item), registers, comptime!(at + item), 1u32);
            }
        }
    }
}

impl<K: Sink + ?Sized> Sink for Backwards<'_, K> {
    type Item = K::Item;
    type Place = Turned<K::Place>;

    fn room(&self) -> u64 {
        self.len
    }

    fn bind_place(&mut self, device: &Device, _: u32) -> Result<(<K::Place as LaunchArg>::RuntimeArg, u32), Error> {
        Ok((self.sink.bind_place(device, 1)?, self.len.saturating_sub(1) as u32))
    }

    fn memory(&self) -> Option<&Handle> {
        self.sink.memory()
    }

    fn put(&mut self, mut results: Vec<K::Item>) -> Result<(), Error> {
        results.reverse();
        self.sink.put(results)
    }
}
