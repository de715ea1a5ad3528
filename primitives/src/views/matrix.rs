//! Matrices over sources: row-major, transposed, strided, broadcast, mapped, zipped, computed.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{Both, HostView, Mapping, MappingExpand, Source, View, ViewExpand, both};
use crate::tile::{keep, kept, registers as registers_for};
use crate::{Device, Error, Fixed, State, Wide, wide_add, wide_product};

/// The device's half of a matrix.
#[cube]
pub trait MatrixView: LaunchArg + Send + Sync {
    /// The elements.
    type Item: State;

    /// The element at `row`, `column`, which are inside the matrix.
    fn element(&self, row: u32, column: u32) -> Self::Item;

    /// Puts the words of four rows of four elements, from `row`, `column` on, into `registers`, row after row, from item `at` of
    /// it on. All are inside the matrix, and `row` and `column` are multiples of four: neighbours in memory come 16 bytes at a
    /// time where the matrix was bound for that.
    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32);
}

/// Rows and columns of a [`MatrixView::block`].
pub const SIDE: u32 = 4;

/// [`MatrixView::block`] an element at a time.
#[cube]
pub(crate) fn block_each<V: MatrixView>(
    view: &V,
    row: u32,
    column: u32,
    registers: &mut Array<u32>,
    #[comptime] at: u32,
) {
    #[unroll]
    for down in 0..SIDE {
        #[unroll]
        for across in 0..SIDE {
            let item = view.element(row + down, column + across);
            keep::<V::Item>(registers, item, comptime!(at + down * SIDE + across));
        }
    }
}

/// A block's columns as its rows.
#[cube]
fn turned<T: State>(block: &Array<u32>, registers: &mut Array<u32>, #[comptime] at: u32) {
    #[unroll]
    for down in 0..SIDE {
        #[unroll]
        for across in 0..SIDE {
            let item = kept::<T>(block, comptime!(across * SIDE + down));
            keep::<T>(registers, item, comptime!(at + down * SIDE + across));
        }
    }
}

/// The host's half of a matrix.
pub trait HostMatrix: Sync {
    /// The elements.
    type Item: State;

    /// The element at `row`, `column`, which are inside the matrix.
    fn element(&self, row: u32, column: u32) -> Self::Item;

    /// Where the elements lie in memory, if they do.
    fn stored(&self) -> Option<Stored<'_, Self::Item>> {
        None
    }
}

/// Elements in host memory: `(row, column)` is item `row · row_stride + column · column_stride`.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a, T> {
    /// The items.
    pub items: &'a [T],
    /// From a row to the next.
    pub row_stride: usize,
    /// From a column to the next.
    pub column_stride: usize,
}

/// A rectangle of elements, stored or computed.
pub trait Matrix {
    /// The elements.
    type Item: State;
    /// What a kernel reads through.
    type View: MatrixView<Item = Self::Item>;
    /// What the host reads through.
    type Host<'a>: HostMatrix<Item = Self::Item>
    where
        Self: 'a;

    /// How many rows.
    fn rows(&self) -> u32;

    /// How many columns.
    fn columns(&self) -> u32;

    /// The launch argument of the view. `run` is 4 where a kernel reads blocks, 1 where it reads elements.
    ///
    /// # Errors
    ///
    /// Elements that the device cannot hold, or that live on another one.
    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error>;

    /// The host's view.
    ///
    /// # Errors
    ///
    /// [`Error::NotOnHost`] where elements live on a device.
    fn on_host(&self) -> Result<Self::Host<'_>, Error>;

    /// Whether neighbouring columns lie next to each other in memory, as far as is known; else neighbouring rows do. Only the
    /// speed depends on it.
    fn row_major(&self) -> bool {
        true
    }

    /// Rows as columns; nothing is moved.
    fn transposed(self) -> Transposed<Self>
    where
        Self: Sized,
    {
        Transposed { matrix: self }
    }

    /// Every element through `op`.
    fn map_elements<O: Mapping<Self::Item>>(self, op: O) -> MatrixMap<Self, O>
    where
        Self: Sized,
    {
        MatrixMap { matrix: self, op }
    }

