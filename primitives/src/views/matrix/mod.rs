//! Matrices over sources: row-major, transposed, strided, broadcast, mapped, zipped, computed.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

mod dense;
mod elementwise;
mod transposed;

use cubecl::prelude::*;

use super::Mapping;
use crate::tile::{keep, kept};
use crate::{Device, Error, State};
pub use dense::{Dense, DenseView, Layout, Neighbours};
pub use elementwise::{HostMatrixMap, MatrixMap, MatrixMapView, MatrixZip, MatrixZipView};
pub use transposed::{Transposed, TransposedView};

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

    /// Puts the words of `count` neighbours into `registers`, from item `at` of it on: those of a row from `row`, `column` on, or,
    /// `down`, those of a column. All are inside the matrix, and what they start at in their own direction is a multiple of
    /// four where the matrix was bound for fours.
    fn run(
        &self,
        row: u32,
        column: u32,
        registers: &mut Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        #[comptime] down: bool,
    );
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

/// [`MatrixView::run`] an element at a time.
#[cube]
pub(crate) fn run_each<V: MatrixView>(
    view: &V,
    row: u32,
    column: u32,
    registers: &mut Array<u32>,
    #[comptime] at: u32,
    #[comptime] count: u32,
    #[comptime] down: bool,
) {
    #[unroll]
    for next in 0..count {
        let item = if comptime!(down) { view.element(row + next, column) } else { view.element(row, column + next) };
        keep::<V::Item>(registers, item, comptime!(at + next));
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
    /// Words of memory that an element is read from: its own, where it is not computed.
    const STORED: usize = <Self::Item as State>::WORDS;

    /// How many rows.
    fn rows(&self) -> u32;

    /// How many columns.
    fn columns(&self) -> u32;

    /// The launch argument of the view. `run` is 4 where a kernel reads blocks or runs of whole fours, 1 where it reads elements.
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

    const STORED: usize = M::STORED;

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
