//! Moments: count, mean and the sum of squared deviations. The identity is (0, 0, 0).
//!
//! ```text
//! n = n₁ + n₂,  δ = mean₂ − mean₁,  mean = mean₁ + δ n₂/n,  M₂ = M₂₁ + M₂₂ + δ² n₁ n₂/n
//! ```
//!
//! Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979). The count
//! is a whole number of two words, so that an f32 mean goes on past 2^24 items. Class: division.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use super::selection::choose;
use crate::{Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real, Wide, wide_add};

/// Count, mean and sum of squared deviations.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct MomentsState<T: Real> {
    /// How many items.
    pub count: Wide,
    /// Their mean; 0 for none.
    pub mean: T,
    /// `Σ (x − mean)²`.
    pub m2: T,
}

impl<T: Real> MomentsState<T> {
    /// The mean; NaN for no items.
    pub fn mean(&self) -> f64 {
        if self.count == Wide::default() { f64::NAN } else { self.mean.widen() }
    }

    /// `Σ (x − mean)² / (n − ddof)`; NaN for no more than `ddof` items.
    pub fn variance(&self, ddof: u32) -> f64 {
        variance(self.count, self.m2.widen(), ddof)
    }

    /// The square root of [`variance`](MomentsState::variance).
    pub fn std(&self, ddof: u32) -> f64 {
        self.variance(ddof).sqrt()
    }
}

/// A sum of squares over the degrees of freedom; NaN where there are none.
pub(super) fn variance(count: Wide, m2: f64, ddof: u32) -> f64 {
    match u64::from(count).checked_sub(ddof.into()) {
        None | Some(0) => f64::NAN,
        Some(freedom) => m2 / freedom as f64,
    }
}

/// Count, mean and variance in one pass.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::Moments};
///
/// let moments = Device::host().reduce(&vec![1.0f32, 2.0, 3.0, 6.0], &Moments::new())?.get(0)?;
/// assert_eq!((moments.mean(), moments.variance(0)), (3.0, 3.5));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Moments<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Moments<T> {
    /// The moments of items of type `T`.
    pub fn new() -> Self {
        Moments { element: PhantomData }
    }
}

/// The moments of items that were counted and measured elsewhere.
#[cube]
pub fn moments_of<T: Real>(count: Wide, mean: T, m2: T) -> MomentsState<T> {
    MomentsState::<T> { count, mean, m2 }
}

/// Whether there are no items.
#[cube]
pub(super) fn is_none(count: Wide) -> bool {
    (count.low | count.high) == 0u32
}

/// The moments of both sides; either may be empty.
#[cube]
fn merge<T: Real>(left: MomentsState<T>, right: MomentsState<T>) -> MomentsState<T> {
    let count = wide_add(left.count, right.count);
    let delta = right.mean - left.mean;
    let n_left = T::of_wide(left.count);
    // Nearly all merges are of two sides alike: they need no division.
    let half = delta / T::whole(2);
    let mut merged =
        MomentsState::<T> { count, mean: left.mean + half, m2: left.m2 + right.m2 + delta * n_left * half };
    let apart = (left.count.low ^ right.count.low) | (left.count.high ^ right.count.high);
    if apart != 0u32 {
        let step = delta * (T::of_wide(right.count) / T::of_wide(count));
        let uneven =
            MomentsState::<T> { count, mean: left.mean + step, m2: left.m2 + right.m2 + delta * n_left * step };
        // The formulas would lose infinite items beside none.
        let from_left = choose::<MomentsState<T>>(is_none(right.count), left, uneven);
        merged = choose::<MomentsState<T>>(is_none(left.count), right, from_left);
    }
    merged
}

#[cube]
impl<T: Real> Monoid for Moments<T> {
    type State = MomentsState<T>;

    fn identity(&self) -> MomentsState<T> {
        MomentsState::<T> { count: Wide { low: 0u32, high: 0u32 }, mean: T::whole(0), m2: T::whole(0) }
    }

    fn combine(&self, left: MomentsState<T>, right: MomentsState<T>) -> MomentsState<T> {
        merge::<T>(left, right)
    }
}

#[cube]
impl<T: Real> Lift<T> for Moments<T> {
    fn lift(&self, item: T) -> MomentsState<T> {
        MomentsState::<T> { count: Wide { low: 1u32, high: 0u32 }, mean: item, m2: T::whole(0) }
    }

    /// In a run, sums of differences from its first item, plain in place of the mean and squared in place of `M₂`.
    fn open(&self, _first: T) -> MomentsState<T> {
        MomentsState::<T> { count: Wide { low: 1u32, high: 0u32 }, mean: T::whole(0), m2: T::whole(0) }
    }

