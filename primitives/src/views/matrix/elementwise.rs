//! [`MatrixMap`] and [`MatrixZip`]: elements through an operator, and two matrices' in pairs.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubefold_derive::Argument;

use super::{HostMatrix, Matrix, MatrixView, MatrixViewExpand, SIDE};
use crate::tile::{keep, kept, registers as registers_for};
use crate::views::{Both, Mapping, MappingExpand, both};
use crate::{Device, Error};

/// Every element through an operator.
#[derive(Debug, Clone, Copy)]
pub struct MatrixMap<M, O> {
    pub(super) matrix: M,
    pub(super) op: O,
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

    fn run(
        &self,
        row: u32,
        column: u32,
        registers: &mut Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        #[comptime] down: bool,
    ) {
        let mut run = registers_for::<V::Item>(count);
        self.matrix.run(row, column, &mut run, 0u32, count, down);
        #[unroll]
        for item in 0..count {
            keep::<O::Output>(registers, self.op.map(kept::<V::Item>(&run, item)), comptime!(at + item));
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
    const STORED: usize = M::STORED;

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
    pub(super) left: A,
    pub(super) right: B,
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

    fn run(
        &self,
        row: u32,
        column: u32,
        registers: &mut Array<u32>,
        #[comptime] at: u32,
        #[comptime] count: u32,
        #[comptime] down: bool,
    ) {
        let mut left = registers_for::<A::Item>(count);
        let mut right = registers_for::<B::Item>(count);
        self.left.run(row, column, &mut left, 0u32, count, down);
        self.right.run(row, column, &mut right, 0u32, count, down);
        #[unroll]
        for item in 0..count {
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
    const STORED: usize = A::STORED + B::STORED;

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
