//! Ewma: the exponentially weighted mean. With `c = 1 − Π (1 − α)`, the weight that the items have taken from the
//! start, and `m`, their weighted mean:
//!
//! ```text
//! lift x = (α, x)      combine: kept = c₁ (1 − c₂),  c = kept + c₂,  m = (kept m₁ + c₂ m₂) / c
//! ```
//!
//! The identity is zeros. The mean moves from the heavier side by its share of the difference, so that a constant
//! series stays exactly constant for any α, and α = 1 gives the items back. The first item rides along for the
//! rule that starts there. Not commutative. Class: division.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real};

/// The weighted mean of some items.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct EwmaState<T: Real> {
    /// The weight that the items have together: `1 − Π (1 − α)`; 0 for none.
    pub weight: T,
    /// Their weighted mean; 0 for none.
    pub mean: T,
    /// The first of them; 0 for none.
    pub first: T,
}

/// What the mean is before it has seen enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Start {
    /// The recurrence starts at the first item: `y₀ = x₀`, then `y <- (1 − α) y + α x`; pandas' `adjust=False`.
    #[default]
    First,
    /// The recurrence starts at zero: `y <- (1 − α) y + α x` from `y = 0`.
    Zero,
    /// Weights are divided by their sum: `Σ (1 − α)^i x / Σ (1 − α)^i`; pandas' `adjust=True`.
    Adjusted,
}

/// The exponentially weighted mean of floats; a NaN is a missing item, over which the last value is carried.
///
/// Before the first item that is not missing, the result is NaN, or 0 where the start is zero. Missing items take no
/// time: pandas' `ignore_na=True`.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{Ewma, Start}};
///
/// let smooth = Device::host().scan(&vec![3.0f64, 1.0, f64::NAN, 4.0], &Ewma::new(0.5, Start::First))?;
/// assert_eq!(smooth.to_vec()?, [3.0, 2.0, 2.0, 3.0]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Operator)]
pub struct Ewma<T: Real> {
    alpha: T,
    start: u32,
}

const FIRST: u32 = 0;
const ZERO: u32 = 1;
const ADJUSTED: u32 = 2;

impl<T: Real> Ewma<T> {
    /// Smoothing by `alpha`, in `0 < alpha <= 1`.
    pub fn new(alpha: T, start: Start) -> Self {
        let start = match start {
            Start::First => FIRST,
            Start::Zero => ZERO,
            Start::Adjusted => ADJUSTED,
        };
        Ewma { alpha, start }
    }
}

/// `(left_weight left + right_weight right) / total`, moving from the heavier value by the lighter one's share: the mean
/// of two equal values is exactly that value. For operators of weighted means; `total` is the sum of the weights, not 0.
#[cube]
pub fn blend<T: Real>(left: T, left_weight: T, right: T, right_weight: T, total: T) -> T {
    let right_leads = right_weight >= left_weight;
    let leader = select(right_leads, right, left);
    let other = select(right_leads, left, right);
    let share = T::ratio(select(right_leads, left_weight, right_weight), total);
    // What has no share may differ infinitely.
    select(share > T::whole(0), leader + share * (other - leader), leader)
}

#[cube]
impl<T: Real> Monoid for Ewma<T> {
    type State = EwmaState<T>;

    fn identity(&self) -> EwmaState<T> {
        EwmaState::<T> { weight: T::whole(0), mean: T::whole(0), first: T::whole(0) }
    }

    fn combine(&self, left: EwmaState<T>, right: EwmaState<T>) -> EwmaState<T> {
        let kept = left.weight * (T::whole(1) - right.weight);
        let weight = kept + right.weight;
        let total = select(weight > T::whole(0), weight, T::whole(1));
        EwmaState::<T> {
            weight,
            mean: blend::<T>(left.mean, kept, right.mean, right.weight, total),
            first: select(left.weight > T::whole(0), left.first, right.first),
        }
    }
}

#[cube]
impl<T: Real> Lift<T> for Ewma<T> {
    fn lift(&self, item: T) -> EwmaState<T> {
        let missing = T::not_a_number(item);
        let value = select(missing, T::whole(0), item);
        EwmaState::<T> { weight: select(missing, T::whole(0), self.alpha), mean: value, first: value }
    }
}

#[cube]
impl<T: Real> Lower for Ewma<T> {
    type Output = T;

