//! Collectives of a whole cube.

use cubecl::prelude::*;

use super::{Tile, plane_fold, plane_scan, plane_shift_up, shared_load, shared_store};
use crate::views::both;
use crate::{Both, Monoid, MonoidExpand};

/// The states of all units folded in order; the same on every unit.
///
/// `shared` holds `tile.slots()` states. It may be used again after the next barrier.
#[cube]
pub fn cube_fold<O: Monoid>(op: &O, state: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    let slots = comptime!(tile.slots());
    if comptime!(tile.plane > 0) {
        let folded = plane_fold::<O>(op, state, comptime!(tile.plane));
        if UNIT_POS_PLANE == 0 {
            shared_store::<O::State>(shared, UNIT_POS / comptime!(tile.plane), folded, slots);
        }
        // Protects: every plane's total is there before any unit reads it.
        sync_cube();
        let mut total = shared_load::<O::State>(&*shared, 0u32, slots);
        #[unroll]
        for index in 1..slots {
            total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
        }
        total
    } else {
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
    let slots = comptime!(tile.slots());
    if comptime!(tile.plane > 0) {
        let scanned = plane_scan::<O>(op, state, comptime!(tile.plane));
        let plane = UNIT_POS / comptime!(tile.plane);
        if UNIT_POS_PLANE == comptime!(tile.plane - 1) {
            shared_store::<O::State>(shared, plane, scanned, slots);
        }
        let before_in_plane = plane_shift_up::<O::State>(scanned, 1u32);
        // Protects: every plane's total is there before any unit reads it.
        sync_cube();
        let mut before = op.identity();
        let mut total = op.identity();
        #[unroll]
        for index in 0..slots {
            if index == plane {
                before = total;
            }
            total = op.combine(total, shared_load::<O::State>(&*shared, index, slots));
        }
        if UNIT_POS_PLANE > 0 {
            before = op.combine(before, before_in_plane);
        }
        both::<O::State, O::State>(before, total)
    } else {
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
