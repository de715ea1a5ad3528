//! `reduce`: all items of a source folded into one.
//!
//! Work n, span log n; bytes: the items once. On a device every plane folds a contiguous run of parts, a cube its planes, and
//! one cube all cubes, always in order: of few cubes the last that is done, where one cube's writes reach another, else that of a
//! second launch. The host folds fixed chunks on rayon.

mod explain;
pub(crate) mod host;
mod kernel;
pub(crate) mod launch;
mod plan;
pub(crate) mod tree;

pub use explain::ReducePlan;
pub(crate) use kernel::Blueprint;
pub(crate) use plan::{Cut, HEAVY, LIGHT};

use cubecl::server::Handle;

use crate::device::{Gpu, Launch};
use crate::views::Source;
use crate::{Buffer, Device, Error, Lift, Lower};
pub use tree::fold_pairs;

/// Options of a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ReduceOptions {
    /// Whether items are grouped in one way on every device and the host, and for every length: runs of 16 items from the
    /// first on, then a tree of neighbours ([`fold_pairs`] is the tree). Bits are then equal everywhere for integers,
    /// selections, and float operators that only add, or only multiply; see an operator's class.
    pub reproducible: bool,
}

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
        self.reduce_with(source, op, &ReduceOptions::default())
    }

    /// Folds all items of `source` as `options` say, and gives a buffer of the one result, still on the device.
    ///
    /// A reproducible reduction takes one launch more than a plain one where there are many items.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Device::reduce).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ReduceOptions, ops::Sum};
    ///
    /// let options = ReduceOptions { reproducible: true };
    /// let sum = Device::host().reduce_with(&vec![1.5f32, 2.25, 3.0], &Sum::new(), &options)?;
    /// assert_eq!(sum.get(0)?, 6.75);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn reduce_with<S, O>(&self, source: &S, op: &O, options: &ReduceOptions) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        match self.gpu() {
            None => self.reduce_on_host(source, op, options).map(|output| Buffer::on_host(vec![output])),
            Some(gpu) => {
                let output = self.allocate::<O::Output>(gpu, 1)?;
                self.reduce_on_device(gpu, source, op, &output, 0, options)?;
                Ok(Buffer::on_device(self, output, 1))
            }
        }
    }

    /// Folds every `block` items of `source` apart, and gives a buffer of one result a block, still on the device; the last block
    /// may be shorter. Items are grouped as in a reproducible [`reduce_with`](Device::reduce_with), of which the states are the
    /// nodes: [`fold_pairs`] of them gives its bits.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Device::reduce); [`Error::Block`] for a block that is not 16 items or a larger power of two, and
    /// [`Error::BindingTooLarge`] for too many results.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Counter, Device, ops::Count};
    ///
    /// let counts = Device::host().reduce_blocks(&Counter::new(40), 16, &Count)?.to_vec()?;
    /// assert_eq!(counts.into_iter().map(u64::from).collect::<Vec<_>>(), [16, 16, 8]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn reduce_blocks<S, O>(&self, source: &S, block: u64, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        if !block.is_power_of_two() || block < u64::from(tree::RUN) {
            return Err(Error::Block { len: block, least: tree::RUN });
        }
        let len = crate::scan::addressable(source.len().div_ceil(block))?;
        match self.gpu() {
            None => {
                op.check_host()?;
                self.notify(&Launch { kernel: "host", strategy: "Reproducible", cubes: 0, units: 0 });
                self.check_host_memory::<O::Output>(len)?;
                Ok(Buffer::on_host(tree::fold_blocks(&source.on_host()?, source.len(), block, op)))
            }
            Some(gpu) => {
                let output = self.allocate::<O::Output>(gpu, len as usize)?;
                if len > 0 {
                    tree::reduce(self, gpu, source, op, &output, 0, Some(block))?;
                }
                Ok(Buffer::on_device(self, output, len as usize))
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
        self.reduce_into_with(source, op, output, slot, &ReduceOptions::default())
    }

    /// The same as `options` say.
    ///
    /// # Errors
    ///
    /// As [`reduce_into`](Device::reduce_into).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ReduceOptions, ops::Sum};
    ///
    /// let (device, options) = (Device::host(), ReduceOptions { reproducible: true });
    /// let mut totals = device.upload(&[0.0f32; 3])?;
    /// device.reduce_into_with(&vec![1.5f32, 2.25], &Sum::new(), &mut totals, 1, &options)?;
    /// assert_eq!(totals.to_vec()?, [0.0, 3.75, 0.0]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn reduce_into_with<S, O>(
        &self,
        source: &S,
        op: &O,
        output: &mut Buffer<O::Output>,
        slot: usize,
        options: &ReduceOptions,
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
                let result = self.reduce_on_host(source, op, options)?;
                output.replace_on_host(slot, result)
            }
            Some(gpu) => {
                let handle = output.handle_on(self)?;
                self.reduce_on_device(gpu, source, op, &handle, slot as u32, options)?;
                self.settle(Some(&handle))
            }
        }
    }

    fn reduce_on_device<S, O>(
        &self,
        gpu: &Gpu,
        source: &S,
        op: &O,
        output: &Handle,
        slot: u32,
        options: &ReduceOptions,
    ) -> Result<(), Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        match options.reproducible {
            true => tree::reduce(self, gpu, source, op, output, slot, None),
            false => launch::reduce(self, gpu, source, op, output, slot),
        }
    }

    fn reduce_on_host<S, O>(&self, source: &S, op: &O, options: &ReduceOptions) -> Result<O::Output, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        op.check_host()?;
        let strategy = if options.reproducible { "Reproducible" } else { "Tree" };
        self.notify(&Launch { kernel: "host", strategy, cubes: 0, units: 0 });
        let view = source.on_host()?;
        Ok(match options.reproducible {
            true => tree::fold(&view, source.len(), op),
            false => host::fold(&view, source.len(), op),
        })
    }
}
