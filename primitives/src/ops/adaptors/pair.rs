//! Pair: two folds of the same items in one pass, `(a₁, b₁) (a₂, b₂) = (a₁ a₂, b₁ b₂)`. The identity is the pair of
//! identities; the class is the weaker one of the two.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::views::both;
use crate::{Both, Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State};

/// Two folds of the same items in one pass; the results stand side by side in a [`Both`].
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{Maximum, Minimum, Pair}};
///
/// let range = Pair::new(Minimum::new(), Maximum::new());
/// let found = Device::host().reduce(&vec![3.0f32, -1.0, 2.0], &range)?.get(0)?;
/// assert_eq!((found.left, found.right), (-1.0, 3.0));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Pair<A: Monoid, B: Monoid> {
    left: A,
    right: B,
}

impl<A: Monoid, B: Monoid> Pair<A, B> {
    /// Folds by `left` and by `right`.
    pub fn new(left: A, right: B) -> Self {
        Pair { left, right }
    }
}

#[cube]
impl<A: Monoid, B: Monoid> Monoid for Pair<A, B> {
    type State = Both<A::State, B::State>;

    fn identity(&self) -> Both<A::State, B::State> {
        both::<A::State, B::State>(self.left.identity(), self.right.identity())
    }

    fn combine(&self, left: Both<A::State, B::State>, right: Both<A::State, B::State>) -> Both<A::State, B::State> {
        both::<A::State, B::State>(
            self.left.combine(left.left, right.left),
            self.right.combine(left.right, right.right),
        )
    }
}

#[cube]
impl<T: State, A: Lift<T>, B: Lift<T>> Lift<T> for Pair<A, B> {
    fn lift(&self, item: T) -> Both<A::State, B::State> {
        both::<A::State, B::State>(self.left.lift(item), self.right.lift(item))
    }

    fn push(&self, state: Both<A::State, B::State>, item: T) -> Both<A::State, B::State> {
        both::<A::State, B::State>(self.left.push(state.left, item), self.right.push(state.right, item))
    }

    fn open(&self, first: T) -> Both<A::State, B::State> {
        both::<A::State, B::State>(self.left.open(first), self.right.open(first))
    }

    fn extend(&self, run: Both<A::State, B::State>, first: T, item: T) -> Both<A::State, B::State> {
        both::<A::State, B::State>(self.left.extend(run.left, first, item), self.right.extend(run.right, first, item))
    }

    fn close(&self, run: Both<A::State, B::State>, first: T) -> Both<A::State, B::State> {
        both::<A::State, B::State>(self.left.close(run.left, first), self.right.close(run.right, first))
    }
}

#[cube]
impl<A: Lower, B: Lower> Lower for Pair<A, B> {
    type Output = Both<A::Output, B::Output>;

    fn lower(&self, state: Both<A::State, B::State>) -> Both<A::Output, B::Output> {
        both::<A::Output, B::Output>(self.left.lower(state.left), self.right.lower(state.right))
    }
}

impl<A: Commutative, B: Commutative> Commutative for Pair<A, B> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Affine, Count, First, Last, Maximum, Minimum, Moments, Sum};
    use crate::{Device, check_commutative, check_laws};

    #[test]
    fn the_laws_hold() {
        let samples = [both(1i32, i32::MIN), both(-5, i32::MAX), both(i32::MAX, 0)];
        check_commutative(&Pair::new(Sum::<i32>::new(), Maximum::<i32>::new()), &samples).unwrap();
        let ends = Pair::new(First::<u32>::new(), Last::<u32>::new());
        check_laws(&ends, &[ends.identity(), ends.lift(3), ends.lift(8)]).unwrap();
    }

    #[test]
    fn each_side_is_its_own_fold() {
        let items: Vec<f32> = (0..30_000u32).map(|i| (i.wrapping_mul(40_503) % 1000) as f32).collect();
        let host = Device::host();
        let range = Pair::new(Minimum::new(), Maximum::new());
        let all = host.reduce(&items, &Pair::new(Moments::new(), Pair::new(Count, range))).unwrap().get(0).unwrap();
        assert_eq!(all.left, host.reduce(&items, &Moments::new()).unwrap().get(0).unwrap());
        assert_eq!(u64::from(all.right.left), 30_000);
        assert_eq!((all.right.right.left, all.right.right.right), (0.0, 999.0));
    }

    #[test]
    fn items_that_are_pairs_themselves_go_to_both_sides() {
        let pairs = vec![both(2u32, 1), both(3, 4)];
        let found = Device::host().reduce(&pairs, &Pair::new(Affine::new(), Count)).unwrap().get(0).unwrap();
        assert_eq!((found.left, u64::from(found.right)), (7, 2));
    }
}
