//! `scan_columns` and `scan_rows`: a scan of every column or every row of a matrix.
//!
//! | | work | bytes | launches |
//! |---|---|---|---|
//! | columns, look-back | 3 n | elements once from memory and once more from the cache, results once | 1 |
//! | columns, other strategies | that of the rows of the transposed matrix | the same, and results twice more | one more |
//! | rows | that of a flat scan | that of a flat scan | that of a flat scan |
//!
//! Columns of a row-major matrix are read and written with full width, and nothing is transposed: see the kernel. Rows are
//! one flat scan that starts anew at every row.

mod host;
mod kernel;
mod lanes;
mod launch;
mod plan;

use super::{ScanOptions, Strategy, addressable};
use crate::device::Launch;
use crate::ops::Opposite;
use crate::sliding::Heads;
use crate::views::{Dense, Flat, Matrix, Source};
use crate::{Buffer, Counter, Device, Error, Lift, Lower};

impl Device {
    /// Scans every column of `matrix` from top to bottom: result `(r, c)` is the fold of the elements `(0, c) ..= (r, c)`,
    /// lowered. The results are a matrix of the same shape, row after row.
    ///
    /// The layout for many series side by side: a row a time, a column an asset. Order is kept for every operator; the same
    /// call on the same device gives the same bits.
    ///
    /// # Errors
    ///
    /// As [`scan_columns_with`](Device::scan_columns_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Sum, views::Dense};
    ///
    /// let matrix = Dense::new(vec![1u32, 10, 2, 20, 3, 30], 3, 2)?;
    /// let sums = Device::host().scan_columns(&matrix, &Sum::new())?;
    /// assert_eq!(sums.to_vec()?, [1, 10, 3, 30, 6, 60]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn scan_columns<M, O>(&self, matrix: &M, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        self.scan_columns_with(matrix, op, &ScanOptions::default())
    }

    /// Scans every column of `matrix` as `options` say: exclusively, from the bottom to the top (each result is then the
    /// fold of the elements from its own to the last), by the strategy that was asked for.
    ///
    /// By look-back in one pass and one launch: work 3 n, the elements once from memory and once more from the cache, the
    /// results once. Columns are read with full width where the matrix is stored row after row; of a transposed one, scan
    /// the rows of what it transposes. The other strategies scan the rows of the transposed matrix and transpose the
    /// results, which costs reading and writing these once more.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an element type or a feature that the device lacks, [`Error::BindingTooLarge`] for
    /// results that it cannot hold, [`Error::TooLong`] for more elements than a launch covers, [`Error::ForeignBuffer`] or
    /// [`Error::NotOnHost`] for elements that live elsewhere, [`Error::NoOption`] for a total or reproducible bits.
    pub fn scan_columns_with<M, O>(&self, matrix: &M, op: &O, options: &ScanOptions) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        check_options("a scan of columns", options)?;
        if matrix.columns() == 1 {
            return self.scan_with(&Flat::new(matrix), op, options);
        }
        let single_pass = match options.strategy {
            Strategy::Auto => self.profile().is_none_or(|profile| profile.atomic_u32),
            strategy => self.is_host() || strategy == Strategy::DecoupledLookback,
        };
        if !single_pass {
            let scanned = self.scan_rows_with(&matrix.transposed(), op, options)?;
            let scanned = Dense::new(scanned, matrix.columns(), matrix.rows())?;
            return self.collect(&Flat::new(&scanned.transposed()));
        }
        // From the bottom to the top, what was there first is the right operand.
        if options.reverse {
            return self.scan_side_by_side(matrix, &Opposite::new(op.clone()), options);
        }
        self.scan_side_by_side(matrix, op, options)
    }

    /// Scans all columns at a time, in the order in which `options` have the rows.
    fn scan_side_by_side<M, O>(&self, matrix: &M, op: &O, options: &ScanOptions) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        match self.gpu() {
            Some(gpu) => launch::scan_columns(self, gpu, matrix, op, options),
            None => {
                self.start_host(matrix, op, options.strategy)?;
                Ok(Buffer::on_host(host::columns(matrix, op, options.exclusive, options.reverse)?))
            }
        }
    }

    /// Scans every row of `matrix` from left to right: result `(r, c)` is the fold of the elements `(r, 0) ..= (r, c)`,
    /// lowered. The results are a matrix of the same shape, row after row.
    ///
    /// # Errors
    ///
    /// As [`scan_rows_with`](Device::scan_rows_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Sum, views::Dense};
    ///
    /// let matrix = Dense::new(vec![1u32, 2, 3, 10, 20, 30], 2, 3)?;
    /// let sums = Device::host().scan_rows(&matrix, &Sum::new())?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 6, 10, 30, 60]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn scan_rows<M, O>(&self, matrix: &M, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        self.scan_rows_with(matrix, op, &ScanOptions::default())
    }

    /// Scans every row of `matrix` as `options` say: exclusively, from right to left (each result is then the fold of the
    /// elements from its own to the last), by the strategy that was asked for.
    ///
    /// One flat scan of all elements that starts anew at every row, so rows may have any length: work and bytes are those
    /// of [`scan_with`](Device::scan_with), with one word more a state. Rows are read with full width where the matrix is
    /// stored row after row; of a transposed one, scan the columns of what it transposes.
    ///
    /// # Errors
    ///
    /// As [`scan_columns_with`](Device::scan_columns_with).
    pub fn scan_rows_with<M, O>(&self, matrix: &M, op: &O, options: &ScanOptions) -> Result<Buffer<O::Output>, Error>
    where
        M: Matrix,
        O: Lift<M::Item> + Lower,
    {
        check_options("a scan of rows", options)?;
        let items = Flat::new(matrix);
        if matrix.rows() == 1 || items.is_empty() {
            return self.scan_with(&items, op, options);
        }
        if self.is_host() {
            self.start_host(matrix, op, options.strategy)?;
            let results = match options.reverse {
                true => host::rows(matrix, &Opposite::new(op.clone()), options.exclusive, true)?,
                false => host::rows(matrix, op, options.exclusive, false)?,
            };
            return Ok(Buffer::on_host(results));
        }
        // Rows are equally long: from either end, they begin at the same places.
        let heads = Counter::new(items.len()).map(Heads::first_of(matrix.columns()));
        if options.reverse {
            return self.scan_runs(heads, items.reversed(), &Opposite::new(op.clone()), options);
        }
        self.scan_runs(heads, items, op, options)
    }

    fn start_host<M: Matrix, O: Lift<M::Item>>(&self, matrix: &M, op: &O, strategy: Strategy) -> Result<(), Error> {
        op.check_host()?;
        self.notify(&Launch { kernel: "host", strategy: strategy.name(), cubes: 0, units: 0 });
        addressable(u64::from(matrix.rows()) * u64::from(matrix.columns())).map(|_| ())
    }
}

/// How lines are cut up depends on the device, and totals have no place among the results.
fn check_options(what: &'static str, options: &ScanOptions) -> Result<(), Error> {
    if options.reproducible {
        return Err(Error::NoOption { what, option: "reproducible" });
    }
    options.check_lines(what)
}
