//! Collectives of one plane, by shuffles of the state's words.

use cubecl::prelude::*;

use crate::{Monoid, MonoidExpand, State, state_of, words_of};

/// The state of the unit `delta` places before; the unit's own where there is none.
#[cube]
pub fn plane_shift_up<S: State>(state: S, delta: u32) -> S {
    let words = words_of::<S>(state);
    let mut shifted = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        shifted.push(plane_shuffle_up(words[word], delta));
    }
    state_of::<S>(&shifted)
}

/// The state of the unit `delta` places after; the unit's own where there is none.
#[cube]
fn plane_shift_down<S: State>(state: S, delta: u32) -> S {
    let words = words_of::<S>(state);
    let mut shifted = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        shifted.push(plane_shuffle_down(words[word], delta));
    }
    state_of::<S>(&shifted)
}

/// The state of the plane's last unit.
#[cube]
pub fn plane_last<S: State>(state: S, #[comptime] plane: u32) -> S {
    let words = words_of::<S>(state);
    let mut last = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        last.push(plane_shuffle(words[word], comptime!(plane - 1)));
    }
    state_of::<S>(&last)
}

/// Inclusive scan over the units of the plane, by doubling distances (Kogge–Stone).
/// Work n log n, span log n.
#[cube]
pub fn plane_scan<O: Monoid>(op: &O, state: O::State, #[comptime] plane: u32) -> O::State {
    let mut scanned = state;
    let steps = comptime!(plane.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        let before = plane_shift_up::<O::State>(scanned, distance);
        if UNIT_POS_PLANE >= distance {
            scanned = op.combine(before, scanned);
        }
    }
    scanned
}

/// The plane's states folded in order; right on the plane's first unit.
#[cube]
pub fn plane_fold<O: Monoid>(op: &O, state: O::State, #[comptime] plane: u32) -> O::State {
    let mut folded = state;
    let steps = comptime!(plane.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        let after = plane_shift_down::<O::State>(folded, distance);
        if UNIT_POS_PLANE + distance < plane {
            folded = op.combine(folded, after);
        }
    }
    folded
}
