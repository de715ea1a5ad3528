//! Opposite: the monoid with its operands exchanged, `a ∘ b = b a`. Same identity, same class.
//!
//! It folds the items from the last to the first: with `reversed()` sources, suffixes of a non-commutative operator.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State};

/// `M` with its operands exchanged.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{Last, Opposite}};
///
/// let first = Device::host().reduce(&vec![1u32, 2, 3], &Opposite::new(Last::new()))?;
/// assert_eq!(first.get(0)?.get(), Some(1));
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
#[operator(like = M)]
pub struct Opposite<M: Monoid> {
    op: M,
}

impl<M: Monoid> Opposite<M> {
    /// Exchanges the operands of `op`.
    pub fn new(op: M) -> Self {
        Opposite { op }
    }
}

#[cube]
impl<M: Monoid> Monoid for Opposite<M> {
    type State = M::State;

    fn identity(&self) -> M::State {
        self.op.identity()
    }

    fn combine(&self, left: M::State, right: M::State) -> M::State {
        self.op.combine(right, left)
    }
}

#[cube]
impl<T: State, M: Lift<T>> Lift<T> for Opposite<M> {
    fn lift(&self, item: T) -> M::State {
        self.op.lift(item)
    }
}

#[cube]
impl<M: Lower> Lower for Opposite<M> {
    type Output = M::Output;

    fn lower(&self, state: M::State) -> M::Output {
        self.op.lower(state)
    }
}

impl<M: Commutative> Commutative for Opposite<M> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Affine, AffineMap, Maximum};
    use crate::{Both, Device, Source, check_commutative, check_laws};

    #[test]
    fn the_laws_hold() {
        let map = |scale, shift| AffineMap { scale, shift };
        check_laws(&Opposite::new(Affine::<u32>::new()), &[map(1, 0), map(3, 4), map(u32::MAX, 7)]).unwrap();
        check_commutative(&Opposite::new(Maximum::<i32>::new()), &[3, i32::MIN, i32::MAX]).unwrap();
    }

    #[test]
    fn it_is_the_fold_of_the_reversed_items() {
        let pairs: Vec<_> = (1..30_000u32).map(|i| Both { left: i | 1, right: i ^ 21 }).collect();
        let host = Device::host();
        let opposite = host.reduce(&pairs, &Opposite::new(Affine::new())).unwrap().get(0).unwrap();
        assert_ne!(opposite, host.reduce(&pairs, &Affine::new()).unwrap().get(0).unwrap());
        assert_eq!(opposite, host.reduce(&pairs.reversed(), &Affine::new()).unwrap().get(0).unwrap());
    }
}
