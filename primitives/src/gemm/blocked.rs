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

use super::kernel::Shape;
use crate::tile::{keep, kept, registers, store};
use crate::views::{MatrixView, MatrixViewExpand};
use crate::{Lower, LowerExpand, MonoidExpand, Semiring, SemiringExpand, State};

type Four = Vector<u32, Const<4>>;

/// Elements of a quad.
const QUAD: u32 = 4;

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
        let (length, by_depth) = (self.rows, self.left_by_depth);
        Side { length, depth: self.depth, by_depth, units: self.units(), down: true }
    }

    fn right(&self) -> Side {
        let (length, by_depth) = (self.columns, self.right_by_depth);
        Side { length, depth: self.depth, by_depth, units: self.units(), down: false }
    }
}

/// A step of one factor in shared memory: `depth` lines of quads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Side {
    length: u32,
    depth: u32,
    by_depth: bool,
    units: u32,
    /// Whether places along the result are rows of the factor: those of the left one are.
    down: bool,
}

impl Side {
    fn quads(self) -> u32 {
        self.length / QUAD
    }

    /// Quads from line to line: one is left out, so that the lines of neighbouring depths begin at other banks.
    fn stride(self) -> u32 {
        self.quads() + 1
    }

    /// Quads of one half, of elements of so many words.
    fn half(self, words: usize) -> u32 {
        words as u32 * self.depth * self.stride()
    }

    fn words(self, words: usize) -> usize {
        2 * (QUAD * self.half(words)) as usize
    }

    /// Quads that a unit brings.
    fn brought(self) -> u32 {
        (self.quads() * self.depth).div_ceil(self.units)
    }

    /// Whether every unit brings as many.
    fn even(self) -> bool {
        (self.quads() * self.depth).is_multiple_of(self.units)
    }
}

/// Cube `c` computes block `c` of the result, counted through all products, and through those of every slice of the depth
/// where it is split.
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
    let mut left_ahead = registers::<A::Item>(comptime!(left_side.brought() * QUAD));
    let mut right_ahead = registers::<B::Item>(comptime!(right_side.brought() * QUAD));
    let mut sums = registers::<O::State>(comptime!(blocks.unit_rows * blocks.unit_columns));
    #[unroll]
    for place in 0..comptime!(blocks.unit_rows * blocks.unit_columns) {
        keep::<O::State>(&mut sums, op.identity(), place);
    }
    // The same for every unit of a cube: barriers are reached by all or none.
    let needed = comptime!(!blocks.symmetric) || first_row <= first_column;
    let has_work = cube < shape.cubes && needed;
    if has_work && begin < end {
        let (rows, depth) = (above + shape.rows, before + shape.depth);
        fetch::<A>(&a, above + first_row, rows, begin, shape.depth, &mut left_ahead, left_side);
        fetch::<B>(&b, first_column, shape.columns, before + begin, depth, &mut right_ahead, right_side);
        stash::<A::Item>(&mut left, &left_ahead, 0u32, left_side);
        stash::<B::Item>(&mut right, &right_ahead, 0u32, right_side);
        // Protects: the first step is there before it is multiplied.
        sync_cube();
        let mut start = begin;
        let mut half = 0u32;
        while start < end {
            let next = start + comptime!(blocks.depth);
            if next < end {
                fetch::<A>(&a, above + first_row, rows, next, shape.depth, &mut left_ahead, left_side);
                fetch::<B>(&b, first_column, shape.columns, before + next, depth, &mut right_ahead, right_side);
            }
            let products = min(comptime!(blocks.depth), end - start);
            multiply_step::<A::Item, B::Item, O>(&op, &left, &right, half, products, &mut sums, blocks);
            half = 1u32 - half;
            if next < end {
                stash::<A::Item>(&mut left, &left_ahead, half, left_side);
                stash::<B::Item>(&mut right, &right_ahead, half, right_side);
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

/// The quad of a step that is the unit's `index`-th: its place in a line, and its line.
#[cube]
fn seat(#[comptime] index: u32, #[comptime] side: Side) -> (u32, u32) {
    let quad = UNIT_POS + comptime!(index * side.units);
    if comptime!(side.by_depth) {
        (quad / comptime!(side.depth), quad % comptime!(side.depth))
    } else {
        (quad % comptime!(side.quads()), quad / comptime!(side.quads()))
    }
}

/// Brings the unit's quads of a step: places along the result from `first` on, up to `places`, and depths from `start` on, up
/// to `depth`. Past the end it brings the last of either again: what comes of them is not written.
#[cube]
fn fetch<V: MatrixView>(
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
        let (quad, line) = seat(index, side);
        let at_depth = min(start + line, depth - 1);
        #[unroll]
        for element in 0..QUAD {
            let place = min(first + quad * QUAD + element, places - 1);
            let item = if comptime!(side.down) { view.element(place, at_depth) } else { view.element(at_depth, place) };
            keep::<V::Item>(ahead, item, comptime!(index * QUAD + element));
        }
    }
}

/// Puts the unit's quads into a half of shared memory, a plane of quads a word.
#[cube]
fn stash<T: State>(shared: &mut Shared<[Four]>, ahead: &Array<u32>, half: u32, #[comptime] side: Side) {
    #[unroll]
    for index in 0..comptime!(side.brought()) {
        let (quad, line) = seat(index, side);
        if comptime!(side.even()) || line < comptime!(side.depth) && quad < comptime!(side.quads()) {
            #[unroll]
            for word in 0..comptime!(T::WORDS) {
                let mut four = Four::empty();
                #[unroll]
                for element in 0..QUAD {
                    let register = comptime!((index * QUAD + element) as usize * T::WORDS + word);
                    four.insert(comptime!(element as usize), ahead[register]);
                }
                let plane = half * comptime!(side.half(T::WORDS)) + comptime!(word as u32 * side.depth * side.stride());
                shared[(plane + line * comptime!(side.stride()) + quad) as usize] = four;
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
        for quad in 0..comptime!(count / QUAD) {
            let four = shared[(first + comptime!(quad * apart)) as usize];
            #[unroll]
            for element in 0..QUAD {
                let register = comptime!((quad * QUAD + element) as usize * T::WORDS + word);
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
        let at_row = first_row + (UNIT_POS / across + comptime!(row / QUAD * down)) * QUAD + comptime!(row % QUAD);
        #[unroll]
        for column in 0..comptime!(blocks.unit_columns) {
            let place = comptime!(row * blocks.unit_columns + column);
            let quad = UNIT_POS % across + comptime!(column / QUAD * across);
            let at_column = first_column + quad * QUAD + comptime!(column % QUAD);
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
fn write_result<O: Lower>(op: &O, state: O::State, output: &mut [u32], index: u32, #[comptime] split: bool) {
    if comptime!(split) {
        store::<O::State>(output, index, state);
    } else {
        store::<O::Output>(output, index, op.lower(state));
    }
}
