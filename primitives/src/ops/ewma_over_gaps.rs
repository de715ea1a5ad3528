//! Ewma over gaps: the exponentially weighted mean of rows of which some are missing, where a missing row takes time.
//!
//! ```text
//! with f = 1 − Π (1 − α) over all rows, a the same over the rows after the first item:
//! lift x = (w α, m x, f α, a 0)      lift missing = (w 0, m –, f α)
//! combine: w = w₁ (1 − f₂) + w₂,  m = the mean of m₁, m₂ by those weights,  f = f₁ (1 − f₂) + f₂,  a = a₁ (1 − f₂) + f₂
//! ```
//!
//! The identity is all 0. A constant series stays exactly constant. Complements are kept, not products, so that a small
//! α loses no bits. Not commutative. Class: division.

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use super::ewma::blend;
use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real};

/// The weighted mean of some rows.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct GapsState<T: Real> {
    /// The weight that the items have together; 0 for none.
    pub weight: T,
    /// Their weighted mean; 0 for none.
    pub mean: T,
    /// The first of them; 0 for none.
    pub first: T,
    /// How much of what comes before the rows fades: `1 − Π (1 − α)`.
    pub faded: T,
    /// The same over the rows after the first item; 0 for none.
    pub aged: T,
}

/// The exponentially weighted mean that starts at the first item, of floats in which NaN is a missing row: pandas'
/// `adjust=False, ignore_na=False`.
///
/// A missing row repeats the last result, while the weights of the items before it fade. Before the first item the
/// result is NaN. Without missing rows this is [`Ewma`](super::Ewma) with [`Start::First`](super::Start), at more cost.
#[derive(Debug, Clone, Copy, Operator)]
pub struct EwmaOverGaps<T: Real> {
    alpha: T,
}

impl<T: Real> EwmaOverGaps<T> {
    /// Smoothing by `alpha`, in `0 < alpha <= 1`.
    pub fn new(alpha: T) -> Self {
        EwmaOverGaps { alpha }
    }
}

#[cube]
impl<T: Real> Monoid for EwmaOverGaps<T> {
    type State = GapsState<T>;

    fn identity(&self) -> GapsState<T> {
        GapsState::<T> {
            weight: T::whole(0),
            mean: T::whole(0),
            first: T::whole(0),
            faded: T::whole(0),
            aged: T::whole(0),
        }
    }

    fn combine(&self, left: GapsState<T>, right: GapsState<T>) -> GapsState<T> {
        let stays = T::whole(1) - right.faded;
        let kept = left.weight * stays;
        let weight = kept + right.weight;
        let total = select(weight > T::whole(0), weight, T::whole(1));
        let started = left.weight > T::whole(0);
        GapsState::<T> {
            weight,
            mean: blend::<T>(left.mean, kept, right.mean, right.weight, total),
            first: select(started, left.first, right.first),
            faded: left.faded * stays + right.faded,
            aged: select(started, left.aged * stays + right.faded, right.aged),
        }
    }
}

#[cube]
impl<T: Real> Lift<T> for EwmaOverGaps<T> {
    fn lift(&self, item: T) -> GapsState<T> {
        let missing = T::not_a_number(item);
        let value = select(missing, T::whole(0), item);
        GapsState::<T> {
            weight: select(missing, T::whole(0), self.alpha),
            mean: value,
            first: value,
            faded: self.alpha,
            aged: T::whole(0),
        }
    }
}

#[cube]
impl<T: Real> Lower for EwmaOverGaps<T> {
    type Output = T;

    fn lower(&self, state: GapsState<T>) -> T {
        // The first item weighs 1, not α: the rest of it has faded since.
        let rest = (T::whole(1) - self.alpha) * (T::whole(1) - state.aged);
        let mean = blend::<T>(state.first, rest, state.mean, state.weight, rest + state.weight);
        select(state.weight > T::whole(0), mean, T::missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Ewma, Start};
    use crate::{Device, check_laws};

    fn smooth(items: &[f64], alpha: f64) -> Vec<f64> {
        Device::host().scan(items, &EwmaOverGaps::new(alpha)).unwrap().to_vec().unwrap()
    }

    fn assert_close(values: &[f64], expected: &[f64]) {
        for (index, (value, expected)) in values.iter().zip(expected).enumerate() {
            assert!((value - expected).abs() <= 1e-6 * expected.abs(), "row {index}: {value} is not {expected}");
        }
    }

    #[test]
    fn the_laws_hold() {
        let op = EwmaOverGaps::new(0.25f32);
        let mut samples = [0.0, 3.5, -1e6, f32::NAN].map(|x| op.lift(x)).to_vec();
        samples.push(op.identity());
        samples.push(op.combine(op.lift(2.0), op.lift(f32::NAN)));
        check_laws(&op, &samples).unwrap();
    }

    /// pandas 3.1.1, `ewm(com=0.5, adjust=False).mean()` of [0, 1, 2, NaN, 4], and the limit at com = 1 of [1, NaN, 5].
    #[test]
    fn missing_rows_are_pandas_by_default() {
        let nan = f64::NAN;
        assert_close(&smooth(&[0.0, 1.0, 2.0, nan, 4.0], 2.0 / 3.0)[1..], &[0.666667, 1.555556, 1.555556, 3.650794]);
        assert_close(&smooth(&[1.0, nan, 5.0], 0.5), &[1.0, 1.0, 3.6666667]);
        assert!(smooth(&[nan, 1.0], 0.5)[0].is_nan());
    }

    #[test]
    fn without_gaps_it_is_the_plain_mean() {
        let items: Vec<f64> = (0..40_000u32).map(|i| f64::from(i * 7919 % 1000)).collect();
        let plain = Device::host().scan(&items, &Ewma::new(0.01, Start::First)).unwrap().to_vec().unwrap();
        assert_close(&smooth(&items, 0.01), &plain);
    }

    #[test]
    fn a_constant_series_with_gaps_stays_exactly_constant() {
        let items: Vec<f64> = (0..40_000u32).map(|i| if i % 5 == 3 { f64::NAN } else { 0.1 }).collect();
        assert!(smooth(&items, 1e-5).iter().all(|&value| value == 0.1));
    }
}
