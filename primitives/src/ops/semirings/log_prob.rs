//! LogProb: `ln Σ exp(a) exp(b)`, sums and products of probabilities by their logarithms. The state and its identity
//! are those of [`LogSumExp`](crate::ops::LogSumExp); the product adds logarithms, and the logarithm of 0 absorbs.
//!
//! Class: division or transcendentals.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::ops::log_sum_exp::{LogSum, log_add, log_of, log_of_nothing, log_term};
use crate::{
    Commutative, CommutativeProduct, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real, Semiring,
    SemiringExpand,
};

/// `ln Σ exp(a) exp(b)`; -∞ for no products.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct LogProb<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> LogProb<T> {
    /// Probabilities by their logarithms of type `T`.
    pub fn new() -> Self {
        LogProb { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Monoid for LogProb<T> {
    type State = LogSum<T>;

    fn identity(&self) -> LogSum<T> {
        log_of_nothing::<T>()
    }

    fn combine(&self, left: LogSum<T>, right: LogSum<T>) -> LogSum<T> {
        log_add::<T>(left, right)
    }
}

#[cube]
impl<T: Real> Semiring<T, T> for LogProb<T> {
    fn multiply(&self, left: T, right: T) -> LogSum<T> {
        let finite = select(right == T::lowest(), right, left + right);
        log_term::<T>(select(left == T::lowest(), left, finite))
    }
}

#[cube]
impl<T: Real> Lift<T> for LogProb<T> {
    fn lift(&self, item: T) -> LogSum<T> {
        log_term::<T>(item)
    }
}

#[cube]
impl<T: Real> Lower for LogProb<T> {
    type Output = T;

    fn lower(&self, state: LogSum<T>) -> T {
        log_of::<T>(state)
    }
}

impl<T: Real> Commutative for LogProb<T> {}

impl<T: Real> CommutativeProduct<T> for LogProb<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative, views::Dense};

    const IMPOSSIBLE: f64 = f64::NEG_INFINITY;

    #[test]
    fn the_laws_hold() {
        let op = LogProb::<f64>::new();
        let logs = [0.0, -1.5, -800.0, IMPOSSIBLE];
        let mut samples = logs.map(log_term).to_vec();
        samples.push(op.identity());
        check_commutative(&op, &samples).unwrap();
        let sum = |a, b| op.lower(op.combine(op.lift(a), op.lift(b)));
        for a in logs {
            for b in logs {
                for c in logs {
                    let product_of_sum = op.lower(op.multiply(a, sum(b, c)));
                    let sum_of_products = op.lower(op.combine(op.multiply(a, b), op.multiply(a, c)));
                    let same = product_of_sum == sum_of_products || (product_of_sum - sum_of_products).abs() < 1e-12;
                    assert!(same, "{a} ({b} + {c}): {product_of_sum} and {sum_of_products}");
                }
            }
        }
        assert_eq!(op.lower(op.multiply(IMPOSSIBLE, f64::INFINITY)), IMPOSSIBLE);
    }

    #[test]
    fn a_product_is_that_of_the_probabilities() {
        let chances = [0.25f64, 0.75, 1.0, 0.0];
        let logs = Dense::new(chances.map(f64::ln).to_vec(), 2, 2).unwrap();
        let square = Device::host().tiled_gemm(&logs, &logs, &LogProb::new()).unwrap().to_vec().unwrap();
        for (log, expected) in square.iter().zip([0.0625 + 0.75, 0.1875, 0.25, 0.75]) {
            assert!((log.exp() - expected).abs() < 1e-12);
        }
    }
}
