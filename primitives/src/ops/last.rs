//! Last: the last item, of any type. The identity is "none". Not commutative: it tells whether order was kept.
//!
//! Class: exact.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use super::optional::{Optional, absent, present};
use super::selection::choose;
use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State};

/// The last item, if there is one.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Last<T: State> {
    item: PhantomData<T>,
}

impl<T: State> Last<T> {
    /// The last of items of type `T`.
    pub fn new() -> Self {
        Last { item: PhantomData }
    }
}

#[cube]
impl<T: State> Monoid for Last<T> {
    type State = Optional<T>;

    fn identity(&self) -> Optional<T> {
        absent::<T>()
    }

    fn combine(&self, left: Optional<T>, right: Optional<T>) -> Optional<T> {
        choose::<Optional<T>>(right.present != 0u32, right, left)
    }
}

#[cube]
impl<T: State> Lift<T> for Last<T> {
    fn lift(&self, item: T) -> Optional<T> {
        present::<T>(item)
    }
}

#[cube]
impl<T: State> Lower for Last<T> {
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
        check_laws(&Last::<f32>::new(), &[absent(), present(0.0), present(1.5), present(f32::NAN)]).unwrap();
        check_laws(&Last::<u64>::new(), &[absent(), present(0), present(u64::MAX)]).unwrap();
    }

    #[test]
    fn of_one_to_n_it_is_n() {
        for n in [1u32, 2, 33, 100_000] {
            let items: Vec<u32> = (1..=n).collect();
            assert_eq!(Device::host().reduce(&items, &Last::new()).unwrap().get(0).unwrap().get(), Some(n));
        }
    }

    #[test]
    fn no_items_give_none() {
        assert_eq!(Device::host().reduce::<[u32], _>(&[], &Last::new()).unwrap().get(0).unwrap().get(), None);
    }
}
