//! Plus-times: `Σ a·b`, the ordinary matrix product. The identity is 0. Integers wrap.
//!
//! Class: products followed by additions. Compilers may fuse them, so bits differ between devices for floats.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{
    Commutative, CommutativeProduct, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand,
    PlainProducts, Semiring, SemiringExpand,
};

/// `Σ a·b`; 0 for no products. Integers wrap.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct PlusTimes<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> PlusTimes<T> {
    /// The ordinary product over elements of type `T`.
    pub fn new() -> Self {
        PlusTimes { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for PlusTimes<T> {
    type State = T;

    fn identity(&self) -> T {
        T::whole(0)
    }

    fn combine(&self, left: T, right: T) -> T {
        T::plus(left, right)
    }
}

#[cube]
impl<T: Element> Semiring<T, T> for PlusTimes<T> {
    fn multiply(&self, left: T, right: T) -> T {
        T::times(left, right)
    }
}

#[cube]
impl<T: Element> Lift<T> for PlusTimes<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Element> Lower for PlusTimes<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

impl<T: Element> Commutative for PlusTimes<T> {}

impl<T: Element> CommutativeProduct<T> for PlusTimes<T> {}

impl PlainProducts for PlusTimes<f32> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_commutative, check_semiring};

    #[test]
    fn the_laws_hold() {
        let integers = [0, 1, 3, u32::MAX, 1 << 31];
        check_semiring(&PlusTimes::<u32>::new(), &integers).unwrap();
        check_commutative(&PlusTimes::<u32>::new(), &integers).unwrap();
        check_semiring(&PlusTimes::<f32>::new(), &[0.0, 1.0, 0.25, 3e4]).unwrap();
    }
}
