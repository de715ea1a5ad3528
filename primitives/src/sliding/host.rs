//! The host's sliding fold: runs of whole blocks on rayon, with the suffixes of one block at hand.

use rayon::prelude::*;

use crate::views::HostView;
use crate::{Lift, Lower};

/// Items of a run, at least. What a row's result is grouped by depends on its block alone, so that its bits do not depend
/// on runs or threads.
const RUN: usize = 1 << 14;

/// The longest block that is folded here. Longer ones are too few for all threads: they are scanned.
pub const LONGEST: u32 = RUN as u32;

/// Folds the last `block` items of every row of `view`.
pub fn slide<V, O>(view: &V, len: usize, block: usize, op: &O) -> Vec<O::Output>
where
    V: HostView,
    O: Lift<V::Item> + Lower,
{
    let mut results = vec![op.lower(op.identity()); len];
    let run = block * RUN.div_ceil(block);
    results.par_chunks_mut(run).enumerate().for_each(|(place, results)| {
        let mut suffixes = vec![op.identity(); block];
        for (offset, results) in results.chunks_mut(block).enumerate() {
            let start = place * run + offset * block;
            if start > 0 {
                fold_suffixes(view, start - block, &mut suffixes, op);
            }
            fold_windows(view, start, &suffixes, results, op);
        }
    });
    results
}

/// The folds from every row of a block to its end.
fn fold_suffixes<V: HostView, O: Lift<V::Item>>(view: &V, start: usize, suffixes: &mut [O::State], op: &O) {
    let mut running = op.identity();
    for (place, suffix) in suffixes.iter_mut().enumerate().rev() {
        running = op.combine(op.lift(view.read((start + place) as u64)), running);
        *suffix = running;
    }
}

/// The windows that end in a block, after the suffixes of the block before.
fn fold_windows<V, O>(view: &V, start: usize, suffixes: &[O::State], results: &mut [O::Output], op: &O)
where
    V: HostView,
    O: Lift<V::Item> + Lower,
{
    let mut prefix = op.identity();
    for (place, result) in results.iter_mut().enumerate() {
        prefix = op.combine(prefix, op.lift(view.read((start + place) as u64)));
        let window = match suffixes.get(place + 1) {
            Some(&suffix) if start > 0 => op.combine(suffix, prefix),
            // A window that is a block is its prefix, and so is one that is not full yet.
            _ => prefix,
        };
        *result = op.lower(window);
    }
}
