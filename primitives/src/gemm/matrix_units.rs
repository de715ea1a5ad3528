//! The kernel of plain `f32` products on a device's matrix units, which multiply TF32: what [`Precision::Tf32`](super::Precision) runs.
//!
//! ```text
//! cube   SIDES results, in steps of `depth` products
//! plane  `down` × `across` fragments of 16 × 16 of them, whose sums the plane's units hold together
//! ```
//!
//! Shared memory holds a step of both factors twice, as [`blocked`](super::blocked) has it: lines of quads, here rounded to TF32. A
//! matrix unit multiplies 16 × 8 of the left by 8 × 16 of the right one. Which unit holds which sum is the device's business, so
//! fragments go through shared memory once more before they are lowered.

use cubecl::cmma::{self, MatrixIdent, MatrixLayout};
use cubecl::prelude::*;
use cubecl::tf32;
use cubefold_derive::launched;

use super::blocked::{Side, fetch, seat, write_result};
use super::kernel::Shape;
use crate::Lower;
use crate::tile::kept;
use crate::views::{MatrixView, SIDE};

/// Rows and columns of a fragment of the result, and products that go into it at a time.
const FRAGMENT: u32 = 16;
const PRODUCTS: u32 = 8;

/// Words from row to row of a fragment that waits for being lowered.
const PITCH: u32 = FRAGMENT + SIDE;

/// What a product on matrix units is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fragments {
    /// Products of a step.
    pub depth: u32,
    /// Rows and columns of a cube's results, in fragments.
    pub cube: (u32, u32),
    /// Rows and columns of a plane's results, in fragments.
    pub own: (u32, u32),
    /// Units of a plane.
    pub plane: u32,
    /// Whether neighbouring units bring neighbouring depths of the left factor; else neighbouring rows.
    pub left_by_depth: bool,
    /// The same of the right factor; else neighbouring columns.
    pub right_by_depth: bool,
    /// Whether the left and the right factor are made of whole blocks of four by four.
    pub whole: (bool, bool),
    /// Whether the depth is cut into slices, whose sums are written, slice after slice, in place of results.
    pub split: bool,
}

impl Fragments {
    /// Rows and columns of a cube's results.
    pub fn sides(&self) -> (u32, u32) {
        (self.cube.0 * FRAGMENT, self.cube.1 * FRAGMENT)
    }

    /// Units of a cube.
    pub fn units(&self) -> u32 {
        self.planes() * self.plane
    }

    /// Bytes of shared memory.
    pub fn shared_bytes(&self) -> usize {
        4 * (self.left().words(1) + self.right().words(1) + self.waiting() as usize)
    }

    fn planes(&self) -> u32 {
        self.cube.0 / self.own.0 * (self.cube.1 / self.own.1)
    }

    /// Words of a fragment of each plane.
    fn waiting(&self) -> u32 {
        self.planes() * FRAGMENT * PITCH
    }

    fn left(&self) -> Side {
        let (length, units) = (self.sides().0, self.units() / 2);
        let Fragments { depth, left_by_depth: by_depth, whole, .. } = *self;
        Side { length, depth, by_depth, whole: whole.0, units, first: 0, down: true, gap: 2 }
    }

    fn right(&self) -> Side {
        let (length, units) = (self.sides().1, self.units() / 2);
        let Fragments { depth, right_by_depth: by_depth, whole, .. } = *self;
        Side { length, depth, by_depth, whole: whole.1, units, first: units, down: false, gap: 2 }
    }
}

