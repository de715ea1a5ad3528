//! `collect`: the items of a source, stored. For results that several primitives read.

mod kernel;
mod launch;

use rayon::prelude::*;

use crate::device::Launch;
use crate::views::{HostView, Source};
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
            None => {
                self.notify(&Launch { kernel: "host", strategy: "Collect", cubes: 0, units: 0 });
                let len = crate::scan::addressable(source.len())?;
                let view = source.on_host()?;
                Ok(Buffer::on_host((0..len).into_par_iter().map(|index| view.read(index)).collect()))
            }
            Some(gpu) => launch::collect(self, gpu, source),
        }
    }
}
