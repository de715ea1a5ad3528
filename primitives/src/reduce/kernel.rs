//! The kernels of every reduction.

use cubecl::prelude::*;
use cubefold_derive::launched;

use crate::ops::carried;
use crate::tile::{Tile, cube_fold, fetch, groups_fold, part_fold, plane_fold, registers, store, tile_start};
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

/// The fold of the cube's items, right on its first unit: group `g` of all cubes folds its run of parts in order, a cube its
/// groups.
#[cube]
fn fold_parts<V: View, O: Lift<V::Item>>(
    view: &V,
    op: &O,
    states: &mut Shared<[u32]>,
    parts_per_group: u32,
    full_parts: u32,
    tail: u32,
    #[comptime] tile: Tile,
) -> O::State {
    let part = comptime!(tile.part());
    let mut items = registers::<V::Item>(comptime!(tile.items()));
    let group = CUBE_POS as u32 * comptime!(tile.groups()) + UNIT_POS / comptime!(tile.group());
    let mut folded = op.identity();
    for step in 0..parts_per_group {
        // The same for every unit of a group.
        let index = group * parts_per_group + step;
        if index <= full_parts {
            let valid = select(index < full_parts, comptime!(part.len()), tail);
            let start = tile_start(index, comptime!(part.len()));
            let own = part_fold::<V, O>(op, view, start, valid, &mut items, states, part);
            // Each unit folds its run, the group folds the units in order, and its parts follow one another.
            if comptime!(tile.plane > 0) {
                folded = op.combine(folded, own);
            } else {
                folded = op.combine(folded, cube_fold::<O>(op, own, states, comptime!(tile.units)));
                // Protects: this part's states are read before the next part's are written.
                sync_cube();
            }
        }
    }
    if comptime!(tile.plane > 0) {
        folded = groups_fold::<O>(op, folded, states, tile);
    }
    folded
}

/// Cube `c` of `cubes` folds its items and stores what it has as item `first + c` of `output`.
#[launched]
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
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    let folded = fold_parts::<V, O>(&view, &op, &mut states, parts_per_group, full_parts, tail, tile);
    let cube = CUBE_POS as u32;
    if UNIT_POS == 0 && cube < cubes {
        if comptime!(blueprint.lowered) {
            store::<O::Output>(output, first + cube, op.lower(folded));
        } else {
            store::<O::State>(output, first + cube, folded);
        }
    }
}

/// The cubes fold their items, and the one that is done last folds what all have: item `slot` of `output`. `ticket` is 0 before
/// and after. Only where one cube's writes reach another, and with as many cubes as are launched.
#[launched]
#[cube(launch_unchecked)]
pub fn fold_once<V: View, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    output: &mut [u32],
    slot: u32,
    partials: &mut [u32],
    ticket: &mut [Atomic<u32>],
    cubes: u32,
    parts_per_group: u32,
    full_parts: u32,
    tail: u32,
    #[comptime] tile: Tile,
) {
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    let mut drawn = Shared::<[u32]>::new_slice(1usize);
    let folded = fold_parts::<V, O>(&view, &op, &mut states, parts_per_group, full_parts, tail, tile);
    if UNIT_POS == 0 {
        store::<O::State>(partials, CUBE_POS as u32, folded);
    }
    // Releases: the partial is there before it is counted.
    sync_storage();
    if UNIT_POS == 0 {
        drawn[0] = ticket[0].fetch_add(1u32);
    }
    // Acquires: the partials of all that were counted before are there. Protects: every unit knows whether this cube is last.
    sync_storage();
    if drawn[0] == cubes - 1 {
        let each = cubes.div_ceil(comptime!(tile.units));
        let first = min(UNIT_POS * each, cubes);
        let end = min(first + each, cubes);
        let mut total = op.identity();
        for index in first..end {
            total = carried::<O>(&op, index < end, op.combine(total, fetch::<O::State>(&*partials, index)));
        }
        if comptime!(tile.plane > 0) {
            total = plane_fold::<O>(&op, total, &mut states, tile);
            total = groups_fold::<O>(&op, total, &mut states, tile);
        } else {
            total = cube_fold::<O>(&op, total, &mut states, comptime!(tile.units));
        }
        if UNIT_POS == 0 {
            ticket[0].store(0u32);
            store::<O::Output>(output, slot, op.lower(total));
        }
    }
}
