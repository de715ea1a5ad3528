//! A tile's results, from the units that made them to where they go.

use cubecl::prelude::*;

use super::{Tile, keep, kept, registers, run_offset};
use crate::views::{Place, PlaceExpand, View};
use crate::{Lift, LiftExpand, Lower, LowerExpand, MonoidExpand, State, state_of, words_of};

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

/// Scans the unit's items on from `before`, which comes before its group, and from `rows`, and writes the lowered results
/// of the tile's first `valid` items from `start` on.
#[cube]
pub fn write_scanned<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    op: &O,
    items: &Array<u32>,
    rows: &Array<u32>,
    before: O::State,
    start: u32,
    valid: u32,
    place: &mut P,
    #[comptime] tile: Tile,
    #[comptime] exclusive: bool,
) {
    #[unroll]
    for row in 0..comptime!(tile.rows) {
        let mut running = op.combine(before, kept::<O::State>(rows, row));
        let mut results = registers::<O::Output>(comptime!(tile.run));
        let offset = run_offset(row, tile);
        #[unroll]
        for item in 0..comptime!(tile.run) {
            if offset + item < valid {
                let next = op.combine(running, op.lift(kept::<V::Item>(items, comptime!(row * tile.run + item))));
                // Kept before `running` moves on: a result may be the very variable.
                keep::<O::Output>(&mut results, if comptime!(exclusive) { op.lower(running) } else { op.lower(next) }, item);
                running = next;
            }
        }
        let count = min(valid, offset + comptime!(tile.run)) - min(valid, offset);
        place.write_run(start + offset, &results, 0u32, comptime!(tile.run), count);
    }
}
