//! The host's reduction: fixed chunks on rayon, folded in order.

use std::array::from_fn;

use rayon::prelude::*;

use crate::views::HostView;
use crate::{Lift, Lower, Monoid};

/// Items of a chunk. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
pub const CHUNK: u64 = 1 << 14;

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
        (first..end).map(|chunk| fold_run(view, bounds(chunk).0, bounds(chunk).1, op)).collect()
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
    let mut states: [O::State; N] = from_fn(|lane| op.lift(item(lane, 0)));
    for offset in 1..CHUNK {
        for (lane, state) in states.iter_mut().enumerate() {
            *state = op.push(*state, item(lane, offset));
        }
    }
    states
}

/// Folds the items `start..end` in order.
pub fn fold_run<V: HostView, O: Lift<V::Item>>(view: &V, start: u64, end: u64, op: &O) -> O::State {
    if start == end {
        return op.identity();
    }
    (start + 1..end).fold(op.lift(view.read(start)), |folded, index| op.push(folded, view.read(index)))
}

/// Folds states in order.
pub fn fold_states<O: Monoid>(states: impl IntoIterator<Item = O::State>, op: &O) -> O::State {
    states.into_iter().reduce(|left, right| op.combine(left, right)).unwrap_or_else(|| op.identity())
}
