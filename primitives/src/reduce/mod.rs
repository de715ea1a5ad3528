//! `reduce`: all items of a source folded into one.
//!
//! Work n, span log n; bytes: the items once. On a device every plane folds a contiguous run of parts, a cube its planes, and
//! one cube all cubes, always in order: of few cubes the last that is done, where one cube's writes reach another, else that of a
//! second launch. The host folds fixed chunks on rayon.

pub(crate) mod host;
mod kernel;
pub(crate) mod launch;
mod plan;

pub(crate) use kernel::Blueprint;
pub(crate) use plan::Cut;

use crate::device::Launch;
use crate::views::Source;
use crate::{Buffer, Device, Error, Lift, Lower};

impl Device {
    /// Folds all items of `source`, in order, and gives a buffer of the one result, still on the device.
    ///
    /// No items give the identity, lowered. Order is kept for every operator; the same call on the same device
    /// gives the same bits.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an element type that the device lacks, [`Error::ForeignBuffer`] or
    /// [`Error::NotOnHost`] for items that live elsewhere, [`Error::TooLong`] past 2^31 parts.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Maximum};
    ///
    /// let device = Device::host();
    /// let highest = device.reduce(&vec![3.0f32, 7.5, -1.0], &Maximum::new())?;
    /// assert_eq!(highest.get(0)?, 7.5);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn reduce<S, O>(&self, source: &S, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        match self.gpu() {
            None => self.reduce_on_host(source, op).map(|output| Buffer::on_host(vec![output])),
            Some(gpu) => {
                let output = self.allocate::<O::Output>(gpu, 1)?;
                launch::reduce(self, gpu, source, op, &output, 0)?;
                Ok(Buffer::on_device(self, output, 1))
            }
        }
    }

    /// Folds all items of `source`, in order, into item `slot` of `output`. For loops that never read back. Threads: as
    /// for a [`Sink`](crate::views::Sink).
    ///
    /// # Errors
    ///
    /// As [`reduce`](Device::reduce), and [`Error::OutOfBounds`] for a slot that does not exist.
    pub fn reduce_into<S, O>(
        &self,
        source: &S,
        op: &O,
        output: &mut Buffer<O::Output>,
        slot: usize,
    ) -> Result<(), Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        if slot >= output.len() {
            return Err(Error::OutOfBounds { index: slot as u64, len: output.len() as u64 });
        }
        match self.gpu() {
            None => {
                let result = self.reduce_on_host(source, op)?;
                output.replace_on_host(slot, result)
            }
            Some(gpu) => {
                let handle = output.handle_on(self)?;
                launch::reduce(self, gpu, source, op, &handle, slot as u32)?;
                self.settle(Some(&handle))
            }
        }
    }

    fn reduce_on_host<S, O>(&self, source: &S, op: &O) -> Result<O::Output, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        op.check_host()?;
        self.notify(&Launch { kernel: "host", strategy: "Tree", cubes: 0, units: 0 });
        Ok(host::fold(&source.on_host()?, source.len(), op))
    }
}
