//! Going on with states that an earlier launch has folded.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand};

/// The same monoid over items that are states already.
#[derive(Debug, Clone, Copy, Operator)]
#[operator(like = O)]
pub struct Resume<O: Lower> {
    op: O,
}

impl<O: Lower> Resume<O> {
    /// Goes on with the states of `op`.
    pub fn new(op: O) -> Self {
        Resume { op }
    }
}

#[cube]
impl<O: Lower> Monoid for Resume<O> {
    type State = O::State;

    fn identity(&self) -> O::State {
        self.op.identity()
    }

    fn combine(&self, left: O::State, right: O::State) -> O::State {
        self.op.combine(left, right)
    }
}

#[cube]
impl<O: Lower> Lift<O::State> for Resume<O> {
    fn lift(&self, item: O::State) -> O::State {
        item
    }
}

#[cube]
impl<O: Lower> Lower for Resume<O> {
    type Output = O::Output;

    fn lower(&self, state: O::State) -> O::Output {
        self.op.lower(state)
    }
}

/// States in, states out: the monoid of `O` without its lift and lower.
#[derive(Debug, Clone, Copy, Operator)]
#[operator(like = O)]
pub struct States<O: Monoid> {
    op: O,
}

impl<O: Monoid> States<O> {
    /// The bare monoid of `op`.
    pub fn new(op: O) -> Self {
        States { op }
    }
}

#[cube]
impl<O: Monoid> Monoid for States<O> {
    type State = O::State;

    fn identity(&self) -> O::State {
        self.op.identity()
    }

    fn combine(&self, left: O::State, right: O::State) -> O::State {
        self.op.combine(left, right)
    }
}

#[cube]
impl<O: Monoid> Lift<O::State> for States<O> {
    fn lift(&self, item: O::State) -> O::State {
        item
    }
}

#[cube]
impl<O: Monoid> Lower for States<O> {
    type Output = O::State;

    fn lower(&self, state: O::State) -> O::State {
        state
    }
}
