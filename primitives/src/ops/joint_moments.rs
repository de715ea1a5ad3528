//! Joint moments: count, means, sums of squared deviations and of their products, of two quantities side by side. The identity
//! is all zeros.
//!
//! ```text
//! n = n₁ + n₂,  δx = x̄₂ − x̄₁,  δy = ȳ₂ − ȳ₁
//! x̄ = x̄₁ + δx n₂/n,  ȳ = ȳ₁ + δy n₂/n,  M₂ as Moments,  C = C₁ + C₂ + δx δy n₁ n₂/n
//! ```
//!
//! Bennett, Grout, Pébay, Roe, Thompson, "Numerically stable, single-pass, parallel statistics algorithms" (2009), eq. 2.3.
//! Class: division.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use super::moments::{is_none, variance};
use super::selection::choose;
use crate::{Both, Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real, Wide, wide_add};

/// Count, means and sums of squares and products of deviations of two quantities.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct JointMomentsState<T: Real> {
    /// How many pairs.
    pub count: Wide,
    /// Mean of the left quantity; 0 for none.
    pub left_mean: T,
    /// `Σ (x − x̄)²`.
    pub left_m2: T,
    /// Mean of the right quantity; 0 for none.
    pub right_mean: T,
    /// `Σ (y − ȳ)²`.
    pub right_m2: T,
    /// `Σ (x − x̄)(y − ȳ)`.
    pub product: T,
}

impl<T: Real> JointMomentsState<T> {
    /// `Σ (x − x̄)(y − ȳ) / (n − ddof)`; NaN for no more than `ddof` pairs.
    pub fn covariance(&self, ddof: u32) -> f64 {
        variance(self.count, self.product.widen(), ddof)
    }

    /// The slope of the regression of the left quantity on the right one, `C / M₂`; NaN where the right one is constant.
    pub fn slope(&self) -> f64 {
        self.product.widen() / self.right_m2.widen()
    }
}

/// Count, means, variances and covariance of two quantities in one pass.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, Source, ops::JointMoments};
///
/// let (x, y) = (vec![1.0f32, 2.0, 3.0], vec![2.0f32, 4.0, 9.0]);
/// let found = Device::host().reduce(&(&x).zip(&y), &JointMoments::new())?.get(0)?;
/// assert_eq!((found.covariance(1), found.left_m2, found.right_mean), (3.5, 2.0, 5.0));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct JointMoments<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> JointMoments<T> {
    /// The joint moments of pairs of type `T`.
    pub fn new() -> Self {
        JointMoments { element: PhantomData }
    }
}

/// The joint moments of pairs that were counted and measured elsewhere.
#[cube]
fn joint_moments_of<T: Real>(
    count: Wide,
    left_mean: T,
    left_m2: T,
    right_mean: T,
    right_m2: T,
    product: T,
) -> JointMomentsState<T> {
    JointMomentsState::<T> { count, left_mean, left_m2, right_mean, right_m2, product }
}

/// The joint moments of both sides; either may be empty.
#[cube]
fn merge<T: Real>(left: JointMomentsState<T>, right: JointMomentsState<T>) -> JointMomentsState<T> {
    let count = wide_add(left.count, right.count);
    let across = right.left_mean - left.left_mean;
    let up = right.right_mean - left.right_mean;
    // Nearly all merges are of two sides alike: they need no division.
    let mut share = T::whole(1) / T::whole(2);
    let apart = (left.count.low ^ right.count.low) | (left.count.high ^ right.count.high);
    if apart != 0u32 {
        share = T::of_wide(right.count) / T::of_wide(count);
    }
    let (step, rise) = (across * share, up * share);
    let n_left = T::of_wide(left.count);
    let merged = JointMomentsState::<T> {
        count,
        left_mean: left.left_mean + step,
        left_m2: left.left_m2 + right.left_m2 + across * n_left * step,
        right_mean: left.right_mean + rise,
        right_m2: left.right_m2 + right.right_m2 + up * n_left * rise,
        product: left.product + right.product + across * n_left * rise,
    };
    // The formulas would lose infinite items beside none.
    let from_left = choose::<JointMomentsState<T>>(is_none(right.count), left, merged);
    choose::<JointMomentsState<T>>(is_none(left.count), right, from_left)
}

#[cube]
impl<T: Real> Monoid for JointMoments<T> {
    type State = JointMomentsState<T>;

    fn identity(&self) -> JointMomentsState<T> {
        joint_moments_of::<T>(
            Wide { low: 0u32, high: 0u32 },
            T::whole(0),
            T::whole(0),
            T::whole(0),
            T::whole(0),
            T::whole(0),
        )
    }

    fn combine(&self, left: JointMomentsState<T>, right: JointMomentsState<T>) -> JointMomentsState<T> {
        merge::<T>(left, right)
    }
}

#[cube]
impl<T: Real> Lift<Both<T, T>> for JointMoments<T> {
    fn lift(&self, item: Both<T, T>) -> JointMomentsState<T> {
        let one = Wide { low: 1u32, high: 0u32 };
        joint_moments_of::<T>(one, item.left, T::whole(0), item.right, T::whole(0), T::whole(0))
    }
}

#[cube]
impl<T: Real> Lower for JointMoments<T> {
    type Output = JointMomentsState<T>;

    fn lower(&self, state: JointMomentsState<T>) -> JointMomentsState<T> {
        state
    }
}

impl<T: Real> Commutative for JointMoments<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::Source;
    use crate::{Device, check_commutative};

    fn state(count: u64, left_mean: f32, right_mean: f32, rest: [f32; 3]) -> JointMomentsState<f32> {
        let [left_m2, right_m2, product] = rest;
        JointMomentsState { count: count.into(), left_mean, left_m2, right_mean, right_m2, product }
    }

    #[test]
    fn the_laws_hold() {
        let samples = [
            state(0, 0.0, 0.0, [0.0; 3]),
            state(1, 2.0, -1.0, [0.0; 3]),
            state(1 << 34, 1e3, 5.0, [3.0, 8.0, -4.0]),
            state(7, 1e3, 2.0, [1e4, 2.0, 100.0]),
        ];
        check_commutative(&JointMoments::new(), &samples).unwrap();
    }

    #[test]
    fn they_are_those_of_two_passes() {
        let x: Vec<f64> = (0..20_011).map(|i| 1e6 + f64::from(i * 7919 % 1000)).collect();
        let y: Vec<f64> = x.iter().zip(0..).map(|(x, i)| 3.0 * x + f64::from(i * 31 % 97)).collect();
        let n = x.len() as f64;
        let (x_mean, y_mean) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let product: f64 = x.iter().zip(&y).map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
        let square: f64 = y.iter().map(|y| (y - y_mean) * (y - y_mean)).sum();
        let found = Device::host().reduce(&(&x).zip(&y), &JointMoments::new()).unwrap().get(0).unwrap();
        assert_eq!(u64::from(found.count), 20_011);
        assert!((found.left_mean - x_mean).abs() < 1e-9 * x_mean);
        assert!((found.covariance(1) - product / (n - 1.0)).abs() < 1e-9 * found.covariance(1));
        assert!((found.slope() - product / square).abs() < 1e-9);
    }
}
