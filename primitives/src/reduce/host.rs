//! The host's reduction: fixed chunks on rayon, folded in order.

use std::array::from_fn;

use rayon::prelude::*;

use crate::views::HostView;
use crate::{Lift, Lower, Monoid};

/// Items of a chunk. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
pub const CHUNK: u64 = 1 << 14;

/// Items of a run, from scratch: where an operator divides once a run, dividing takes little of the time, and sums of
/// differences from the first item lose little when it lies far from the others.
const RUN: u64 = 16;

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
        if end - first == ABREAST as u64 && end * CHUNK <= len {
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
    let runs = (start..end).step_by(RUN as usize);
    fold_states(runs.map(|start| fold_run(view, start, end.min(start + RUN), op)), op)
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
