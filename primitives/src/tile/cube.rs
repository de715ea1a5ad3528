//! Collectives of a whole cube.

use cubecl::prelude::*;

use super::{
    Tile, keep, lane, load_runs, plane_fold, plane_fold_rows, registers, rolled_fold, run_fold, shared_load,
    shared_store,
};
use crate::views::{View, both};
use crate::{Both, Lift, Monoid, MonoidExpand, State, Wide};

/// The fold of the unit's group's part of a tile's first `valid` items, right on the group's first unit. Without planes it
/// is the fold of the unit's run. Of a full tile, the last step's items are left in `items`.
#[cube]
#[allow(unused_assignments)] // a kernel's variable has a value from the start
pub fn part_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    items: &mut Array<u32>,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> O::State {
    let mut folded = op.identity();
    if comptime!(tile.rolled) {
        folded = steps_fold::<V, O>(op, view, start, valid, items, shared, tile, false);
    } else if valid == comptime!(tile.len()) {
        // A full tile is folded without tests, so that many loads are under way at once.
        folded = steps_fold::<V, O>(op, view, start, valid, items, shared, tile, true);
    } else {
        folded = steps_fold::<V, O>(op, view, start, valid, items, shared, comptime!(tile.by_rows()), false);
    }
    folded
}

#[cube]
fn steps_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    items: &mut Array<u32>,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
) -> O::State {
    if comptime!(tile.plane > 0 && tile.steps * tile.rows > 1) {
        let mut folded = op.identity();
        for step in 0..comptime!(tile.steps) {
            load_runs::<V>(view, start, valid, step, items, tile, full);
            if comptime!(tile.rows > 1 && tile.rows <= tile.plane && tile.shuffles && tile.shares) {
                let mut runs = registers::<O::State>(comptime!(tile.rows));
                #[unroll]
                for row in 0..comptime!(tile.rows) {
                    keep::<O::State>(&mut runs, run_fold::<V, O>(op, &*items, valid, step, row, tile, full), row);
                }
                folded = op.combine(folded, plane_fold_rows::<O>(op, &mut runs, comptime!(tile.rows), tile));
            } else {
                #[unroll]
                for row in 0..comptime!(tile.rows) {
                    let run = run_fold::<V, O>(op, &*items, valid, step, row, tile, full);
                    folded = op.combine(folded, plane_fold::<O>(op, run, shared, tile));
                }
            }
        }
        folded
    } else {
        let run = if comptime!(tile.rolled) {
            rolled_fold::<V, O>(op, view, start, valid, tile)
        } else {
            load_runs::<V>(view, start, valid, 0u32, items, tile, full);
            run_fold::<V, O>(op, &*items, valid, 0u32, 0u32, tile, full)
        };
        if comptime!(tile.plane > 0) { plane_fold::<O>(op, run, shared, tile) } else { run }
    }
}

/// Folds a tile's first `valid` items: `right` is the fold of the tile, right on the first unit. What comes before the
/// unit's group is in `shared` after the next barrier, for [`group_before`]: in registers it would cost every unit some, for
/// as long as the tile waits. Without planes `left` is what comes before the unit. Of a full tile, the last step's items are
/// left in `items`. `shared` holds `tile.slots()` states.
#[cube]
pub fn tile_parts<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    items: &mut Array<u32>,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Both<O::State, O::State> {
    let part = part_fold::<V, O>(op, view, start, valid, items, shared, tile);
    if comptime!(tile.plane > 0) {
        both::<O::State, O::State>(op.identity(), groups_scan::<O>(op, part, shared, tile))
    } else {
        cube_scan::<O>(op, part, shared, comptime!(tile.units))
    }
}

/// What comes before the unit's group, of what [`tile_parts`] found.
#[cube]
pub fn group_before<S: State>(found: S, shared: &Shared<[u32]>, #[comptime] tile: Tile) -> S {
    if comptime!(tile.plane > 0) {
        let slot = comptime!(tile.exchanged()) + UNIT_POS / comptime!(tile.plane);
        shared_load::<S>(shared, slot, comptime!(tile.slots()))
    } else {
        found
    }
}

