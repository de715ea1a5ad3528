//! A tile's results, from the units that made them to where they go.

use cubecl::prelude::*;

use super::{
    Tile, keep, kept, lane, load_runs, plane_last, plane_scan, plane_shift_up, registers, run_fold, run_offset,
};
use crate::scan::Kind;
use crate::views::{Place, PlaceExpand, View};
use crate::{Lift, LiftExpand, Lower, LowerExpand, MonoidExpand, State, Wide, state_of, words_of};

/// Writes an item to a buffer of words.
#[cube]
pub fn store<T: State>(output: &mut [u32], index: u32, item: T) {
    let first = index as usize * comptime!(T::WORDS);
    let words = words_of::<T>(item);
    #[unroll]
    for word in 0..comptime!(T::WORDS) {
        output[first + word] = words[word];
    }
}

/// Reads an item from a buffer of words.
#[cube]
pub fn fetch<T: State>(input: &[u32], index: u32) -> T {
    let first = index as usize * comptime!(T::WORDS);
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(T::WORDS) {
        words.push(input[first + word]);
    }
    state_of::<T>(&words)
}

/// Writes one result.
#[cube]
pub fn write_result<P: Place>(place: &mut P, index: u32, result: P::Item) {
    let mut words = registers::<P::Item>(1u32);
    keep::<P::Item>(&mut words, result, 0u32);
    place.write_run(index, &words, 0u32, 1u32);
}

/// Of no items, offsets are the one result of the identity.
#[cube]
pub fn write_nothing<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    place: &mut P,
    full_tiles: u32,
    tail: u32,
    #[comptime] kind: Kind,
) {
    if comptime!(kind == Kind::Offsets) && full_tiles + tail == 0 && ABSOLUTE_POS == 0 {
        write_result::<P>(place, 0u32, op.lower(op.identity()));
    }
}

/// Scans the unit's run of a row on from `before`, and writes the lowered results of the tile's first `valid` items.
/// Where offsets are wanted, the fold of the first `end` of them too, behind them: 0 for a tile that is not the last.
#[cube]
pub fn write_row<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    items: &Array<u32>,
    before: O::State,
    start: u32,
    valid: u32,
    end: u32,
    step: u32,
    place: &mut P,
    #[comptime] row: u32,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
    #[comptime] kind: Kind,
) {
    let mut running = before;
    let mut results = registers::<O::Output>(comptime!(tile.run));
    let offset = run_offset(step, row, tile);
    #[unroll]
    for item in 0..comptime!(tile.run) {
        if comptime!(full) || offset + item < valid {
            let next = op.combine(running, op.lift(kept::<V::Item>(items, comptime!(row * tile.run + item))));
            // Kept before `running` moves on: a result may be the very variable.
            keep::<O::Output>(
                &mut results,
                if comptime!(kind == Kind::Inclusive) { op.lower(next) } else { op.lower(running) },
                item,
            );
            if comptime!(kind == Kind::Offsets) && offset + item + 1u32 == end {
                write_result::<P>(place, start + end, op.lower(next));
            }
            running = next;
        }
    }
    if comptime!(full) {
        place.write_run(start + offset, &results, 0u32, comptime!(tile.run));
    } else {
        let count = min(valid, offset + comptime!(tile.run)) - min(valid, offset);
        place.write_part(start + offset, &results, 0u32, comptime!(tile.run), count);
    }
}

/// Scans a tile's first `valid` items on from `before`, which comes before the unit's group (without planes, before the
/// unit), and writes the lowered results; `end` as [`write_row`] has it. The items are read once more: a moment ago they were,
/// so they are near.
#[cube]
pub fn write_scanned<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    view: &V,
    before: O::State,
    start: Wide,
    valid: u32,
    end: u32,
    place: &mut P,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
    #[comptime] kind: Kind,
) {
    if valid == comptime!(tile.len()) {
        write_steps::<V, O, P>(op, view, before, start, valid, end, place, shared, tile, true, kind);
    } else {
        let tile = comptime!(tile.by_rows());
        write_steps::<V, O, P>(op, view, before, start, valid, end, place, shared, tile, false, kind);
    }
}

#[cube]
fn write_steps<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    view: &V,
    before: O::State,
    start: Wide,
    valid: u32,
    end: u32,
    place: &mut P,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
    #[comptime] kind: Kind,
) {
    let mut items = registers::<V::Item>(comptime!(tile.items()));
    if comptime!(tile.plane > 0) {
        let mut carry = before;
        for step in 0..comptime!(tile.steps) {
            load_runs::<V>(view, start, valid, step, &mut items, tile, full);
            #[unroll]
            for row in 0..comptime!(tile.rows) {
                let run = run_fold::<V, O>(op, &items, valid, step, row, tile, full);
                let scanned = plane_scan::<O>(op, run, shared, tile);
                let within = plane_shift_up::<O::State>(scanned, 1u32, shared, tile);
                let mut running = carry;
                if lane(tile) > 0 {
                    running = op.combine(carry, within);
                }
                write_row::<V, O, P>(op, &items, running, start.low, valid, end, step, place, row, tile, full, kind);
                carry = op.combine(carry, plane_last::<O::State>(scanned, shared, tile));
            }
        }
    } else {
        load_runs::<V>(view, start, valid, 0u32, &mut items, tile, full);
        write_row::<V, O, P>(op, &items, before, start.low, valid, end, 0u32, place, 0u32, tile, full, kind);
    }
}
