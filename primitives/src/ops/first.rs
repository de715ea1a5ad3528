//! First: the first item, of any type. The identity is "none". Not commutative: it tells whether order was kept.
//!
//! Class: exact.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use super::optional::{Optional, absent, present};
use super::selection::choose;
use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State};

/// The first item, if there is one.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct First<T: State> {
    item: PhantomData<T>,
}

impl<T: State> First<T> {
    /// The first of items of type `T`.
    pub fn new() -> Self {
        First { item: PhantomData }
    }
}

#[cube]
impl<T: State> Monoid for First<T> {
    type State = Optional<T>;

    fn identity(&self) -> Optional<T> {
        absent::<T>()
    }

    fn combine(&self, left: Optional<T>, right: Optional<T>) -> Optional<T> {
        choose::<Optional<T>>(left.present != 0u32, left, right)
    }
}

#[cube]
impl<T: State> Lift<T> for First<T> {
    fn lift(&self, item: T) -> Optional<T> {
        present::<T>(item)
    }
}

#[cube]
impl<T: State> Lower for First<T> {
    type Output = Optional<T>;

    fn lower(&self, state: Optional<T>) -> Optional<T> {
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_laws};

    #[test]
    fn the_laws_hold() {
        check_laws(&First::<f32>::new(), &[absent(), present(0.0), present(1.5), present(f32::NAN)]).unwrap();
        check_laws(&First::<u64>::new(), &[absent(), present(0), present(u64::MAX)]).unwrap();
    }

    #[test]
    fn of_one_to_n_it_is_one() {
        for n in [1u32, 2, 33, 100_000] {
            let items: Vec<u32> = (1..=n).collect();
            assert_eq!(Device::host().reduce(&items, &First::new()).unwrap().get(0).unwrap().get(), Some(1));
        }
    }

    #[test]
    fn no_items_give_none() {
        assert_eq!(Device::host().reduce::<[u32], _>(&[], &First::new()).unwrap().get(0).unwrap().get(), None);
    }
}
