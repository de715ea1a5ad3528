//! The kernel of column scans: the single-pass look-back of the flat scan, for many columns side by side.
//!
//! A tile is a block of columns by some rows. Neighbouring units have neighbouring columns, so that a row of the block
//! is read and written with full width, and each folds a chain of rows below one another:
//!
//! ```text
//!            column 0 | column 1 | … | column 19
//! rows 0..   unit 0   | unit 1   | … | unit 19         group 0
//! rows 16..  unit 20  | unit 21  | … | unit 39         group 1
//! ```
//!
//! Blocks know nothing of each other. Within one, tiles publish and look back as those of a flat scan do, with a
//! descriptor for every column; whatever is missing in any column, the cube makes for all of them.

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::super::descriptor::{Descriptors, Slots, publish};
use super::super::lookback::{Course, draw_tile, next_course};
use super::super::window::Room;
use super::lanes::{Seat, lanes_look_back, lanes_scan, seat_in, slot_of};
use super::plan::Blueprint;
use crate::ops::carried;
use crate::tile::{keep, kept, registers, store};
use crate::views::{MatrixView, MatrixViewExpand};
use crate::{Lift, LiftExpand, Lower, LowerExpand, MonoidExpand, State};

/// What a launch tells the kernel about its sizes.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Extent {
    /// Rows of the matrix.
    pub rows: u32,
    /// Columns of the matrix.
    pub columns: u32,
    /// Columns of a block.
    pub lanes: u32,
    /// Units of a column.
    pub groups: u32,
    /// Blocks there are.
    pub blocks: u32,
    /// Tiles of a block.
    pub tiles: u32,
    /// Where descriptors lie.
    pub slots: Slots,
    /// Cubes launched, of which those past the tiles have nothing to do.
    pub cubes: u32,
}

/// Scans every column of `view` into the row-major `output` in one pass. The loop is that of the flat scan.
#[launched]
#[cube(launch_unchecked)]
pub fn scan_columns<V: MatrixView, O: Lift<V::Item> + Lower, D: Descriptors>(
    view: V,
    op: O,
    descriptors: &mut D,
    ticket: &mut [Atomic<u32>],
    output: &mut [u32],
    extent: Extent,
    #[comptime] blueprint: Blueprint,
) {
    let units = comptime!(blueprint.units);
    let window = extent.groups * comptime!(blueprint.polled);
    let mut room = Room {
        states: Shared::<[u32]>::new_slice(comptime!(units as usize * <O::State as State>::WORDS)),
        notes: Shared::<[u32]>::new_slice(1usize),
    };
    let drawn = draw_tile(ticket, &mut room, extent.cubes);
    // The same for every unit of a cube: barriers below are reached by all or none.
    if drawn < extent.tiles * extent.blocks {
        let withheld = comptime!(blueprint.withhold > 0) && drawn % comptime!(blueprint.withhold.max(1)) == 0;
        // Blocks side by side are neighbours in memory: their tiles are drawn one after the other.
        let index = drawn / extent.blocks;
        let seat = seat_in(drawn % extent.blocks, extent);
        let speaks = seat.position == 0 && seat.there != 0;
        let mut before = op.identity();
        let mut at = index;
        let mut goal = index;
        let mut settled = false;
        while !settled {
            let own = chain_fold::<V, O>(&op, &view, at, seat, extent, blueprint);
            let parts = lanes_scan::<O>(&op, own, &mut room.states, seat, extent, units);
            let silent = withheld && at == index;
            if speaks && !silent {
                if at == 0 {
                    let slot = slot_of(extent.tiles, seat, extent);
                    publish::<O::State, D>(descriptors, extent.slots, slot, parts.right);
                } else if at % window != 0 {
                    publish::<O::State, D>(descriptors, extent.slots, slot_of(at, seat, extent), parts.right);
                }
            }
            let mut prefix = op.identity();
            let mut missing = goal;
            if goal > 0 {
                let publishes = at == goal && goal % window == 0 && !silent;
                let own = parts.right;
                let found =
                    lanes_look_back::<O, D>(&op, descriptors, goal, own, publishes, &mut room, seat, extent, blueprint);
                missing = found.left;
                prefix = found.right;
            }
            if missing == goal && at == goal && goal == index {
                before = op.combine(prefix, parts.left);
                settled = true;
            } else {
                let next = next_course(Course { at, goal }, missing, index, window);
                at = next.at;
                goal = next.goal;
                // Protects: shared memory is read before the next round writes there.
                sync_cube();
            }
        }
        write_chain::<V, O>(&op, &view, before, index, seat, output, extent, blueprint);
    }
}

