//! The kernel of register-blocked products: a unit holds a block of results, so that an element brought from shared memory
//! meets as many of the other factor's.
//!
//! ```text
//! cube  rows × columns results, in steps of `depth` products
//! unit  unit_rows × unit_columns of them: quads of neighbouring rows (columns), as far apart as there are units
//! ```
//!
//! Shared memory holds a step of both factors twice. While one half is multiplied the next step is on its way to registers,
//! and from there to the other half: one barrier a step. Factors lie there as quads, four neighbouring rows of the left or
//! columns of the right one at one depth, which a unit moves at once.

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::kernel::Shape;
use crate::tile::{keep, kept, registers, store};
use crate::views::{MatrixView, MatrixViewExpand, SIDE};
use crate::{Lower, LowerExpand, MonoidExpand, Semiring, SemiringExpand, State};

type Four = Vector<u32, Const<4>>;

/// What a register-blocked product is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blocks {
    /// Rows and columns of a cube's results, and products of a step: shared arrays and unrolled loops.
    pub rows: u32,
    /// See `rows`.
    pub columns: u32,
    /// See `rows`.
    pub depth: u32,
    /// Rows and columns of a unit's results: registers.
    pub unit_rows: u32,
    /// See `unit_rows`.
    pub unit_columns: u32,
    /// Products that are written out one after another, of which the steps are made.
    pub unrolled: u32,
    /// Whether neighbouring units bring neighbouring depths of the left factor; else neighbouring rows.
    pub left_by_depth: bool,
    /// The same of the right factor; else neighbouring columns.
    pub right_by_depth: bool,
    /// Whether the left and the right factor are made of whole blocks of four by four.
    pub whole: (bool, bool),
    /// Whether the result is its own mirror image, in square blocks: those below the diagonal do nothing, the others write
    /// both halves.
    pub symmetric: bool,
    /// Whether the depth is cut into slices, whose states are written, slice after slice, in place of results.
    pub split: bool,
}

impl Blocks {
    /// Units of a cube.
    pub fn units(&self) -> u32 {
        self.rows / self.unit_rows * (self.columns / self.unit_columns)
    }

    /// Bytes of shared memory for factors `A` and `B`.
    pub fn shared_bytes<A: State, B: State>(&self) -> usize {
        let (left, right) = (self.left().words(A::WORDS), self.right().words(B::WORDS));
        4 * (left + right)
    }

    fn left(&self) -> Side {
        let Blocks { rows: length, depth, left_by_depth: by_depth, whole, .. } = *self;
        Side { length, depth, by_depth, whole: whole.0, units: self.units() / 2, first: 0, down: true, gap: 1 }
    }

    fn right(&self) -> Side {
        let Blocks { columns: length, depth, right_by_depth: by_depth, whole, .. } = *self;
        let units = self.units() / 2;
        Side { length, depth, by_depth, whole: whole.1, units, first: units, down: false, gap: 1 }
    }
}

/// A step of one factor in shared memory: `depth` lines of quads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Side {
    /// Places along the result.
    pub(super) length: u32,
    /// Products of a step.
    pub(super) depth: u32,
    /// Whether neighbouring units bring neighbouring depths; else neighbouring places.
    pub(super) by_depth: bool,
    /// Whether the factor is made of whole blocks of four by four.
    pub(super) whole: bool,
    /// Units that bring it, and the first of them.
    pub(super) units: u32,
    pub(super) first: u32,
    /// Whether places along the result are rows of the factor: those of the left one are.
    pub(super) down: bool,
    /// Quads left out after each line, so that the lines of neighbouring depths begin at other banks.
    pub(super) gap: u32,
}

impl Side {
    pub(super) fn quads(self) -> u32 {
        self.length / SIDE
    }

    /// Quads from line to line.
    pub(super) fn stride(self) -> u32 {
        self.quads() + self.gap
    }

    /// Quads of one half, of elements of so many words.
    pub(super) fn half(self, words: usize) -> u32 {
        words as u32 * self.depth * self.stride()
    }

    pub(super) fn words(self, words: usize) -> usize {
        2 * (SIDE * self.half(words)) as usize
    }

    /// Blocks of four quads, at four depths.
    fn blocks(self) -> u32 {
        self.quads() * self.depth / SIDE
    }

    /// Blocks that a unit brings.
    pub(super) fn brought(self) -> u32 {
        self.blocks().div_ceil(self.units)
    }

