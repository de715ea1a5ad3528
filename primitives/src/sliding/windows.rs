//! The one combine that joins the suffix of a block to a prefix of the next.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::ops::choose;
use crate::views::{Mapping, MappingExpand};
use crate::{Both, Captured, Lower, LowerExpand, MonoidExpand, State, Wide, state_of, wrapping_add};

/// The window that ends at a row, from the row and its prefix.
#[derive(Debug, Clone, Operator)]
pub struct Windows<O: Lower> {
    op: O,
    /// The words of the suffixes' states, the last row's first.
    suffixes: Captured<u32>,
    block: u32,
    /// `1 - block`, modulo 2^32: from the last row of a window to its first.
    to_first: u32,
    last: u32,
}

impl<O: Lower> Windows<O> {
    pub fn new(op: O, suffixes: Captured<u32>, block: u32, len: u32) -> Self {
        Windows { op, suffixes, block, to_first: 1u32.wrapping_sub(block), last: len.saturating_sub(1) }
    }
}

#[cube]
impl<O: Lower> Mapping<Both<Wide, O::State>> for Windows<O> {
    type Output = O::Output;

    fn map(&self, item: Both<Wide, O::State>) -> O::Output {
        let row = item.left.low;
        // A window that is a block is its prefix, and so is one that is not full yet.
        let full = row >= self.block;
        let crosses = select(full, row % self.block != self.block - 1, false);
        let first = select(crosses, wrapping_add(row, self.to_first), 0u32);
        let place = (self.last - first) as usize * comptime!(O::State::WORDS);
        let mut words = Sequence::<u32>::new();
        #[unroll]
        for word in 0..comptime!(O::State::WORDS) {
            words.push(self.suffixes[place + word]);
        }
        let suffix = choose::<O::State>(crosses, state_of::<O::State>(&words), self.op.identity());
        let joined = self.op.combine(suffix, item.right);
        self.op.lower(choose::<O::State>(crosses, joined, item.right))
    }
}