/// Cube `c` computes block `c` of the result, counted through those of every slice of the depth where it is split.
#[launched]
#[cube(launch_unchecked)]
pub fn multiply_fragments<A: MatrixView<Item = f32>, B: MatrixView<Item = f32>, O: Lower<State = f32>>(
    a: A,
    b: B,
    op: O,
    output: &mut [u32],
    shape: Shape,
    #[comptime] fragments: Fragments,
) {
    let (left_side, right_side) = comptime!((fragments.left(), fragments.right()));
    let cube = CUBE_POS as u32;
    let slice = if comptime!(fragments.split) { cube / shape.tiles } else { 0u32.runtime() };
    let block = cube - slice * shape.tiles;
    let first_row = block / shape.across * comptime!(fragments.sides().0);
    let first_column = block % shape.across * comptime!(fragments.sides().1);
    let (begin, end) = (slice * shape.slice, min(slice * shape.slice + shape.slice, shape.depth));
    let mut left = Shared::<[Vector<tf32, Const<4>>]>::new_slice(comptime!(2 * left_side.half(1) as usize));
    let mut right = Shared::<[Vector<tf32, Const<4>>]>::new_slice(comptime!(2 * right_side.half(1) as usize));
    let mut waiting = Shared::<[f32]>::new_slice(comptime!(fragments.waiting() as usize));
    // A unit brings the one factor or the other.
    let mut ahead = Array::<u32>::new(comptime!(left_side.ahead(1).max(right_side.ahead(1))));
    let mut sums = Sequence::<cmma::Matrix<f32>>::new();
    #[unroll]
    for _ in 0..comptime!(fragments.own.0 * fragments.own.1) {
        sums.push(cmma::Matrix::<f32>::from_value(
            MatrixIdent::Accumulator,
            comptime!(FRAGMENT as usize),
            comptime!(FRAGMENT as usize),
            comptime!(PRODUCTS as usize),
            MatrixLayout::Undefined,
            0.0f32,
        ));
    }
    // The same for every unit of a cube: barriers are reached by all or none.
    if cube < shape.cubes {
        if begin < end {
            bring::<A, B>(&a, &b, first_row, first_column, begin, &mut ahead, shape, fragments);
            stash_all(&mut left, &mut right, &ahead, 0u32, end - begin, fragments);
            // Protects: the first step is there before it is multiplied.
            sync_cube();
            let mut start = begin;
            let mut half = 0u32;
            while start < end {
                let next = start + comptime!(fragments.depth);
                if next < end {
                    bring::<A, B>(&a, &b, first_row, first_column, next, &mut ahead, shape, fragments);
                }
                multiply_step(&left, &right, half, &mut sums, fragments);
                half = 1u32 - half;
                if next < end {
                    stash_all(&mut left, &mut right, &ahead, half, end - next, fragments);
                }
                // Protects: the next step is there before it is multiplied, and this one is read before it is overwritten.
                sync_cube();
                start = next;
            }
        }
        write_fragments::<O>(&op, &sums, first_row, first_column, slice, &mut waiting, output, shape, fragments);
    }
}

/// Brings the step that begins at depth `start`: half the units the left factor's, half the right one's.
#[cube]
fn bring<A: MatrixView<Item = f32>, B: MatrixView<Item = f32>>(
    a: &A,
    b: &B,
    first_row: u32,
    first_column: u32,
    start: u32,
    ahead: &mut Array<u32>,
    shape: Shape,
    #[comptime] fragments: Fragments,
) {
    let (left, right) = comptime!((fragments.left(), fragments.right()));
    if UNIT_POS < comptime!(left.units) {
        fetch::<A>(a, first_row, shape.rows, start, shape.depth, ahead, left);
    } else {
        fetch::<B>(b, first_column, shape.columns, start, shape.depth, ahead, right);
    }
}

/// Puts what the units have brought into a half of shared memory.
#[cube]
fn stash_all(
    left: &mut Shared<[Vector<tf32, Const<4>>]>,
    right: &mut Shared<[Vector<tf32, Const<4>>]>,
    ahead: &Array<u32>,
    half: u32,
    products: u32,
    #[comptime] fragments: Fragments,
) {
    if UNIT_POS < comptime!(fragments.left().units) {
        stash(left, ahead, half, products, comptime!(fragments.left()));
    } else {
        stash(right, ahead, half, products, comptime!(fragments.right()));
    }
}

/// Puts the unit's blocks into a half of shared memory, and zeros from the `products`-th line on.
#[cube]
fn stash(
    shared: &mut Shared<[Vector<tf32, Const<4>>]>,
    ahead: &Array<u32>,
    half: u32,
    products: u32,
    #[comptime] side: Side,
) {
    #[unroll]
    for index in 0..comptime!(side.brought()) {
        let (quad, lines) = seat(index, side);
        #[unroll]
        for line in 0..SIDE {
            let mut four = Vector::<f32, Const<4>>::empty();
            #[unroll]
            for element in 0..SIDE {
                let item = comptime!(if side.down { element * SIDE + line } else { line * SIDE + element });
                let value = kept::<f32>(ahead, comptime!(index * SIDE * SIDE + item));
                four.insert(comptime!(element as usize), select(lines * SIDE + line < products, value, 0.0f32));
            }
            let at_line = half * comptime!(side.half(1)) + (lines * SIDE + line) * comptime!(side.stride());
            shared[(at_line + quad) as usize] = rounded::<tf32>(four);
        }
    }
}

/// Four floats rounded to `T`.
#[cube]
fn rounded<T: Numeric>(four: Vector<f32, Const<4>>) -> Vector<T, Const<4>> {
    Vector::<T, Const<4>>::cast_from(four)
}