    /// Whether every unit brings as many.
    pub(super) fn even(self) -> bool {
        self.blocks().is_multiple_of(self.units)
    }

    /// Words of the blocks that a unit brings, of elements of so many words.
    pub(super) fn ahead(self, words: usize) -> usize {
        (self.brought() * SIDE * SIDE) as usize * words
    }
}

/// Cube `c` computes block `c` of the result, counted through all products, and through those of every slice of the depth
/// where it is split.
#[launched]
#[cube(launch_unchecked)]
pub fn multiply_blocked<A: MatrixView, B: MatrixView, O: Semiring<A::Item, B::Item> + Lower>(
    a: A,
    b: B,
    op: O,
    output: &mut [u32],
    shape: Shape,
    #[comptime] blocks: Blocks,
) {
    let (left_side, right_side) = comptime!((blocks.left(), blocks.right()));
    let cube = CUBE_POS as u32;
    let result = cube / shape.tiles;
    let block = cube - result * shape.tiles;
    let slice = if comptime!(blocks.split) { result / shape.count } else { 0u32.runtime() };
    let product = result - slice * shape.count;
    let (above, before) = (product * shape.rows, product * shape.depth);
    let first_row = block / shape.across * comptime!(blocks.rows);
    let first_column = block % shape.across * comptime!(blocks.columns);
    let (begin, end) = (slice * shape.slice, min(slice * shape.slice + shape.slice, shape.depth));
    let mut left = Shared::<[Four]>::new_slice(comptime!(2 * left_side.half(A::Item::WORDS) as usize));
    let mut right = Shared::<[Four]>::new_slice(comptime!(2 * right_side.half(B::Item::WORDS) as usize));
    // A unit brings the one factor or the other.
    let mut ahead = Array::<u32>::new(comptime!(left_side.ahead(A::Item::WORDS).max(right_side.ahead(B::Item::WORDS))));
    let mut sums = registers::<O::State>(comptime!(blocks.unit_rows * blocks.unit_columns));
    #[unroll]
    for place in 0..comptime!(blocks.unit_rows * blocks.unit_columns) {
        keep::<O::State>(&mut sums, op.identity(), place);
    }
    // The same for every unit of a cube: barriers are reached by all or none.
    let needed = comptime!(!blocks.symmetric) || first_row <= first_column;
    let has_work = cube < shape.cubes && needed;
    if has_work && begin < end {
        let from = From { above, before, first_row, first_column };
        bring::<A, B>(&a, &b, from, begin, &mut ahead, shape, blocks);
        stash_all::<A::Item, B::Item>(&mut left, &mut right, &ahead, 0u32, blocks);
        // Protects: the first step is there before it is multiplied.
        sync_cube();
        let mut start = begin;
        let mut half = 0u32;
        while start < end {
            let next = start + comptime!(blocks.depth);
            if next < end {
                bring::<A, B>(&a, &b, from, next, &mut ahead, shape, blocks);
            }
            let products = min(comptime!(blocks.depth), end - start);
            multiply_step::<A::Item, B::Item, O>(&op, &left, &right, half, products, &mut sums, blocks);
            half = 1u32 - half;
            if next < end {
                stash_all::<A::Item, B::Item>(&mut left, &mut right, &ahead, half, blocks);
            }
            // Protects: the next step is there before it is multiplied, and this one is read before it is overwritten.
            sync_cube();
            start = next;
        }
    }
    if has_work {
        write_block::<O>(&op, &sums, first_row, first_column, result, output, shape, blocks);
    }
}

/// Where a cube's block lies in the factors.
#[derive(CubeType, Clone, Copy)]
#[expand(derive(Clone, Copy))]
struct From {
    /// Rows of the left factor, and of the right one, that belong to products before.
    above: u32,
    before: u32,
    /// The block's first row and column.
    first_row: u32,
    first_column: u32,
}

/// Brings the step that begins at depth `start`: half the units the left factor's, half the right one's.
#[cube]
fn bring<A: MatrixView, B: MatrixView>(
    a: &A,
    b: &B,
    from: From,
    start: u32,
    ahead: &mut Array<u32>,
    shape: Shape,
    #[comptime] blocks: Blocks,
) {
    let (left, right) = comptime!((blocks.left(), blocks.right()));
    if UNIT_POS < comptime!(left.units) {
        let (first, rows) = (from.above + from.first_row, from.above + shape.rows);
        fetch::<A>(a, first, rows, start, shape.depth, ahead, left);
    } else {
        let depth = from.before + shape.depth;
        fetch::<B>(b, from.first_column, shape.columns, from.before + start, depth, ahead, right);
    }
}

