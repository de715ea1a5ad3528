//! `select`: the items that satisfy a predicate, close together and in their order.
//!
//! One scan: its state counts what is kept so far and has the last item with it, and its sink writes that item, where it is kept,
//! to the place that its count says.

mod picking;
mod sink;

use crate::device::Launch;
use crate::views::{Mapping, Sink, Source};
use crate::{Buffer, Device, Error, ScanOptions, State};
use picking::Picking;
use sink::Compacted;

/// What [`Device::select`] keeps: the items, and on the device how many they are.
#[derive(Debug, Clone)]
pub struct Selected<T: State> {
    items: Buffer<T>,
    count: Buffer<u32>,
}

impl<T: State> Selected<T> {
    /// How many items were kept: a buffer of one number, still on the device.
    pub fn count(&self) -> &Buffer<u32> {
        &self.count
    }

    /// How many items were kept, on the host. Waits for the work that counts them.
    ///
    /// # Errors
    ///
    /// What went wrong on the device.
    pub fn len(&self) -> Result<usize, Error> {
        Ok(self.count.get(0)? as usize)
    }

    /// Whether no item was kept. Waits as [`len`](Selected::len) does.
    ///
    /// # Errors
    ///
    /// What went wrong on the device.
    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }

    /// The items kept, where they are, as a buffer of their number; reads that number back, and no item.
    ///
    /// # Errors
    ///
    /// What went wrong on the device.
    pub fn into_buffer(self) -> Result<Buffer<T>, Error> {
        let len = self.len()?;
        Ok(self.items.first(len))
    }

    /// Copies the items kept to the host.
    ///
    /// # Errors
    ///
    /// What went wrong on the device.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.items.range(0, self.len()?)
    }
}

impl Device {
    /// Keeps the items for which `predicate` is not 0, in their order. How many they are stays on the device until asked for.
    ///
    /// Work n; bytes: the items once from memory and most once more from the cache, those kept written once. The buffer has room
    /// for all items until [`Selected::into_buffer`] cuts it.
    ///
    /// # Errors
    ///
    /// As [`scan_with`](Device::scan_with); [`Error::TooLong`] past 2^32 - 1 items.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::cubecl::prelude::*;
    /// use cubefold_primitives::views::{Mapping, MappingExpand};
    /// use cubefold_primitives::{Device, Operator, cubecl};
    ///
    /// #[derive(Clone, Operator)]
    /// struct Above {
    ///     level: f32,
    /// }
    ///
    /// #[cube]
    /// impl Mapping<f32> for Above {
    ///     type Output = u32;
    ///     fn map(&self, price: f32) -> u32 {
    ///         select(price > self.level, 1u32, 0u32)
    ///     }
    /// }
    ///
    /// let kept = Device::host().select(&vec![3.0f32, 8.0, 1.0, 9.5], &Above { level: 2.5 })?;
    /// assert_eq!(kept.to_vec()?, [3.0, 8.0, 9.5]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn select<S, P>(&self, source: &S, predicate: &P) -> Result<Selected<S::Item>, Error>
    where
        S: Source + ?Sized,
        P: Mapping<S::Item, Output = u32>,
    {
        let (len, limit) = (source.len(), u64::from(u32::MAX));
        if len > limit {
            return Err(Error::TooLong { what: "a selection", len, limit });
        }
        let Some(gpu) = self.gpu() else {
            predicate.check_host()?;
            self.notify(&Launch { kernel: "host", strategy: "Select", cubes: 0, units: 0 });
            let items = picking::kept_on_host(&source.on_host()?, len, predicate);
            let count = self.upload(&[items.len() as u32])?;
            return Ok(Selected { items: Buffer::on_host(items), count });
        };
        let items = Buffer::on_device(self, self.allocate::<S::Item>(gpu, len as usize)?, len as usize);
        let mut sink = Compacted::new(items, self.upload(&[0u32])?);
        self.scan_forward(source, &Picking::new(predicate.clone()), &mut sink, &ScanOptions::default())?;
        self.settle(sink.memory())?;
        let (items, count) = sink.into_parts();
        Ok(Selected { items, count })
    }
}