    fn extend(&self, run: MomentsState<T>, first: T, item: T) -> MomentsState<T> {
        let apart = item - first;
        MomentsState::<T> {
            count: Wide { low: run.count.low + 1u32, high: 0u32 },
            mean: run.mean + apart,
            m2: run.m2 + apart * apart,
        }
    }

    fn close(&self, run: MomentsState<T>, first: T) -> MomentsState<T> {
        let step = run.mean / T::of_wide(run.count);
        // The first item is one of them, so that no more cancels than there are items. Below 0 by rounding only; what is not a number stays so.
        let m2 = run.m2 - run.mean * step;
        MomentsState::<T> { count: run.count, mean: first + step, m2: select(m2 < T::whole(0), T::whole(0), m2) }
    }
}

#[cube]
impl<T: Real> Lower for Moments<T> {
    type Output = MomentsState<T>;

    fn lower(&self, state: MomentsState<T>) -> MomentsState<T> {
        state
    }
}

impl<T: Real> Commutative for Moments<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    fn state(count: u64, mean: f32, m2: f32) -> MomentsState<f32> {
        MomentsState { count: count.into(), mean, m2 }
    }

    #[test]
    fn the_laws_hold() {
        let samples = [state(0, 0.0, 0.0), state(1, 2.0, 0.0), state(1 << 34, 1e6, 3.0), state(7, 1e3, 1e4)];
        check_commutative(&Moments::new(), &samples).unwrap();
        let infinite = [state(0, 0.0, 0.0), state(1, f32::INFINITY, 0.0)];
        check_commutative(&Moments::new(), &infinite).unwrap();
    }

    #[test]
    fn they_are_those_of_two_passes() {
        let items: Vec<f64> = (0..50_000).map(|i| 1e6 + f64::from(i * 7919 % 1000)).collect();
        let n = items.len() as f64;
        let mean = items.iter().sum::<f64>() / n;
        let m2: f64 = items.iter().map(|x| (x - mean) * (x - mean)).sum();
        let found = Device::host().reduce(&items, &Moments::new()).unwrap().get(0).unwrap();
        assert_eq!(u64::from(found.count), 50_000);
        assert!((found.mean() - mean).abs() < 1e-9 * mean);
        assert!((found.variance(1) - m2 / (n - 1.0)).abs() < 1e-9 * found.variance(1));
        assert_eq!(found.std(0), found.variance(0).sqrt());
    }

    #[test]
    fn a_run_that_begins_far_from_the_others_loses_little() {
        let op = Moments::<f32>::new();
        for first in [0.25f32, 1e4, -3e7] {
            let items: Vec<f32> =
                std::iter::once(first).chain((1..16u32).map(|i| (i * 37 % 64) as f32 / 64.0)).collect();
            let run = items[1..].iter().fold(op.open(first), |run, &item| op.extend(run, first, item));
            let found = op.close(run, first);
            let wide = items.iter().map(|&item| f64::from(item));
            let mean = wide.clone().sum::<f64>() / 16.0;
            let m2: f64 = wide.map(|item| (item - mean) * (item - mean)).sum();
            assert_eq!(u64::from(found.count), 16);
            let rounding = f64::from(f32::EPSILON) * f64::from(first.abs()).max(1.0);
            assert!((found.mean() - mean).abs() <= rounding, "{first}: {found:?}");
            assert!((f64::from(found.m2) - m2).abs() <= 1e-5 * m2, "{first}: {found:?}, {m2}");
        }
        let constant = (0..15).fold(op.open(0.1), |run, _| op.extend(run, 0.1, 0.1));
        assert_eq!(op.close(constant, 0.1), state(16, 0.1, 0.0));
        let unknown = op.close(op.extend(op.open(1.0), 1.0, f32::NAN), 1.0);
        assert!(unknown.mean.is_nan() && unknown.m2.is_nan());
    }

    #[test]
    fn a_count_past_the_mantissa_of_f32_stays_exact() {
        let op = Moments::<f32>::new();
        let many = state((1 << 24) + 1, 0.0, 0.0);
        let more = op.combine(op.combine(many, op.lift(0.0)), op.lift(0.0));
        assert_eq!(u64::from(more.count), (1 << 24) + 3);
        let halves = op.combine(state(1 << 33, 0.0, 0.0), state(1 << 33, 1.0, 0.0));
        assert_eq!((u64::from(halves.count), halves.mean()), (1 << 34, 0.5));
        assert_eq!(halves.variance(0), 0.25);
    }

    #[test]
    fn no_degrees_of_freedom_give_nan() {
        let one = state(1, 2.0, 0.0);
        assert_eq!((one.variance(0), one.variance(1).is_nan()), (0.0, true));
        let none = state(0, 0.0, 0.0);
        assert!(none.mean().is_nan() && none.std(0).is_nan() && none.variance(1).is_nan());
    }
}
