//! ArgMaximum: the largest item and its index; the lowest index among equals. The identity is "none found", with a
//! value of negative infinity, or the smallest integer.
//!
//! The first NaN is the largest item, as in NumPy's `argmax`. Class: exact.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use super::extremum::{Extremum, better_of, found_at, unfound};
use crate::{Both, Commutative, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Wide};

/// The largest item and the lowest index where it stands; the first NaN if there is one.
///
/// Items are pairs of a value and its index: `values.zip(Counter::new(len))`.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Counter, Device, Source, ops::ArgMaximum};
///
/// let values = vec![3.0f32, 1.0, 4.0, 1.0, 4.0];
/// let found = Device::host().reduce(&(&values).zip(Counter::new(5)), &ArgMaximum::new())?.get(0)?;
/// assert_eq!((found.value, found.index()), (4.0, Some(2)));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
#[operator(light)]
pub struct ArgMaximum<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> ArgMaximum<T> {
    /// The largest of values of type `T`.
    pub fn new() -> Self {
        ArgMaximum { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for ArgMaximum<T> {
    type State = Extremum<T>;

    fn identity(&self) -> Extremum<T> {
        unfound::<T>(T::lowest())
    }

    fn combine(&self, left: Extremum<T>, right: Extremum<T>) -> Extremum<T> {
        better_of::<T>(left, right, right.value > left.value)
    }
}

#[cube]
impl<T: Element> Lift<Both<T, Wide>> for ArgMaximum<T> {
    fn lift(&self, item: Both<T, Wide>) -> Extremum<T> {
        found_at::<T>(item.left, item.right)
    }
}

#[cube]
impl<T: Element> Lower for ArgMaximum<T> {
    type Output = Extremum<T>;

    fn lower(&self, state: Extremum<T>) -> Extremum<T> {
        state
    }
}

impl<T: Element> Commutative for ArgMaximum<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counter, Device, Source, check_commutative};

    fn of<T: Element>(items: &[T]) -> Extremum<T> {
        let indexed = items.zip(Counter::new(items.len() as u64));
        Device::host().reduce(&indexed, &ArgMaximum::new()).unwrap().get(0).unwrap()
    }

    #[test]
    fn the_laws_hold() {
        let values = [0.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.5];
        let state = |(index, &value): (usize, &f32)| found_at(value, Wide::from((index as u64) << 31));
        let mut samples: Vec<_> = values.iter().enumerate().map(state).collect();
        samples.push(unfound(f32::NEG_INFINITY));
        check_commutative(&ArgMaximum::new(), &samples).unwrap();
    }

    #[test]
    fn the_lowest_index_wins_among_equals() {
        for len in [1, 2, 257, 4097] {
            assert_eq!(of(&vec![7u32; len]).index(), Some(0), "{len} equal items");
        }
        let mut apart = vec![5i32; 20_000];
        apart[300] = 30;
        apart[19_000] = 30;
        assert_eq!(of(&apart).index(), Some(300));
    }

    #[test]
    fn infinite_items_are_found_and_no_items_are_not() {
        let infinite = of(&[f32::NEG_INFINITY; 10]);
        assert_eq!((infinite.value, infinite.index()), (f32::NEG_INFINITY, Some(0)));
        assert_eq!(of::<f32>(&[]).index(), None);
    }

    #[test]
    fn the_first_nan_wins() {
        assert_eq!(of(&[3.0, f32::NAN, 1.0, 5.0]).index(), Some(1));
        let found = of(&[f32::INFINITY, f32::NAN, f32::NEG_INFINITY, f32::NAN]);
        assert!(found.value.is_nan() && found.index() == Some(1));
    }
}
