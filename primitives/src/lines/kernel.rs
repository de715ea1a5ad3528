//! The kernels of line folds: teams of units along lines, and single units across them.
#![allow(clippy::collapsible_if)] // kernels join no run-time conditions by `&&`

use cubecl::prelude::*;
use cubefold_derive::{Argument, launched};

use super::plan::{Patch, Team};
use crate::ops::carried;
use crate::tile::{cube_fold, groups_fold, keep, kept, lane, part_fold, registers, shared_load, shared_store, store};
use crate::views::{MatrixView, MatrixViewExpand, View, ViewExpand};
use crate::{Lift, LiftExpand, Lower, LowerExpand, MonoidExpand, State, Wide};

/// The elements of a matrix as items: the high word of an index is the row, the low word the column.
#[derive(Argument)]
pub struct Lines<V: MatrixView> {
    matrix: V,
}

#[cube]
impl<V: MatrixView> View for Lines<V> {
    type Item = V::Item;

    fn read(&self, index: Wide) -> V::Item {
        self.matrix.element(index.high, index.low)
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        self.matrix.run(start.high, start.low, registers, at, count, false);
    }
}

/// The sizes of a fold along lines.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Pieces {
    /// Pieces of all lines.
    pub count: u32,
    /// Pieces of a line.
    pub of_line: u32,
    /// Parts of a piece that each of its groups folds.
    pub parts_per_group: u32,
    /// Parts of a line.
    pub parts: u32,
    /// Elements of a line.
    pub len: u32,
}

/// Folds piece `p` of line `l` into item `l · of_line + p` of `output`; `lowered` where a line is one piece.
#[launched]
#[cube(launch_unchecked)]
pub fn fold_along<V: MatrixView, O: Lift<V::Item> + Lower>(
    view: Lines<V>,
    op: O,
    output: &mut [u32],
    pieces: Pieces,
    #[comptime] team: Team,
    #[comptime] lowered: bool,
) {
    let tile = comptime!(team.tile);
    let part = comptime!(tile.part());
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    let mut items = registers::<V::Item>(comptime!(tile.items()));
    let group = UNIT_POS / comptime!(tile.group());
    let cube = CUBE_POS as u32;
    let piece = if comptime!(team.whole) { cube } else { cube * comptime!(tile.groups()) + group };
    let line = piece / pieces.of_line;
    let of_line = piece - line * pieces.of_line;
    let team_part = if comptime!(team.whole) { of_line * comptime!(tile.groups()) + group } else { of_line };
    // Of a piece that is not there no part is.
    let parts = select(piece < pieces.count, pieces.parts, 0u32);
    let mut folded = op.identity();
    for step in 0..pieces.parts_per_group {
        // The same for every unit of a group.
        let index = team_part * pieces.parts_per_group + step;
        if index < parts {
            let offset = index * comptime!(part.len());
            let valid = min(comptime!(part.len()), pieces.len - offset);
            let start = Wide { low: offset, high: line };
            let own = part_fold::<Lines<V>, O>(&op, &view, start, valid, &mut items, &mut states, part);
            if comptime!(tile.plane > 0) {
                folded = op.combine(folded, own);
            } else {
                folded = op.combine(folded, cube_fold::<O>(&op, own, &mut states, comptime!(tile.units)));
                // Protects: this part's states are read before the next part's are written.
                sync_cube();
            }
        }
    }
    let mut first = UNIT_POS == 0;
    if comptime!(tile.plane > 0) {
        if comptime!(team.whole) {
            folded = groups_fold::<O>(&op, folded, &mut states, tile);
        } else {
            first = lane(tile) == 0;
        }
    }
    if first {
        if piece < pieces.count {
            finish::<O>(&op, output, piece, folded, lowered);
        }
    }
}

/// The sizes of a fold across lines.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Extent {
    /// Lines there are.
    pub lines: u32,
    /// Elements of a line.
    pub len: u32,
    /// Runs of a line.
    pub runs: u32,
    /// Elements of a run.
    pub run: u32,
    /// Units that cover the lines once.
    pub side: u32,
}

