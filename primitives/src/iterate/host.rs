//! The host's loops: a step folds fixed chunks on rayon.

use std::sync::Mutex;

use rayon::prelude::*;

use super::feedback::PREPARED;
use super::plan::Task;
use super::prepared::{Found, Prepared, Words};
use super::team::Team;
use super::watch::Watch;
use super::{Feedback, Moment};
use crate::State;
use crate::lanes::{LANES, Lanes, MOST_WORDS};
use crate::launch_vectors::{Loop, run_widest};
use crate::rng::Random;
use crate::views::HostView;

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
    let bounds = (0..chunks).map(|chunk| (task.len.min(chunk * len), task.len.min((chunk + 1) * len)));
    let sums = vec![op.identity(); task.keys as usize];
    let start =
        bounds.map(|(first, end)| Chunk { first, end, sums: sums.clone(), prepared: Prepared::default() }).collect();
    let work = |seen, chunk: &mut Chunk<O::State>| run_widest(Fold { view, op, seen, chunk });
    let helpers = (rayon::current_num_threads() / task.members as usize).min(chunks as usize).saturating_sub(1);
    Team::new(start, work).lead(helpers, |team| {
        let setting = op.setting(member);
        let mut shared = op.start(setting);
        let mut states = Vec::with_capacity(task.steps as usize + 1);
        let mut history = vec![0; (task.steps as usize + 1) * O::Shared::WORDS];
        let mut totals = vec![0; task.keys as usize * O::State::WORDS];
        shared.pack(&mut history, 0);
        states.push(shared);
        for step in 0..task.steps {
            let now = Moment::new(member, step);
            let mut sums = sums.clone();
            let folded = team.step(Seen { setting, shared, now }, |chunk| {
                sums.iter_mut().zip(&chunk.sums).for_each(|(sum, more)| *sum = op.combine(*sum, *more));
            });
            if folded.is_none() {
                break;
            }
            for (key, state) in sums.into_iter().enumerate() {
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

/// Items that whoever has time folds.
struct Chunk<S> {
    first: u64,
    end: u64,
    /// The fold of each key at the last step.
    sums: Vec<S>,
    prepared: Prepared,
}

/// Folds the states of a chunk's items by key.
struct Fold<'a, V: HostView, O: Feedback<V::Item>> {
    view: &'a V,
    op: &'a O,
    seen: Seen<O::Setting, O::Shared>,
    chunk: &'a mut Chunk<O::State>,
}

/// Keys whose folds have lanes; items of other ones are folded one by one.
const WIDE_KEYS: usize = 4;

impl<V: HostView, O: Feedback<V::Item>> Loop for Fold<'_, V, O> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Fold { view, op, seen, chunk } = self;
        let items = Items { op, seen };
        chunk.sums.fill(op.identity());
        let mut from = chunk.first;
        if O::State::WORDS.max(V::Item::WORDS) <= MOST_WORDS {
            // Items of other keys are left out: their states are not asked for.
            let folded = u32::MAX >> (u32::BITS - chunk.sums.len() as u32);
            let mut lanes: [Lanes; WIDE_KEYS] = std::array::from_fn(|_| Lanes::all(op.identity()));
            let mut read: Lanes = Lanes::zeroed();
            for place in 0..((chunk.end - from) / LANES as u64) as usize {
                for lane in 0..LANES {
                    read.put(lane, view.read(from + lane as u64));
                }
                let there = items.keys(&read);
                if seen.now.step % PREPARED == 0 {
                    let mut found = Found::zeroed();
                    items.prepare::<0>(&mut found, &read, there);
                    items.prepare::<1>(&mut found, &read, there);
                    items.prepare::<2>(&mut found, &read, there);
                    items.prepare::<3>(&mut found, &read, there);
                    items.prepare::<WIDE_KEYS>(&mut found, &read, there);
                    chunk.prepared.keep(place, &found);
                }
                let words = chunk.prepared.words(place, seen.now.step);
                let there = there & folded;
                // Neighbours mostly have one key: most keys have nothing to do.
                items.fold::<0>(&mut lanes[0], &read, there, &words);
                items.fold::<1>(&mut lanes[1], &read, there, &words);
                items.fold::<2>(&mut lanes[2], &read, there, &words);
                items.fold::<3>(&mut lanes[3], &read, there, &words);
                if there >> WIDE_KEYS != 0 {
                    (0..LANES).for_each(|lane| items.push(&mut chunk.sums, read.take(lane), WIDE_KEYS));
                }
                from += LANES as u64;
            }
            for (sum, lanes) in chunk.sums.iter_mut().zip(&lanes) {
                *sum = lanes.states().into_iter().fold(*sum, |sum, state| op.combine(sum, state));
            }
        }
        (from..chunk.end).for_each(|index| items.push(&mut chunk.sums, view.read(index), 0));
    }
}

/// What items are at a step.
struct Items<'a, T: State, O: Feedback<T>> {
    op: &'a O,
    seen: Seen<O::Setting, O::Shared>,
}

impl<T: State, O: Feedback<T>> Items<'_, T, O> {
    #[inline(always)]
    fn key(&self, item: T) -> u32 {
        self.op.key(item, self.seen.setting, self.seen.shared, self.seen.now)
    }

    /// The keys of items abreast, as bits; the last bit stands for all keys from 31 on.
    #[inline(always)]
    fn keys(&self, items: &Lanes) -> u32 {
        let mut there = 0;
        for lane in 0..LANES {
            there |= 1 << self.key(items.take(lane)).min(31);
        }
        there
    }

    /// Finds the words of the items whose key is `KEY`, or [`WIDE_KEYS`] or more where `KEY` is that, if any is `there`. As the key is
    /// known while this is compiled, nothing is left of what an operator does for other keys.
    #[inline(always)]
    fn prepare<const KEY: usize>(&self, found: &mut Found, items: &Lanes, there: u32) {
        let own = if KEY < WIDE_KEYS { 1 << KEY } else { u32::MAX << WIDE_KEYS };
        if there & own == 0 {
            return;
        }
        for lane in 0..LANES {
            let item = items.take(lane);
            let before = found.take::<Random>(lane);
            let random = if self.key(item).min(WIDE_KEYS as u32) == KEY as u32 {
                self.op.prepare(item, self.seen.setting, self.seen.now)
            } else {
                before
            };
            found.put(lane, random);
        }
    }

    /// Puts the states of the items whose key is `KEY`, if any is `there`, each on top of its lane.
    #[inline(always)]
    fn fold<const KEY: u32>(&self, lanes: &mut Lanes, items: &Lanes, there: u32, words: &Words) {
        if there & (1 << KEY) == 0 {
            return;
        }
        let Seen { setting, shared, now } = self.seen;
        for (lane, word) in words.iter().enumerate() {
            let item = items.take(lane);
            let sum = lanes.take(lane);
            let more = if self.key(item) == KEY {
                self.op.combine(sum, self.op.respond_prepared(item, *word, setting, shared, now))
            } else {
                sum
            };
            lanes.put(lane, more);
        }
    }

    /// Puts the item's state on top of the sum of its key, if that is one, and not less than `least`.
    fn push(&self, sums: &mut [O::State], item: T, least: usize) {
        let Seen { setting, shared, now } = self.seen;
        let key = self.key(item) as usize;
        if let Some(sum) = sums.get_mut(key).filter(|_| key >= least) {
            *sum = self.op.combine(*sum, self.op.respond(item, setting, shared, now));
        }
    }
}
