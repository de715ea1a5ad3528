//! Minimum: the smallest item. The identity is positive infinity, or the largest integer, which no item is above.
//!
//! A NaN propagates: one NaN item makes the result NaN. Zeros of either sign are equal; the earlier one stays.
//! Class: exact.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Commutative, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand};

/// The smallest item; NaN if one is; positive infinity, or the largest integer for no items.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Minimum<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> Minimum<T> {
    /// The smallest of items of type `T`.
    pub fn new() -> Self {
        Minimum { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for Minimum<T> {
    type State = T;

    fn identity(&self) -> T {
        T::highest()
    }

    fn combine(&self, left: T, right: T) -> T {
        T::lesser(left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for Minimum<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for Minimum<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for Minimum<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    #[test]
    fn the_laws_hold() {
        let floats = [0.5, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::NAN];
        check_commutative(&Minimum::<f32>::new(), &floats).unwrap();
        check_commutative(&Minimum::<i32>::new(), &[0, -7, i32::MAX, i32::MIN]).unwrap();
        check_commutative(&Minimum::<u64>::new(), &[0, 7, u64::MAX]).unwrap();
    }

    #[test]
    fn a_nan_propagates_from_where_it_stands() {
        let scanned = Device::host().scan(&vec![1.0f32, 3.0, f32::NAN, 5.0, 4.0], &Minimum::new()).unwrap();
        let nans: Vec<bool> = scanned.to_vec().unwrap().iter().map(|value| value.is_nan()).collect();
        assert_eq!(nans, [false, false, true, true, true]);
    }

    #[test]
    fn all_infinite_items_give_their_infinity() {
        let of = |items: &[f32]| Device::host().reduce(items, &Minimum::new()).unwrap().get(0).unwrap();
        assert_eq!(of(&[f32::INFINITY; 10]), f32::INFINITY);
        assert_eq!(of(&[f32::NEG_INFINITY; 10]), f32::NEG_INFINITY);
        assert_eq!(of(&[]), f32::INFINITY);
    }
}
