//! `collect`: the items of a source, stored. For results that several primitives read.

pub(crate) mod host;
mod kernel;
pub(crate) mod launch;

use rayon::prelude::*;

use crate::device::Launch;
use crate::views::{HostView, Sink, Source};
use crate::{Buffer, Device, Error};

impl Device {
    /// Computes and stores every item of `source`. Work n; bytes: the items read and written once.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an element type that the device lacks, [`Error::BindingTooLarge`] for items that it
    /// cannot hold, [`Error::ForeignBuffer`] or [`Error::NotOnHost`] for items that live elsewhere.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Counter, Device};
    ///
    /// let indices = Device::host().collect(&Counter::new(3))?;
    /// assert_eq!(indices.to_vec()?.into_iter().map(u64::from).collect::<Vec<_>>(), [0, 1, 2]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn collect<S: Source + ?Sized>(&self, source: &S) -> Result<Buffer<S::Item>, Error> {
        match self.gpu() {
            None => self.collect_on_host(source).map(Buffer::on_host),
            Some(gpu) => {
                let len = source.len() as usize;
                let mut output = Buffer::on_device(self, self.allocate::<S::Item>(gpu, len)?, len);
                launch::collect(self, gpu, source, &mut output)?;
                Ok(output)
            }
        }
    }

    /// Computes every item of `source` and stores it in `sink`: an existing buffer, or evenly spaced items of one.
    ///
    /// # Errors
    ///
    /// As [`collect`](Device::collect); [`Error::Length`] where `sink` has not room for exactly the items, and
    /// [`Error::Overlap`] where its memory is read by the source.
    pub fn collect_into<S, K>(&self, source: &S, sink: &mut K) -> Result<(), Error>
    where
        S: Source + ?Sized,
        K: Sink<Item = S::Item> + ?Sized,
    {
        // Nothing is computed from anything but the source.
        crate::scan::check_sink(source, source.len(), &0u32, sink)?;
        match self.gpu() {
            None => sink.put(self.collect_on_host(source)?),
            Some(gpu) => {
                launch::collect(self, gpu, source, sink)?;
                self.settle(sink.memory())
            }
        }
    }

    fn collect_on_host<S: Source + ?Sized>(&self, source: &S) -> Result<Vec<S::Item>, Error> {
        self.notify(&Launch { kernel: "host", strategy: "Collect", cubes: 0, units: 0 });
        let len = crate::scan::addressable(source.len())?;
        self.check_host_memory::<S::Item>(len)?;
        let view = source.on_host()?;
        Ok((0..len as usize).into_par_iter().map(|index| view.read(index as u64)).collect())
    }
}
