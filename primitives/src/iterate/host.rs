//! The host's loops: a step folds fixed chunks on rayon.

use std::sync::Mutex;

use rayon::prelude::*;

use super::plan::Task;
use super::team::Team;
use super::watch::Watch;
use super::{Feedback, Moment};
use crate::lanes::{LANES, Lanes, MOST_WORDS};
use crate::launch_vectors::{Loop, run_widest};
use crate::views::HostView;
use crate::{Monoid, State};

/// Items of a chunk, least and most. The number of items alone decides, so that the grouping and with it the bits do not depend on
/// the number of threads.
const LEAST: u64 = 1 << 8;
const MOST: u64 = 1 << 12;

/// Chunks that there are where none has to be short or long for it. Items that lie together are often dear or cheap together; threads
/// share many chunks evenly.
const CHUNKS: u64 = 1 << 4;

/// The shared states of all loops, one loop after another; the first one is watched.
pub fn iterate<V: HostView, O: Feedback<V::Item>>(
    view: &V,
    op: &O,
    task: &Task,
    watch: Watch<O::Shared>,
) -> Vec<O::Shared> {
    let watch = Mutex::new(watch);
    let told = |step: u32, shared: O::Shared| {
        // A watcher that has panicked is told of nothing more.
        if let Ok(mut watch) = watch.lock() {
            // Nothing is read, so nothing fails.
            let _ = watch.reached(step, |_| Ok(shared));
        }
    };
    let histories = (0..task.members).into_par_iter().map(|member| match member {
        0 => run(view, op, task, 0, told),
        _ => run(view, op, task, member, |_, _| ()),
    });
    histories.flatten_iter().collect()
}

/// The shared states of a loop, each of which is told of.
fn run<V: HostView, O: Feedback<V::Item>>(
    view: &V,
    op: &O,
    task: &Task,
    member: u32,
    told: impl Fn(u32, O::Shared),
) -> Vec<O::Shared> {
    // A power of two of them, of equal lengths: any usual number of threads shares them evenly.
    let chunk = task.len.div_ceil(CHUNKS).clamp(LEAST, MOST);
    let chunks = task.len.div_ceil(chunk).next_power_of_two();
    let len = task.len.div_ceil(chunks).next_multiple_of(LANES as u64);
    let work = |seen, chunk: u32| {
        let first = task.len.min(u64::from(chunk) * len);
        let end = task.len.min(first + len);
        run_widest(Chunk { view, op, seen, keys: task.keys as usize, first, end })
    };
    let helpers = (rayon::current_num_threads() / task.members as usize).min(chunks as usize).saturating_sub(1);
    Team::new(chunks as u32, work).lead(helpers, |team| {
        let setting = op.setting(member);
        let mut shared = op.start(setting);
        let mut states = Vec::with_capacity(task.steps as usize + 1);
        let mut history = vec![0; (task.steps as usize + 1) * O::Shared::WORDS];
        let mut totals = vec![0; task.keys as usize * O::State::WORDS];
        shared.pack(&mut history, 0);
        states.push(shared);
        for step in 0..task.steps {
            let now = Moment { member, step, origin: 0 };
            let Some(folded) = team.step(Seen { setting, shared, now }) else { break };
            for (key, state) in sums(op, task, folded).into_iter().enumerate() {
                state.pack(&mut totals, key * O::State::WORDS);
            }
            shared = op.update(&totals, &history, setting, shared, now);
            shared.pack(&mut history, (step as usize + 1) * O::Shared::WORDS);
            states.push(shared);
            told(step + 1, shared);
        }
        states
    })
}

/// What all items of a step see.
#[derive(Clone, Copy)]
struct Seen<S, T> {
    setting: S,
    shared: T,
    now: Moment,
}

