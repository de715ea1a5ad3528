//! The kernel of every reduction.

use cubecl::prelude::*;

use crate::tile::{Tile, cube_fold, groups_fold, part_fold, registers, store, tile_start};
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

/// Group `g` of all cubes folds its run of parts in order, a cube its groups; cube `c` of `cubes` stores what it has as item
/// `first + c` of `output`.
#[cube(launch_unchecked)]
pub fn fold<V: View, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    output: &mut [u32],
    first: u32,
    cubes: u32,
    parts_per_group: u32,
    full_parts: u32,
    tail: u32,
    #[comptime] blueprint: Blueprint,
) {
    let tile = comptime!(blueprint.tile);
    let part = comptime!(blueprint.tile.part());
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    let mut items = registers::<V::Item>(comptime!(tile.items()));
    let cube = CUBE_POS as u32;
    let group = cube * comptime!(tile.groups()) + UNIT_POS / comptime!(tile.group());
    let mut folded = op.identity();
    for step in 0..parts_per_group {
        // The same for every unit of a group.
        let index = group * parts_per_group + step;
        if index <= full_parts {
            let valid = select(index < full_parts, comptime!(part.len()), tail);
            let start = tile_start(index, comptime!(part.len()));
            let own = part_fold::<V, O>(&op, &view, start, valid, &mut items, &mut states, part);
            // Each unit folds its run, the group folds the units in order, and its parts follow one another.
            if comptime!(tile.plane > 0) {
                folded = op.combine(folded, own);
            } else {
                folded = op.combine(folded, cube_fold::<O>(&op, own, &mut states, comptime!(tile.units)));
                // Protects: this part's states are read before the next part's are written.
                sync_cube();
            }
        }
    }
    if comptime!(tile.plane > 0) {
        folded = groups_fold::<O>(&op, folded, &mut states, tile);
    }
    if UNIT_POS == 0 && cube < cubes {
        if comptime!(blueprint.lowered) {
            store::<O::Output>(output, first + cube, op.lower(folded));
        } else {
            store::<O::State>(output, first + cube, folded);
        }
    }
}
