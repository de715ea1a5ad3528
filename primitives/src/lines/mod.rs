//! `reduce_rows` and `reduce_columns`: one fold for every row or column of a matrix.
//!
//! Work n, span log n; bytes: the elements once. Two ways on a device, by how the elements of a line lie:
//!
//! | way | who folds a line | for |
//! |---|---|---|
//! | along | a plane, or a cube a piece of it, side by side along the line | long lines whose elements are neighbours; what is left of others |
//! | across | a unit, four lines at once where they lie side by side; units of a cube take runs of the same lines, which it folds in order | columns of a row-major matrix, and short rows |
//!
//! Lines that are few are cut into pieces, whose folds later launches fold in order. Order is kept everywhere.

mod host;
mod kernel;
mod launch;
mod plan;

use crate::device::Launch;
use crate::views::Matrix;
use crate::{Buffer, Device, Error, Lift, Lower};

impl Device {
    /// Folds every row of `matrix` from left to right: one result a row, still on the device.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an element type that the device lacks, [`Error::ForeignBuffer`] or
    /// [`Error::NotOnHost`] for elements that live elsewhere, [`Error::BindingTooLarge`] for too many results.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Sum, views::{Dense, Matrix}};
    ///
    /// let device = Device::host();
    /// let matrix = Dense::new(vec![1u32, 2, 3, 4, 5, 6], 2, 3)?;
    /// assert_eq!(device.reduce_rows(&matrix, &Sum::new())?.to_vec()?, [6, 15]);
    /// assert_eq!(device.reduce_columns(&matrix, &Sum::new())?.to_vec()?, [5, 7, 9]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn reduce_rows<M, O>(&self, matrix: &M, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        match self.gpu() {
            None => {
                op.check_host()?;
                self.notify(&Launch { kernel: "host", strategy: "Lines", cubes: 0, units: 0 });
                Ok(Buffer::on_host(host::fold(matrix, op)?))
            }
            Some(gpu) => launch::reduce_rows(self, gpu, matrix, op),
        }
    }

    /// Folds every column of `matrix` from top to bottom: one result a column, still on the device.
    ///
    /// # Errors
    ///
    /// As [`reduce_rows`](Device::reduce_rows).
    pub fn reduce_columns<M, O>(&self, matrix: &M, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        self.reduce_rows(&matrix.transposed(), op)
    }
}
