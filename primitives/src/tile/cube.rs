//! Collectives of a whole cube.

use cubecl::prelude::*;

use super::{Tile, lane, load_runs, plane_fold, registers, run_fold, shared_load, shared_store};
use crate::views::{View, both};
use crate::{Both, Lift, Monoid, MonoidExpand, Wide};

/// The fold of the unit's group's part of a tile's first `valid` items, right on the group's first unit. Without planes it
/// is the fold of the unit's run.
#[cube]
#[allow(unused_assignments)] // a kernel's variable has a value from the start
fn part_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> O::State {
    let mut folded = op.identity();
    // A full tile is folded without tests, so that many loads are under way at once.
    if valid == comptime!(tile.len()) {
        folded = steps_fold::<V, O>(op, view, start, valid, shared, tile, true);
    } else {
        folded = steps_fold::<V, O>(op, view, start, valid, shared, comptime!(tile.by_rows()), false);
    }
    folded
}

#[cube]
fn steps_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
) -> O::State {
    let mut items = registers::<V::Item>(comptime!(tile.items()));
    if comptime!(tile.plane > 0 && tile.steps * tile.rows > 1) {
        let mut folded = op.identity();
        for step in 0..comptime!(tile.steps) {
            load_runs::<V>(view, start, valid, step, &mut items, tile, full);
            #[unroll]
            for row in 0..comptime!(tile.rows) {
                let run = run_fold::<V, O>(op, &items, valid, step, row, tile, full);
                folded = op.combine(folded, plane_fold::<O>(op, run, shared, tile));
            }
        }
        folded
    } else {
        load_runs::<V>(view, start, valid, 0u32, &mut items, tile, full);
        let run = run_fold::<V, O>(op, &items, valid, 0u32, 0u32, tile, full);
        if comptime!(tile.plane > 0) { plane_fold::<O>(op, run, shared, tile) } else { run }
    }
}

/// Folds a tile's first `valid` items: `left` is what comes before the unit's group (without planes, before the unit),
/// `right` the fold of the tile, the same on every unit. `shared` holds `tile.slots()` states.
#[cube]
pub fn tile_parts<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Both<O::State, O::State> {
    let part = part_fold::<V, O>(op, view, start, valid, shared, tile);
    if comptime!(tile.plane > 0) {
        group_scan::<O>(op, part, shared, tile)
    } else {
        cube_scan::<O>(op, part, shared, comptime!(tile.units))
    }
}

/// The fold of a tile's first `valid` items, the same on every unit. `shared` holds `tile.slots()` states.
#[cube]
pub fn tile_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> O::State {
    let part = part_fold::<V, O>(op, view, start, valid, shared, tile);
    if comptime!(tile.plane > 0) {
        groups_fold::<O>(op, part, shared, tile)
    } else {
        cube_fold::<O>(op, part, shared, comptime!(tile.units))
    }
}

/// What comes before the unit's plane, and the fold of all planes; a plane's own fold is right on its first unit.
#[cube]
fn group_scan<O: Monoid>(
    op: &O,
    own: O::State,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Both<O::State, O::State> {
    let slots = comptime!(tile.slots());
    let groups = comptime!(tile.groups());
    let plane = UNIT_POS / comptime!(tile.plane);
    if lane(tile) == 0 {
        shared_store::<O::State>(shared, plane, own, slots);
    }
    // Protects: every plane's fold is there before any unit reads it.
    sync_cube();
    let mut before = op.identity();
    let mut total = shared_load::<O::State>(&*shared, 0u32, slots);
    #[unroll]
    for index in 1..groups {
        if index == plane {
            before = total;
        }
        total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
    }
    both::<O::State, O::State>(before, total)
}

/// The folds of the planes folded in order, the same on every unit; a plane's fold is right on its first unit.
#[cube]
fn groups_fold<O: Monoid>(op: &O, own: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    let slots = comptime!(tile.slots());
    let groups = comptime!(tile.groups());
    if lane(tile) == 0 {
        shared_store::<O::State>(shared, UNIT_POS / comptime!(tile.plane), own, slots);
    }
    // Protects: every plane's fold is there before any unit reads it.
    sync_cube();
    let mut total = shared_load::<O::State>(&*shared, 0u32, slots);
    #[unroll]
    for index in 1..groups {
        total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
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