/// Puts what comes before each plane into shared memory, and gives the fold of all planes, right on the first unit. A
/// plane's own fold is right on its first unit.
#[cube]
fn groups_scan<O: Monoid>(op: &O, own: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    let slots = comptime!(tile.slots());
    let groups = comptime!(tile.groups());
    if lane(tile) == 0 {
        shared_store::<O::State>(shared, UNIT_POS / comptime!(tile.plane), own, slots);
    }
    // Protects: every plane's fold is there before any unit reads it.
    sync_cube();
    let mut total = own;
    // A unit for each plane.
    if UNIT_POS < groups {
        let mut before = op.identity();
        total = shared_load::<O::State>(&*shared, 0u32, slots);
        #[unroll]
        for index in 1..groups {
            if index == UNIT_POS {
                before = total;
            }
            total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
        }
        shared_store::<O::State>(shared, comptime!(tile.exchanged()) + UNIT_POS, before, slots);
    }
    total
}

/// The folds of the planes folded in order, right on the first unit, while the others go on; a plane's fold is right on its
/// first unit.
#[cube]
pub fn groups_fold<O: Monoid>(op: &O, own: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    let slots = comptime!(tile.slots());
    let groups = comptime!(tile.groups());
    if lane(tile) == 0 {
        shared_store::<O::State>(shared, UNIT_POS / comptime!(tile.plane), own, slots);
    }
    // Protects: every plane's fold is there before any unit reads it.
    sync_cube();
    let mut total = own;
    if UNIT_POS == 0 {
        #[unroll]
        for index in 1..groups {
            total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
        }
    }
    total
}

/// The states of all units folded in order through shared memory, for devices without planes; the same on every unit.
///
/// `shared` holds a state a unit. It may be used again after the next barrier.
#[cube]
pub fn cube_fold<O: Monoid>(op: &O, state: O::State, shared: &mut Shared<[u32]>, #[comptime] units: u32) -> O::State {
    let mut folded = state;
    shared_store::<O::State>(shared, UNIT_POS, folded, units);
    let steps = comptime!(units.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        // Protects: the partner's state of the last step is there.
        sync_cube();
        if UNIT_POS % comptime!(2 * distance) == 0 {
            let after = shared_load::<O::State>(&*shared, UNIT_POS + distance, units);
            folded = op.combine(folded, after);
            shared_store::<O::State>(shared, UNIT_POS, folded, units);
        }
    }
    // Protects: the total is there before every unit reads it.
    sync_cube();
    shared_load::<O::State>(&*shared, 0u32, units)
}

/// Exclusive scan over the units in order through shared memory, for devices without planes, and the total: `left` is what
/// comes before the unit, `right` is the same on every unit.
///
/// `shared` holds a state a unit. It may be used again after the next barrier.
#[cube]
pub fn cube_scan<O: Monoid>(
    op: &O,
    state: O::State,
    shared: &mut Shared<[u32]>,
    #[comptime] units: u32,
) -> Both<O::State, O::State> {
    let mut scanned = state;
    shared_store::<O::State>(shared, UNIT_POS, scanned, units);
    let steps = comptime!(units.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        // Protects: the states of the last step are all there.
        sync_cube();
        if UNIT_POS >= distance {
            let before = shared_load::<O::State>(&*shared, UNIT_POS - distance, units);
            scanned = op.combine(before, scanned);
        }
        // Protects: nobody overwrites a state that another unit still reads.
        sync_cube();
        shared_store::<O::State>(shared, UNIT_POS, scanned, units);
    }
    // Protects: the last step's states are there before they are read.
    sync_cube();
    let mut before = op.identity();
    if UNIT_POS > 0 {
        before = shared_load::<O::State>(&*shared, UNIT_POS - 1, units);
    }
    let total = shared_load::<O::State>(&*shared, comptime!(units - 1), units);
    both::<O::State, O::State>(before, total)
}
