//! The folds of a cube, one a key.

use cubecl::prelude::*;

use super::{Feedback, FeedbackExpand, Moment, PREPARED};
use crate::ops::carried;
use crate::rng::Random;
use crate::tile::{fetch, keep, kept, plane_folds, registers, shared_load, shared_store, shuffled_from, store};
use crate::views::{View, ViewExpand};
use crate::{Monoid, MonoidExpand, State, Wide};

/// What a loop is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blueprint {
    /// Length of shared arrays and of unrolled folds.
    pub units: u32,
    /// Units of a plane that exchange by shuffles; 0 for the path through shared memory.
    pub plane: u32,
    /// Registers of a unit, and the length of shared arrays.
    pub keys: u32,
    /// Items of a unit, the last ones, that are prepared while it waits.
    pub ahead: u32,
    /// Units that look at what other cubes tell, where cubes stay: the first ones.
    pub listening: u32,
    /// Cubes that each of them looks at together.
    pub looks: u32,
    /// Slots for the messages of the cubes: for as many of them as units look at in whole rounds.
    pub pitch: u32,
    /// Whether there is a cube for each of these slots.
    pub full: bool,
}

impl Blueprint {
    /// Slots of shared memory for a state each: of every key, one a plane, or one a unit.
    pub fn slots(self) -> u32 {
        self.keys * self.groups()
    }

    /// Words of a message: the states of all keys.
    pub fn words<S: State>(self) -> u32 {
        self.keys * S::WORDS as u32
    }

    /// States of a key that meet in shared memory.
    pub fn groups(self) -> u32 {
        if self.plane > 0 { self.units / self.plane } else { self.units }
    }
}

/// Registers with the identity for every key.
#[cube]
pub fn nothing<O: Monoid>(op: &O, #[comptime] keys: u32) -> Array<u32> {
    let mut sums = registers::<O::State>(keys);
    #[unroll]
    for key in 0..keys {
        keep::<O::State>(&mut sums, op.identity(), key);
    }
    sums
}

/// The first item of the unit where they are dealt to `cubes` cubes: as many as a plane has units to each in turn, so that where
/// neighbours are alike every cube has some of all.
#[cube]
pub fn first_item(cube: u32, cubes: u32, #[comptime] blueprint: Blueprint) -> u32 {
    let side = comptime!(if blueprint.plane > 0 { blueprint.plane } else { blueprint.units.min(32) });
    (UNIT_POS / side * cubes + cube) * side + UNIT_POS % side
}

/// How many of `first`, `first + stride`, … are below `len`; without a sum that could leave 32 bits.
#[cube]
pub fn share(first: u32, stride: u32, len: u32) -> u32 {
    select(first < len, (len - first - 1) / stride + 1, 0u32)
}

/// Folds a state into the register of its key, if that is one.
#[cube]
fn push<O: Monoid>(op: &O, sums: &mut Array<u32>, state: O::State, key: u32, #[comptime] keys: u32) {
    #[unroll]
    for index in 0..keys {
        if key == index {
            let folded = op.combine(kept::<O::State>(&*sums, index), state);
            keep::<O::State>(sums, folded, index);
        }
    }
}

/// Registers for what is prepared of `ahead` items.
#[cube]
pub fn unprepared(#[comptime] ahead: u32) -> Array<u32> {
    let mut prepared = registers::<Random>(comptime!(ahead.max(1)));
    #[unroll]
    for word in 0..comptime!(ahead as usize * <Random as State>::WORDS) {
        prepared[word] = 0u32.runtime();
    }
    prepared
}

/// Prepares the last `ahead` of the items `first`, `first + stride`, …, of which there are `rounds`, if that is due: where `now` is the
/// first of the steps for which items are prepared at once, or of a launch.
#[cube]
pub fn prepare<V: View, O: Feedback<V::Item>>(
    view: &V,
    op: &O,
    first: u32,
    stride: u32,
    rounds: u32,
    setting: O::Setting,
    now: Moment,
    start: bool,
    prepared: &mut Array<u32>,
    #[comptime] ahead: u32,
) {
    if comptime!(ahead > 0) {
        let within = now.step % PREPARED;
        if start || within == 0u32 {
            let from = Moment { member: now.member, step: now.step - within, origin: now.origin };
            #[unroll]
            for place in 0..ahead {
                if place < rounds {
                    let item = view.read(Wide { low: first + (rounds - 1u32 - place) * stride, high: 0u32.runtime() });
                    keep::<Random>(prepared, op.prepare(item, setting, from), place);
                }
            }
        }
    }
}

/// The word of a step among those for [`PREPARED`].
#[cube]
fn word_of(words: Random, step: u32) -> u32 {
    let odd = (step & 1u32) != 0u32;
    select((step & 2u32) != 0u32, select(odd, words.d, words.c), select(odd, words.b, words.a))
}

