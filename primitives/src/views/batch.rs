//! [`Batch`]: matrices of one shape, to be multiplied in one launch.

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::matrix::{block_each, run_each};
use super::{HostMatrix, HostView, Matrix, MatrixView, MatrixViewExpand, Source, View, ViewExpand};
use crate::{Device, Error, wide_add, wide_product};

/// Matrices of one shape, one below the other.
///
/// Row-major matrices that follow each other in memory are a batch as they lie: `Batch::new(Dense::new(items, count * rows,
/// columns)?, count)`. [`Batch::strided`] takes any other layout: transposed ones, parts of larger ones, or one for all.
#[derive(Debug, Clone, Copy)]
pub struct Batch<M> {
    matrix: M,
    count: u32,
}

impl<M: Matrix> Batch<M> {
    /// The rows of `matrix` as `count` matrices of as many rows each.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where the rows cannot be cut so.
    pub fn new(matrix: M, count: u32) -> Result<Self, Error> {
        let (rows, of_each) = (u64::from(matrix.rows()), u64::from(count));
        let whole = rows.checked_div(of_each).unwrap_or(0) * of_each;
        if rows != whole {
            return Err(Error::Length { what: "the column of a batch", got: rows, expected: whole });
        }
        Ok(Batch { matrix, count })
    }

    /// How many matrices.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// All of them, one below the other.
    pub fn matrix(&self) -> &M {
        &self.matrix
    }
}

impl<S: Source> Batch<Stack<S>> {
    /// `[count, rows, columns]` items of a source: matrix, row and column times their stride, 0 among them. A stride of 0 from
    /// matrix to matrix is the same matrix for all.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] where the last element would lie past the source, [`Error::TooLong`] for over 2^32 - 1 rows of
    /// all matrices together.
    pub fn strided(source: S, shape: [u32; 3], strides: [u32; 3]) -> Result<Self, Error> {
        let [count, rows, columns] = shape;
        let all = u64::from(count) * u64::from(rows);
        let limit = u64::from(u32::MAX);
        let all = u32::try_from(all).map_err(|_| Error::TooLong { what: "the column of a batch", len: all, limit })?;
        if all > 0 && columns > 0 {
            let steps = shape.iter().zip(strides).map(|(side, stride)| u128::from(side - 1) * u128::from(stride));
            let last: u128 = steps.sum();
            if last >= u128::from(source.len()) {
                let index = u64::try_from(last).unwrap_or(u64::MAX);
                return Err(Error::OutOfBounds { index, len: source.len() });
            }
        }
        Ok(Batch { matrix: Stack { source, rows: all, height: rows, columns, strides }, count })
    }
}

/// A source's items as matrices below one another: what [`Batch::strided`] is made of.
#[derive(Debug, Clone, Copy)]
pub struct Stack<S> {
    source: S,
    /// Rows of all matrices together, and of each.
    rows: u32,
    height: u32,
    columns: u32,
    /// From matrix to matrix, row to row, column to column.
    strides: [u32; 3],
}

/// The device's half of [`Stack`].
#[derive(Argument)]
pub struct StackView<V: View> {
    source: V,
    height: u32,
    matrix_stride: u32,
    row_stride: u32,
    column_stride: u32,
}

#[cube]
impl<V: View> MatrixView for StackView<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        let matrix = row / self.height;
        let start = wide_product(matrix, self.matrix_stride);
        let above = wide_product(row - matrix * self.height, self.row_stride);
        let before = wide_product(column, self.column_stride);
        self.source.read(wide_add(start, wide_add(above, before)))
    }

    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32) {
        block_each::<StackView<V>>(self, row, column, registers, at);
    }

    fn run(
        &self,
        row: u32,
        column: u32,
        registers: &mut Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        #[comptime] down: bool,
    ) {
        run_each::<StackView<V>>(self, row, column, registers, at, count, down);
    }
}

impl<V: HostView> HostMatrix for Stack<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        let [matrix_stride, row_stride, column_stride] = self.strides.map(u64::from);
        let start = u64::from(row / self.height) * matrix_stride;
        let above = u64::from(row % self.height) * row_stride;
        self.source.read(start + above + u64::from(column) * column_stride)
    }
}

impl<S: Source> Matrix for Stack<S> {
    type Item = S::Item;
    type View = StackView<S::View>;
    type Host<'a>
        = Stack<S::Host<'a>>
    where
        Self: 'a;
    const STORED: usize = S::STORED;

    fn rows(&self) -> u32 {
        self.rows
    }

    fn columns(&self) -> u32 {
        self.columns
    }

    fn row_major(&self) -> bool {
        let [_, row_stride, column_stride] = self.strides;
        column_stride <= row_stride || row_stride == 0
    }

    fn bind(&self, device: &Device, _: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        let [matrix_stride, row_stride, column_stride] = self.strides;
        Ok((self.source.bind(device, 1)?, self.height, matrix_stride, row_stride, column_stride))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        let Stack { rows, height, columns, strides, .. } = *self;
        Ok(Stack { source: self.source.on_host()?, rows, height, columns, strides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::Dense;

    #[test]
    fn rows_that_do_not_make_whole_matrices_are_refused() {
        let batch = |rows: u32, count: u32| {
            Batch::new(Dense::new(vec![0u32; rows as usize], rows, 1).unwrap(), count).map(|batch| batch.count())
        };
        assert_eq!(batch(6, 3), Ok(3));
        let refused = |expected| Err(Error::Length { what: "the column of a batch", got: 7, expected });
        assert_eq!(batch(7, 3), refused(6));
        assert_eq!(batch(7, 0), refused(0));
        assert_eq!(batch(0, 0), Ok(0));
    }

    #[test]
    fn the_last_element_may_be_the_sources_last() {
        let stack = |len: usize| Batch::strided(vec![0u32; len], [2, 3, 4], [12, 4, 1]).map(|batch| batch.count());
        assert_eq!(stack(24), Ok(2));
        assert_eq!(stack(23), Err(Error::OutOfBounds { index: 23, len: 23 }));
        let many = Batch::strided(vec![0u32; 1], [1 << 16, 1 << 16, 1], [0, 0, 0]).map(|batch| batch.count());
        assert_eq!(many, Err(Error::TooLong { what: "the column of a batch", len: 1 << 32, limit: u32::MAX.into() }));
    }
}
