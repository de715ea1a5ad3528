//! Continued: a fold that goes on from a state known before, `initial ⊕ x₀ ⊕ x₁ ⊕ …`.
//!
//! The state comes in when a result is lowered, so that it comes in once however the items are cut up, and the monoid
//! and its identity are those of `M`. One combine more a result; the state is uploaded with each launch.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Captured, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State, state_of};

/// `M` continued from a state.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{Continued, Sum}};
///
/// let device = Device::host();
/// let first = device.reduce(&vec![1u32, 2, 3], &Sum::new())?.get(0)?;
/// let sums = device.scan_exclusive(&vec![4u32, 5], &Continued::new(Sum::new(), first))?;
/// assert_eq!(sums.to_vec()?, [6, 10]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Operator)]
#[operator(like = M)]
pub struct Continued<M: Monoid> {
    op: M,
    initial: Captured<u32>,
}

impl<M: Monoid> Continued<M> {
    /// Goes on from `initial`.
    pub fn new(op: M, initial: M::State) -> Self {
        let mut words = vec![0; M::State::WORDS];
        initial.pack(&mut words, 0);
        Continued { op, initial: words.into() }
    }
}

#[cube]
impl<M: Monoid> Monoid for Continued<M> {
    type State = M::State;

    fn identity(&self) -> M::State {
        self.op.identity()
    }

    fn combine(&self, left: M::State, right: M::State) -> M::State {
        self.op.combine(left, right)
    }
}

#[cube]
impl<T: State, M: Lift<T>> Lift<T> for Continued<M> {
    fn lift(&self, item: T) -> M::State {
        self.op.lift(item)
    }

    fn push(&self, state: M::State, item: T) -> M::State {
        self.op.push(state, item)
    }

    fn open(&self, first: T) -> M::State {
        self.op.open(first)
    }

    fn extend(&self, run: M::State, first: T, item: T) -> M::State {
        self.op.extend(run, first, item)
    }

    fn close(&self, run: M::State, first: T) -> M::State {
        self.op.close(run, first)
    }
}

#[cube]
impl<M: Lower> Lower for Continued<M> {
    type Output = M::Output;

    fn lower(&self, state: M::State) -> M::Output {
        let mut words = Sequence::<u32>::new();
        #[unroll]
        for word in 0..comptime!(<M::State as State>::WORDS) {
            words.push(self.initial[word]);
        }
        self.op.lower(self.op.combine(state_of::<M::State>(&words), state))
    }
}
