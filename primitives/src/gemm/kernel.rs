//! The kernel of every product: one unit an element of the result.

use cubecl::prelude::*;
use cubefold_derive::launched;

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

impl Blueprint {
    /// Bytes of shared memory for factors `A` and `B`.
    pub fn shared_bytes<A: State, B: State>(&self) -> usize {
        if self.shared { (self.side * self.side) as usize * (A::WORDS + B::WORDS) * 4 } else { 0 }
    }
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
    /// How many products; the factors of each lie below those of the one before.
    pub count: u32,
    /// Cubes with work: a grid may have some more.
    pub cubes: u32,
}

/// Cube `c` computes tile `c` of the result, counted through all products.
#[launched]
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
    let cube = CUBE_POS as u32;
    let product = cube / shape.tiles;
    let tile = cube - product * shape.tiles;
    // The same for every unit of a cube: barriers are reached by all or none.
    let depth = select(cube < shape.cubes, shape.depth, 0u32);
    let (above, before) = (product * shape.rows, product * shape.depth);
    let (within_row, within_column) = (UNIT_POS / side, UNIT_POS % side);
    let row = tile / shape.across * side + within_row;
    let column = tile % shape.across * side + within_column;
    let inside = cube < shape.cubes && row < shape.rows && column < shape.columns;
    let mut sum = op.identity();
    if comptime!(blueprint.shared) {
        let slots = comptime!(side * side);
        let mut left = Shared::<[u32]>::new_slice(comptime!(slots as usize * <A::Item as State>::WORDS));
        let mut right = Shared::<[u32]>::new_slice(comptime!(slots as usize * <B::Item as State>::WORDS));
        let mut start = 0u32;
        while start < depth {
            // Each unit brings one element of either factor,
            if row < shape.rows && start + within_column < depth {
                shared_store::<A::Item>(&mut left, UNIT_POS, a.element(above + row, start + within_column), slots);
            }
            if column < shape.columns && start + within_row < depth {
                shared_store::<B::Item>(&mut right, UNIT_POS, b.element(before + start + within_row, column), slots);
            }
            // Protects: both tiles are there before they are multiplied.
            sync_cube();
            // and folds the products of its row and column in their order.
            if inside {
                let products = min(side, depth - start);
                for index in 0..products {
                    let from_left = shared_load::<A::Item>(&left, within_row * side + index, slots);
                    let from_right = shared_load::<B::Item>(&right, index * side + within_column, slots);
                    sum = carried::<O>(&op, index < products, op.accumulate(sum, from_left, from_right));
                }
            }
            // Protects: both tiles are read before the next ones are written.
            sync_cube();
            start += side;
        }
    } else if inside {
        for index in 0..depth {
            let more = op.accumulate(sum, a.element(above + row, index), b.element(before + index, column));
            sum = carried::<O>(&op, index < depth, more);
        }
    }
    if inside {
        store::<O::Output>(output, (above + row) * shape.columns + column, op.lower(sum));
    }
}
