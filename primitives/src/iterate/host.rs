//! The host's loops: a step folds fixed chunks on rayon.

use rayon::prelude::*;

use super::plan::Task;
use super::{Feedback, Moment};
use crate::views::HostView;
use crate::{Monoid, State};

/// Items of a chunk. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
const CHUNK: u64 = 1 << 12;

/// The shared states of all loops, one loop after another.
pub fn iterate<V: HostView, O: Feedback<V::Item>>(view: &V, op: &O, task: &Task) -> Vec<O::Shared> {
    let histories = (0..task.members).into_par_iter().map(|member| run(view, op, task, member));
    histories.flatten_iter().collect()
}

/// The shared states of a loop.
fn run<V: HostView, O: Feedback<V::Item>>(view: &V, op: &O, task: &Task, member: u32) -> Vec<O::Shared> {
    let setting = op.setting(member);
    let mut shared = op.start(setting);
    let mut states = Vec::with_capacity(task.steps as usize + 1);
    let mut history = vec![0; (task.steps as usize + 1) * O::Shared::WORDS];
    let mut totals = vec![0; task.keys as usize * O::State::WORDS];
    shared.pack(&mut history, 0);
    states.push(shared);
    for step in 0..task.steps {
        let now = Moment { member, step, origin: 0 };
        let folded = fold(task, op, |sums, index| push(view, op, sums, index, (setting, shared, now)));
        for (key, state) in folded.into_iter().enumerate() {
            state.pack(&mut totals, key * O::State::WORDS);
        }
        shared = op.update(&totals, &history, setting, shared, now);
        shared.pack(&mut history, (step as usize + 1) * O::Shared::WORDS);
        states.push(shared);
    }
    states
}

/// The item's state on top of the sum of its key, if that is one.
fn push<V: HostView, O: Feedback<V::Item>>(
    view: &V,
    op: &O,
    sums: &mut [O::State],
    index: u64,
    (setting, shared, now): (O::Setting, O::Shared, Moment),
) {
    let item = view.read(index);
    if let Some(sum) = sums.get_mut(op.key(item, setting, shared, now) as usize) {
        *sum = op.combine(*sum, op.respond(item, setting, shared, now));
    }
}

/// The folds of all keys: of chunks in parallel, then of the chunks in order.
fn fold<O: Monoid>(task: &Task, op: &O, push: impl Fn(&mut [O::State], u64) + Sync) -> Vec<O::State> {
    let keys = task.keys as usize;
    let chunk = |index: u64| {
        let mut sums = vec![op.identity(); keys];
        (index * CHUNK..task.len.min((index + 1) * CHUNK)).for_each(|index| push(&mut sums, index));
        sums
    };
    let chunks = task.len.div_ceil(CHUNK);
    if chunks <= 1 {
        return chunk(0);
    }
    let folded: Vec<Vec<O::State>> = (0..chunks).into_par_iter().map(chunk).collect();
    let mut sums = vec![op.identity(); keys];
    for chunk in folded {
        for (sum, state) in sums.iter_mut().zip(chunk) {
            *sum = op.combine(*sum, state);
        }
    }
    sums
}
