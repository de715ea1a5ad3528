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