/// Adds the products of a step to the plane's sums.
#[cube]
fn multiply_step(
    left: &Shared<[Vector<tf32, Const<4>>]>,
    right: &Shared<[Vector<tf32, Const<4>>]>,
    half: u32,
    sums: &mut Sequence<cmma::Matrix<f32>>,
    #[comptime] fragments: Fragments,
) {
    let (down, across) = comptime!(fragments.own);
    let plane = UNIT_POS / comptime!(fragments.plane);
    let row = plane / comptime!(fragments.cube.1 / across) * down;
    let column = plane % comptime!(fragments.cube.1 / across) * across;
    #[unroll]
    for group in 0..comptime!(fragments.depth / PRODUCTS) {
        let mut from_right = Sequence::<cmma::Matrix<tf32>>::new();
        #[unroll]
        for index in 0..across {
            let side = comptime!(fragments.right());
            from_right.push(fragment(right, half, group, column + index, MatrixIdent::B, MatrixLayout::RowMajor, side));
        }
        #[unroll]
        for index in 0..down {
            let side = comptime!(fragments.left());
            let from_left = fragment(left, half, group, row + index, MatrixIdent::A, MatrixLayout::ColMajor, side);
            #[unroll]
            for other in 0..across {
                let sum = &sums[comptime!((index * across + other) as usize)];
                cmma::execute(&from_left, &from_right[comptime!(other as usize)], sum, sum);
            }
        }
    }
}

/// The fragment at the `place`-th sixteen places of the `group`-th eight lines of a half.
#[cube]
fn fragment(
    shared: &Shared<[Vector<tf32, Const<4>>]>,
    half: u32,
    #[comptime] group: u32,
    place: u32,
    #[comptime] ident: MatrixIdent,
    #[comptime] layout: MatrixLayout,
    #[comptime] side: Side,
) -> cmma::Matrix<tf32> {
    let first = half * comptime!(side.half(1)) + comptime!(group * PRODUCTS * side.stride());
    let from = (first + place * comptime!(FRAGMENT / SIDE)) as usize;
    // SAFETY: loaded in the next line.
    let mut matrix = unsafe {
        cmma::Matrix::<tf32>::uninitialized(
            ident,
            comptime!(FRAGMENT as usize),
            comptime!(FRAGMENT as usize),
            comptime!(PRODUCTS as usize),
            layout,
        )
    };
    cmma::load(&mut matrix, &shared[from..from + 1], comptime!(side.stride() * SIDE));
    matrix
}

/// Writes the plane's results that are inside the matrix, a fragment at a time; those of `slice` slices lie before them.
#[cube]
fn write_fragments<O: Lower<State = f32>>(
    op: &O,
    sums: &Sequence<cmma::Matrix<f32>>,
    first_row: u32,
    first_column: u32,
    slice: u32,
    waiting: &mut Shared<[f32]>,
    output: &mut [u32],
    shape: Shape,
    #[comptime] fragments: Fragments,
) {
    let (down, across) = comptime!(fragments.own);
    let (plane, unit) = (UNIT_POS / comptime!(fragments.plane), UNIT_POS % comptime!(fragments.plane));
    let first = slice * (shape.rows * shape.columns);
    let row = first_row + plane / comptime!(fragments.cube.1 / across) * comptime!(down * FRAGMENT);
    let column = first_column + plane % comptime!(fragments.cube.1 / across) * comptime!(across * FRAGMENT);
    let begin = (plane * comptime!(FRAGMENT * PITCH)) as usize;
    #[unroll]
    for index in 0..comptime!(down * across) {
        let own = &mut waiting[begin..begin + comptime!((FRAGMENT * PITCH) as usize)];
        cmma::store(own, &sums[comptime!(index as usize)], PITCH, MatrixLayout::RowMajor);
        // Protects: the fragment is there before any unit reads it.
        sync_plane();
        #[unroll]
        for step in 0..comptime!(FRAGMENT * FRAGMENT / fragments.plane) {
            let item = unit + comptime!(step * fragments.plane);
            let (within_row, within_column) = (item / FRAGMENT, item % FRAGMENT);
            let at_row = row + comptime!(index / across * FRAGMENT) + within_row;
            let at_column = column + comptime!(index % across * FRAGMENT) + within_column;
            if at_row < shape.rows && at_column < shape.columns {
                let sum = waiting[begin + (within_row * PITCH + within_column) as usize];
                write_result::<O>(op, sum, output, first + at_row * shape.columns + at_column, fragments.split);
            }
        }
        // Protects: the fragment is read before the next one is written.
        sync_plane();
    }
}
