//! The kernel of every product: one unit an element of the result.

use cubecl::prelude::*;

use crate::ops::carried;
use crate::tile::{shared_load, shared_store, store};
use crate::views::{MatrixView, MatrixViewExpand};
use crate::{Lower, LowerExpand, MonoidExpand, Semiring, SemiringExpand, State};

/// What a product is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blueprint {
    /// Side of the square of units: the length of shared arrays and of the unrolled loop over a tile's products.
    pub side: u32,
    /// Whether tiles of the factors go through shared memory.
    pub shared: bool,
}

/// The sizes of a product.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Shape {
    /// Rows of the left factor and of the result.
    pub rows: u32,
    /// Columns of the right factor and of the result.
    pub columns: u32,
    /// Columns of the left factor, rows of the right one.
    pub depth: u32,
    /// Tiles of the result from left to right.
    pub across: u32,
    /// Tiles of the result.
    pub tiles: u32,
    /// The depth of a slice: all of it where the depth is not split.
    pub slice: u32,
}

/// Cube `c` computes tile `c` of the result.
#[cube(launch_unchecked)]
pub fn multiply<A: MatrixView, B: MatrixView, O: Semiring<A::Item, B::Item> + Lower>(
    a: A,
    b: B,
    op: O,
    output: &mut [u32],
    shape: Shape,
    #[comptime] blueprint: Blueprint,
) {
    let side = comptime!(blueprint.side);
    let tile = CUBE_POS as u32;
    let (within_row, within_column) = (UNIT_POS / side, UNIT_POS % side);
    let row = tile / shape.across * side + within_row;
    let column = tile % shape.across * side + within_column;
    let inside = row < shape.rows && column < shape.columns;
    let mut sum = op.identity();
    if comptime!(blueprint.shared) {
        let slots = comptime!(side * side);
        let mut left = Shared::<[u32]>::new_slice(comptime!(slots as usize * <A::Item as State>::WORDS));
        let mut right = Shared::<[u32]>::new_slice(comptime!(slots as usize * <B::Item as State>::WORDS));
        let mut start = 0u32;
        while start < shape.depth {
            // Each unit brings one element of either factor,
            if row < shape.rows && start + within_column < shape.depth {
                shared_store::<A::Item>(&mut left, UNIT_POS, a.element(row, start + within_column), slots);
            }
            if column < shape.columns && start + within_row < shape.depth {
                shared_store::<B::Item>(&mut right, UNIT_POS, b.element(start + within_row, column), slots);
            }
            // Protects: both tiles are there before they are multiplied.
            sync_cube();
            // and folds the products of its row and column in their order.
            if inside {
                let products = min(side, shape.depth - start);
                for index in 0..products {
                    let from_left = shared_load::<A::Item>(&left, within_row * side + index, slots);
                    let from_right = shared_load::<B::Item>(&right, index * side + within_column, slots);
                    sum = carried::<O>(&op, index < products, op.combine(sum, op.multiply(from_left, from_right)));
                }
            }
            // Protects: both tiles are read before the next ones are written.
            sync_cube();
            start += side;
        }
    } else if inside {
        for index in 0..shape.depth {
            let product = op.multiply(a.element(row, index), b.element(index, column));
            sum = carried::<O>(&op, index < shape.depth, op.combine(sum, product));
        }
    }
    if inside {
        store::<O::Output>(output, row * shape.columns + column, op.lower(sum));
    }
}
