//! The host's reduction: fixed chunks on rayon, folded in order.

use rayon::prelude::*;

use crate::views::HostView;
use crate::{Lift, Lower, Monoid};

/// Items of a chunk. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
const CHUNK: u64 = 1 << 14;

/// Folds all `len` items of `view`.
pub fn fold<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, op: &O) -> O::Output {
    let chunks = len.div_ceil(CHUNK);
    let fold_chunk = |chunk: u64| {
        let end = len.min((chunk + 1) * CHUNK);
        fold_run(view, chunk * CHUNK, end, op)
    };
    let partials: Vec<O::State> = (0..chunks).into_par_iter().map(fold_chunk).collect();
    op.lower(fold_states(partials, op))
}

/// Folds the items `start..end` in order.
pub fn fold_run<V: HostView, O: Lift<V::Item>>(view: &V, start: u64, end: u64, op: &O) -> O::State {
    let lifted = (start..end).map(|index| op.lift(view.read(index)));
    lifted.reduce(|left, right| op.combine(left, right)).unwrap_or_else(|| op.identity())
}

/// Folds states in order.
pub fn fold_states<O: Monoid>(states: impl IntoIterator<Item = O::State>, op: &O) -> O::State {
    states.into_iter().reduce(|left, right| op.combine(left, right)).unwrap_or_else(|| op.identity())
}