    fn lower(&self, state: EwmaState<T>) -> T {
        // The items move a recurrence that stands at the first of them by their weight.
        let rest = T::whole(1) - state.weight;
        let from_first = blend::<T>(state.first, rest, state.mean, state.weight, T::whole(1));
        let adjusted = select(self.start == ADJUSTED, state.mean, from_first);
        let known = select(state.weight > T::whole(0), adjusted, T::missing());
        select(self.start == ZERO, state.weight * state.mean, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_laws};

    const SERIES: [f64; 8] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];

    fn smooth<T: Real>(items: &[T], alpha: T, start: Start) -> Vec<T> {
        Device::host().scan(items, &Ewma::new(alpha, start)).unwrap().to_vec().unwrap()
    }

    fn assert_close(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        for (index, (value, expected)) in values.iter().zip(expected).enumerate() {
            assert!((value - expected).abs() <= 1e-12 * expected.abs(), "row {index}: {value} is not {expected}");
        }
    }

    /// `y <- (1 − α) y + α x`, one step a row.
    fn recurrence(items: &[f64], alpha: f64, start: f64) -> Vec<f64> {
        let mut y = start;
        let step = |x: &f64| {
            y = (1.0 - alpha) * y + alpha * x;
            y
        };
        items.iter().map(step).collect()
    }

    #[test]
    fn the_laws_hold() {
        let op = Ewma::new(0.25f32, Start::First);
        let mut samples = [0.0, 3.5, -1e6, 1e-3].map(|x| op.lift(x)).to_vec();
        samples.push(op.identity());
        samples.push(op.lift(f32::NAN));
        samples.push(op.combine(op.lift(2.0), op.lift(9.0)));
        samples.push(EwmaState { weight: 1.0, mean: 7.0, first: 2.0 });
        check_laws(&op, &samples).unwrap();
        check_laws(&op, &[op.identity(), op.lift(f32::INFINITY)]).unwrap();
    }

    #[test]
    fn a_start_at_zero_is_the_seeds_average() {
        let expected = [0.6, 0.68, 1.344, 1.2752, 2.02016, 3.416128, 3.1329024, 3.70632192];
        assert_close(&smooth(&SERIES, 0.2, Start::Zero), &expected);
    }

    #[test]
    fn a_start_at_the_first_item_is_pandas_without_adjustment() {
        let long: Vec<f64> = SERIES.iter().cycle().take(40_000).enumerate().map(|(i, x)| x + i as f64).collect();
        assert_close(&smooth(&long, 0.01, Start::First), &recurrence(&long, 0.01, long[0]));
    }

    #[test]
    fn adjusted_weights_are_divided_by_their_sum() {
        let expected: Vec<f64> = (0..SERIES.len())
            .map(|row| {
                let weight = |i: usize| 0.8f64.powi((row - i) as i32);
                let weighted: f64 = (0..=row).map(|i| weight(i) * SERIES[i]).sum();
                weighted / (0..=row).map(weight).sum::<f64>()
            })
            .collect();
        assert_close(&smooth(&SERIES, 0.2, Start::Adjusted), &expected);
    }

    #[test]
    fn a_constant_series_stays_exactly_constant() {
        for alpha in [1e-7f32, 1e-5, 0.2, 1.0] {
            for start in [Start::First, Start::Adjusted] {
                let smoothed = smooth(&vec![0.1f32; 1 << 18], alpha, start);
                assert!(smoothed.iter().all(|&value| value == 0.1), "alpha {alpha}, {start:?}");
            }
        }
    }

    #[test]
    fn alpha_of_one_gives_the_items_back() {
        let items: Vec<f32> = (0..40_000u32).map(|i| if i % 3 == 0 { 1e8 } else { i as f32 * 0.3 }).collect();
        for start in [Start::First, Start::Zero, Start::Adjusted] {
            assert_eq!(smooth(&items, 1.0, start), items);
        }
    }

    #[test]
    fn missing_items_carry_the_last_value() {
        let nan = f64::NAN;
        let gaps = [nan, nan, 4.0, nan, 2.0, nan];
        let rows = |start| smooth(&gaps, 0.5, start);
        assert!(rows(Start::First)[..2].iter().chain(&rows(Start::Adjusted)[..2]).all(|value| value.is_nan()));
        assert_eq!(rows(Start::Zero), [0.0, 0.0, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(rows(Start::First)[2..], [4.0, 4.0, 3.0, 3.0]);
        assert_close(&rows(Start::Adjusted)[2..], &[4.0, 4.0, 8.0 / 3.0, 8.0 / 3.0]);
    }
}
