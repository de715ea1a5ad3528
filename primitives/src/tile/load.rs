//! A tile's items, from a source into the registers of the units that fold them.

use cubecl::prelude::*;

use super::Tile;
use crate::ops::carried;
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

/// Where the unit's run of a row of a step begins within the tile.
#[cube]
pub fn run_offset(step: u32, #[comptime] row: u32, #[comptime] tile: Tile) -> u32 {
    let group = comptime!(tile.group());
    let groups = if comptime!(tile.groups() > 1) { UNIT_POS / group } else { 0u32.runtime() };
    let part = groups * comptime!(group * tile.items() * tile.steps);
    let first = part + UNIT_POS % group * comptime!(tile.run) + comptime!(row * group * tile.run);
    first + step * comptime!(group * tile.items())
}

/// Registers for a unit's items.
#[cube]
pub fn registers<T: State>(#[comptime] items: u32) -> Array<u32> {
    Array::<u32>::new(comptime!(items as usize * T::WORDS))
}

/// The words of a unit's registers.
pub fn words(registers: &Array<u32>) -> &[u32] {
    registers
}

/// The kernel's half, written out as `#[cube]` does not see that an array is a slice.
pub mod words {
    use cubecl::prelude::*;

    pub fn expand<'a>(_scope: &Scope, registers: &'a NativeExpand<Array<u32>>) -> &'a NativeExpand<[u32]> {
        registers
    }
}

/// Loads the unit's runs of a step, row after row, into `words`; `full` where the whole tile is there, else its first
/// `valid` items. Words of items past `valid` must not be used.
#[cube]
pub fn load_runs<V: View>(
    view: &V,
    start: Wide,
    valid: u32,
    step: u32,
    words: &mut Array<u32>,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
) {
    #[unroll]
    for row in 0..comptime!(tile.rows) {
        let offset = run_offset(step, row, tile);
        if comptime!(full) {
            view.read_run(within_tile(start, offset), words, comptime!(row * tile.run), comptime!(tile.run));
        } else {
            #[unroll]
            for item in 0..comptime!(tile.run) {
                if offset + item < valid {
                    let value = view.read(within_tile(start, offset + item));
                    keep::<V::Item>(words, value, comptime!(row * tile.run + item));
                }
            }
        }
    }
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

/// The unit's run of a row of a step lifted and folded in order. The operator never sees an item past `valid`.
#[cube]
pub fn run_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    items: &Array<u32>,
    valid: u32,
    step: u32,
    #[comptime] row: u32,
    #[comptime] tile: Tile,
    #[comptime] full: bool,
) -> O::State {
    if comptime!(full) {
        let first = kept::<V::Item>(items, comptime!(row * tile.run));
        let mut folded = op.open(first);
        #[unroll]
        for item in 1..comptime!(tile.run) {
            folded = op.extend(folded, first, kept::<V::Item>(items, comptime!(row * tile.run + item)));
        }
        op.close(folded, first)
    } else {
        let first = run_offset(step, row, tile);
        let mut folded = op.identity();
        #[unroll]
        for item in 0..comptime!(tile.run) {
            if first + item < valid {
                folded = op.push(folded, kept::<V::Item>(items, comptime!(row * tile.run + item)));
            }
        }
        folded
    }
}

/// The unit's run lifted and folded in order, an item at a time. The operator never sees an item past `valid`.
#[cube]
pub fn rolled_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    valid: u32,
    #[comptime] tile: Tile,
) -> O::State {
    let first = run_offset(0u32, 0u32, tile);
    let end = min(valid, first + comptime!(tile.run));
    let mut folded = op.identity();
    for offset in min(first, valid)..end {
        let pushed = op.push(folded, view.read(within_tile(start, offset)));
        folded = carried::<O>(op, offset < end, pushed);
    }
    folded
}
