//! The elements of a matrix as a source, row after row.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{HostMatrix, HostView, Matrix, MatrixView, MatrixViewExpand, Source, View, ViewExpand};
use crate::tile::keep;
use crate::{Device, Error, Wide};

/// The elements of a matrix, row after row: element `(r, c)` is item `r · columns + c`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flat<'a, M> {
    matrix: &'a M,
}

impl<'a, M: Matrix> Flat<'a, M> {
    pub(crate) fn new(matrix: &'a M) -> Self {
        Flat { matrix }
    }
}

/// The device's half of [`Flat`]. A launch has less than 2^32 results: the low word of an index is all of it.
#[derive(Argument)]
pub struct FlatView<V: MatrixView> {
    matrix: V,
    columns: u32,
}

#[cube]
impl<V: MatrixView> View for FlatView<V> {
    type Item = V::Item;

    fn read(&self, index: Wide) -> V::Item {
        let row = index.low / self.columns;
        self.matrix.element(row, index.low - row * self.columns)
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        // One division a run.
        let mut row = start.low / self.columns;
        let mut column = start.low - row * self.columns;
        #[unroll]
        for item in 0..count {
            keep::<V::Item>(registers, self.matrix.element(row, column), comptime!(at + item));
            column += 1u32;
            if column == self.columns {
                column = 0u32;
                row += 1u32;
            }
        }
    }
}

/// The host's half of [`Flat`].
#[derive(Debug)]
pub struct HostFlat<V> {
    matrix: V,
    columns: u64,
}

impl<V: HostMatrix> HostView for HostFlat<V> {
    type Item = V::Item;

    fn read(&self, index: u64) -> V::Item {
        self.matrix.element((index / self.columns) as u32, (index % self.columns) as u32)
    }
}

impl<M: Matrix> Source for Flat<'_, M> {
    type Item = M::Item;
    type View = FlatView<M::View>;
    type Host<'a>
        = HostFlat<M::Host<'a>>
    where
        Self: 'a;

    fn len(&self) -> u64 {
        u64::from(self.matrix.rows()) * u64::from(self.matrix.columns())
    }

    fn bind(&self, device: &Device, _: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        Ok((self.matrix.bind(device, 1)?, self.matrix.columns()))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(HostFlat { matrix: self.matrix.on_host()?, columns: u64::from(self.matrix.columns()) })
    }

    /// Results go into new buffers alone.
    fn reads(&self, _: &Handle) -> bool {
        false
    }
}
