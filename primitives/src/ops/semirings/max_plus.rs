//! Max-plus: `max (a + b)`, longest paths and best scores. The identity is negative infinity, or the smallest integer:
//! no path.
//!
//! A path with a missing edge is missing: negative infinity absorbs in the product. The elements are numbers and
//! negative infinity; a NaN edge, and the sum of opposite infinities, counts as no edge where the device's `max` passes
//! over NaN, as IEEE 754's maxNum, the host's and lavapipe's do. Integers saturate at no path only; for unsigned ones,
//! that is 0.
//!
//! Class: additions alone, each followed by a selection, so that bits agree.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{
    Commutative, CommutativeProduct, Element, Idempotent, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand,
    Semiring, SemiringExpand,
};

/// `max (a + b)`: the longest path over one vertex; negative infinity for no path.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct MaxPlus<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> MaxPlus<T> {
    /// Longest paths over lengths of type `T`.
    pub fn new() -> Self {
        MaxPlus { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for MaxPlus<T> {
    type State = T;

    fn identity(&self) -> T {
        T::lowest()
    }

    fn combine(&self, left: T, right: T) -> T {
        T::larger(left, right)
    }
}

#[cube]
impl<T: Element> Semiring<T, T> for MaxPlus<T> {
    fn multiply(&self, left: T, right: T) -> T {
        T::plus_or_lowest(left, right)
    }

    fn accumulate(&self, state: T, left: T, right: T) -> T {
        T::farther(state, left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for MaxPlus<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for MaxPlus<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for MaxPlus<T> {}

impl<T: Element> CommutativeProduct<T> for MaxPlus<T> {}

impl<T: Element> Idempotent for MaxPlus<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_idempotent, check_semiring};

    #[test]
    fn the_laws_hold() {
        let op = MaxPlus::<f32>::new();
        check_semiring(&op, &[0.0, 1.5, -2.0, 1e6, f32::NEG_INFINITY]).unwrap();
        check_idempotent(&op, &[0.0, -2.0, f32::NEG_INFINITY, f32::INFINITY]).unwrap();
        check_semiring(&MaxPlus::<i32>::new(), &[0, -5, 1 << 20, i32::MIN]).unwrap();
    }

    #[test]
    fn an_infinite_factor_gives_no_path() {
        let op = MaxPlus::<f32>::new();
        assert_eq!(op.multiply(f32::INFINITY, f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!(op.multiply(7.0, f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!(op.combine(3.0, f32::NAN), 3.0);
        assert_eq!(MaxPlus::<i32>::new().multiply(i32::MIN, 7), i32::MIN);
    }

    #[test]
    fn a_product_more_is_what_combine_makes_of_it() {
        let lengths = [0.0, 3.5, -2.0, f32::NEG_INFINITY, f32::INFINITY];
        let op = MaxPlus::<f32>::new();
        for state in lengths {
            for left in lengths {
                for right in lengths.into_iter().chain([f32::NAN]) {
                    let expected = op.combine(state, op.multiply(left, right));
                    assert_eq!(op.accumulate(state, left, right), expected, "{state}, {left}, {right}");
                }
            }
        }
        assert_eq!(MaxPlus::<i32>::new().accumulate(9, i32::MIN, -1), 9);
    }
}
