//! [`Transposed`]: rows as columns.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostMatrix, Matrix, MatrixView, MatrixViewExpand, SIDE, Stored, turned};
use crate::tile::registers as registers_for;
use crate::{Device, Error};

/// Rows as columns.
#[derive(Debug, Clone, Copy)]
pub struct Transposed<M> {
    pub(super) matrix: M,
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

    fn run(
        &self,
        row: u32,
        column: u32,
        registers: &mut Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        #[comptime] down: bool,
    ) {
        self.matrix.run(column, row, registers, at, count, comptime!(!down));
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
    const STORED: usize = M::STORED;

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