/// The block of a step that is the unit's `index`-th: its quads' place in a line, and the first of its lines, both counted in
/// fours.
#[cube]
pub(super) fn seat(#[comptime] index: u32, #[comptime] side: Side) -> (u32, u32) {
    let block = UNIT_POS - comptime!(side.first) + comptime!(index * side.units);
    if comptime!(side.by_depth) {
        (block / comptime!(side.depth / SIDE), block % comptime!(side.depth / SIDE))
    } else {
        (block % comptime!(side.quads()), block / comptime!(side.quads()))
    }
}

/// Whether a block that begins at `start` ends before `end` or there.
#[cube]
fn fits(start: u32, end: u32) -> bool {
    start < end && end - start >= SIDE
}

/// Brings the unit's blocks of a step: places along the result from `first` on, up to `places`, and depths from `start` on, up
/// to `depth`. Past the end it brings the last of either again: what comes of them is not written. Without a branch, so that
/// nothing waits for what is brought before it is needed.
#[cube]
pub(super) fn fetch<V: MatrixView>(
    view: &V,
    first: u32,
    places: u32,
    start: u32,
    depth: u32,
    ahead: &mut Array<u32>,
    #[comptime] side: Side,
) {
    #[unroll]
    for index in 0..comptime!(side.brought()) {
        let (quad, lines) = seat(index, side);
        let (place, line) = (first + quad * SIDE, start + lines * SIDE);
        let (row, column) = if comptime!(side.down) { (place, line) } else { (line, place) };
        let (rows, columns) = if comptime!(side.down) { (places, depth) } else { (depth, places) };
        let at = comptime!(index * SIDE * SIDE);
        if comptime!(side.whole) {
            view.block(min(row, rows - SIDE), min(column, columns - SIDE), ahead, at);
        } else {
            #[unroll]
            for down in 0..SIDE {
                #[unroll]
                for across in 0..SIDE {
                    let item = view.element(min(row + down, rows - 1), min(column + across, columns - 1));
                    keep::<V::Item>(ahead, item, comptime!(at + down * SIDE + across));
                }
            }
        }
    }
}

/// Puts what the units have brought into a half of shared memory.
#[cube]
fn stash_all<A: State, B: State>(
    left: &mut Shared<[Four]>,
    right: &mut Shared<[Four]>,
    ahead: &Array<u32>,
    half: u32,
    #[comptime] blocks: Blocks,
) {
    if UNIT_POS < comptime!(blocks.left().units) {
        stash::<A>(left, ahead, half, comptime!(blocks.left()));
    } else {
        stash::<B>(right, ahead, half, comptime!(blocks.right()));
    }
}

/// Puts the unit's blocks into a half of shared memory, a plane of quads a word.
#[cube]
fn stash<T: State>(shared: &mut Shared<[Four]>, ahead: &Array<u32>, half: u32, #[comptime] side: Side) {
    #[unroll]
    for index in 0..comptime!(side.brought()) {
        let (quad, lines) = seat(index, side);
        if comptime!(side.even()) || lines < comptime!(side.depth / SIDE) && quad < comptime!(side.quads()) {
            #[unroll]
            for line in 0..SIDE {
                #[unroll]
                for word in 0..comptime!(T::WORDS) {
                    let mut four = Four::empty();
                    #[unroll]
                    for element in 0..SIDE {
                        let item = comptime!(if side.down { element * SIDE + line } else { line * SIDE + element });
                        let register = comptime!((index * SIDE * SIDE + item) as usize * T::WORDS + word);
                        four.insert(comptime!(element as usize), ahead[register]);
                    }
                    let plane =
                        half * comptime!(side.half(T::WORDS)) + comptime!(word as u32 * side.depth * side.stride());
                    let at_line = (lines * SIDE + line) * comptime!(side.stride());
                    shared[(plane + at_line + quad) as usize] = four;
                }
            }
        }
    }
}

/// Folds the products of a step into the unit's sums, depth after depth.
#[cube]
fn multiply_step<A: State, B: State, O: Semiring<A, B>>(
    op: &O,
    left: &Shared<[Four]>,
    right: &Shared<[Four]>,
    half: u32,
    products: u32,
    sums: &mut Array<u32>,
    #[comptime] blocks: Blocks,
) {
    if products == comptime!(blocks.depth) {
        for group in 0..comptime!(blocks.depth / blocks.unrolled) {
            #[unroll]
            for one in 0..comptime!(blocks.unrolled) {
                multiply_line::<A, B, O>(op, left, right, half, group * comptime!(blocks.unrolled) + one, sums, blocks);
            }
        }
    } else {
        for line in 0..products {
            multiply_line::<A, B, O>(op, left, right, half, line, sums, blocks);
        }
    }
}