    /// Pairs with the elements of `other` at the same place.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where the shapes differ.
    fn zip_elements<B: Matrix>(self, other: B) -> Result<MatrixZip<Self, B>, Error>
    where
        Self: Sized,
    {
        same_length("the rows of the other matrix", other.rows(), self.rows())?;
        same_length("the columns of the other matrix", other.columns(), self.columns())?;
        Ok(MatrixZip { left: self, right: other })
    }
}

pub(crate) fn same_length(what: &'static str, got: u32, expected: u32) -> Result<(), Error> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { what, got: u64::from(got), expected: u64::from(expected) })
}

impl<M: Matrix + ?Sized> Matrix for &M {
    type Item = M::Item;
    type View = M::View;
    type Host<'a>
        = M::Host<'a>
    where
        Self: 'a;

    fn rows(&self) -> u32 {
        M::rows(self)
    }

    fn columns(&self) -> u32 {
        M::columns(self)
    }

    fn row_major(&self) -> bool {
        M::row_major(self)
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<M::View as LaunchArg>::RuntimeArg, Error> {
        M::bind(self, device, run)
    }

    fn on_host(&self) -> Result<M::Host<'_>, Error> {
        M::on_host(self)
    }
}

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
    neighbours: Fixed<Neighbours>,
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
fn place(row: u32, row_stride: u32, column: u32, column_stride: u32) -> Wide {
    wide_add(wide_product(row, row_stride), wide_product(column, column_stride))
}

#[cube]
impl<V: View> MatrixView for DenseView<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        self.source.read(place(row, self.row_stride, column, self.column_stride))
    }

    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32) {
        if comptime!(self.neighbours.0 == Neighbours::Row) {
            #[unroll]
            for down in 0..SIDE {
                let start = place(row + down, self.row_stride, column, self.column_stride);
                self.source.read_run(start, registers, comptime!(at + down * SIDE), SIDE);
            }
        } else if comptime!(self.neighbours.0 == Neighbours::Column) {
            let mut block = registers_for::<V::Item>(comptime!(SIDE * SIDE));
            #[unroll]
            for across in 0..SIDE {
                let start = place(row, self.row_stride, column + across, self.column_stride);
                self.source.read_run(start, &mut block, comptime!(across * SIDE), SIDE);
            }
            turned::<V::Item>(&block, registers, at);
        } else {
            block_each::<DenseView<V>>(self, row, column, registers, at);
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
        Ok((self.source.bind(device, run)?, self.row_stride, self.column_stride, Fixed(neighbours)))
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

/// Rows as columns.
#[derive(Debug, Clone, Copy)]
pub struct Transposed<M> {
    matrix: M,
}

/// The device's half of [`Transposed`].
#[derive(Argument)]
pub struct TransposedView<V: MatrixView> {
    matrix: V,
}

#[cube]
impl<V: MatrixView> MatrixView for TransposedView<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        self.matrix.element(column, row)
    }

    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32) {
        let mut block = registers_for::<V::Item>(comptime!(SIDE * SIDE));
        self.matrix.block(column, row, &mut block, 0u32);
        turned::<V::Item>(&block, registers, at);
    }
}

impl<V: HostMatrix> HostMatrix for Transposed<V> {
    type Item = V::Item;

    fn element(&self, row: u32, column: u32) -> V::Item {
        self.matrix.element(column, row)
    }

    fn stored(&self) -> Option<Stored<'_, V::Item>> {
        self.matrix.stored().map(|Stored { items, row_stride, column_stride }| Stored {
            items,
            row_stride: column_stride,
            column_stride: row_stride,
        })
    }
}

impl<M: Matrix> Matrix for Transposed<M> {
    type Item = M::Item;
    type View = TransposedView<M::View>;
    type Host<'a>
        = Transposed<M::Host<'a>>
    where
        Self: 'a;

    fn rows(&self) -> u32 {
        self.matrix.columns()
    }

    fn columns(&self) -> u32 {
        self.matrix.rows()
    }

    fn row_major(&self) -> bool {
        !self.matrix.row_major()
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.matrix.bind(device, run)?,))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(Transposed { matrix: self.matrix.on_host()? })
    }
}

/// Every element through an operator.
#[derive(Debug, Clone, Copy)]
pub struct MatrixMap<M, O> {
    matrix: M,
    op: O,
}

/// The device's half of [`MatrixMap`].
#[derive(Argument)]
pub struct MatrixMapView<V: MatrixView, O: Mapping<V::Item>> {
    matrix: V,
    op: O,
}

