//! A tile's items, from a source into the registers of the units that fold them.

use cubecl::prelude::*;

use super::{Tile, shared_load, shared_store};
use crate::views::{View, ViewExpand};
use crate::{Lift, LiftExpand, MonoidExpand, State, Wide, state_of, wide_product, words_of, wrapping_add};

/// Where a tile starts: `tile · length`.
#[cube]
pub fn tile_start(tile: u32, #[comptime] length: u32) -> Wide {
    wide_product(tile, length)
}

/// The index `offset` items into a tile. Tiles are aligned to their length, a power of two: no carry.
#[cube]
pub fn within_tile(start: Wide, offset: u32) -> Wide {
    Wide { low: wrapping_add(start.low, offset), high: start.high }
}

/// Loads the first `valid` items of a tile, so that unit `u` holds the words of items
/// `u · items .. (u + 1) · items`. Words of items past `valid` are 0 and must not be used.
///
/// Stored items are read by neighbouring units together and exchanged through `exchange`, which holds
/// `tile.len()` items and may be used again after the next barrier. Computed items are read in place.
#[cube]
pub fn load_items<V: View>(
    view: &V,
    start: Wide,
    valid: u32,
    exchange: &mut Shared<[u32]>,
    #[comptime] tile: Tile,
) -> Array<u32> {
    let width = comptime!(<V::Item as State>::WORDS as u32);
    let mut words = Array::<u32>::new(comptime!((tile.items * width) as usize));
    if comptime!(V::STORED && tile.items > 1) {
        let length = comptime!(tile.exchange_slots());
        if valid == comptime!(tile.len()) {
            // A full tile: loads without tests, so that many are under way at once.
            #[unroll]
            for row in 0..comptime!(tile.items) {
                let offset = comptime!(row * tile.units) + UNIT_POS;
                let item = view.read(within_tile(start, offset));
                shared_store::<V::Item>(exchange, padded(offset, comptime!(tile.items)), item, length);
            }
        } else {
            #[unroll]
            for row in 0..comptime!(tile.items) {
                let offset = comptime!(row * tile.units) + UNIT_POS;
                if offset < valid {
                    let item = view.read(within_tile(start, offset));
                    shared_store::<V::Item>(exchange, padded(offset, comptime!(tile.items)), item, length);
                }
            }
        }
        // Protects: every item is there before its folding unit reads it.
        sync_cube();
        #[unroll]
        for item in 0..comptime!(tile.items) {
            let offset = UNIT_POS * comptime!(tile.items) + item;
            if offset < valid {
                let value = shared_load::<V::Item>(&*exchange, padded(offset, comptime!(tile.items)), length);
                keep::<V::Item>(&mut words, value, item);
            }
        }
    } else {
        #[unroll]
        for item in 0..comptime!(tile.items) {
            let offset = UNIT_POS * comptime!(tile.items) + item;
            if offset < valid {
                let value = view.read(within_tile(start, offset));
                keep::<V::Item>(&mut words, value, item);
            }
        }
    }
    words
}

/// One slot is left free behind each unit's run, so that units reading their runs in step hit different banks.
#[cube]
pub fn padded(offset: u32, #[comptime] items: u32) -> u32 {
    offset + offset / items
}

/// Puts an item's words into a unit's registers.
#[cube]
pub fn keep<T: State>(registers: &mut Array<u32>, item: T, #[comptime] index: u32) {
    let words = words_of::<T>(item);
    #[unroll]
    for word in 0..comptime!(T::WORDS) {
        registers[comptime!(index as usize * T::WORDS + word)] = words[word];
    }
}

/// The item whose words are in a unit's registers.
#[cube]
pub fn kept<T: State>(registers: &Array<u32>, #[comptime] index: u32) -> T {
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(T::WORDS) {
        words.push(registers[comptime!(index as usize * T::WORDS + word)]);
    }
    state_of::<T>(&words)
}

/// A unit's loaded items lifted and folded in order. The operator never sees an item past `valid`.
#[cube]
pub fn unit_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    items: &Array<u32>,
    valid: u32,
    #[comptime] tile: Tile,
) -> O::State {
    let mut folded = op.identity();
    let first = UNIT_POS * comptime!(tile.items);
    if comptime!(tile.items) + first <= valid {
        // A full run: no tests, and no combine with the identity.
        folded = op.lift(kept::<V::Item>(items, 0u32));
        #[unroll]
        for item in 1..comptime!(tile.items) {
            folded = op.combine(folded, op.lift(kept::<V::Item>(items, item)));
        }
    } else {
        #[unroll]
        for item in 0..comptime!(tile.items) {
            if first + item < valid {
                folded = op.combine(folded, op.lift(kept::<V::Item>(items, item)));
            }
        }
    }
    folded
}
