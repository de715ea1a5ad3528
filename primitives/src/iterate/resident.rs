//! The kernel of a loop whose cubes all stay: between steps each tells all others its folds.
//!
//! They are messages that say of which step they are ([`messages`](super::messages)), so there is no barrier of the device between
//! steps. A cube that has heard those of a step from all others tells its own of the next, and no cube then still reads those of the
//! step before: two sets of messages do.
#![allow(clippy::explicit_auto_deref)] // what #[cube] writes does not deref by itself

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::messages::{Messages, Turn, hear, tell, turn};
use super::totals::{Blueprint, cube_folds, first_item, nothing, prepare, share, totals, unit_folds, unprepared};
use super::{Feedback, FeedbackExpand, Moment};
use crate::ops::{carried, choose};
use crate::tile::{fetch, keep, kept, plane_folds, registers, store, words};
use crate::views::View;
use crate::{Monoid, MonoidExpand, State};

/// The unit's folds of what `cubes` cubes tell in a turn; for as many units as `blueprint` has listen. Where something is not there
/// after `patience` looks, `sound` is 0.
#[cube]
fn told_folds<O: Monoid, M: Messages>(
    op: &O,
    messages: &M,
    turn: Turn,
    cubes: u32,
    patience: u32,
    sound: &mut Shared<[u32]>,
    #[comptime] blueprint: Blueprint,
) -> Array<u32> {
    let keys = comptime!(blueprint.keys);
    let listening = comptime!(blueprint.listening);
    let together = comptime!(blueprint.looks);
    let mut sums = nothing::<O>(op, keys);
    let mut seen = registers::<O::State>(comptime!(keys * together));
    let rounds = comptime!(blueprint.pitch / (listening * together));
    let words = comptime!(blueprint.words::<O::State>());
    #[unroll(rounds == 1)]
    for round in 0..rounds {
        let start = round * comptime!(listening * together) + UNIT_POS;
        let mut there = 0u32;
        let mut looks = 0u32;
        while there == 0u32 && looks < patience {
            there = 1u32;
            #[unroll]
            for row in 0..together {
                let cube = start + comptime!(row * listening);
                // Past the last cube, its message again: so that all are on their way at once.
                let cube = if comptime!(blueprint.full) { cube } else { min(cube, cubes - 1u32) };
                there &= hear::<M>(messages, turn, cube, &mut seen, comptime!(row * words), blueprint.pitch, words);
            }
            looks += 1u32;
        }
        if there == 0u32 {
            sound[0] = 0u32;
        }
        #[unroll]
        for row in 0..together {
            #[unroll]
            for key in 0..keys {
                let mut found = kept::<O::State>(&seen, comptime!(row * keys + key));
                if comptime!(!blueprint.full) {
                    let told = start + comptime!(row * listening) < cubes;
                    found = choose::<O::State>(told, found, op.identity());
                }
                let folded = op.combine(kept::<O::State>(&sums, key), found);
                keep::<O::State>(&mut sums, carried::<O>(op, round < rounds, folded), key);
            }
        }
    }
    sums
}

/// Steps `first..end` of one loop, whose items are dealt to `cubes` cubes that run at the same time. `messages` are zeros
/// before. Where one waits in vain, `fault` is 1, and what comes after is not right.
///
/// Every cube stores the whole history, the same as all others: so it reads there what it stored itself.
#[launched]
#[cube(launch_unchecked)]
pub fn resident<V: View, O: Feedback<V::Item>, M: Messages>(
    view: V,
    op: O,
    history: &mut [u32],
    messages: &mut M,
    fault: &mut [u32],
    len: u32,
    cubes: u32,
    first: u32,
    end: u32,
    patience: u32,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let units = comptime!(blueprint.units);
    let ahead = comptime!(blueprint.ahead);
    let mut states = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    // Two: some units fold what other cubes tell while others still fold what this one does.
    let mut others = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    let mut told = Shared::<[u32]>::new_slice(comptime!(<O::Shared as State>::WORDS));
    let mut sound = Shared::<[u32]>::new_slice(1usize);
    let member = 0u32.runtime();
    let cube = CUBE_POS as u32;
    let setting = op.setting(member);
    if UNIT_POS == 0 {
        sound[0] = 1u32;
        if first == 0 {
            store::<O::Shared>(history, 0u32, op.start(setting));
        }
        store::<O::Shared>(&mut *told, 0u32, fetch::<O::Shared>(&*history, first));
    }
    let start = first_item(cube, cubes, blueprint);
    let stride = cubes * units;
    let rounds = share(start, stride, len);
    let mut prepared = unprepared(ahead);
    let now = Moment { member, step: first, origin: member };
    prepare::<V, O>(&view, &op, start, stride, rounds, setting, now, true, &mut prepared, ahead);
    for step in first..end {
        // Protects: every unit reads the shared state, and whether all were here.
        sync_cube();
        if sound[0] != 0u32 {
            let shared = fetch::<O::Shared>(&*told, 0u32);
            let now = Moment { member, step, origin: member };
            let mut sums =
                unit_folds::<V, O>(&view, &op, start, stride, rounds, setting, shared, now, &prepared, ahead, keys);
            let own = cube_folds::<O>(&op, &mut sums, units.runtime(), &mut states, blueprint);
            let own = totals::<O>(&op, own, &mut states, blueprint);
            let turn = turn::<M>(step - first, blueprint.pitch, comptime!(blueprint.words::<O::State>()));
            if UNIT_POS == 0 {
                tell::<M>(messages, turn, cube, &own, blueprint.pitch, comptime!(blueprint.words::<O::State>()));
            }
            // While what the cubes tell is on its way.
            let next = Moment { member, step: step + 1u32, origin: member };
            prepare::<V, O>(&view, &op, start, stride, rounds, setting, next, false, &mut prepared, ahead);
            let mut all = nothing::<O>(&op, keys);
            if UNIT_POS < comptime!(blueprint.listening) {
                all = told_folds::<O, M>(&op, &*messages, turn, cubes, patience, &mut sound, blueprint);
            }
            if comptime!(blueprint.plane > 0) {
                // Some units waited longer than others, and exchange next. Under WGSL it is a barrier of the cube: for all.
                sync_plane();
            }
            let mut folded = op.identity();
            if comptime!(blueprint.listening == blueprint.plane) {
                if UNIT_POS < comptime!(blueprint.plane) {
                    folded = plane_folds::<O>(&op, &mut all, keys, comptime!(blueprint.plane));
                }
            } else {
                folded =
                    cube_folds::<O>(&op, &mut all, comptime!(blueprint.listening).runtime(), &mut others, blueprint);
            }
            let totals = totals::<O>(&op, folded, &mut states, blueprint);
            if UNIT_POS == 0 {
                let next = op.update(words(&totals), &*history, setting, shared, now);
                store::<O::Shared>(&mut *told, 0u32, next);
                store::<O::Shared>(history, step + 1u32, next);
                if sound[0] == 0u32 {
                    fault[0] = 1u32;
                }
            }
        }
    }
}