/// Folds the products of one depth into the unit's sums.
#[cube]
fn multiply_line<A: State, B: State, O: Semiring<A, B>>(
    op: &O,
    left: &Shared<[Four]>,
    right: &Shared<[Four]>,
    half: u32,
    line: u32,
    sums: &mut Array<u32>,
    #[comptime] blocks: Blocks,
) {
    let across = comptime!(blocks.columns / blocks.unit_columns);
    let from_left = load_quads::<A>(left, half, line, UNIT_POS / across, comptime!(blocks.left()), blocks.unit_rows);
    let from_right =
        load_quads::<B>(right, half, line, UNIT_POS % across, comptime!(blocks.right()), blocks.unit_columns);
    #[unroll]
    for row in 0..comptime!(blocks.unit_rows) {
        #[unroll]
        for column in 0..comptime!(blocks.unit_columns) {
            let place = comptime!(row * blocks.unit_columns + column);
            let sum = kept::<O::State>(&*sums, place);
            let sum = op.accumulate(sum, kept::<A>(&from_left, row), kept::<B>(&from_right, column));
            keep::<O::State>(sums, sum, place);
        }
    }
}

/// The unit's elements of a line: `count` of them, whose quads are as far apart as there are units along the line.
#[cube]
fn load_quads<T: State>(
    shared: &Shared<[Four]>,
    half: u32,
    line: u32,
    unit: u32,
    #[comptime] side: Side,
    #[comptime] count: u32,
) -> Array<u32> {
    let mut elements = registers::<T>(count);
    let apart = comptime!(side.length / count);
    #[unroll]
    for word in 0..comptime!(T::WORDS) {
        let plane = half * comptime!(side.half(T::WORDS)) + comptime!(word as u32 * side.depth * side.stride());
        let first = plane + line * comptime!(side.stride()) + unit;
        #[unroll]
        for quad in 0..comptime!(count / SIDE) {
            let four = shared[(first + comptime!(quad * apart)) as usize];
            #[unroll]
            for element in 0..SIDE {
                let register = comptime!((quad * SIDE + element) as usize * T::WORDS + word);
                elements[register] = four.extract(comptime!(element as usize));
            }
        }
    }
    elements
}

/// Writes the unit's results that are inside the matrix; `result` matrices lie before it.
#[cube]
fn write_block<O: Lower>(
    op: &O,
    sums: &Array<u32>,
    first_row: u32,
    first_column: u32,
    result: u32,
    output: &mut [u32],
    shape: Shape,
    #[comptime] blocks: Blocks,
) {
    let first = result * (shape.rows * shape.columns);
    let down = comptime!(blocks.rows / blocks.unit_rows);
    let across = comptime!(blocks.columns / blocks.unit_columns);
    #[unroll]
    for row in 0..comptime!(blocks.unit_rows) {
        let at_row = first_row + (UNIT_POS / across + comptime!(row / SIDE * down)) * SIDE + comptime!(row % SIDE);
        #[unroll]
        for column in 0..comptime!(blocks.unit_columns) {
            let place = comptime!(row * blocks.unit_columns + column);
            let quad = UNIT_POS % across + comptime!(column / SIDE * across);
            let at_column = first_column + quad * SIDE + comptime!(column % SIDE);
            let inside = at_row < shape.rows && at_column < shape.columns;
            if inside && (comptime!(!blocks.symmetric) || at_row <= at_column) {
                let state = kept::<O::State>(sums, place);
                write_result::<O>(op, state, output, first + at_row * shape.columns + at_column, blocks.split);
                if comptime!(blocks.symmetric) {
                    write_result::<O>(op, state, output, first + at_column * shape.columns + at_row, blocks.split);
                }
            }
        }
    }
}

/// Writes a result, or the state that it will be made from.
#[cube]
pub(super) fn write_result<O: Lower>(op: &O, state: O::State, output: &mut [u32], index: u32, #[comptime] split: bool) {
    if comptime!(split) {
        store::<O::State>(output, index, state);
    } else {
        store::<O::Output>(output, index, op.lower(state));
    }
}
