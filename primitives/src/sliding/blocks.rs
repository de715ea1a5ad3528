//! Where blocks begin, and states that are not lowered yet.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::views::{Mapping, MappingExpand};
use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Wide};

/// Marks the rows at which a scan starts anew: those that leave `at` when divided by the length of a block.
#[derive(Debug, Clone, Copy, Operator)]
pub struct Heads {
    block: u32,
    at: u32,
}

impl Heads {
    /// The first row of every block.
    pub fn first_of(block: u32) -> Self {
        Heads { block, at: 0 }
    }

    /// The last row of every block, counted from the end of `len` rows.
    pub fn last_of(block: u32, len: u32) -> Self {
        Heads { block, at: len % block }
    }
}

#[cube]
impl Mapping<Wide> for Heads {
    type Output = u32;

    fn map(&self, row: Wide) -> u32 {
        select(row.low % self.block == self.at, 1u32, 0u32)
    }
}

/// `O` without its lower: items in, states out.
#[derive(Debug, Clone, Copy, Operator)]
#[operator(like = O)]
pub struct Unlowered<O: Monoid> {
    op: O,
}

impl<O: Monoid> Unlowered<O> {
    pub fn new(op: O) -> Self {
        Unlowered { op }
    }
}

#[cube]
impl<O: Monoid> Monoid for Unlowered<O> {
    type State = O::State;

    fn identity(&self) -> O::State {
        self.op.identity()
    }

    fn combine(&self, left: O::State, right: O::State) -> O::State {
        self.op.combine(left, right)
    }
}

#[cube]
impl<T: crate::State, O: Lift<T>> Lift<T> for Unlowered<O> {
    fn lift(&self, item: T) -> O::State {
        self.op.lift(item)
    }
}

#[cube]
impl<O: Monoid> Lower for Unlowered<O> {
    type Output = O::State;

    fn lower(&self, state: O::State) -> O::State {
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_same_ends_from_both_sides() {
        for (len, block) in [(10u32, 3u32), (9, 3), (1, 1), (7, 7), (8, 5)] {
            let marked = |heads: Heads, row: u32| heads.map(u64::from(row).into()) == 1;
            for row in 0..len {
                assert_eq!(marked(Heads::first_of(block), row), row % block == 0);
                let last = (row + 1) % block == 0;
                assert_eq!(marked(Heads::last_of(block, len), len - 1 - row), last, "row {row} of {len}");
            }
        }
    }
}