/// The row of the matrix that is `offset` rows into a tile.
#[cube]
fn row_of(tile: u32, offset: u32, extent: Extent, #[comptime] blueprint: Blueprint) -> u32 {
    let row = tile * (extent.groups * comptime!(blueprint.chain())) + offset;
    if comptime!(blueprint.reverse) { extent.rows - 1 - row } else { row }
}

/// Rows that a tile has.
#[cube]
fn rows_of(tile: u32, extent: Extent, #[comptime] blueprint: Blueprint) -> u32 {
    let height = extent.groups * comptime!(blueprint.chain());
    min(height, extent.rows - tile * height)
}

/// Loads a run of the unit's column, from `offset` rows into the tile on.
#[cube]
fn load_run<V: MatrixView>(
    view: &V,
    tile: u32,
    offset: u32,
    seat: Seat,
    items: &mut Array<u32>,
    extent: Extent,
    #[comptime] blueprint: Blueprint,
) {
    #[unroll]
    for item in 0..comptime!(blueprint.run) {
        let row = row_of(tile, offset + item, extent, blueprint);
        keep::<V::Item>(items, view.element(row, seat.column), item);
    }
}

/// The unit's chain of rows lifted and folded in order. The operator never sees a row past the last.
#[cube]
fn chain_fold<V: MatrixView, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    tile: u32,
    seat: Seat,
    extent: Extent,
    #[comptime] blueprint: Blueprint,
) -> O::State {
    let chain = comptime!(blueprint.chain());
    let valid = rows_of(tile, extent, blueprint);
    let first = seat.position * chain;
    let mut folded = op.identity();
    if seat.there != 0 {
        if first + chain <= valid {
            // Without tests, so that many loads are under way at once.
            let mut items = registers::<V::Item>(comptime!(blueprint.run));
            for step in 0..comptime!(blueprint.steps) {
                let offset = first + step * comptime!(blueprint.run);
                load_run::<V>(view, tile, offset, seat, &mut items, extent, blueprint);
                #[unroll]
                for item in 0..comptime!(blueprint.run) {
                    folded = op.push(folded, kept::<V::Item>(&items, item));
                }
                folded = carried::<O>(op, seat.there != 0, folded);
            }
        } else {
            for offset in min(first, valid)..valid {
                let row = row_of(tile, offset, extent, blueprint);
                folded = carried::<O>(op, seat.there != 0, op.push(folded, view.element(row, seat.column)));
            }
        }
    }
    folded
}

/// Scans the unit's chain on from `before` and writes the lowered results. The items are read once more: a moment ago
/// they were, so they are near.
#[cube]
fn write_chain<V: MatrixView, O: Lift<V::Item> + Lower>(
    op: &O,
    view: &V,
    before: O::State,
    tile: u32,
    seat: Seat,
    output: &mut [u32],
    extent: Extent,
    #[comptime] blueprint: Blueprint,
) {
    let chain = comptime!(blueprint.chain());
    let valid = rows_of(tile, extent, blueprint);
    let first = seat.position * chain;
    let mut running = before;
    if seat.there != 0 {
        if first + chain <= valid {
            let mut items = registers::<V::Item>(comptime!(blueprint.run));
            for step in 0..comptime!(blueprint.steps) {
                let offset = first + step * comptime!(blueprint.run);
                load_run::<V>(view, tile, offset, seat, &mut items, extent, blueprint);
                #[unroll]
                for item in 0..comptime!(blueprint.run) {
                    let row = row_of(tile, offset + item, extent, blueprint);
                    let item = kept::<V::Item>(&items, item);
                    running = write_next::<V, O>(op, running, item, row, seat, output, extent, blueprint);
                }
                running = carried::<O>(op, seat.there != 0, running);
            }
        } else {
            for offset in min(first, valid)..valid {
                let row = row_of(tile, offset, extent, blueprint);
                let item = view.element(row, seat.column);
                let next = write_next::<V, O>(op, running, item, row, seat, output, extent, blueprint);
                running = carried::<O>(op, seat.there != 0, next);
            }
        }
    }
}

/// Writes the result of a row, and gives what comes before the next.
#[cube]
fn write_next<V: MatrixView, O: Lift<V::Item> + Lower>(
    op: &O,
    running: O::State,
    item: V::Item,
    row: u32,
    seat: Seat,
    output: &mut [u32],
    extent: Extent,
    #[comptime] blueprint: Blueprint,
) -> O::State {
    let next = op.push(running, item);
    let place = row * extent.columns + seat.column;
    if comptime!(blueprint.exclusive) {
        store::<O::Output>(output, place, op.lower(running));
    } else {
        store::<O::Output>(output, place, op.lower(next));
    }
    next
}
