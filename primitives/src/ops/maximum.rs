//! Maximum: the largest item. The identity is negative infinity, or the smallest integer, which no item is below.
//!
//! A NaN propagates: one NaN item makes the result NaN. Zeros of either sign are equal; the earlier one stays.
//! Class: exact.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Commutative, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand};

/// The largest item; NaN if one is; negative infinity, or the smallest integer for no items.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Maximum<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> Maximum<T> {
    /// The largest of items of type `T`.
    pub fn new() -> Self {
        Maximum { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for Maximum<T> {
    type State = T;

    fn identity(&self) -> T {
        T::lowest()
    }

    fn combine(&self, left: T, right: T) -> T {
        T::greater(left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for Maximum<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for Maximum<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for Maximum<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    #[test]
    fn the_laws_hold() {
        let floats = [0.5, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::NAN];
        check_commutative(&Maximum::<f32>::new(), &floats).unwrap();
        check_commutative(&Maximum::<i32>::new(), &[0, -7, i32::MAX, i32::MIN]).unwrap();
        check_commutative(&Maximum::<u64>::new(), &[0, 7, u64::MAX]).unwrap();
    }

    #[test]
    fn a_nan_propagates_from_where_it_stands() {
        let scanned = Device::host().scan(&vec![1.0f32, 3.0, f32::NAN, 5.0, 4.0], &Maximum::new()).unwrap();
        let nans: Vec<bool> = scanned.to_vec().unwrap().iter().map(|value| value.is_nan()).collect();
        assert_eq!(nans, [false, false, true, true, true]);
    }

    #[test]
    fn all_infinite_items_give_their_infinity() {
        let of = |items: &[f32]| Device::host().reduce(items, &Maximum::new()).unwrap().get(0).unwrap();
        assert_eq!(of(&[f32::INFINITY; 10]), f32::INFINITY);
        assert_eq!(of(&[f32::NEG_INFINITY; 10]), f32::NEG_INFINITY);
        assert_eq!(of(&[]), f32::NEG_INFINITY);
    }
}
