//! The folds of a cube, one a key.

use cubecl::prelude::*;

use super::{Feedback, FeedbackExpand, Moment};
use crate::ops::carried;
use crate::tile::{Tile, keep, kept, lane, plane_fold, registers, shared_load, shared_store, store};
use crate::views::{View, ViewExpand};
use crate::{Monoid, MonoidExpand, Wide};

/// What a loop is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blueprint {
    /// Length of shared arrays and of unrolled folds.
    pub units: u32,
    /// Units of a plane that exchange by shuffles; 0 for the path through shared memory.
    pub plane: u32,
    /// Registers of a unit, and the length of shared arrays.
    pub keys: u32,
}

impl Blueprint {
    /// Slots of shared memory for a state each: of every key, one a plane, or one a unit.
    pub fn slots(self) -> u32 {
        self.keys * self.groups()
    }

    /// States of a key that meet in shared memory.
    pub fn groups(self) -> u32 {
        if self.plane > 0 { self.units / self.plane } else { self.units }
    }

    /// The same planes for the collectives over tiles.
    pub fn tile(self) -> Tile {
        let Blueprint { units, plane, .. } = self;
        Tile { units, steps: 1, rows: 1, run: 1, plane, shuffles: plane > 0, rolled: true }
    }
}

/// Registers with the identity for every key.
#[cube]
pub fn nothing<O: Monoid>(op: &O, #[comptime] keys: u32) -> Array<u32> {
    let mut sums = registers::<O::State>(keys);
    #[unroll]
    for key in 0..keys {
        keep::<O::State>(&mut sums, op.identity(), key);
    }
    sums
}

/// The unit's folds of the items `first`, `first + stride`, … below `len`.
#[cube]
pub fn unit_folds<V: View, O: Feedback<V::Item>>(
    view: &V,
    op: &O,
    first: u32,
    stride: u32,
    len: u32,
    setting: O::Setting,
    shared: O::Shared,
    now: Moment,
    #[comptime] keys: u32,
) -> Array<u32> {
    let mut sums = nothing::<O>(op, keys);
    // Rounded up without a sum that could leave 32 bits.
    let rounds = select(first < len, (len - first - 1) / stride + 1, 0u32);
    for round in 0..rounds {
        let item = view.read(Wide { low: first + round * stride, high: 0u32.runtime() });
        let key = op.key(item, setting, shared, now);
        let state = op.respond(item, setting, shared, now);
        #[unroll]
        for index in 0..keys {
            if key == index {
                let folded = op.combine(kept::<O::State>(&sums, index), state);
                keep::<O::State>(&mut sums, folded, index);
            }
        }
    }
    sums
}

/// The folds of all units of the cube, a state a key, in `totals` after the next barrier. `states` holds `blueprint.slots()`
/// states and may be used again after that barrier; every unit has passed a barrier in here.
#[cube]
pub fn cube_folds<O: Monoid>(
    op: &O,
    sums: &mut Array<u32>,
    states: &mut Shared<[u32]>,
    totals: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let groups = comptime!(blueprint.groups());
    let slots = comptime!(blueprint.slots());
    if comptime!(blueprint.plane > 0) {
        let tile = comptime!(blueprint.tile());
        #[unroll]
        for key in 0..keys {
            let folded = plane_fold::<O>(op, kept::<O::State>(&*sums, key), states, tile);
            if lane(tile) == 0 {
                let slot = UNIT_POS / comptime!(blueprint.plane) + comptime!(key * groups);
                shared_store::<O::State>(states, slot, folded, slots);
            }
        }
        // Protects: the folds of all planes are there.
        sync_cube();
        // A unit for each key.
        if UNIT_POS < keys {
            let mut folded = shared_load::<O::State>(&*states, UNIT_POS * groups, slots);
            for group in 1..groups {
                let after = shared_load::<O::State>(&*states, UNIT_POS * groups + group, slots);
                folded = carried::<O>(op, group < groups, op.combine(folded, after));
            }
            store::<O::State>(&mut *totals, UNIT_POS, folded);
        }
    } else {
        #[unroll]
        for key in 0..keys {
            let slot = UNIT_POS + comptime!(key * groups);
            shared_store::<O::State>(states, slot, kept::<O::State>(&*sums, key), slots);
        }
        let steps = comptime!(groups.ilog2());
        #[unroll]
        for step in 0..steps {
            let distance = comptime!(1u32 << step);
            // Protects: the partner's states of the last step are there.
            sync_cube();
            if UNIT_POS % comptime!(2 * distance) == 0 {
                #[unroll]
                for key in 0..keys {
                    let slot = UNIT_POS + comptime!(key * groups);
                    let after = shared_load::<O::State>(&*states, slot + distance, slots);
                    let folded = op.combine(shared_load::<O::State>(&*states, slot, slots), after);
                    shared_store::<O::State>(states, slot, folded, slots);
                }
            }
        }
        // Protects: the first unit's states are the cube's.
        sync_cube();
        if UNIT_POS < keys {
            store::<O::State>(&mut *totals, UNIT_POS, shared_load::<O::State>(&*states, UNIT_POS * groups, slots));
        }
    }
}
