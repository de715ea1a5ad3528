//! Product: `Π x`. The identity is 1. Integers wrap.
//!
//! Class: products alone, never followed by an addition, so that a fixed grouping has fixed bits (subnormals
//! excepted).

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Commutative, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand};

/// `Π x`; 1 for no items. Integers wrap.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Product<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> Product<T> {
    /// The product of items of type `T`.
    pub fn new() -> Self {
        Product { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for Product<T> {
    type State = T;

    fn identity(&self) -> T {
        T::whole(1)
    }

    fn combine(&self, left: T, right: T) -> T {
        T::times(left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for Product<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for Product<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for Product<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    #[test]
    fn the_laws_hold() {
        check_commutative(&Product::<f32>::new(), &[1.0, -2.5, 0.0, 1e10, f32::INFINITY]).unwrap();
        check_commutative(&Product::<i32>::new(), &[1, -3, 0, i32::MAX, i32::MIN]).unwrap();
        check_commutative(&Product::<u64>::new(), &[1, 3, u64::MAX]).unwrap();
    }

    #[test]
    fn integers_wrap_and_no_items_give_one() {
        let host = Device::host();
        let of = |items: &[u32]| host.reduce(items, &Product::new()).unwrap().get(0).unwrap();
        assert_eq!(of(&(1..=13).collect::<Vec<_>>()), 6_227_020_800u64 as u32);
        assert_eq!(of(&[]), 1);
    }
}
