//! CountMinPlus: `min (a + b)` and how many pairs reach it, the number of shortest paths. The identity is no path: positive
//! infinity, or the largest integer, zero times.
//!
//! ```text
//! (a, m) ⊗ (b, n) = (a + b, m · n)                                              (0, 1) is the unit
//! (a, m) ⊕ (b, n) = the shorter one; (a, m + n) where both are as long
//! ```
//!
//! Counts end at 2^32 − 1, which stands for that many and more: sums and products that end there still obey the laws. A missing
//! edge is missing in the product, opposite infinities included; a NaN counts as no edge. It distributes where sums are exact:
//! lengths are compared to the bit. What is found twice counts twice, so that it has no [`closure`](crate::Device::closure).
//!
//! Class: additions alone, each followed by a selection, so that bits agree.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use super::arg_min_plus::is_edge;
use crate::ops::choose;
use crate::{
    Commutative, CommutativeProduct, Element, Lower, LowerExpand, Monoid, MonoidExpand, Semiring, SemiringExpand,
    State, multiply_high, wrapping_add, wrapping_mul,
};

/// Paths of one length.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Paths<T: State> {
    /// Their length; infinite, or the largest integer, where there is none.
    pub length: T,
    /// How many they are; 2^32 − 1 for that many and more.
    pub count: u32,
}

impl<T: Element> Paths<T> {
    /// One edge.
    pub fn edge(length: T) -> Self {
        Paths { length, count: 1 }
    }

    /// No path.
    pub fn none() -> Self {
        Paths { length: T::HIGHEST, count: 0 }
    }
}

/// `min (a + b)` with the number of pairs that reach it.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{CountMinPlus, Paths}, views::Dense};
///
/// // From one corner of a square to the opposite one: around either side.
/// let sides = [1.0f32, 1.0].map(Paths::edge).to_vec();
/// let (out, back) = (Dense::new(&sides, 1, 2)?, Dense::new(&sides, 2, 1)?);
/// let ways = Device::host().tiled_gemm(&out, &back, &CountMinPlus::new())?.get(0)?;
/// assert_eq!((ways.length, ways.count), (2.0, 2));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct CountMinPlus<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> CountMinPlus<T> {
    /// Counts shortest paths over lengths of type `T`.
    pub fn new() -> Self {
        CountMinPlus { element: PhantomData }
    }
}

#[cube]
fn no_paths<T: Element>() -> Paths<T> {
    Paths::<T> { length: T::highest(), count: 0u32.runtime() }
}

#[cube]
impl<T: Element> Monoid for CountMinPlus<T> {
    type State = Paths<T>;

    fn identity(&self) -> Paths<T> {
        no_paths::<T>()
    }

    fn combine(&self, left: Paths<T>, right: Paths<T>) -> Paths<T> {
        let sum = wrapping_add(left.count, right.count);
        let all = Paths::<T> { length: left.length, count: select(sum < left.count, u32::MAX, sum) };
        let shorter = choose::<Paths<T>>(right.length < left.length, right, left);
        choose::<Paths<T>>(right.length == left.length, all, shorter)
    }
}

#[cube]
impl<T: Element> Semiring<Paths<T>, Paths<T>> for CountMinPlus<T> {
    fn multiply(&self, left: Paths<T>, right: Paths<T>) -> Paths<T> {
        let over = multiply_high(left.count, right.count);
        let count = select(over == 0u32, wrapping_mul(left.count, right.count), u32::MAX);
        let paths = Paths::<T> { length: T::plus(left.length, right.length), count };
        choose::<Paths<T>>(is_edge::<T>(left.length) & is_edge::<T>(right.length), paths, no_paths::<T>())
    }
}

#[cube]
impl<T: Element> Lower for CountMinPlus<T> {
    type Output = Paths<T>;

    fn lower(&self, state: Paths<T>) -> Paths<T> {
        state
    }
}

impl<T: Element> Commutative for CountMinPlus<T> {}

impl<T: Element> CommutativeProduct<Paths<T>> for CountMinPlus<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_commutative, check_semiring};

    #[test]
    fn the_laws_hold() {
        let op = CountMinPlus::<f32>::new();
        let paths = |length, count| Paths { length, count };
        let samples = [Paths::none(), Paths::edge(0.0), Paths::edge(1.5), paths(1.5, 3), paths(0.5, 1 << 20)];
        check_semiring(&op, &samples).unwrap();
        check_commutative(&op, &samples).unwrap();
        // Past the end of the counts too.
        let many = [paths(2.0, u32::MAX), paths(2.0, u32::MAX - 1), paths(2.0, 1 << 31), paths(2.0, 2), Paths::none()];
        check_semiring(&op, &many).unwrap();
        let whole = [Paths::none(), Paths::edge(4), Paths::edge(5)];
        check_semiring(&CountMinPlus::<u32>::new(), &whole).unwrap();
    }

    #[test]
    fn whatever_meets_a_missing_edge_is_missing() {
        let op = CountMinPlus::<f64>::new();
        for other in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -2.0] {
            assert_eq!(op.multiply(Paths::edge(f64::INFINITY), Paths::edge(other)), Paths::none(), "{other}");
            assert_eq!(op.multiply(Paths::edge(other), Paths::edge(f64::INFINITY)), Paths::none(), "{other}");
        }
    }
}
