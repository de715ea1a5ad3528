//! The operators of a histogram: the bin that an item counts in, and the sum over the copies of a bin.

use cubecl::prelude::*;

use crate::views::{Mapping, MappingExpand};
use crate::{Both, Captured, Operator, State, Wide, wide_add};

/// The bin of an item; `beyond` where there is no such bin.
#[derive(Debug, Clone, Operator)]
pub struct Binned<B: Operator> {
    binning: B,
    bins: u32,
    beyond: u32,
}

impl<B: Operator> Binned<B> {
    pub fn new(binning: B, bins: u32, beyond: u32) -> Self {
        Binned { binning, bins, beyond }
    }
}

#[cube]
impl<T: State, B: Mapping<T, Output = u32>> Mapping<T> for Binned<B> {
    type Output = u32;

    fn map(&self, item: T) -> u32 {
        let bin = self.binning.map(item);
        select(bin < self.bins, bin, self.beyond)
    }
}

/// The sum over all copies of a bin.
#[derive(Debug, Clone, Operator)]
pub struct Total {
    counts: Captured<u32>,
    bins: u32,
    copies: u32,
}

impl Total {
    pub fn new(counts: Captured<u32>, bins: u32, copies: u32) -> Self {
        Total { counts, bins, copies }
    }
}

#[cube]
impl Mapping<Wide> for Total {
    type Output = Wide;

    fn map(&self, bin: Wide) -> Wide {
        let mut total = Wide { low: 0u32.runtime(), high: 0u32.runtime() };
        for copy in 0..self.copies {
            let count = self.counts[(copy * self.bins + bin.low) as usize];
            total = wide_add(total, Wide { low: count, high: 0u32.runtime() });
        }
        total
    }
}

/// The sum of two counts.
#[derive(Debug, Clone, Operator)]
pub struct Added;

#[cube]
impl Mapping<Both<Wide, Wide>> for Added {
    type Output = Wide;

    fn map(&self, counts: Both<Wide, Wide>) -> Wide {
        wide_add(counts.left, counts.right)
    }
}
