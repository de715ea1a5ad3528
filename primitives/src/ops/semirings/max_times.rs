//! Max-times: `max (a b)` over numbers that are not negative, the most probable path. The identity is 0, the
//! probability of no path: it absorbs in the product, as negative infinity would not (`-∞ · 0` is NaN).
//!
//! A product of 0 and infinity is NaN and passed over where `max` passes over NaN. Integers wrap.
//! Class: products alone, each followed by a selection, so that bits agree (subnormals excepted).

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{
    Commutative, CommutativeProduct, Element, Idempotent, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand,
    Semiring, SemiringExpand,
};

/// `max (a b)` over numbers that are not negative; 0 for no products.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct MaxTimes<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> MaxTimes<T> {
    /// The most probable path over probabilities of type `T`.
    pub fn new() -> Self {
        MaxTimes { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for MaxTimes<T> {
    type State = T;

    fn identity(&self) -> T {
        T::whole(0)
    }

    fn combine(&self, left: T, right: T) -> T {
        T::larger(left, right)
    }
}

#[cube]
impl<T: Element> Semiring<T, T> for MaxTimes<T> {
    fn multiply(&self, left: T, right: T) -> T {
        T::times(left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for MaxTimes<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for MaxTimes<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for MaxTimes<T> {}

impl<T: Element> CommutativeProduct<T> for MaxTimes<T> {}

impl<T: Element> Idempotent for MaxTimes<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_idempotent, check_semiring};

    #[test]
    fn the_laws_hold() {
        check_semiring(&MaxTimes::<f32>::new(), &[0.0, 1.0, 0.25, 1e-10, 3.0]).unwrap();
        check_idempotent(&MaxTimes::<f32>::new(), &[0.0, 1.0, 0.25]).unwrap();
        check_semiring(&MaxTimes::<u32>::new(), &[0, 1, 7, 1000]).unwrap();
    }

    #[test]
    fn the_best_path_wins_and_no_path_is_impossible() {
        let op = MaxTimes::<f64>::new();
        let paths = [(0.5, 0.5), (0.9, 0.3), (0.0, 1.0)];
        let best = paths.iter().fold(op.identity(), |best, &(a, b)| op.combine(best, op.multiply(a, b)));
        assert_eq!(best, 0.9 * 0.3);
        assert_eq!(op.combine(op.identity(), op.multiply(0.0, f64::INFINITY)), 0.0);
    }
}