/// The folds of all keys, of those of the chunks in order.
fn sums<S: State, O: Monoid<State = S>>(op: &O, task: &Task, chunks: Vec<Vec<S>>) -> Vec<S> {
    let mut sums = vec![op.identity(); task.keys as usize];
    for chunk in chunks {
        for (sum, state) in sums.iter_mut().zip(chunk) {
            *sum = op.combine(*sum, state);
        }
    }
    sums
}

/// Items whose states are folded by key.
struct Chunk<'a, V: HostView, O: Feedback<V::Item>> {
    view: &'a V,
    op: &'a O,
    seen: Seen<O::Setting, O::Shared>,
    keys: usize,
    first: u64,
    end: u64,
}

/// Keys whose folds have lanes; items of other ones are folded one by one.
const WIDE_KEYS: usize = 4;

impl<V: HostView, O: Feedback<V::Item>> Loop for Chunk<'_, V, O> {
    type Output = Vec<O::State>;

    #[inline(always)]
    fn run(self) -> Vec<O::State> {
        let mut sums = vec![self.op.identity(); self.keys];
        let mut from = self.first;
        if O::State::WORDS <= MOST_WORDS {
            // Items of other keys are left out: their states are not asked for.
            let folded = u32::MAX >> (u32::BITS - self.keys as u32);
            let mut lanes: [Lanes; WIDE_KEYS] = std::array::from_fn(|_| Lanes::all(self.op.identity()));
            while self.end - from >= LANES as u64 {
                let there = self.keys_at(from) & folded;
                // Neighbours mostly have one key: most keys have nothing to do.
                self.fold_lanes::<0>(&mut lanes[0], from, there);
                self.fold_lanes::<1>(&mut lanes[1], from, there);
                self.fold_lanes::<2>(&mut lanes[2], from, there);
                self.fold_lanes::<3>(&mut lanes[3], from, there);
                if there >= 1 << WIDE_KEYS {
                    (from..from + LANES as u64).for_each(|index| self.push(&mut sums, index, WIDE_KEYS));
                }
                from += LANES as u64;
            }
            for (sum, lanes) in sums.iter_mut().zip(&lanes) {
                *sum = lanes.states().into_iter().fold(*sum, |sum, state| self.op.combine(sum, state));
            }
        }
        (from..self.end).for_each(|index| self.push(&mut sums, index, 0));
        sums
    }
}

impl<V: HostView, O: Feedback<V::Item>> Chunk<'_, V, O> {
    #[inline(always)]
    fn key(&self, item: V::Item) -> u32 {
        self.op.key(item, self.seen.setting, self.seen.shared, self.seen.now)
    }

    #[inline(always)]
    fn respond(&self, item: V::Item) -> O::State {
        self.op.respond(item, self.seen.setting, self.seen.shared, self.seen.now)
    }

    /// The keys of the items from `first` on, a lane each, as bits; the last bit stands for all keys from 31 on.
    #[inline(always)]
    fn keys_at(&self, first: u64) -> u32 {
        (0..LANES as u64).fold(0, |there, lane| there | 1 << self.key(self.view.read(first + lane)).min(31))
    }

    /// The states of the items from `first` on whose key is `KEY`, each on top of its lane. As the key is known while this is
    /// compiled, nothing is left of what an operator does for other keys.
    #[inline(always)]
    fn fold_lanes<const KEY: u32>(&self, lanes: &mut Lanes, first: u64, there: u32) {
        if there & (1 << KEY) == 0 {
            return;
        }
        for lane in 0..LANES {
            let item = self.view.read(first + lane as u64);
            let sum = lanes.take(lane);
            let more = if self.key(item) == KEY { self.op.combine(sum, self.respond(item)) } else { sum };
            lanes.put(lane, more);
        }
    }

    /// The item's state on top of the sum of its key, if that is one, and not less than `least`.
    fn push(&self, sums: &mut [O::State], index: u64, least: usize) {
        let item = self.view.read(index);
        let key = self.key(item) as usize;
        if let Some(sum) = sums.get_mut(key).filter(|_| key >= least) {
            *sum = self.op.combine(*sum, self.respond(item));
        }
    }
}