/// Folds piece `p` of line `l`, a run for each unit of a stack, into item `p · lines + l` of `output`. Neighbouring units have
/// neighbouring lines, and those of a cube are stacked where they are few.
#[launched]
#[cube(launch_unchecked)]
pub fn fold_across<V: MatrixView, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    output: &mut [u32],
    extent: Extent,
    #[comptime] patch: Patch,
    #[comptime] lowered: bool,
) {
    let cube = CUBE_POS as u32;
    let unit = if comptime!(patch.stack > 1) { UNIT_POS } else { cube * CUBE_DIM + UNIT_POS };
    let level = unit / extent.side;
    let run = if comptime!(patch.stack > 1) { cube * comptime!(patch.stack) + level } else { level };
    // The last unit of a run goes over lines of the one before again, so that all units do the same.
    let line = min((unit - level * extent.side) * comptime!(patch.lines), extent.lines - comptime!(patch.lines));
    let mut states = registers::<O::State>(comptime!(patch.lines));
    #[unroll]
    for at in 0..comptime!(patch.lines) {
        keep::<O::State>(&mut states, op.identity(), at);
    }
    let works = if comptime!(patch.stack > 1) { level < comptime!(patch.stack) } else { run < extent.runs };
    if works {
        let start = select(run < extent.runs, run * extent.run, extent.len);
        let end = start + min(extent.run, extent.len - start);
        let steps = (end - start) / comptime!(patch.items);
        for step in 0..steps {
            patch_fold::<V, O>(&view, &op, line, start + step * comptime!(patch.items), &mut states, patch);
        }
        #[unroll]
        for at in 0..comptime!(patch.lines) {
            let mut folded = kept::<O::State>(&states, at);
            for index in start + steps * comptime!(patch.items)..end {
                folded = carried::<O>(&op, index < end, op.push(folded, view.element(line + at, index)));
            }
            keep::<O::State>(&mut states, folded, at);
        }
    }
    if comptime!(patch.stack > 1) {
        fold_stack::<O>(&op, output, &states, cube, line, level, extent, patch, lowered);
    } else if works {
        #[unroll]
        for at in 0..comptime!(patch.lines) {
            finish::<O>(&op, output, run * extent.lines + line + at, kept::<O::State>(&states, at), lowered);
        }
    }
}

/// Folds the runs of a cube's stack, line by line.
#[cube]
fn fold_stack<O: Lower>(
    op: &O,
    output: &mut [u32],
    states: &Array<u32>,
    cube: u32,
    line: u32,
    level: u32,
    extent: Extent,
    #[comptime] patch: Patch,
    #[comptime] lowered: bool,
) {
    let slots = comptime!(patch.units * patch.lines);
    let mut shared = Shared::<[u32]>::new_slice(comptime!(slots as usize * <O::State as State>::WORDS));
    if level < comptime!(patch.stack) {
        #[unroll]
        for at in 0..comptime!(patch.lines) {
            let slot = level * extent.lines + line + at;
            shared_store::<O::State>(&mut shared, slot, kept::<O::State>(states, at), slots);
        }
    }
    // Protects: the states of all levels are there.
    sync_cube();
    // The last row of cubes may run over.
    let lines = select(cube * comptime!(patch.stack) < extent.runs, extent.lines, 0u32);
    #[unroll]
    for round in 0..comptime!(patch.lines) {
        let line = UNIT_POS + comptime!(round * patch.units);
        if line < lines {
            let mut folded = op.identity();
            for level in 0..comptime!(patch.stack).runtime() {
                let next = shared_load::<O::State>(&shared, level * extent.lines + line, slots);
                folded = carried::<O>(op, level < comptime!(patch.stack), op.combine(folded, next));
            }
            finish::<O>(op, output, cube * extent.lines + line, folded, lowered);
        }
    }
}

/// Folds the unit's next elements of every line of its patch into the lines' states.
#[cube]
fn patch_fold<V: MatrixView, O: Lift<V::Item>>(
    view: &V,
    op: &O,
    line: u32,
    index: u32,
    states: &mut Array<u32>,
    #[comptime] patch: Patch,
) {
    let (lines, items) = comptime!((patch.lines, patch.items));
    let mut words = registers::<V::Item>(comptime!(lines * items));
    if comptime!(patch.down) {
        #[unroll]
        for item in 0..items {
            view.run(line, index + item, &mut words, comptime!(item * lines), lines, true);
        }
    } else {
        #[unroll]
        for at in 0..lines {
            view.run(line + at, index, &mut words, comptime!(at * items), items, false);
        }
    }
    #[unroll]
    for at in 0..lines {
        let first = kept::<V::Item>(&words, comptime!(if patch.down { at } else { at * items }));
        let mut folded = op.open(first);
        #[unroll]
        for item in 1..items {
            let place = comptime!(if patch.down { item * lines + at } else { at * items + item });
            folded = op.extend(folded, first, kept::<V::Item>(&words, place));
        }
        let before = kept::<O::State>(&*states, at);
        keep::<O::State>(states, op.combine(before, op.close(folded, first)), at);
    }
}

/// Writes what a line has, or a part of one.
#[cube]
fn finish<O: Lower>(op: &O, output: &mut [u32], place: u32, folded: O::State, #[comptime] lowered: bool) {
    if comptime!(lowered) {
        store::<O::Output>(output, place, op.lower(folded));
    } else {
        store::<O::State>(output, place, folded);
    }
}