#[cube]
impl<V: MatrixView, O: Mapping<V::Item>> MatrixView for MatrixMapView<V, O> {
    type Item = O::Output;

    fn element(&self, row: u32, column: u32) -> O::Output {
        self.op.map(self.matrix.element(row, column))
    }

    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32) {
        let mut block = registers_for::<V::Item>(comptime!(SIDE * SIDE));
        self.matrix.block(row, column, &mut block, 0u32);
        #[unroll]
        for item in 0..comptime!(SIDE * SIDE) {
            keep::<O::Output>(registers, self.op.map(kept::<V::Item>(&block, item)), comptime!(at + item));
        }
    }
}

/// The host's half of [`MatrixMap`].
#[derive(Debug)]
pub struct HostMatrixMap<'a, V, O> {
    matrix: V,
    op: &'a O,
}

impl<V: HostMatrix, O: Mapping<V::Item>> HostMatrix for HostMatrixMap<'_, V, O> {
    type Item = O::Output;

    fn element(&self, row: u32, column: u32) -> O::Output {
        self.op.map(self.matrix.element(row, column))
    }
}

impl<M: Matrix, O: Mapping<M::Item>> Matrix for MatrixMap<M, O> {
    type Item = O::Output;
    type View = MatrixMapView<M::View, O>;
    type Host<'a>
        = HostMatrixMap<'a, M::Host<'a>, O>
    where
        Self: 'a;

    fn rows(&self) -> u32 {
        self.matrix.rows()
    }

    fn columns(&self) -> u32 {
        self.matrix.columns()
    }

    fn row_major(&self) -> bool {
        self.matrix.row_major()
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.matrix.bind(device, run)?, self.op.bind(device)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        self.op.check_host()?;
        Ok(HostMatrixMap { matrix: self.matrix.on_host()?, op: &self.op })
    }
}

/// Pairs of two matrices' elements.
#[derive(Debug, Clone, Copy)]
pub struct MatrixZip<A, B> {
    left: A,
    right: B,
}

/// The device's half of [`MatrixZip`].
#[derive(Argument)]
pub struct MatrixZipView<A: MatrixView, B: MatrixView> {
    left: A,
    right: B,
}

#[cube]
impl<A: MatrixView, B: MatrixView> MatrixView for MatrixZipView<A, B> {
    type Item = Both<A::Item, B::Item>;

    fn element(&self, row: u32, column: u32) -> Both<A::Item, B::Item> {
        both::<A::Item, B::Item>(self.left.element(row, column), self.right.element(row, column))
    }

    fn block(&self, row: u32, column: u32, registers: &mut Array<u32>, #[comptime] at: u32) {
        let mut left = registers_for::<A::Item>(comptime!(SIDE * SIDE));
        let mut right = registers_for::<B::Item>(comptime!(SIDE * SIDE));
        self.left.block(row, column, &mut left, 0u32);
        self.right.block(row, column, &mut right, 0u32);
        #[unroll]
        for item in 0..comptime!(SIDE * SIDE) {
            let pair = both::<A::Item, B::Item>(kept::<A::Item>(&left, item), kept::<B::Item>(&right, item));
            keep::<Both<A::Item, B::Item>>(registers, pair, comptime!(at + item));
        }
    }
}

impl<A: HostMatrix, B: HostMatrix> HostMatrix for MatrixZip<A, B> {
    type Item = Both<A::Item, B::Item>;

    fn element(&self, row: u32, column: u32) -> Self::Item {
        Both { left: self.left.element(row, column), right: self.right.element(row, column) }
    }
}

impl<A: Matrix, B: Matrix> Matrix for MatrixZip<A, B> {
    type Item = Both<A::Item, B::Item>;
    type View = MatrixZipView<A::View, B::View>;
    type Host<'a>
        = MatrixZip<A::Host<'a>, B::Host<'a>>
    where
        Self: 'a;

    fn rows(&self) -> u32 {
        self.left.rows()
    }

    fn columns(&self) -> u32 {
        self.left.columns()
    }

    fn row_major(&self) -> bool {
        self.left.row_major()
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.left.bind(device, run)?, self.right.bind(device, run)?))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(MatrixZip { left: self.left.on_host()?, right: self.right.on_host()? })
    }
}
