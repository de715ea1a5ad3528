//! The kernels of a loop: a step of many cubes, and all steps in one cube.
#![allow(clippy::explicit_auto_deref)] // what #[cube] writes does not deref by itself

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::totals::{Blueprint, cube_folds, first_item, nothing, prepare, share, totals, unit_folds, unprepared};
use super::{Feedback, FeedbackExpand, Moment};
use crate::ops::carried;
use crate::tile::{fetch, keep, kept, store, words};
use crate::views::View;
use crate::{Monoid, MonoidExpand, State};

/// The unit's folds of the partials of `cubes` cubes, from place `first` on.
#[cube]
fn partial_folds<O: Monoid>(
    op: &O,
    partials: &[u32],
    first: u32,
    cubes: u32,
    #[comptime] blueprint: Blueprint,
) -> Array<u32> {
    let keys = comptime!(blueprint.keys);
    let units = comptime!(blueprint.units);
    let mut sums = nothing::<O>(op, keys);
    let rounds = share(UNIT_POS, units, cubes);
    for round in 0..rounds {
        let cube = UNIT_POS + round * units;
        #[unroll]
        for key in 0..keys {
            let partial = fetch::<O::State>(partials, first + cube * keys + key);
            let folded = op.combine(kept::<O::State>(&sums, key), partial);
            keep::<O::State>(&mut sums, carried::<O>(op, round < rounds, folded), key);
        }
    }
    sums
}

/// A launch of a loop of `end` steps: every cube makes the shared state of the partials that the launch before left, and folds its
/// items under it. Partials of two launches lie apart. The last launch makes a shared state only.
///
/// `told_by` cubes left partials: none before the first step. Launches take `turn` 0 and 1 one after the other. One finds its step in
/// `cursor[turn]`, and leaves the next for the other: a recording of two or more can be played again and again.
#[launched]
#[cube(launch_unchecked)]
pub fn step<V: View, O: Feedback<V::Item>>(
    view: V,
    op: O,
    history: &mut [u32],
    partials: &mut [u32],
    cursor: &mut [u32],
    len: u32,
    cubes: u32,
    told_by: u32,
    turn: u32,
    end: u32,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let mut states = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    let mut told = Shared::<[u32]>::new_slice(comptime!(<O::Shared as State>::WORDS));
    let setting = op.setting(0u32.runtime());
    let step = cursor[turn as usize];
    let other = 1u32 - turn;
    let last = fetch::<O::Shared>(&*history, step - min(step, 1u32));
    let mut sums = partial_folds::<O>(&op, &*partials, other * cubes * keys, told_by, blueprint);
    let folded = cube_folds::<O>(&op, &mut sums, told_by, &mut states, blueprint);
    let totals = totals::<O>(&op, folded, &mut states, blueprint);
    if UNIT_POS == 0 {
        if step > 0 {
            let before = Moment { member: 0u32.runtime(), step: step - 1, origin: 0u32.runtime() };
            store::<O::Shared>(&mut *told, 0u32, op.update(words(&totals), &*history, setting, last, before));
        } else {
            store::<O::Shared>(&mut *told, 0u32, op.start(setting));
        }
        if CUBE_POS == 0 {
            store::<O::Shared>(history, step, fetch::<O::Shared>(&*told, 0u32));
            cursor[other as usize] = step + 1;
        }
    }
    // Protects: every unit reads the shared state, and `states` are read before they are written anew.
    sync_cube();
    let shared = fetch::<O::Shared>(&*told, 0u32);
    let now = Moment { member: 0u32.runtime(), step, origin: 0u32.runtime() };
    let cube = CUBE_POS as u32;
    let first = first_item(cube, cubes, blueprint);
    let stride = cubes * comptime!(blueprint.units);
    // After the last step there are no items: barriers are for all.
    let rounds = share(first, stride, select(step < end, len, 0u32));
    let mut sums =
        unit_folds::<V, O>(&view, &op, first, stride, rounds, setting, shared, now, &unprepared(1u32), 0u32, keys);
    let folded = cube_folds::<O>(&op, &mut sums, comptime!(blueprint.units).runtime(), &mut states, blueprint);
    if UNIT_POS < keys {
        store::<O::State>(partials, (turn * cubes + cube) * keys + UNIT_POS, folded);
    }
}

/// Steps `first..end` of `steps` of the loops from `member` on, a cube each. Only the cube's own units wait for one another.
#[launched]
#[cube(launch_unchecked)]
pub fn whole<V: View, O: Feedback<V::Item>>(
    view: V,
    op: O,
    history: &mut [u32],
    len: u32,
    member: u32,
    steps: u32,
    first: u32,
    end: u32,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let units = comptime!(blueprint.units);
    let ahead = comptime!(blueprint.ahead);
    let mut states = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    let mut told = Shared::<[u32]>::new_slice(comptime!(<O::Shared as State>::WORDS));
    let member = member + CUBE_POS as u32;
    let origin = member * (steps + 1);
    let setting = op.setting(member);
    if UNIT_POS == 0 {
        if first == 0 {
            store::<O::Shared>(history, origin, op.start(setting));
        }
        store::<O::Shared>(&mut *told, 0u32, fetch::<O::Shared>(&*history, origin + first));
    }
    let rounds = share(UNIT_POS, units, len);
    let mut prepared = unprepared(ahead);
    for step in first..end {
        let now = Moment { member, step, origin };
        // While the first unit makes the shared state.
        prepare::<V, O>(&view, &op, UNIT_POS, units, rounds, setting, now, step == first, &mut prepared, ahead);
        // Protects: every unit reads the shared state, and `states` are read before they are written anew.
        sync_cube();
        let shared = fetch::<O::Shared>(&*told, 0u32);
        let mut sums =
            unit_folds::<V, O>(&view, &op, UNIT_POS, units, rounds, setting, shared, now, &prepared, ahead, keys);
        // Every unit has read the shared state when it is through this.
        let folded = cube_folds::<O>(&op, &mut sums, units.runtime(), &mut states, blueprint);
        let totals = totals::<O>(&op, folded, &mut states, blueprint);
        if UNIT_POS == 0 {
            let next = op.update(words(&totals), &*history, setting, shared, now);
            store::<O::Shared>(history, origin + step + 1, next);
            store::<O::Shared>(&mut *told, 0u32, next);
        }
    }
}
