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
            let next = op.push(running, kept::<V::Item>(items, comptime!(row * tile.run + item)));
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
/// unit), and writes the lowered results; `end` as [`write_row`] has it. Of a full tile, `items` are the last step's; the others
/// are read once more: a moment ago they were, so they are near.
#[cube]
pub fn write_scanned<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    view: &V,
    items: &mut Array<u32>,
    before: O::State,
    start: Wide,
    valid: u32,
    end: u32,
    place: &mut P,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
    #[comptime] kind: Kind,
) {
    let mut carry = before;
    if valid == comptime!(tile.len()) {
        if comptime!(tile.steps > 1) {
            let mut again = registers::<V::Item>(comptime!(tile.items()));
            for step in 0..comptime!(tile.steps - 1) {
                load_runs::<V>(view, start, valid, step, &mut again, tile, true);
                carry = write_step::<V, O, P>(
                    op, &again, carry, start.low, valid, end, step, place, shared, tile, true, kind,
                );
            }
        }
        let last = comptime!(tile.steps - 1);
        write_step::<V, O, P>(op, &*items, carry, start.low, valid, end, last, place, shared, tile, true, kind);
    } else {
        let tile = comptime!(tile.by_rows());
        for step in 0..comptime!(tile.steps) {
            load_runs::<V>(view, start, valid, step, items, tile, false);
            carry = write_step::<V, O, P>(
                op, &*items, carry, start.low, valid, end, step, place, shared, tile, false, kind,
            );
        }
    }
}

/// Scans the rows of a step on from `carry`, and writes them. Gives what comes before the group's next step.
#[cube]
fn write_step<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    items: &Array<u32>,
    carry: O::State,
    start: u32,
    valid: u32,
    end: u32,
    step: u32,
    place: &mut P,
    shared: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
    #[comptime] kind: Kind,
) -> O::State {
    let mut after = carry;
    if comptime!(tile.plane > 0) {
        #[unroll]
        for row in 0..comptime!(tile.rows) {
            let run = run_fold::<V, O>(op, items, valid, step, row, tile, full);
            let scanned = plane_scan::<O>(op, run, shared, tile);
            let within = plane_shift_up::<O::State>(scanned, 1u32, shared, tile);
            let mut before = after;
            if lane(tile) > 0 {
                before = op.combine(after, within);
            }
            write_row::<V, O, P>(op, items, before, start, valid, end, step, place, row, tile, full, kind);
            after = op.combine(after, plane_last::<O::State>(scanned, shared, tile));
        }
    } else {
        write_row::<V, O, P>(op, items, carry, start, valid, end, step, place, 0u32, tile, full, kind);
    }
    after
}
