//! Collectives of one plane: by shuffles of the state's words, or through shared memory where the device has no planes of
//! the size (every unit of the cube must then be here). Either way the states are combined in the same grouping.

use cubecl::prelude::*;

use super::{Tile, shared_load, shared_store};
use crate::{Monoid, MonoidExpand, State, state_of, words_of};

/// The unit's place in its plane.
#[cube]
pub fn lane(#[comptime] tile: Tile) -> u32 {
    if comptime!(tile.shuffles) { UNIT_POS_PLANE } else { UNIT_POS % comptime!(tile.plane) }
}

/// The state of another unit of the cube, `from`, through shared memory.
#[cube]
fn exchange<S: State>(state: S, from: u32, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> S {
    shared_store::<S>(shared, UNIT_POS, state, comptime!(tile.slots()));
    // Protects: the other unit's state is there.
    sync_cube();
    let other = shared_load::<S>(&*shared, from, comptime!(tile.slots()));
    // Protects: it is read before the next exchange.
    sync_cube();
    other
}

/// The state of the unit `delta` places before; the unit's own where there is none.
#[cube]
pub fn plane_shift_up<S: State>(
    state: S,
    #[comptime] delta: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> S {
    if comptime!(tile.shuffles) {
        let words = words_of::<S>(state);
        let mut shifted = Sequence::<u32>::new();
        #[unroll]
        for word in 0..comptime!(S::WORDS) {
            shifted.push(plane_shuffle_up(words[word], delta));
        }
        state_of::<S>(&shifted)
    } else {
        let from = select(lane(tile) >= delta, UNIT_POS - delta, UNIT_POS);
        exchange::<S>(state, from, shared, tile)
    }
}

/// The state of the unit `delta` places after; the unit's own where there is none.
#[cube]
fn plane_shift_down<S: State>(
    state: S,
    #[comptime] delta: u32,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> S {
    if comptime!(tile.shuffles) {
        shuffled_down::<S>(state, delta)
    } else {
        let from = select(lane(tile) + delta < comptime!(tile.plane), UNIT_POS + delta, UNIT_POS);
        exchange::<S>(state, from, shared, tile)
    }
}

/// The state of the unit `delta` places after, by shuffles; anything where there is none.
#[cube]
pub fn shuffled_down<S: State>(state: S, #[comptime] delta: u32) -> S {
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
pub fn plane_last<S: State>(state: S, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> S {
    if comptime!(tile.shuffles) {
        let words = words_of::<S>(state);
        let mut last = Sequence::<u32>::new();
        #[unroll]
        for word in 0..comptime!(S::WORDS) {
            last.push(plane_shuffle(words[word], comptime!(tile.plane - 1)));
        }
        state_of::<S>(&last)
    } else {
        exchange::<S>(state, UNIT_POS - lane(tile) + comptime!(tile.plane - 1), shared, tile)
    }
}

/// Inclusive scan over the units of the plane, by doubling distances (Kogge–Stone).
/// Work n log n, span log n.
#[cube]
pub fn plane_scan<O: Monoid>(op: &O, state: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    let mut scanned = state;
    let steps = comptime!(tile.plane.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        let before = plane_shift_up::<O::State>(scanned, distance, shared, tile);
        if lane(tile) >= distance {
            scanned = op.combine(before, scanned);
        }
    }
    scanned
}

/// The plane's states folded in order; right on the plane's first unit.
#[cube]
pub fn plane_fold<O: Monoid>(op: &O, state: O::State, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> O::State {
    let mut folded = state;
    let steps = comptime!(tile.plane.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        let after = plane_shift_down::<O::State>(folded, distance, shared, tile);
        if lane(tile) + distance < comptime!(tile.plane) {
            folded = op.combine(folded, after);
        }
    }
    folded
}
