//! [`Dense`]: a source's items, at any strides.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostMatrix, Matrix, MatrixView, MatrixViewExpand, SIDE, Stored, block_each, run_each, turned};
use crate::tile::registers as registers_for;
use crate::views::{HostView, Source, View, ViewExpand};
use crate::{Device, Error, Fixed, Wide, wide_add, wide_product};

/// A source's items laid out as a matrix: element `(row, column)` is item `row · row_stride + column · column_stride`.
#[derive(Debug, Clone, Copy)]
pub struct Dense<S> {
    source: S,
    rows: u32,
    columns: u32,
    row_stride: u32,
    column_stride: u32,
}

impl<S: Source> Dense<S> {
    /// Row after row.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where the source does not have `rows · columns` items.
    pub fn new(source: S, rows: u32, columns: u32) -> Result<Self, Error> {
        let expected = u64::from(rows) * u64::from(columns);
        if source.len() != expected {
            return Err(Error::Length { what: "the matrix's source", got: source.len(), expected });
        }
        Ok(Dense { source, rows, columns, row_stride: columns, column_stride: 1 })
    }

    /// Any strides, 0 among them: a source of `columns` items with a row stride of 0 is the same row again and again.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] where the last element would lie past the source.
    pub fn strided(source: S, rows: u32, columns: u32, row_stride: u32, column_stride: u32) -> Result<Self, Error> {
        if rows > 0 && columns > 0 {
            let last = u64::from(rows - 1) * u64::from(row_stride) + u64::from(columns - 1) * u64::from(column_stride);
            if last >= source.len() {
                return Err(Error::OutOfBounds { index: last, len: source.len() });
            }
        }
        Ok(Dense { source, rows, columns, row_stride, column_stride })
    }

    /// The same row `rows` times.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`] for a source of over 2^32 - 1 items.
    pub fn repeated_row(source: S, rows: u32) -> Result<Self, Error> {
        let columns = narrow("a matrix's row", source.len())?;
        Self::strided(source, rows, columns, 0, 1)
    }

    /// The same column `columns` times.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`] for a source of over 2^32 - 1 items.
    pub fn repeated_column(source: S, columns: u32) -> Result<Self, Error> {
        let rows = narrow("a matrix's column", source.len())?;
        Self::strided(source, rows, columns, 1, 0)
    }
}

fn narrow(what: &'static str, len: u64) -> Result<u32, Error> {
    u32::try_from(len).map_err(|_| Error::TooLong { what, len, limit: u64::from(u32::MAX) })
}

/// The device's half of [`Dense`].
#[derive(Argument)]
pub struct DenseView<V: View> {
    source: V,
    row_stride: u32,
    column_stride: u32,
    layout: Fixed<Layout>,
}

/// What is known of the places of elements while a kernel is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Which elements are read together.
    pub neighbours: Neighbours,
    /// Whether there are so few items that a word tells them apart.
    pub narrow: bool,
}

/// Which elements are read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// Four of a row.
    Row,
    /// Four of a column.
    Column,
    /// None.
    No,
}

/// The place of an element among the items of a source.
#[cube]
fn place(row: u32, row_stride: u32, column: u32, column_stride: u32, #[comptime] layout: Layout) -> Wide {
    if comptime!(layout.narrow) {
        let above = if comptime!(layout.neighbours == Neighbours::Column) { row } else { row * row_stride };
        let before = if comptime!(layout.neighbours == Neighbours::Row) { column } else { column * column_stride };
        Wide { low: above + before, high: 0u32.runtime() }
    } else {
        wide_add(wide_product(row, row_stride), wide_product(column, column_stride))
    }
}

#[cube]
impl<V: View> MatrixView for DenseView<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        self.source.read(place(row, self.row_stride, column, self.column_stride, self.layout.0))
    }

    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32) {
        if comptime!(self.layout.0.neighbours == Neighbours::Row) {
            #[unroll]
            for down in 0..SIDE {
                let start = place(row + down, self.row_stride, column, self.column_stride, self.layout.0);
                self.source.read_run(start, registers, comptime!(at + down * SIDE), SIDE);
            }
        } else if comptime!(self.layout.0.neighbours == Neighbours::Column) {
            let mut block = registers_for::<V::Item>(comptime!(SIDE * SIDE));
            #[unroll]
            for across in 0..SIDE {
                let start = place(row, self.row_stride, column + across, self.column_stride, self.layout.0);
                self.source.read_run(start, &mut block, comptime!(across * SIDE), SIDE);
            }
            turned::<V::Item>(&block, registers, at);
        } else {
            block_each::<DenseView<V>>(self, row, column, registers, at);
        }
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
        let near = comptime!(if down { Neighbours::Column } else { Neighbours::Row });
        if comptime!(self.layout.0.neighbours == near && count % SIDE == 0) {
            #[unroll]
            for four in 0..comptime!(count / SIDE) {
                let next = comptime!(four * SIDE);
                let start = if comptime!(down) {
                    place(row + next, self.row_stride, column, self.column_stride, self.layout.0)
                } else {
                    place(row, self.row_stride, column + next, self.column_stride, self.layout.0)
                };
                self.source.read_run(start, registers, comptime!(at + next), SIDE);
            }
        } else {
            run_each::<DenseView<V>>(self, row, column, registers, at, count, down);
        }
    }
}

impl<V: HostView> HostMatrix for Dense<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        let above = u64::from(row) * u64::from(self.row_stride);
        self.source.read(above + u64::from(column) * u64::from(self.column_stride))
    }

    fn stored(&self) -> Option<Stored<'_, V::Item>> {
        let (row_stride, column_stride) = (self.row_stride as usize, self.column_stride as usize);
        self.source.stored().map(|items| Stored { items, row_stride, column_stride })
    }
}

impl<S: Source> Matrix for Dense<S> {
    type Item = S::Item;
    type View = DenseView<S::View>;
    type Host<'a>
        = Dense<S::Host<'a>>
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
        self.column_stride <= self.row_stride || self.row_stride == 0
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        let in_fours = |stride: u32| stride.is_multiple_of(SIDE);
        let neighbours = match (self.row_stride, self.column_stride) {
            _ if run != SIDE => Neighbours::No,
            (row_stride, 1) if in_fours(row_stride) => Neighbours::Row,
            (1, column_stride) if in_fours(column_stride) => Neighbours::Column,
            _ => Neighbours::No,
        };
        let run = if neighbours == Neighbours::No { 1 } else { run };
        let layout = Layout { neighbours, narrow: self.source.len() <= u64::from(u32::MAX) };
        Ok((self.source.bind(device, run)?, self.row_stride, self.column_stride, Fixed(layout)))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(Dense {
            source: self.source.on_host()?,
            rows: self.rows,
            columns: self.columns,
            row_stride: self.row_stride,
            column_stride: self.column_stride,
        })
    }
}
