//! The fold of a segment, from the scan of the segments.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::views::{Mapping, MappingExpand};
use crate::{Both, Captured, Lower, LowerExpand, MonoidExpand, State, state_of};

/// The fold of the items from the left offset to before the right one: the last of the segment's scanned states, and the
/// identity where the segment is empty or not inside the items.
#[derive(Debug, Clone, Operator)]
pub struct Folds<O: Lower> {
    op: O,
    /// The words of the scanned states.
    states: Captured<u32>,
    len: u32,
}

impl<O: Lower> Folds<O> {
    pub fn new(op: O, states: Captured<u32>, len: u32) -> Self {
        Folds { op, states, len }
    }
}

#[cube]
impl<O: Lower> Mapping<Both<u32, u32>> for Folds<O> {
    type Output = O::Output;

    fn map(&self, bounds: Both<u32, u32>) -> O::Output {
        let mut state = self.op.identity();
        if bounds.left < bounds.right && bounds.right <= self.len {
            let place = (bounds.right - 1) as usize * comptime!(O::State::WORDS);
            let mut words = Sequence::<u32>::new();
            #[unroll]
            for word in 0..comptime!(O::State::WORDS) {
                words.push(self.states[place + word]);
            }
            state = state_of::<O::State>(&words);
        }
        self.op.lower(state)
    }
}
