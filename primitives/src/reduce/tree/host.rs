//! The host's tree: blocks on rayon, then pairs of blocks.

use rayon::prelude::*;

use crate::reduce::host::each_run;
use crate::views::HostView;
use crate::{Lift, Lower, Monoid};

/// Items that a task folds at a time. A power of two runs; no bit depends on it.
const BLOCK: u64 = 1 << 14;

/// Folds all `len` items of `view`.
pub fn fold<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, op: &O) -> O::Output {
    op.lower(fold_part(view, 0, len, op))
}

/// Folds every `block` of the `len` items of `view` apart.
pub fn fold_blocks<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, block: u64, op: &O) -> Vec<O::Output> {
    let starts = (0..len.div_ceil(block)).into_par_iter().map(|index| index * block);
    starts.map(|start| op.lower(fold_part(view, start, len.min(start.saturating_add(block)), op))).collect()
}

/// Folds the items from `start`, with which a block begins, to before `end`.
fn fold_part<V: HostView, O: Lift<V::Item>>(view: &V, start: u64, end: u64, op: &O) -> O::State {
    let starts = (0..(end - start).div_ceil(BLOCK)).into_par_iter().map(|index| start + index * BLOCK);
    fold_pairs(op, starts.map(|start| fold_pairs(op, each_run(view, start, end.min(start + BLOCK), op))).collect())
}

/// Folds states as a tree: neighbours, then neighbours of neighbours; one without a right neighbour goes up as it is. No states
/// give the identity.
///
/// It is the tree of a reproducible [`reduce_with`](crate::Device::reduce_with): the states of aligned blocks of 2^k items (k ≥
/// 4, the last block may be shorter), each folded apart, combine to the bits that all items at once would have. Work n, span
/// log n.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ReduceOptions, Source, fold_pairs, ops::Sum};
///
/// let (device, sum) = (Device::host(), Sum::<f32>::new());
/// let options = ReduceOptions { reproducible: true };
/// let prices: Vec<f32> = (0..100).map(|day| 1.0 + (day as f32).sin()).collect();
/// let block = |start, len| device.reduce_with(&prices.as_slice().slice(start, len)?, &sum, &options)?.get(0);
/// let total = fold_pairs(&sum, vec![block(0, 64)?, block(64, 36)?]);
/// assert_eq!(total, device.reduce_with(&prices, &sum, &options)?.get(0)?);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
pub fn fold_pairs<O: Monoid>(op: &O, mut states: Vec<O::State>) -> O::State {
    while states.len() > 1 {
        let len = states.len();
        for pair in 0..len / 2 {
            states[pair] = op.combine(states[2 * pair], states[2 * pair + 1]);
        }
        if len % 2 == 1 {
            states[len / 2] = states[len - 1];
        }
        states.truncate(len.div_ceil(2));
    }
    states.first().copied().unwrap_or_else(|| op.identity())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Moments, Sum};
    use crate::{Device, ReduceOptions, Source};

    fn prices(len: usize) -> Vec<f32> {
        (0..len as u32).map(|day| (day.wrapping_mul(0x9e37_79b1) >> 9) as f32 * 1e-6 - 3.0).collect()
    }

    /// The tree as it is defined, without cutting anything.
    fn by_definition(items: &[f32]) -> f32 {
        let runs: Vec<f32> = items.chunks(16).map(|run| run.iter().copied().reduce(|a, b| a + b).unwrap()).collect();
        fn node(runs: &[f32], level: u32) -> f32 {
            if level == 0 {
                return runs[0];
            }
            let half = 1 << (level - 1);
            if runs.len() <= half {
                return node(runs, level - 1);
            }
            node(&runs[..half], level - 1) + node(&runs[half..], level - 1)
        }
        if runs.is_empty() { 0.0 } else { node(&runs, 40) }
    }

    #[test]
    fn a_fold_is_the_tree_as_it_is_defined() {
        for len in [0, 1, 15, 16, 17, 31, 48, 49, 255, 1000, 16_383, 16_384, 16_385, 65_537, 100_003] {
            let items = prices(len);
            let sum = fold(&items.as_slice().on_host().unwrap(), len as u64, &Sum::<f32>::new());
            assert_eq!(sum.to_bits(), by_definition(&items).to_bits(), "{len} items");
        }
    }

    #[test]
    fn blocks_of_a_power_of_two_combine_to_the_whole() {
        let options = ReduceOptions { reproducible: true };
        for len in [1usize, 16, 100, 4096, 50_001] {
            let (items, op, host) = (prices(len), Moments::<f32>::new(), Device::host());
            let whole = host.reduce_with(&items, &op, &options).unwrap().get(0).unwrap();
            for block in [16, 32, 64, 1024, 4096, 1 << 15] {
                let states = items.chunks(block).map(|block| host.reduce_with(block, &op, &options).unwrap().get(0));
                let combined = fold_pairs(&op, states.map(Result::unwrap).collect());
                assert_eq!(combined, whole, "{len} items in blocks of {block}");
            }
        }
    }
}
