//! [`Extremum`]: the state of `ArgMinimum` and `ArgMaximum`.

use cubecl::prelude::*;

use super::selection::choose;
use crate::{Element, State, Wide};

/// The best item so far and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Extremum<T: State> {
    /// The item; the identity's infinity where there is none.
    pub value: T,
    /// Its index; 0 where there is none.
    pub index: Wide,
    /// 1 where there is one: infinite items would else be taken for none.
    pub found: u32,
}

impl<T: State> Extremum<T> {
    /// The index of the best item; none for no items.
    pub fn index(&self) -> Option<u64> {
        (self.found != 0).then(|| self.index.into())
    }
}

/// The best of no items; `worst` is the value that every item is as good as.
#[cube]
pub(super) fn unfound<T: Element>(worst: T) -> Extremum<T> {
    Extremum::<T> { value: worst, index: Wide { low: 0u32, high: 0u32 }, found: 0u32 }
}

/// An item and its index.
#[cube]
pub(super) fn found_at<T: Element>(value: T, index: Wide) -> Extremum<T> {
    Extremum::<T> { value, index, found: 1u32 }
}

/// The better of two; `right_is_beyond` says that the right value is past the left one, NaN aside.
///
/// A NaN is better than any number, so that it propagates, and of equals the lowest index is the better one. That
/// is a total order of (value, index), hence associative and commutative.
#[cube]
pub(super) fn better_of<T: Element>(left: Extremum<T>, right: Extremum<T>, right_is_beyond: bool) -> Extremum<T> {
    let (left_nan, right_nan) = (T::not_a_number(left.value), T::not_a_number(right.value));
    let beyond = select(left_nan, false, select(right_nan, true, right_is_beyond));
    let level = select(left_nan, right_nan, left.value == right.value);
    let earlier = select(level, before(right.index, left.index), false);
    let better = select(beyond, true, earlier);
    let replaces = select(left.found == 0u32, true, better);
    choose::<Extremum<T>>(select(right.found == 0u32, false, replaces), right, left)
}

/// `left < right`.
#[cube]
fn before(left: Wide, right: Wide) -> bool {
    select(left.high == right.high, left.low < right.low, left.high < right.high)
}
