//! The work-efficient scan of a cube (Blelloch 1990; GPU Gems 3, chapter 39).

use cubecl::prelude::*;

use super::{shared_load, shared_store};
use crate::views::both;
use crate::{Both, Monoid, MonoidExpand};

/// Exclusive scan over the units by an up-sweep and a down-sweep through shared memory, and the total.
/// 2 (n − 1) combines in 2 log n steps, where doubling distances takes n log n in log n.
///
/// `shared` holds one state a unit. It may be used again after the next barrier.
#[cube]
pub fn cube_scan_sweeps<O: Monoid>(
    op: &O,
    state: O::State,
    shared: &mut Shared<[u32]>,
    #[comptime] units: u32,
) -> Both<O::State, O::State> {
    let steps = comptime!(units.ilog2());
    shared_store::<O::State>(shared, UNIT_POS, state, units);
    // Up: every second, fourth, eighth … unit folds its half with the half before.
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        // Protects: both halves are there.
        sync_cube();
        if (UNIT_POS + 1) % comptime!(2 * distance) == 0 {
            let before = shared_load::<O::State>(&*shared, UNIT_POS - distance, units);
            let own = shared_load::<O::State>(&*shared, UNIT_POS, units);
            shared_store::<O::State>(shared, UNIT_POS, op.combine(before, own), units);
        }
    }
    // Protects: the total is there.
    sync_cube();
    let total = shared_load::<O::State>(&*shared, comptime!(units - 1), units);
    // Protects: every unit has read the total before it is replaced.
    sync_cube();
    if UNIT_POS == comptime!(units - 1) {
        shared_store::<O::State>(shared, UNIT_POS, op.identity(), units);
    }
    // Down: what comes before a pair comes before its left half; with the left half it comes before the right one.
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(units >> (step + 1));
        // Protects: the pair's prefix is there.
        sync_cube();
        if (UNIT_POS + 1) % comptime!(2 * distance) == 0 {
            let left = shared_load::<O::State>(&*shared, UNIT_POS - distance, units);
            let before = shared_load::<O::State>(&*shared, UNIT_POS, units);
            shared_store::<O::State>(shared, UNIT_POS - distance, before, units);
            shared_store::<O::State>(shared, UNIT_POS, op.combine(before, left), units);
        }
    }
    // Protects: the last step is there before units read their prefixes.
    sync_cube();
    both::<O::State, O::State>(shared_load::<O::State>(&*shared, UNIT_POS, units), total)
}
