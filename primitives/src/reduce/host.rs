//! The host's reduction: fixed chunks on rayon, folded in order.

use std::array::from_fn;

use rayon::prelude::*;

use super::tree;
use crate::lanes::{LANES, Lanes, MOST_WORDS};
use crate::launch_vectors::{Loop, run_widest};
use crate::views::HostView;
use crate::{Lift, Lower, Monoid, State};

/// Items of a chunk. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
pub const CHUNK: u64 = 1 << 14;

/// Items of a run, from scratch: where an operator divides once a run, dividing takes little of the time, and sums of
/// differences from the first item lose little when it lies far from the others.
const RUN: u64 = tree::RUN as u64;

/// Chunks that a thread takes at a time, item by item in turn: a combine need not wait for the one before it, which is of
/// another chunk. No bit depends on it.
pub const ABREAST: usize = 4;

/// Folds all `len` items of `view`.
pub fn fold<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, op: &O) -> O::Output {
    op.lower(fold_states(fold_chunks(view, len, len.div_ceil(CHUNK), op), op))
}

/// The folds of the first `chunks` chunks of `len` items.
pub fn fold_chunks<V: HostView, O: Lift<V::Item>>(view: &V, len: u64, chunks: u64, op: &O) -> Vec<O::State> {
    let bounds = |chunk: u64| (chunk * CHUNK, len.min((chunk + 1) * CHUNK));
    let abreast = abreast(chunks);
    let folded = (0..chunks.div_ceil(abreast)).into_par_iter().map(|group| {
        let (first, end) = (group * abreast, chunks.min((group + 1) * abreast));
        if end - first == ABREAST as u64 && end * CHUNK <= len && !folds_in_lanes::<V, O>(view) {
            return fold_abreast::<V, O, ABREAST>(view, first * CHUNK, op).to_vec();
        }
        (first..end).map(|chunk| fold_runs(view, bounds(chunk).0, bounds(chunk).1, op)).collect()
    });
    folded.flatten_iter().collect()
}

/// Chunks of a task: several abreast where there are tasks enough for all threads.
pub fn abreast(chunks: u64) -> u64 {
    let tasks = 4 * rayon::current_num_threads() as u64;
    if chunks >= tasks * ABREAST as u64 { ABREAST as u64 } else { 1 }
}

/// Folds `N` full chunks from item `start` on.
fn fold_abreast<V: HostView, O: Lift<V::Item>, const N: usize>(view: &V, start: u64, op: &O) -> [O::State; N] {
    let item = |lane: usize, offset: u64| view.read(start + lane as u64 * CHUNK + offset);
    let fold = |offset: u64| {
        let first: [V::Item; N] = from_fn(|lane| item(lane, offset));
        let mut runs: [O::State; N] = from_fn(|lane| op.open(first[lane]));
        for offset in offset + 1..offset + RUN {
            for (lane, run) in runs.iter_mut().enumerate() {
                *run = op.extend(*run, first[lane], item(lane, offset));
            }
        }
        from_fn(|lane| op.close(runs[lane], first[lane]))
    };
    let mut states: [O::State; N] = fold(0);
    for offset in (RUN..CHUNK).step_by(RUN as usize) {
        let runs: [O::State; N] = fold(offset);
        for (state, run) in states.iter_mut().zip(runs) {
            *state = op.combine(*state, run);
        }
    }
    states
}

/// Folds the items `start..end` in order, run after run.
pub fn fold_runs<V: HostView, O: Lift<V::Item>>(view: &V, start: u64, end: u64, op: &O) -> O::State {
    fold_states(each_run(view, start, end, op), op)
}

/// The folds of the runs of the items `start..end`.
pub fn each_run<V: HostView, O: Lift<V::Item>>(view: &V, start: u64, end: u64, op: &O) -> Vec<O::State> {
    let mut states = Vec::with_capacity((end - start).div_ceil(RUN) as usize);
    let mut from = start;
    if folds_in_lanes::<V, O>(view) {
        while end - from >= RUN * LANES as u64 {
            states.extend(run_widest(Runs { view, op, start: from }));
            from += RUN * LANES as u64;
        }
    }
    states.extend((from..end).step_by(RUN as usize).map(|start| fold_run(view, start, end.min(start + RUN), op)));
    states
}

