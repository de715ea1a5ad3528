//! Collectives of one plane: by shuffles of the state's words, or through shared memory where the device has no planes of
//! the size (every unit of the cube must then be here). Either way the states are combined in the same grouping, but by
//! [`plane_fold_rows`] and [`plane_folds`], which are for shuffles alone.

use cubecl::prelude::*;

use super::{Tile, keep, kept, shared_load, shared_store};
use crate::ops::choose;
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

/// The state of the unit whose place differs by `mask`, by shuffles.
#[cube]
fn shuffled_across<S: State>(state: S, #[comptime] mask: u32) -> S {
    let words = words_of::<S>(state);
    let mut across = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        across.push(plane_shuffle_xor(words[word], mask));
    }
    state_of::<S>(&across)
}

/// The state of the plane's unit `from`, by shuffles.
#[cube]
pub fn shuffled_from<S: State>(state: S, #[comptime] from: u32) -> S {
    let words = words_of::<S>(state);
    let mut there = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        there.push(plane_shuffle(words[word], from));
    }
    state_of::<S>(&there)
}

/// The state of the plane's last unit.
#[cube]
pub fn plane_last<S: State>(state: S, shared: &mut Shared<[u32]>, #[comptime] tile: Tile) -> S {
    if comptime!(tile.shuffles) {
        shuffled_from::<S>(state, comptime!(tile.plane - 1))
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

/// The rows of a plane folded in order, by shuffles: every unit has a state of each of `rows`, a power of two and no more than units;
/// right on the plane's first unit. They are used up.
///
/// While there are rows to part with, two units share them out and each folds on for its own: `rows + log units` combines, where
/// a fold for every row takes `rows · log units`.
#[cube]
pub fn plane_fold_rows<O: Monoid>(
    op: &O,
    states: &mut Array<u32>,
    #[comptime] rows: u32,
    #[comptime] tile: Tile,
) -> O::State {
    #[unroll]
    for step in 0..comptime!(rows.ilog2()) {
        let distance = comptime!(1u32 << step);
        let odd = UNIT_POS_PLANE & distance != 0u32;
        #[unroll]
        for pair in 0..comptime!(rows / (2 * distance)) {
            let even_row = kept::<O::State>(&*states, comptime!(2 * pair));
            let odd_row = kept::<O::State>(&*states, comptime!(2 * pair + 1));
            let other = shuffled_across::<O::State>(choose::<O::State>(odd, even_row, odd_row), distance);
            let own = choose::<O::State>(odd, odd_row, even_row);
            let folded = op.combine(choose::<O::State>(odd, other, own), choose::<O::State>(odd, own, other));
            keep::<O::State>(states, folded, pair);
        }
    }
    // Units whose places differ by a multiple of `rows` have parts of one row; the rows meet at last.
    let mut folded = kept::<O::State>(&*states, 0u32);
    let apart = comptime!((tile.plane / rows).ilog2());
    #[unroll]
    for step in 0..comptime!(tile.plane.ilog2()) {
        let distance = comptime!(if step < apart { rows << step } else { 1 << (step - apart) });
        let after = shuffled_down::<O::State>(folded, distance);
        if UNIT_POS_PLANE + distance < comptime!(tile.plane) {
            folded = op.combine(folded, after);
        }
    }
    folded
}

/// The states of the plane's first `units` units folded key by key, by shuffles and in any order: that of key `k` is right on unit
/// `k`. A unit holds a state for each of `keys`, at most as many as a plane has units; they are used up.
///
/// While there are keys to part with, two units share them out and each folds on for its own: `keys + log units` combines, where
/// a fold for every key takes `keys · log units`.
#[cube]
pub fn plane_folds<O: Monoid>(
    op: &O,
    states: &mut Array<u32>,
    #[comptime] keys: u32,
    #[comptime] units: u32,
) -> O::State {
    let shares = comptime!(keys.next_power_of_two());
    let steps = comptime!(units.max(shares).ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(1u32 << step);
        if comptime!(distance < shares) {
            let left = comptime!(keys.div_ceil(distance));
            let odd = UNIT_POS_PLANE & distance != 0u32;
            #[unroll]
            for pair in 0..comptime!(left.div_ceil(2)) {
                let even_key = kept::<O::State>(&*states, comptime!(2 * pair));
                let odd_key = if comptime!(2 * pair + 1 < left) {
                    kept::<O::State>(&*states, comptime!(2 * pair + 1))
                } else {
                    op.identity()
                };
                let other = shuffled_across::<O::State>(choose::<O::State>(odd, even_key, odd_key), distance);
                let own = choose::<O::State>(odd, odd_key, even_key);
                keep::<O::State>(states, op.combine(own, other), pair);
            }
        } else {
            let own = kept::<O::State>(&*states, 0u32);
            let other = shuffled_across::<O::State>(own, distance);
            keep::<O::State>(states, op.combine(own, other), 0u32);
        }
    }
    kept::<O::State>(&*states, 0u32)
}
