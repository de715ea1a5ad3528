//! The kernel of every reduction.

use cubecl::prelude::*;

use crate::tile::{Tile, store, tile_fold, tile_start};
use crate::views::View;
use crate::{Lift, Lower, LowerExpand, MonoidExpand, State};

/// What a reduction is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blueprint {
    /// Changes register arrays, shared arrays and the collectives.
    pub tile: Tile,
    /// Whether the cube's result is stored as an output, or as a state for the second launch.
    pub lowered: bool,
}

/// Cube `c` of `cubes` folds its run of tiles in order and stores the result as item `first + c` of `output`.
#[cube(launch_unchecked)]
pub fn fold<V: View, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    output: &mut [u32],
    first: u32,
    cubes: u32,
    tiles_per_cube: u32,
    full_tiles: u32,
    tail: u32,
    #[comptime] blueprint: Blueprint,
) {
    let tile = comptime!(blueprint.tile);
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    let cube = CUBE_POS as u32;
    let mut folded = op.identity();
    for step in 0..tiles_per_cube {
        let index = cube * tiles_per_cube + step;
        if index <= full_tiles {
            let valid = select(index < full_tiles, comptime!(tile.len()), tail);
            let start = tile_start(index, comptime!(tile.len()));
            // Each unit folds its runs, the cube folds the units in order,
            let total = tile_fold::<V, O>(&op, &view, start, valid, &mut states, tile);
            // and the tiles follow one another.
            if UNIT_POS == 0 {
                folded = op.combine(folded, total);
            }
        }
        // Protects: this tile's states are read before the next tile's are written.
        sync_cube();
    }
    if UNIT_POS == 0 && cube < cubes {
        if comptime!(blueprint.lowered) {
            store::<O::Output>(output, first + cube, op.lower(folded));
        } else {
            store::<O::State>(output, first + cube, folded);
        }
    }
}