/// Whether runs are folded abreast: where items are computed. Where they lie in memory, fetching them takes the time.
fn folds_in_lanes<V: HostView, O: Lift<V::Item>>(view: &V) -> bool {
    O::State::WORDS <= MOST_WORDS && view.stored().is_none()
}

/// Full runs from item `start` on, a lane each.
struct Runs<'a, V, O> {
    view: &'a V,
    op: &'a O,
    start: u64,
}

impl<V: HostView, O: Lift<V::Item>> Loop for Runs<'_, V, O> {
    type Output = [O::State; LANES];

    #[inline(always)]
    fn run(self) -> [O::State; LANES] {
        let Runs { view, op, start } = self;
        let mut states: Lanes = Lanes::zeroed();
        for lane in 0..LANES {
            states.put(lane, op.open(view.read(start + lane as u64 * RUN)));
        }
        for offset in 1..RUN {
            for lane in 0..LANES {
                let at = start + lane as u64 * RUN;
                let state = op.extend(states.take(lane), view.read(at), view.read(at + offset));
                states.put(lane, state);
            }
        }
        from_fn(|lane| op.close(states.take(lane), view.read(start + lane as u64 * RUN)))
    }
}

/// Folds the items `start..end`, of which there is one at least, as a run.
pub fn fold_run<V: HostView, O: Lift<V::Item>>(view: &V, start: u64, end: u64, op: &O) -> O::State {
    let first = view.read(start);
    let run = (start + 1..end).fold(op.open(first), |run, index| op.extend(run, first, view.read(index)));
    op.close(run, first)
}

/// Folds states in order.
pub fn fold_states<O: Monoid>(states: impl IntoIterator<Item = O::State>, op: &O) -> O::State {
    states.into_iter().reduce(|left, right| op.combine(left, right)).unwrap_or_else(|| op.identity())
}

#[cfg(test)]
mod tests {
    use cubecl::prelude::*;
    use cubefold_derive::Operator;

    use crate::ops::{Affine, Moments};
    use crate::views::{Both, Mapping, MappingExpand, both};
    use crate::{Counter, Device, Lift, Lower, ReduceOptions, Source, Wide, wrapping_mul};

    /// A step of a recurrence that depends on the index.
    #[derive(Debug, Clone, Operator)]
    struct Step;

    #[cube]
    impl Mapping<Wide> for Step {
        type Output = Both<f32, f32>;

        fn map(&self, index: Wide) -> Both<f32, f32> {
            let noise = (wrapping_mul(index.low, 0x9e37_79b1u32) >> 9u32) as f32;
            both::<f32, f32>(noise * 1e-7f32, noise)
        }
    }

    /// A number that depends on the index.
    #[derive(Debug, Clone, Operator)]
    struct Noise;

    #[cube]
    impl Mapping<Wide> for Noise {
        type Output = f32;

        fn map(&self, index: Wide) -> f32 {
            (wrapping_mul(index.low, 0x9e37_79b1u32) >> 9u32) as f32
        }
    }

    /// Computed items are folded in lanes, stored ones are not: the bits are the same.
    fn agree<M, O>(map: M, op: &O)
    where
        M: Mapping<Wide> + Clone,
        O: Lift<M::Output> + Lower,
        O::Output: PartialEq + std::fmt::Debug,
    {
        let host = Device::host();
        for len in [0, 1, 16, 255, 256, 257, 16_384 + 273, 600_001] {
            let computed = Counter::new(len).map(map.clone());
            let stored = host.collect(&computed).unwrap();
            for reproducible in [false, true] {
                let options = ReduceOptions { reproducible };
                let found = host.reduce_with(&computed, op, &options).unwrap().get(0).unwrap();
                let expected = host.reduce_with(&stored, op, &options).unwrap().get(0).unwrap();
                assert_eq!(found, expected, "{len} items, reproducible: {reproducible}");
            }
            let found = host.reduce_blocks(&computed, 512, op).unwrap().to_vec().unwrap();
            assert_eq!(found, host.reduce_blocks(&stored, 512, op).unwrap().to_vec().unwrap(), "blocks of {len} items");
        }
    }

    #[test]
    fn items_in_lanes_fold_to_the_bits_of_those_one_by_one() {
        agree(Noise, &Moments::<f32>::new());
        agree(Step, &Affine::<f32>::new());
    }
}
