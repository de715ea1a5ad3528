//! CompensatedSum: `Σ x` with what the roundings lost kept beside it. The identity is (0, 0).
//!
//! Knuth's TwoSum: for `s = fl(a + b)`, with `t = fl(s − a)`, the error is exactly
//! `a + b − s = fl(fl(a − fl(s − t)) + fl(b − t))` (TAOCP 2, 4.2.2, theorem B). What is lost adds up beside the sum and
//! moves into it once it is large enough (Dekker 1971, add2), so that the pair has about twice the precision:
//! n additions lose some `n ε² Σ|x|`.
//!
//! A compiler that reorders float arithmetic simplifies the error to 0, so every intermediate goes through an xor
//! with a zero that is known at run time only. Class: additions alone, so that a fixed grouping has fixed bits.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use crate::{Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real};

/// A sum and what its roundings lost.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Compensated<T: Real> {
    /// The rounded sum.
    pub sum: T,
    /// What must be added to it; too small to change it, or 0 where the sum is not finite.
    pub error: T,
}

/// `Σ x`, about as exact as in twice the precision and rounded once; 0 for no items.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::CompensatedSum};
///
/// let total = Device::host().reduce(&vec![1e8f32, 1.0, 1.0, -1e8], &CompensatedSum::new())?;
/// assert_eq!(total.get(0)?, 2.0);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct CompensatedSum<T: Real> {
    hidden_zero: u32,
    element: PhantomData<T>,
}

impl<T: Real> CompensatedSum<T> {
    /// The compensated sum of items of type `T`.
    pub fn new() -> Self {
        CompensatedSum { hidden_zero: 0, element: PhantomData }
    }
}

/// `left + right` and its rounding error.
#[cube]
fn two_sum<T: Real>(left: T, right: T, zero: u32) -> Compensated<T> {
    let sum = T::veiled(left + right, zero);
    let from_right = T::veiled(sum - left, zero);
    let from_left = T::veiled(sum - from_right, zero);
    let lost_left = T::veiled(left - from_left, zero);
    let lost_right = T::veiled(right - from_right, zero);
    Compensated::<T> { sum, error: lost_left + lost_right }
}

#[cube]
impl<T: Real> Monoid for CompensatedSum<T> {
    type State = Compensated<T>;

    fn identity(&self) -> Compensated<T> {
        Compensated::<T> { sum: T::whole(0), error: T::whole(0) }
    }

    fn combine(&self, left: Compensated<T>, right: Compensated<T>) -> Compensated<T> {
        let zero = self.hidden_zero;
        let rounded = two_sum::<T>(left.sum, right.sum, zero);
        let error = T::veiled((left.error + right.error) + rounded.error, zero);
        let sum = T::veiled(rounded.sum + error, zero);
        let moved = T::veiled(sum - rounded.sum, zero);
        // The error of an infinite sum is NaN; the sum itself then says all.
        let lost = T::not_a_number(error);
        Compensated::<T> { sum: select(lost, rounded.sum, sum), error: select(lost, T::whole(0), error - moved) }
    }
}

#[cube]
impl<T: Real> Lift<T> for CompensatedSum<T> {
    fn lift(&self, item: T) -> Compensated<T> {
        Compensated::<T> { sum: item, error: T::whole(0) }
    }
}

#[cube]
impl<T: Real> Lower for CompensatedSum<T> {
    type Output = T;

    fn lower(&self, state: Compensated<T>) -> T {
        state.sum + state.error
    }
}

impl<T: Real> Commutative for CompensatedSum<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    fn total(items: &[f32]) -> f32 {
        Device::host().reduce(items, &CompensatedSum::new()).unwrap().get(0).unwrap()
    }

    #[test]
    fn the_laws_hold_where_sum_and_error_are_unique() {
        let state = |sum, error| Compensated::<f32> { sum, error };
        let samples = [state(0.0, 0.0), state(1.0, 0.0), state(-2.5, 2f32.powi(-30)), state(4096.0, 0.0)];
        check_commutative(&CompensatedSum::new(), &samples).unwrap();
    }

    #[test]
    fn the_value_is_associative_where_the_parts_are_not() {
        let op = CompensatedSum::<f32>::new();
        let exact = |state: Compensated<f32>| f64::from(state.sum) + f64::from(state.error);
        let values = [1e8f32, 1.0, -1e8, 0.3, 7e-9].map(|value| op.lift(value));
        for (a, b, c) in [(0, 1, 2), (1, 1, 0), (3, 0, 4), (4, 2, 1), (0, 3, 2)] {
            let grouped_left = op.combine(op.combine(values[a], values[b]), values[c]);
            let grouped_right = op.combine(values[a], op.combine(values[b], values[c]));
            assert!((exact(grouped_left) - exact(grouped_right)).abs() < 1e-7, "{a} {b} {c}");
        }
    }

    #[test]
    fn small_items_survive_a_large_one() {
        let mut items = vec![0.1f32; 100_000];
        items.insert(0, 1e8);
        items.push(-1e8);
        let expected = (f64::from(0.1f32) * 100_000.0) as f32;
        assert_eq!(total(&items), expected);
        let plain = items.iter().sum::<f32>();
        assert!((plain - expected).abs() > 1.0, "a plain sum would do: {plain}");
    }

    #[test]
    fn infinities_and_nan_come_through() {
        assert_eq!(total(&[1.0, f32::INFINITY, 2.0, 3.0]), f32::INFINITY);
        assert!(total(&[1.0, f32::INFINITY, f32::NEG_INFINITY]).is_nan());
        assert!(total(&[f32::NAN, 1.0]).is_nan());
        assert_eq!(total(&[]), 0.0);
    }
}
