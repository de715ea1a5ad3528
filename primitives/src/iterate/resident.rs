//! The kernel of a loop whose cubes all stay: they wait for one another between steps, by a barrier of the whole device.
#![allow(clippy::explicit_auto_deref)] // what #[cube] writes does not deref by itself

use cubecl::prelude::*;

use super::kernel::partial_folds;
use super::totals::{Blueprint, cube_folds, unit_folds};
use super::{Feedback, FeedbackExpand, Moment};
use crate::State;
use crate::tile::{fetch, store};
use crate::views::View;

/// Looks at the arrivals before a cube gives up: under a second. What it waits for takes microseconds, where all cubes run.
const PATIENCE: u32 = 1 << 20;

/// Waits until `arrivals` cubes have been here since `barrier` was 0, or gives up: `sound` is then 0, and the second word of
/// the barrier not. What a cube stored before, all others see after.
#[cube]
fn all_arrive(barrier: &mut [Atomic<u32>], arrivals: u32, sound: &mut Shared<[u32]>) {
    // Releases: what this cube stored is there before it arrives.
    sync_storage();
    if UNIT_POS == 0 {
        let mut here = barrier[0].fetch_add(1u32) + 1u32;
        let mut looks = 0u32;
        while here < arrivals && looks < PATIENCE {
            here = barrier[0].load();
            looks += 1u32;
        }
        if here < arrivals {
            barrier[1].store(1u32);
            sound[0] = 0u32;
        }
    }
    // Acquires: what the others stored is there. Protects: every unit knows whether all are here.
    sync_storage();
}

/// Steps `first..end` of one loop, whose items are dealt to `cubes` cubes that run at the same time. Partials of two steps lie
/// apart. `barrier` is 0 before.
#[cube(launch_unchecked)]
pub fn resident<V: View, O: Feedback<V::Item>>(
    view: V,
    op: O,
    history: &mut [u32],
    partials: &mut [u32],
    barrier: &mut [Atomic<u32>],
    len: u32,
    cubes: u32,
    first: u32,
    end: u32,
    #[comptime] blueprint: Blueprint,
) {
    let keys = comptime!(blueprint.keys);
    let mut states = Shared::<[u32]>::new_slice(comptime!(blueprint.slots() as usize * <O::State as State>::WORDS));
    let mut totals = Shared::<[u32]>::new_slice(comptime!(keys as usize * <O::State as State>::WORDS));
    let mut told = Shared::<[u32]>::new_slice(comptime!(<O::Shared as State>::WORDS));
    let mut sound = Shared::<[u32]>::new_slice(1usize);
    let member = 0u32.runtime();
    let cube = CUBE_POS as u32;
    let setting = op.setting(member);
    if UNIT_POS == 0 {
        sound[0] = 1u32;
        if first == 0 {
            store::<O::Shared>(&mut *told, 0u32, op.start(setting));
            if cube == 0 {
                store::<O::Shared>(history, 0u32, fetch::<O::Shared>(&*told, 0u32));
            }
        } else {
            store::<O::Shared>(&mut *told, 0u32, fetch::<O::Shared>(&*history, first));
        }
    }
    for step in first..end {
        // Protects: every unit reads the shared state, and whether the barrier holds.
        sync_cube();
        if sound[0] != 0u32 {
            let shared = fetch::<O::Shared>(&*told, 0u32);
            let now = Moment { member, step, origin: member };
            let start = cube * comptime!(blueprint.units) + UNIT_POS;
            let stride = cubes * comptime!(blueprint.units);
            let mut sums = unit_folds::<V, O>(&view, &op, start, stride, len, setting, shared, now, keys);
            cube_folds::<O>(&op, &mut sums, &mut states, &mut totals, blueprint);
            // Protects: the totals are there before they are stored.
            sync_cube();
            let base = (step % 2) * cubes * keys;
            if UNIT_POS < keys {
                store::<O::State>(partials, base + cube * keys + UNIT_POS, fetch::<O::State>(&*totals, UNIT_POS));
            }
            all_arrive(barrier, (step - first + 1) * cubes, &mut sound);
            partial_folds::<O>(&op, &*partials, base, cubes, &mut states, &mut totals, blueprint);
            // Protects: the first unit reads all totals.
            sync_cube();
            if UNIT_POS == 0 {
                let next = op.update(&*totals, &*history, setting, now);
                store::<O::Shared>(&mut *told, 0u32, next);
                if cube == 0 {
                    store::<O::Shared>(history, step + 1, next);
                }
            }
        }
    }
}
