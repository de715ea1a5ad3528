//! Segmented: a fold that starts anew at every head. With a head flag beside each state,
//!
//! ```text
//! (f₁, s₁) (f₂, s₂) = (f₁ or f₂, s₂ if f₂ else s₁ s₂)
//! ```
//!
//! The identity is no head beside the identity. Not commutative, whatever the operator inside. Blelloch, "Prefix Sums
//! and Their Applications" (1990), section 1.5. The class is that of the operator inside.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::ops::choose;
use crate::{Both, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State};

/// A state and whether a segment starts among its items.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Segment<S: State> {
    /// 1 where a segment starts.
    pub head: u32,
    /// The fold of the last segment.
    pub state: S,
}

/// The fold of `M` within segments, over pairs of a head flag (left, not 0 where a segment starts) and an item.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, Source, ops::{Segmented, Sum}};
///
/// let (heads, items) = (vec![1u32, 0, 1, 0, 0], vec![1u32, 2, 3, 4, 5]);
/// let sums = Device::host().scan(&heads.zip(items), &Segmented::new(Sum::new()))?;
/// assert_eq!(sums.to_vec()?, [1, 3, 3, 7, 12]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Segmented<M: Monoid> {
    op: M,
}

impl<M: Monoid> Segmented<M> {
    /// Folds by `op` within segments.
    pub fn new(op: M) -> Self {
        Segmented { op }
    }
}

#[cube]
fn segment<S: State>(head: u32, state: S) -> Segment<S> {
    Segment::<S> { head, state }
}

#[cube]
impl<M: Monoid> Monoid for Segmented<M> {
    type State = Segment<M::State>;

    fn identity(&self) -> Segment<M::State> {
        segment::<M::State>(0u32, self.op.identity())
    }

    fn combine(&self, left: Segment<M::State>, right: Segment<M::State>) -> Segment<M::State> {
        let joined = self.op.combine(left.state, right.state);
        let state = choose::<M::State>(right.head != 0u32, right.state, joined);
        segment::<M::State>(left.head | right.head, state)
    }
}

#[cube]
impl<T: State, M: Lift<T>> Lift<Both<u32, T>> for Segmented<M> {
    fn lift(&self, item: Both<u32, T>) -> Segment<M::State> {
        segment::<M::State>(select(item.left != 0u32, 1u32, 0u32), self.op.lift(item.right))
    }

    fn push(&self, state: Segment<M::State>, item: Both<u32, T>) -> Segment<M::State> {
        let head = item.left != 0u32;
        let pushed = self.op.push(state.state, item.right);
        let folded = choose::<M::State>(head, self.op.lift(item.right), pushed);
        segment::<M::State>(select(head, 1u32, state.head), folded)
    }
}

#[cube]
impl<M: Lower> Lower for Segmented<M> {
    type Output = M::Output;

    fn lower(&self, state: Segment<M::State>) -> M::Output {
        self.op.lower(state.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Affine, AffineMap, Last, Sum};
    use crate::{Device, Source, check_laws};

    #[test]
    fn a_push_is_a_lift_and_a_combine() {
        let op = Segmented::new(Last::<f32>::new());
        let some = op.combine(op.lift(Both { left: 1, right: 2.0 }), op.lift(Both { left: 0, right: 3.0 }));
        for state in [op.identity(), some, op.lift(Both { left: 0, right: -1.0 })] {
            for item in [Both { left: 0, right: 5.0 }, Both { left: 7, right: -0.0 }] {
                assert_eq!(op.push(state, item), op.combine(state, op.lift(item)), "{state:?}, {item:?}");
            }
        }
    }

    #[test]
    fn the_laws_hold() {
        let sums = [segment(0, 0u32), segment(0, 5), segment(1, 0), segment(1, u32::MAX)];
        check_laws(&Segmented::new(Sum::new()), &sums).unwrap();
        let map = |head, scale, shift| segment(head, AffineMap { scale, shift });
        let maps = [map(0, 1, 0), map(0, 3, 4), map(1, 1, 0), map(1, u32::MAX, 7)];
        check_laws(&Segmented::new(Affine::<u32>::new()), &maps).unwrap();
    }

    #[test]
    fn a_scan_restarts_at_every_head() {
        let heads: Vec<u32> = (0..40_000u32).map(|i| u32::from(i.wrapping_mul(2_654_435_761) % 97 == 0) * 8).collect();
        let items: Vec<u32> = (0..40_000).collect();
        let mut running = 0;
        let restarted = heads.iter().zip(&items).map(|(&head, &item)| {
            running = if head != 0 { item } else { running + item };
            running
        });
        let expected: Vec<u32> = restarted.collect();
        let sums = Device::host().scan(&heads.zip(items), &Segmented::new(Sum::new())).unwrap();
        assert_eq!(sums.to_vec().unwrap(), expected);
    }

    #[test]
    fn a_reduce_gives_the_last_segment() {
        let pairs = vec![1u32, 0, 1, 0].zip(vec![1u32, 2, 3, 4]);
        let host = Device::host();
        assert_eq!(host.reduce(&pairs, &Segmented::new(Sum::new())).unwrap().get(0).unwrap(), 7);
        assert_eq!(host.reduce(&pairs, &Segmented::new(Last::new())).unwrap().get(0).unwrap().get(), Some(4));
    }
}
