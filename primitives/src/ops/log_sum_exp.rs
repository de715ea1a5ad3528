//! LogSumExp: `ln Σ exp(x)`, as the maximum and the sum relative to it. The identity is (-∞, 0): the logarithm of
//! nothing.
//!
//! Every term is scaled by `exp(x - maximum) <= 1`, so no sum overflows; two equal maxima, infinite ones included,
//! scale by 1 without a subtraction, so `-∞ - -∞` never arises. A NaN item makes the result NaN.
//! Class: division or transcendentals.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use crate::{Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real};

/// A sum of exponentials: `sum · exp(maximum)`.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct LogSum<T: Real> {
    /// The largest exponent.
    pub maximum: T,
    /// The sum relative to it.
    pub sum: T,
}

/// `ln Σ exp(x)`; -∞ for no items.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct LogSumExp<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> LogSumExp<T> {
    /// The logarithm of a sum of exponentials of type `T`.
    pub fn new() -> Self {
        LogSumExp { element: PhantomData }
    }
}

/// The sum of no exponentials.
#[cube]
pub(super) fn log_of_nothing<T: Real>() -> LogSum<T> {
    LogSum::<T> { maximum: T::lowest(), sum: T::whole(0) }
}

/// One exponential.
#[cube]
pub(super) fn log_term<T: Real>(exponent: T) -> LogSum<T> {
    LogSum::<T> { maximum: exponent, sum: T::whole(1) }
}

/// The sum of two sums.
#[cube]
pub(super) fn log_add<T: Real>(left: LogSum<T>, right: LogSum<T>) -> LogSum<T> {
    let ordered = left.maximum >= right.maximum;
    let larger = select(ordered, left.sum, right.sum);
    let smaller = select(ordered, right.sum, left.sum);
    let gap = select(ordered, right.maximum - left.maximum, left.maximum - right.maximum);
    let scale = select(left.maximum == right.maximum, T::whole(1), T::exponential(gap));
    LogSum::<T> { maximum: T::greater(left.maximum, right.maximum), sum: larger + smaller * scale }
}

/// The logarithm of a sum.
#[cube]
pub(super) fn log_of<T: Real>(state: LogSum<T>) -> T {
    let empty = state.maximum == T::lowest();
    select(empty, state.maximum, state.maximum + T::logarithm(state.sum))
}

#[cube]
impl<T: Real> Monoid for LogSumExp<T> {
    type State = LogSum<T>;

    fn identity(&self) -> LogSum<T> {
        log_of_nothing::<T>()
    }

    fn combine(&self, left: LogSum<T>, right: LogSum<T>) -> LogSum<T> {
        log_add::<T>(left, right)
    }
}

#[cube]
impl<T: Real> Lift<T> for LogSumExp<T> {
    fn lift(&self, item: T) -> LogSum<T> {
        log_term::<T>(item)
    }
}

#[cube]
impl<T: Real> Lower for LogSumExp<T> {
    type Output = T;

    fn lower(&self, state: LogSum<T>) -> T {
        log_of::<T>(state)
    }
}

impl<T: Real> Commutative for LogSumExp<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    #[test]
    fn the_laws_hold() {
        let mut samples = [0.0, 3.0, -80.0, 200.0, f32::INFINITY, f32::NEG_INFINITY].map(log_term).to_vec();
        samples.push(log_of_nothing());
        check_commutative(&LogSumExp::new(), &samples).unwrap();
    }

    #[test]
    fn minus_infinity_is_the_logarithm_of_nothing() {
        const NOTHING: f32 = f32::NEG_INFINITY;
        let scan = |items: &[f32]| Device::host().scan(items, &LogSumExp::new()).unwrap().to_vec().unwrap();
        let sums = scan(&[2.0, NOTHING, NOTHING, 1.0, NOTHING]);
        let last = (2f32.exp() + 1f32.exp()).ln();
        for (sum, expected) in sums.iter().zip([2.0, 2.0, 2.0, last, last]) {
            assert!((sum - expected).abs() < 1e-6, "{sum} is not {expected}");
        }
        assert_eq!(scan(&[NOTHING, NOTHING, 5.0]), [NOTHING, NOTHING, 5.0]);
        assert_eq!(scan(&[1.0, f32::INFINITY, 3.0])[1..], [f32::INFINITY; 2]);
        assert!(scan(&[1.0, f32::NAN, 3.0])[2].is_nan());
    }

    #[test]
    fn large_exponents_do_not_overflow() {
        let items: Vec<f64> = (0..20_000).map(|i| 1000.0 + f64::from(i % 7)).collect();
        let plain = items.iter().map(|x| (x - 1006.0).exp()).sum::<f64>().ln() + 1006.0;
        let sum = Device::host().reduce(&items, &LogSumExp::new()).unwrap().get(0).unwrap();
        assert!((sum - plain).abs() < 1e-12 * plain);
        assert_eq!(
            Device::host().reduce::<[f64], _>(&[], &LogSumExp::new()).unwrap().get(0).unwrap(),
            f64::NEG_INFINITY
        );
    }
}
