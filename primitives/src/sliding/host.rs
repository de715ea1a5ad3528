//! The host's sliding fold: runs of whole blocks on rayon, with the suffixes of one block at hand.

use crate::collect::host::filled;
use crate::reduce::host::{ABREAST, abreast};
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
    let run = block * RUN.div_ceil(block);
    let abreast = abreast(len.div_ceil(run) as u64) as usize;
    filled(len, run * abreast, op.lower(op.identity()), |start, results| {
        // Before the first run there is no block, and the last ones are shorter.
        if start > 0 && results.len() == ABREAST * run {
            return slide_abreast::<V, O, ABREAST>(view, start, block, results, op);
        }
        for (place, results) in results.chunks_mut(run).enumerate() {
            slide_abreast::<V, O, 1>(view, start + place * run, block, results, op);
        }
    })
}

/// `N` neighbouring runs of equal length from item `start` on, item by item in turn.
fn slide_abreast<V, O, const N: usize>(view: &V, start: usize, block: usize, results: &mut [O::Output], op: &O)
where
    V: HostView,
    O: Lift<V::Item> + Lower,
{
    let run = results.len() / N;
    let mut suffixes = vec![[op.identity(); N]; block];
    for first in (0..run).step_by(block) {
        let (from, end) = (start + first, run.min(first + block));
        let item = |lane: usize, index: usize| op.lift(view.read((lane * run + index) as u64));
        // The folds from every row of the block before to its end,
        if from > 0 {
            let mut running = [op.identity(); N];
            for (place, suffix) in suffixes.iter_mut().enumerate().rev() {
                for (lane, running) in running.iter_mut().enumerate() {
                    *running = op.combine(item(lane, from - block + place), *running);
                    suffix[lane] = *running;
                }
            }
        }
        // and the windows that end in this one.
        let mut prefix = [op.identity(); N];
        for place in first..end {
            // A window that is a block is its prefix, and so is one that is not full yet.
            let suffix = suffixes.get(place - first + 1).filter(|_| from > 0);
            for (lane, prefix) in prefix.iter_mut().enumerate() {
                *prefix = op.combine(*prefix, item(lane, start + place));
                let window = suffix.map_or(*prefix, |suffix| op.combine(suffix[lane], *prefix));
                results[lane * run + place] = op.lower(window);
            }
        }
    }
}
