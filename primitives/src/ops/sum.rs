//! Sum: `Σ x`. The identity is 0. Integers wrap. Class: additions alone, so that a fixed grouping has fixed bits.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Commutative, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand};

/// `Σ x`; 0 for no items. Integers wrap.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Sum<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> Sum<T> {
    /// The sum of items of type `T`.
    pub fn new() -> Self {
        Sum { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for Sum<T> {
    type State = T;

    fn identity(&self) -> T {
        T::whole(0)
    }

    fn combine(&self, left: T, right: T) -> T {
        T::plus(left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for Sum<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for Sum<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for Sum<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    #[test]
    fn the_laws_hold() {
        check_commutative(&Sum::<f32>::new(), &[0.0, 1.5, 1e6, f32::INFINITY, f32::MIN_POSITIVE]).unwrap();
        check_commutative(&Sum::<i32>::new(), &[0, -3, i32::MAX, i32::MIN]).unwrap();
        check_commutative(&Sum::<u64>::new(), &[0, 3, u64::MAX]).unwrap();
    }

    #[test]
    fn it_is_the_closed_form_and_integers_wrap() {
        let of = |items: &[u32]| Device::host().reduce(items, &Sum::new()).unwrap().get(0).unwrap();
        assert_eq!(of(&(0..=40_000).collect::<Vec<_>>()), 800_020_000);
        assert_eq!(of(&[u32::MAX, 2]), 1);
        assert_eq!(of(&[]), 0);
    }
}
