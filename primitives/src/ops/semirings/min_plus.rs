//! Min-plus: `min (a + b)`, shortest paths. The identity is positive infinity, or the largest integer: no path.
//!
//! A path with a missing edge is missing: infinity absorbs in the product. The elements are numbers and positive
//! infinity; a NaN edge, and the sum of opposite infinities, counts as no edge where the device's `min` passes over NaN,
//! as IEEE 754's minNum, the host's and lavapipe's do. Integers saturate at no path only; lengths must not overflow.
//!
//! Class: additions alone, each followed by a selection, so that bits agree.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{
    Commutative, CommutativeProduct, Element, Idempotent, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand,
    Semiring, SemiringExpand,
};

/// `min (a + b)`: the shortest path over one vertex; infinite for no path.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::MinPlus, views::Dense};
///
/// let far = f32::INFINITY;
/// let edges = Dense::new(vec![0.0, 2.0, far, far, 0.0, 3.0, far, far, 0.0], 3, 3)?;
/// let two_steps = Device::host().tiled_gemm(&edges, &edges, &MinPlus::new())?;
/// assert_eq!(two_steps.to_vec()?, [0.0, 2.0, 5.0, far, 0.0, 3.0, far, far, 0.0]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct MinPlus<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> MinPlus<T> {
    /// Shortest paths over lengths of type `T`.
    pub fn new() -> Self {
        MinPlus { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for MinPlus<T> {
    type State = T;

    fn identity(&self) -> T {
        T::highest()
    }

    fn combine(&self, left: T, right: T) -> T {
        T::smaller(left, right)
    }
}

#[cube]
impl<T: Element> Semiring<T, T> for MinPlus<T> {
    fn multiply(&self, left: T, right: T) -> T {
        T::plus_or_highest(left, right)
    }

    fn accumulate(&self, state: T, left: T, right: T) -> T {
        T::nearer(state, left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for MinPlus<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for MinPlus<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for MinPlus<T> {}

impl<T: Element> CommutativeProduct<T> for MinPlus<T> {}

impl<T: Element> Idempotent for MinPlus<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_idempotent, check_semiring};

    #[test]
    fn the_laws_hold() {
        let op = MinPlus::<f32>::new();
        check_semiring(&op, &[0.0, 1.5, -2.0, 1e6, f32::INFINITY]).unwrap();
        check_idempotent(&op, &[0.0, -2.0, f32::NEG_INFINITY, f32::INFINITY]).unwrap();
        check_semiring(&MinPlus::<i32>::new(), &[0, -5, 1 << 20, i32::MAX]).unwrap();
        check_semiring(&MinPlus::<u32>::new(), &[0, 5, 1 << 20, u32::MAX]).unwrap();
    }

    #[test]
    fn an_infinite_factor_gives_no_path() {
        let op = MinPlus::<f32>::new();
        assert_eq!(op.multiply(f32::INFINITY, f32::NEG_INFINITY), f32::INFINITY);
        assert_eq!(op.multiply(-7.0, f32::INFINITY), f32::INFINITY);
        assert_eq!(op.combine(3.0, f32::NAN), 3.0);
        assert_eq!(MinPlus::<i32>::new().multiply(i32::MAX, -7), i32::MAX);
    }

    #[test]
    fn a_product_more_is_what_combine_makes_of_it() {
        let lengths = [0.0, 3.5, -2.0, f32::INFINITY, f32::NEG_INFINITY];
        let op = MinPlus::<f32>::new();
        for state in lengths {
            for left in lengths {
                for right in lengths.into_iter().chain([f32::NAN]) {
                    let expected = op.combine(state, op.multiply(left, right));
                    assert_eq!(op.accumulate(state, left, right), expected, "{state}, {left}, {right}");
                }
            }
        }
        assert_eq!(MinPlus::<i32>::new().accumulate(9, i32::MAX, -1), 9);
    }
}