/// The unit's folds of the items `first`, `first + stride`, …, of which there are `rounds`; the last ones are `prepared`, or none
/// where `ahead` is 0.
#[cube]
pub fn unit_folds<V: View, O: Feedback<V::Item>>(
    view: &V,
    op: &O,
    first: u32,
    stride: u32,
    rounds: u32,
    setting: O::Setting,
    shared: O::Shared,
    now: Moment,
    prepared: &Array<u32>,
    #[comptime] ahead: u32,
    #[comptime] keys: u32,
) -> Array<u32> {
    let mut sums = nothing::<O>(op, keys);
    // Where items of a key lie together, one fold goes on from item to item, and into its register when another key comes.
    let mut current = keys.runtime();
    if rounds > 0 {
        current = op.key(view.read(Wide { low: first, high: 0u32.runtime() }), setting, shared, now);
    }
    let mut run = op.identity();
    let alone = rounds - min(rounds, ahead);
    for round in 0..alone {
        let item = view.read(Wide { low: first + round * stride, high: 0u32.runtime() });
        let key = op.key(item, setting, shared, now);
        if key != current {
            push::<O>(op, &mut sums, run, current, keys);
            run = op.identity();
            current = key;
        }
        let folded = op.combine(run, op.respond(item, setting, shared, now));
        run = carried::<O>(op, round < alone, folded);
    }
    #[unroll]
    for at in 0..ahead {
        let place = comptime!(ahead - 1 - at);
        if place < rounds {
            let item = view.read(Wide { low: first + (rounds - 1u32 - place) * stride, high: 0u32.runtime() });
            let key = op.key(item, setting, shared, now);
            if key != current {
                push::<O>(op, &mut sums, run, current, keys);
                run = op.identity();
                current = key;
            }
            let known = word_of(kept::<Random>(prepared, place), now.step);
            run = op.combine(run, op.respond_prepared(item, known, setting, shared, now));
        }
    }
    push::<O>(op, &mut sums, run, current, keys);
    sums
}

/// The folds of all units of the cube: that of key `k` is right on unit `k`. Units from `active` on have nothing to fold.
/// `states` holds `blueprint.slots()` states and may be used again after the next barrier; every unit has passed a barrier in here.
#[cube]
pub fn cube_folds<O: Monoid>(
    op: &O,
    sums: &mut Array<u32>,
    active: u32,
    states: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) -> O::State {
    if comptime!(blueprint.plane > 0) {
        planes_folds::<O>(op, sums, active, states, blueprint)
    } else {
        units_folds::<O>(op, &*sums, states, blueprint)
    }
}

/// By shuffles within the planes, then within the first.
#[cube]
fn planes_folds<O: Monoid>(
    op: &O,
    sums: &mut Array<u32>,
    active: u32,
    states: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) -> O::State {
    let keys = comptime!(blueprint.keys);
    let plane = comptime!(blueprint.plane);
    let groups = comptime!(blueprint.groups());
    let slots = comptime!(blueprint.slots());
    let own = UNIT_POS / plane;
    let folding = min(active.div_ceil(plane), groups);
    if own < folding {
        let folded = plane_folds::<O>(op, sums, keys, plane);
        if UNIT_POS_PLANE < keys {
            shared_store::<O::State>(states, UNIT_POS_PLANE * groups + own, folded, slots);
        }
    }
    // Protects: the folds of all planes are there.
    sync_cube();
    let mut folded = op.identity();
    if own == 0 {
        let mut parts = nothing::<O>(op, keys);
        #[unroll]
        for round in 0..comptime!(groups.div_ceil(plane)) {
            let group = UNIT_POS_PLANE + comptime!(round * plane);
            if group < folding {
                #[unroll]
                for key in 0..keys {
                    let part = shared_load::<O::State>(&*states, comptime!(key * groups) + group, slots);
                    let sum = op.combine(kept::<O::State>(&parts, key), part);
                    keep::<O::State>(&mut parts, sum, key);
                }
            }
        }
        folded = plane_folds::<O>(op, &mut parts, keys, comptime!(groups.min(plane)));
    }
    folded
}

/// By halving distances in shared memory.
#[cube]
fn units_folds<O: Monoid>(
    op: &O,
    sums: &Array<u32>,
    states: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) -> O::State {
    let keys = comptime!(blueprint.keys);
    let units = comptime!(blueprint.units);
    let slots = comptime!(blueprint.slots());
    #[unroll]
    for key in 0..keys {
        let slot = UNIT_POS + comptime!(key * units);
        shared_store::<O::State>(states, slot, kept::<O::State>(sums, key), slots);
    }
    let steps = comptime!(units.ilog2());
    #[unroll]
    for step in 0..steps {
        let distance = comptime!(units >> (step + 1));
        // Protects: the partner's states of the last step are there.
        sync_cube();
        if UNIT_POS < distance {
            #[unroll]
            for key in 0..keys {
                let slot = UNIT_POS + comptime!(key * units);
                let after = shared_load::<O::State>(&*states, slot + distance, slots);
                let folded = op.combine(shared_load::<O::State>(&*states, slot, slots), after);
                shared_store::<O::State>(states, slot, folded, slots);
            }
        }
    }
    // Protects: the first unit's states are the cube's.
    sync_cube();
    shared_load::<O::State>(&*states, min(UNIT_POS, comptime!(keys - 1)) * units, slots)
}

/// The folds that [`cube_folds`] gave, all of them on the first unit.
#[cube]
pub fn totals<O: Monoid>(
    op: &O,
    folded: O::State,
    states: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) -> Array<u32> {
    let keys = comptime!(blueprint.keys);
    let mut totals = nothing::<O>(op, keys);
    if comptime!(blueprint.plane > 0) {
        if UNIT_POS < comptime!(blueprint.plane) {
            #[unroll]
            for key in 0..keys {
                keep::<O::State>(&mut totals, shuffled_from::<O::State>(folded, key), key);
            }
        }
    } else {
        // Protects: what was read of the states is read.
        sync_cube();
        if UNIT_POS < keys {
            store::<O::State>(&mut *states, UNIT_POS, folded);
        }
        // Protects: the first unit reads what others store.
        sync_cube();
        if UNIT_POS == 0 {
            #[unroll]
            for key in 0..keys {
                keep::<O::State>(&mut totals, fetch::<O::State>(&*states, key), key);
            }
        }
    }
    totals
}
