//! Collectives of a whole cube.

use cubecl::prelude::*;

use super::{
    Tile, keep, plane_fold, plane_last, plane_scan, plane_shift_up, run_fold, shared_load, shared_store,
};
use crate::views::{View, both};
use crate::{Both, Lift, Monoid, MonoidExpand};

/// Scans a tile's runs: folds them, and scans their folds. `left` is what comes before the unit's group, `right` the fold
/// of the tile, the same on every unit; `rows` gets what comes before the unit's run of each row within the group. The
/// shared memory is as for [`cube_scan`].
#[cube]
pub fn tile_scan<V: View, O: Lift<V::Item>>(
    op: &O,
    items: &Array<u32>,
    valid: u32,
    rows: &mut Array<u32>,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Both<O::State, O::State> {
    if comptime!(tile.plane > 0) {
        let mut carry = op.identity();
        #[unroll]
        for row in 0..comptime!(tile.rows) {
            let own = run_fold::<V, O>(op, items, valid, row, tile);
            let scanned = plane_scan::<O>(op, own, comptime!(tile.plane));
            let mut before = plane_shift_up::<O::State>(scanned, 1u32);
            let last = plane_last::<O::State>(scanned, comptime!(tile.plane));
            if comptime!(row == 0) {
                if UNIT_POS_PLANE == 0 {
                    before = op.identity();
                }
                carry = last;
            } else {
                if UNIT_POS_PLANE == 0 {
                    before = carry;
                } else {
                    before = op.combine(carry, before);
                }
                carry = op.combine(carry, last);
            }
            keep::<O::State>(rows, before, row);
        }
        group_scan::<O>(op, carry, shared, tile)
    } else {
        let own = run_fold::<V, O>(op, items, valid, 0u32, tile);
        let units = cube_scan::<O>(op, own, shared, tile);
        keep::<O::State>(rows, units.left, 0u32);
        both::<O::State, O::State>(op.identity(), units.right)
    }
}

/// The fold of a tile, the same on every unit. The shared memory is as for [`cube_fold`].
#[cube]
pub fn tile_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    items: &Array<u32>,
    valid: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> O::State {
    let mut own = run_fold::<V, O>(op, items, valid, 0u32, tile);
    if comptime!(tile.rows > 1) {
        own = plane_fold::<O>(op, own, comptime!(tile.plane));
        #[unroll]
        for row in 1..comptime!(tile.rows) {
            let run = run_fold::<V, O>(op, items, valid, row, tile);
            own = op.combine(own, plane_fold::<O>(op, run, comptime!(tile.plane)));
        }
        groups_fold::<O>(op, own, shared, tile)
    } else {
        cube_fold::<O>(op, own, shared, tile)
    }
}

/// What comes before the unit's plane, and the fold of all planes, given the plane's own fold on each of its units.
#[cube]
fn group_scan<O: Monoid>(
    op: &O,
    own: O::State,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Both<O::State, O::State> {
    let slots = comptime!(tile.slots());
    let plane = UNIT_POS / comptime!(tile.plane);
    if UNIT_POS_PLANE == 0 {
        shared_store::<O::State>(shared, plane, own, slots);
    }
    // Protects: every plane's fold is there before any unit reads it.
    sync_cube();
    let mut before = op.identity();
    let mut total = shared_load::<O::State>(&*shared, 0u32, slots);
    #[unroll]
    for index in 1..slots {
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
    if UNIT_POS_PLANE == 0 {
        shared_store::<O::State>(shared, UNIT_POS / comptime!(tile.plane), own, slots);
    }
    // Protects: every plane's fold is there before any unit reads it.
    sync_cube();
    let mut total = shared_load::<O::State>(&*shared, 0u32, slots);
    #[unroll]
    for index in 1..slots {
        total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
    }
    total
}

/// The states of all units folded in order; the same on every unit.
///
/// `shared` holds `tile.slots()` states. It may be used again after the next barrier.
#[cube]
pub fn cube_fold<O: Monoid>(op: &O, state: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    if comptime!(tile.plane > 0) {
        let own = plane_fold::<O>(op, state, comptime!(tile.plane));
        groups_fold::<O>(op, own, shared, tile)
    } else {
        let slots = comptime!(tile.slots());
        let mut folded = state;
        shared_store::<O::State>(shared, UNIT_POS, folded, slots);
        let steps = comptime!(tile.units.ilog2());
        #[unroll]
        for step in 0..steps {
            let distance = comptime!(1u32 << step);
            // Protects: the partner's state of the last step is there.
            sync_cube();
            if UNIT_POS % comptime!(2 * distance) == 0 {
                let after = shared_load::<O::State>(&*shared, UNIT_POS + distance, slots);
                folded = op.combine(folded, after);
                shared_store::<O::State>(shared, UNIT_POS, folded, slots);
            }
        }
        // Protects: the total is there before every unit reads it.
        sync_cube();
        shared_load::<O::State>(&*shared, 0u32, slots)
    }
}

/// Exclusive scan over the units in order, and the total: `left` is what comes before the unit, `right` is the same on
/// every unit.
///
/// `shared` holds `tile.slots()` states. It may be used again after the next barrier.
#[cube]
pub fn cube_scan<O: Monoid>(
    op: &O,
    state: O::State,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Both<O::State, O::State> {
    if comptime!(tile.plane > 0) {
        let scanned = plane_scan::<O>(op, state, comptime!(tile.plane));
        let within = plane_shift_up::<O::State>(scanned, 1u32);
        let groups = group_scan::<O>(op, plane_last::<O::State>(scanned, comptime!(tile.plane)), shared, tile);
        let mut before = groups.left;
        if UNIT_POS_PLANE > 0 {
            before = op.combine(before, within);
        }
        both::<O::State, O::State>(before, groups.right)
    } else {
        let slots = comptime!(tile.slots());
        let mut scanned = state;
        shared_store::<O::State>(shared, UNIT_POS, scanned, slots);
        let steps = comptime!(tile.units.ilog2());
        #[unroll]
        for step in 0..steps {
            let distance = comptime!(1u32 << step);
            // Protects: the states of the last step are all there.
            sync_cube();
            if UNIT_POS >= distance {
                let before = shared_load::<O::State>(&*shared, UNIT_POS - distance, slots);
                scanned = op.combine(before, scanned);
            }
            // Protects: nobody overwrites a state that another unit still reads.
            sync_cube();
            shared_store::<O::State>(shared, UNIT_POS, scanned, slots);
        }
        // Protects: the last step's states are there before they are read.
        sync_cube();
        let mut before = op.identity();
        if UNIT_POS > 0 {
            before = shared_load::<O::State>(&*shared, UNIT_POS - 1, slots);
        }
        let total = shared_load::<O::State>(&*shared, comptime!(tile.units - 1), slots);
        both::<O::State, O::State>(before, total)
    }
}
