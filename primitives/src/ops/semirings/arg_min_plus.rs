//! ArgMinPlus: `min (a + b)` and which pair it came from, to recover paths. The identity is no path: positive infinity, or the
//! largest integer, by no vertex.
//!
//! ```text
//! (a, via) ⊗ (b, via') = (a + b, via), or via' where the left factor has none       0 and "none" is the unit
//! (a, via) ⊕ (b, via') = the shorter one; of equal ones that by the lowest vertex
//! ```
//!
//! A missing edge is missing in the product, opposite infinities included; a NaN counts as no edge. Lengths other than 0 must
//! be positive, or what is found may lead around a cycle. It distributes where sums are exact: two lengths that rounding
//! makes equal are told apart before it and not after.
//!
//! Class: additions alone, each followed by a selection, so that bits agree.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::ops::choose;
use crate::views::{Mapping, MappingExpand};
use crate::{
    Both, Commutative, Element, Idempotent, Lower, LowerExpand, Monoid, MonoidExpand, Semiring, SemiringExpand, State,
    Wide,
};

/// The vertex of a path without edges, and of no path.
const NONE: u32 = u32::MAX;

/// A path: how long it is, and by which vertex it goes.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Hop<T: State> {
    /// Its length; infinite, or the largest integer, where there is no path.
    pub length: T,
    /// The vertex; 2^32 − 1 where there is none.
    pub via: u32,
}

impl<T: Element> Hop<T> {
    /// An edge to the vertex `to`.
    pub fn edge(length: T, to: u32) -> Self {
        Hop { length, via: to }
    }

    /// No path.
    pub fn none() -> Self {
        Hop { length: T::HIGHEST, via: NONE }
    }

    /// The path from a vertex to itself without an edge.
    pub fn stay() -> Self {
        Hop { length: T::whole(0), via: NONE }
    }

    /// The vertex by which it goes, if there is one.
    pub fn via(&self) -> Option<u32> {
        (self.via != NONE).then_some(self.via)
    }
}

/// `min (a + b)` with the vertex by which the shortest path goes.
///
/// Elements are [`Hop`]s. Where each edge goes by the vertex at its end, as [`Edges`](crate::ops::Edges) makes them, a product
/// says at which `k` the smallest `a[i, k] + b[k, j]` was found, and [`closure`](crate::Device::closure) the first step of a
/// shortest path from everywhere to everywhere.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{ArgMinPlus, Hop}, views::Dense};
///
/// let row = vec![Hop::edge(4.0f32, 0), Hop::edge(1.0, 1), Hop::none()];
/// let column = vec![Hop::edge(1.0f32, 9), Hop::edge(2.0, 9), Hop::edge(0.5, 9)];
/// let (row, column) = (Dense::new(row, 1, 3)?, Dense::new(column, 3, 1)?);
/// let best = Device::host().tiled_gemm(&row, &column, &ArgMinPlus::new())?.get(0)?;
/// assert_eq!((best.length, best.via()), (3.0, Some(1)));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct ArgMinPlus<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> ArgMinPlus<T> {
    /// Shortest paths over lengths of type `T`, and where they go.
    pub fn new() -> Self {
        ArgMinPlus { element: PhantomData }
    }
}

#[cube]
fn no_hop<T: Element>() -> Hop<T> {
    Hop::<T> { length: T::highest(), via: NONE.runtime() }
}

#[cube]
impl<T: Element> Monoid for ArgMinPlus<T> {
    type State = Hop<T>;

    fn identity(&self) -> Hop<T> {
        no_hop::<T>()
    }

    fn combine(&self, left: Hop<T>, right: Hop<T>) -> Hop<T> {
        let lower = select(right.length == left.length, right.via < left.via, false);
        choose::<Hop<T>>(select(right.length < left.length, true, lower), right, left)
    }
}

#[cube]
impl<T: Element> Semiring<Hop<T>, Hop<T>> for ArgMinPlus<T> {
    fn multiply(&self, left: Hop<T>, right: Hop<T>) -> Hop<T> {
        let either = select(left.via == NONE, right.via, left.via);
        let path = Hop::<T> { length: T::plus(left.length, right.length), via: either };
        choose::<Hop<T>>(is_edge::<T>(left.length) & is_edge::<T>(right.length), path, no_hop::<T>())
    }
}

/// Whether a length is that of an edge: a number, and not the one for none.
#[cube]
pub(super) fn is_edge<T: Element>(length: T) -> bool {
    select(T::not_a_number(length), false, length != T::highest())
}

#[cube]
impl<T: Element> Lower for ArgMinPlus<T> {
    type Output = Hop<T>;

    fn lower(&self, state: Hop<T>) -> Hop<T> {
        state
    }
}

impl<T: Element> Commutative for ArgMinPlus<T> {}

impl<T: Element> Idempotent for ArgMinPlus<T> {}

/// Makes edges of lengths and the vertices that they go to: a length of 0 stays where it is, an infinite one is no edge.
///
/// The vertices are the columns: `lengths.zip_elements(Dense::repeated_row(Counter::new(n), n)?)?.map_elements(Edges::new())`.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Edges<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> Edges<T> {
    /// Edges of lengths of type `T`.
    pub fn new() -> Self {
        Edges { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Mapping<Both<T, Wide>> for Edges<T> {
    type Output = Hop<T>;

    fn map(&self, item: Both<T, Wide>) -> Hop<T> {
        let via = select(item.left == T::whole(0), NONE, item.right.low);
        let edge = Hop::<T> { length: item.left, via };
        choose::<Hop<T>>(is_edge::<T>(item.left), edge, no_hop::<T>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check_idempotent, check_semiring};

    #[test]
    fn the_laws_hold() {
        let op = ArgMinPlus::<f32>::new();
        let samples =
            [Hop::stay(), Hop::none(), Hop::edge(1.5, 3), Hop::edge(1.5, 2), Hop::edge(0.5, 7), Hop::edge(3.0, 0)];
        check_semiring(&op, &samples).unwrap();
        check_idempotent(&op, &samples).unwrap();
        let whole = [Hop::stay(), Hop::none(), Hop::edge(4, 1), Hop::edge(4, 0), Hop::edge(1 << 20, 2)];
        check_semiring(&ArgMinPlus::<i32>::new(), &whole).unwrap();
    }

    #[test]
    fn whatever_meets_a_missing_edge_is_missing() {
        let op = ArgMinPlus::<f32>::new();
        let far = Hop::edge(f32::INFINITY, 3);
        for other in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -2.0, 7.0] {
            let other = Hop::edge(other, 5);
            assert_eq!(op.multiply(far, other), Hop::none(), "{other:?}");
            assert_eq!(op.multiply(other, far), Hop::none(), "{other:?}");
        }
        let nothing = op.multiply(Hop::edge(f32::NAN, 1), Hop::edge(1.0, 2));
        assert_eq!(op.combine(Hop::edge(9.0, 4), nothing), Hop::edge(9.0, 4));
        let shortest = op.multiply(Hop::edge(f32::NEG_INFINITY, 1), Hop::edge(1.0, 2));
        assert_eq!(op.combine(Hop::edge(9.0, 4), shortest), Hop::edge(f32::NEG_INFINITY, 1));
        assert_eq!((Hop::<i32>::none().via(), Hop::edge(1, 6).via()), (None, Some(6)));
    }
}
