//! A tile's results, from the units that made them to the output.

use cubecl::prelude::*;

use super::{Tile, kept, padded, shared_load, shared_store};
use crate::views::View;
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

/// Scans a unit's loaded items on from `before` and stores the lowered results of the tile's first `valid` items,
/// neighbouring units together. `exchange` holds `tile.exchange_slots()` outputs and must be free to write.
#[cube]
pub fn store_scanned<V: View, O: Lift<V::Item> + Lower>(
    op: &O,
    items: &Array<u32>,
    before: O::State,
    start: u32,
    valid: u32,
    exchange: &mut Shared<[u32]>,
    output: &mut [u32],
    #[comptime] tile: Tile,
    #[comptime] exclusive: bool,
) {
    let length = comptime!(tile.exchange_slots());
    let mut running = before;
    #[unroll]
    for item in 0..comptime!(tile.items) {
        let offset = UNIT_POS * comptime!(tile.items) + item;
        if offset < valid {
            let next = op.combine(running, op.lift(kept::<V::Item>(items, item)));
            // Stored before `running` moves on: a result may be the very variable.
            let result = if comptime!(exclusive) { op.lower(running) } else { op.lower(next) };
            if comptime!(tile.items > 1) {
                shared_store::<O::Output>(exchange, padded(offset, comptime!(tile.items)), result, length);
            } else {
                store::<O::Output>(output, start + offset, result);
            }
            running = next;
        }
    }
    if comptime!(tile.items > 1) {
        // Protects: every result is there before a neighbour stores it.
        sync_cube();
        #[unroll]
        for row in 0..comptime!(tile.items) {
            let offset = comptime!(row * tile.units) + UNIT_POS;
            if offset < valid {
                let slot = padded(offset, comptime!(tile.items));
                let result = shared_load::<O::Output>(&*exchange, slot, length);
                store::<O::Output>(output, start + offset, result);
            }
        }
    }
}
