//! The kernels of a loop: a step of many cubes, and all steps in one cube.
#![allow(clippy::explicit_auto_deref)] // what #[cube] writes does not deref by itself

use cubecl::prelude::*;

use super::totals::{Blueprint, cube_folds, nothing, unit_folds};
use super::{Feedback, FeedbackExpand, Moment};
use crate::ops::carried;
use crate::tile::{fetch, keep, kept, store};
use crate::views::View;
use crate::{Monoid, MonoidExpand, State};

/// The folds of the partials of `cubes` cubes, in `totals` after the next barrier.
#[cube]
pub fn partial_folds<O: Monoid>(
    op: &O,
    partials: &[u32],
    first: u32,
    cubes: u32,
    states: &mut Shared<[u32]>,
    totals: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let units = comptime!(blueprint.units);
    let mut sums = nothing::<O>(op, keys);
    let rounds = select(UNIT_POS < cubes, (cubes - UNIT_POS).div_ceil(units), 0u32);
    for round in 0..rounds {
        let cube = UNIT_POS + round * units;
        #[unroll]
        for key in 0..keys {
            let partial = fetch::<O::State>(partials, first + cube * keys + key);
            let folded = op.combine(kept::<O::State>(&sums, key), partial);
            keep::<O::State>(&mut sums, carried::<O>(op, round < rounds, folded), key);
        }
    }
    cube_folds::<O>(op, &mut sums, states, totals, blueprint);
}

/// Launch `step` of a loop of `last` steps: every cube makes the shared state of the partials that the launch before left, and
/// folds its items under it. Partials of two launches lie apart. The last launch makes a shared state only.
#[cube(launch_unchecked)]
pub fn step<V: View, O: Feedback<V::Item>>(
    view: V,
    op: O,
    history: &mut [u32],
    partials: &mut [u32],
    len: u32,
    cubes: u32,
    step: u32,
    last: u32,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let mut states = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    let mut totals = Shared::<[u32]>::new_slice(comptime!(keys as usize * <O::State as State>::WORDS));
    let mut told = Shared::<[u32]>::new_slice(comptime!(<O::Shared as State>::WORDS));
    let setting = op.setting(0u32.runtime());
    if step > 0 {
        let first = ((step - 1) % 2) * cubes * keys;
        partial_folds::<O>(&op, &*partials, first, cubes, &mut states, &mut totals, blueprint);
    }
    // Protects: the first unit reads all totals.
    sync_cube();
    if UNIT_POS == 0 {
        if step > 0 {
            let before = Moment { member: 0u32.runtime(), step: step - 1, origin: 0u32.runtime() };
            store::<O::Shared>(&mut *told, 0u32, op.update(&*totals, &*history, setting, before));
        } else {
            store::<O::Shared>(&mut *told, 0u32, op.start(setting));
        }
        if CUBE_POS == 0 {
            store::<O::Shared>(history, step, fetch::<O::Shared>(&*told, 0u32));
        }
    }
    // Protects: every unit reads the shared state.
    sync_cube();
    if step < last {
        let shared = fetch::<O::Shared>(&*told, 0u32);
        let now = Moment { member: 0u32.runtime(), step, origin: 0u32.runtime() };
        let cube = CUBE_POS as u32;
        let first = cube * comptime!(blueprint.units) + UNIT_POS;
        let stride = cubes * comptime!(blueprint.units);
        let mut sums = unit_folds::<V, O>(&view, &op, first, stride, len, setting, shared, now, keys);
        cube_folds::<O>(&op, &mut sums, &mut states, &mut totals, blueprint);
        // Protects: the totals are there before they are stored.
        sync_cube();
        if UNIT_POS < keys {
            let slot = ((step % 2) * cubes + cube) * keys + UNIT_POS;
            store::<O::State>(partials, slot, fetch::<O::State>(&*totals, UNIT_POS));
        }
    }
}

/// Steps `first..end` of `steps` of the loops from `member` on, a cube each. Only the cube's own units wait for one another.
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
    let mut states = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    let mut totals = Shared::<[u32]>::new_slice(comptime!(keys as usize * <O::State as State>::WORDS));
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
    for step in first..end {
        // Protects: every unit reads the shared state.
        sync_cube();
        let shared = fetch::<O::Shared>(&*told, 0u32);
        let now = Moment { member, step, origin };
        let mut sums = unit_folds::<V, O>(&view, &op, UNIT_POS, units, len, setting, shared, now, keys);
        cube_folds::<O>(&op, &mut sums, &mut states, &mut totals, blueprint);
        // Protects: the first unit reads all totals, after every unit has read the shared state.
        sync_cube();
        if UNIT_POS == 0 {
            let next = op.update(&*totals, &*history, setting, now);
            store::<O::Shared>(history, origin + step + 1, next);
            store::<O::Shared>(&mut *told, 0u32, next);
        }
    }
}
