//! Operators as a user writes them, and data.

use cubefold::prelude::*;
use cubefold::{Semiring, SemiringExpand, wrapping_add, wrapping_mul};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// A 2 × 2 matrix of integers modulo 2^32; its product does not commute.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Matrix2 {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub d: u32,
}

#[derive(Clone, Debug, Operator)]
pub struct MatrixProduct;

#[cube]
impl Monoid for MatrixProduct {
    type State = Matrix2;

    fn identity(&self) -> Matrix2 {
        Matrix2 { a: 1u32.runtime(), b: 0u32.runtime(), c: 0u32.runtime(), d: 1u32.runtime() }
    }

    fn combine(&self, left: Matrix2, right: Matrix2) -> Matrix2 {
        Matrix2 {
            a: wrapping_add(wrapping_mul(left.a, right.a), wrapping_mul(left.b, right.c)),
            b: wrapping_add(wrapping_mul(left.a, right.b), wrapping_mul(left.b, right.d)),
            c: wrapping_add(wrapping_mul(left.c, right.a), wrapping_mul(left.d, right.c)),
            d: wrapping_add(wrapping_mul(left.c, right.b), wrapping_mul(left.d, right.d)),
        }
    }
}

#[cube]
impl Lift<u32> for MatrixProduct {
    fn lift(&self, item: u32) -> Matrix2 {
        Matrix2 { a: item, b: 1u32.runtime(), c: item ^ 5u32, d: 3u32.runtime() }
    }
}

#[cube]
impl Lower for MatrixProduct {
    type Output = Matrix2;

    fn lower(&self, state: Matrix2) -> Matrix2 {
        state
    }
}

/// Elements become factors of a product of matrices: four words of state, and a right factor of two.
#[cube]
impl Semiring<u32, Both<u32, u32>> for MatrixProduct {
    fn multiply(&self, left: u32, right: Both<u32, u32>) -> Matrix2 {
        Matrix2 { a: left, b: right.left, c: right.right, d: 1u32.runtime() }
    }
}

/// What a run of prices has seen: how many were over a threshold, the highest of them, and how often the direction
/// changed between neighbours. Integers and floats side by side; not commutative.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Summary {
    pub len: u32,
    pub over: u32,
    pub highest: f32,
    pub first: f32,
    pub last: f32,
    pub rises: u32,
}

#[derive(Clone, Debug, Operator)]
pub struct Summarise {
    pub threshold: f32,
}

#[cube]
impl Monoid for Summarise {
    type State = Summary;

    fn identity(&self) -> Summary {
        Summary {
            len: 0u32.runtime(),
            over: 0u32.runtime(),
            highest: f32::from_bits(0xff80_0000u32.runtime()),
            first: 0.0f32.runtime(),
            last: 0.0f32.runtime(),
            rises: 0u32.runtime(),
        }
    }

    fn combine(&self, left: Summary, right: Summary) -> Summary {
        let both = left.len > 0 && right.len > 0;
        let rise = select(both && right.first > left.last, 1u32, 0u32);
        Summary {
            len: left.len + right.len,
            over: left.over + right.over,
            highest: select(left.highest >= right.highest, left.highest, right.highest),
            first: select(left.len > 0, left.first, right.first),
            last: select(right.len > 0, right.last, left.last),
            rises: left.rises + right.rises + rise,
        }
    }
}

#[cube]
impl Lift<f32> for Summarise {
    fn lift(&self, item: f32) -> Summary {
        Summary {
            len: 1u32.runtime(),
            over: select(item > self.threshold, 1u32, 0u32),
            highest: item,
            first: item,
            last: item,
            rises: 0u32.runtime(),
        }
    }
}

#[cube]
impl Lower for Summarise {
    type Output = Summary;

    fn lower(&self, state: Summary) -> Summary {
        state
    }
}

/// Joins neighbouring intervals; poisoned by any pair that does not touch: it sees operands that were padded, repeated
/// or swapped.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct Interval {
    pub start: u32,
    pub end: u32,
    pub poisoned: u32,
    pub empty: u32,
}

#[derive(Clone, Debug, Operator)]
pub struct Join;

#[cube]
impl Monoid for Join {
    type State = Interval;

    fn identity(&self) -> Interval {
        Interval { start: 0u32.runtime(), end: 0u32.runtime(), poisoned: 0u32.runtime(), empty: 1u32.runtime() }
    }

    fn combine(&self, left: Interval, right: Interval) -> Interval {
        let apart = select(left.end == right.start, 0u32, 1u32);
        let either_empty = left.empty | right.empty;
        Interval {
            start: select(left.empty != 0, right.start, left.start),
            end: select(right.empty != 0, left.end, right.end),
            poisoned: left.poisoned | right.poisoned | select(either_empty != 0, 0u32, apart),
            empty: left.empty & right.empty,
        }
    }
}

#[cube]
impl Lift<u32> for Join {
    fn lift(&self, item: u32) -> Interval {
        Interval { start: item, end: item + 1, poisoned: 0u32.runtime(), empty: 0u32.runtime() }
    }
}

#[cube]
impl Lower for Join {
    type Output = Interval;

    fn lower(&self, state: Interval) -> Interval {
        state
    }
}

/// Seeded 32-bit integers.
pub fn integers(len: usize, seed: u64) -> Vec<u32> {
    let mut random = Pcg32::seed_from_u64(seed);
    (0..len).map(|_| random.next_u32()).collect()
}

/// Seeded floats in [-1, 1) with a few ties, for operators that compare.
pub fn floats(len: usize, seed: u64) -> Vec<f32> {
    integers(len, seed).into_iter().map(|word| (word >> 12) as f32 / (1 << 19) as f32 - 1.0).collect()
}
