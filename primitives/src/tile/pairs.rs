//! Trees of neighbours over the first few of many states: what has no right neighbour goes up as it is. The tree is the same
//! whatever does the work, a plane or a cube.

use cubecl::prelude::*;

use super::plane::shuffled_down;
use super::{shared_load, shared_store};
use crate::ops::choose;
use crate::{Monoid, MonoidExpand};

/// The fold of the plane's states, of which those of the `leaves` first of all are there: this unit's is number `leaf`. Right on
/// the plane's first unit.
#[cube]
pub fn plane_pairs<O: Monoid>(op: &O, state: O::State, leaf: u32, leaves: u32, #[comptime] plane: u32) -> O::State {
    let mut folded = state;
    #[unroll]
    for step in 0..comptime!(plane.ilog2()) {
        let distance = comptime!(1u32 << step);
        let after = shuffled_down::<O::State>(folded, distance);
        // Of units that are no first ones of so many, nothing is used.
        folded = choose::<O::State>(leaf + distance < leaves, op.combine(folded, after), folded);
    }
    folded
}

/// The fold of the first `there` states of `shared`, which every unit may have written some of; right on the first unit. There
/// are `slots` at most, a power of two.
#[cube]
pub fn shared_pairs<O: Monoid>(
    op: &O,
    shared: &mut Shared<[u32]>,
    there: u32,
    #[comptime] slots: u32,
    #[comptime] units: u32,
) -> O::State {
    #[unroll]
    for step in 0..comptime!(slots.ilog2()) {
        let distance = comptime!(1u32 << step);
        // Protects: the states of the level below are there.
        sync_cube();
        #[unroll]
        for round in 0..comptime!((slots / (2 * distance)).div_ceil(units)) {
            let left = (comptime!(round * units) + UNIT_POS) * comptime!(2 * distance);
            if left + distance < there {
                let before = shared_load::<O::State>(&*shared, left, slots);
                let after = shared_load::<O::State>(&*shared, left + distance, slots);
                shared_store::<O::State>(shared, left, op.combine(before, after), slots);
            }
        }
    }
    // The first unit wrote it.
    shared_load::<O::State>(&*shared, 0u32, slots)
}
