//! Looking back: the fold of everything before a tile, from what earlier tiles have published.

use cubecl::prelude::*;

use super::blueprint::LookbackBlueprint;
use super::descriptor::{Descriptors, look};
use super::lookback::Extent;
use crate::tile::{cube_fold, kept, plane_fold, registers};
use crate::views::both;
use crate::{Both, Monoid, MonoidExpand, State, state_of, words_of};

/// The shared memory of a cube.
#[derive(CubeType)]
pub struct Room {
    /// For collectives over states.
    pub states: Shared<[u32]>,
    /// What some units tell the others: a tile, and a state.
    pub notes: Shared<[u32]>,
}

/// What comes before tile `goal` (`right`), the same on every unit. `left` is `goal`, or where something is missing the
/// tile whose fold it is or the anchor whose prefix it is.
///
/// `prefix of the anchor ⊕ (folds of the window in order)`: one combine separates two anchors.
#[cube]
pub fn look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &D,
    goal: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) -> Both<u32, O::State> {
    if comptime!(blueprint.tile.plane > 0) {
        // The first plane looks while the others wait.
        if UNIT_POS < comptime!(blueprint.tile.plane) {
            plane_look_back::<O, D>(op, descriptors, goal, room, extent, blueprint);
        }
    } else {
        cube_look_back::<O, D>(op, descriptors, goal, room, extent, blueprint);
    }
    // Protects: what was found is there before every unit reads it.
    sync_cube();
    both::<u32, O::State>(room.notes[0], noted::<O::State>(&*room))
}

/// Notes a tile and a state.
#[cube]
fn note<S: State>(room: &mut Room, tile: u32, state: S) {
    let words = words_of::<S>(state);
    room.notes[0] = tile;
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        room.notes[comptime!(1 + word)] = words[word];
    }
}

/// The state that was noted.
#[cube]
fn noted<S: State>(room: &Room) -> S {
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        words.push(room.notes[comptime!(1 + word)]);
    }
    state_of::<S>(&words)
}

/// Each unit of the plane polls a run of neighbouring tiles; the plane folds what they found.
#[cube]
fn plane_look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &D,
    goal: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let plane = comptime!(blueprint.tile.plane);
    let each = comptime!(blueprint.window / plane);
    let ordinal = (goal - 1) / comptime!(blueprint.window);
    let anchor = ordinal * comptime!(blueprint.window);
    let first = anchor + 1 + UNIT_POS * each;
    let mut folds = registers::<O::State>(each);
    let mut prefix = registers::<O::State>(1u32);
    let mut has_prefix = 0u32;
    let mut missing = goal;
    let mut looks = 0u32;
    let mut looking = true;
    while looking {
        missing = goal;
        #[unroll]
        for tile in 0..each {
            // Past the goal the last tile will do: what is seen there is not used.
            let slot = min(first + tile, extent.tiles - 1);
            let there = look::<O::State, D>(descriptors, slot, extent.tag, &mut folds, tile);
            if first + tile < goal && there == 0u32 {
                missing = first + tile;
            }
        }
        has_prefix = look::<O::State, D>(descriptors, extent.tiles + ordinal, extent.tag, &mut prefix, 0u32);
        looks += 1u32;
        // All units of the plane go on together.
        looking = plane_any(missing != goal) && looks < comptime!(blueprint.patience);
    }
    // Any of the missing tiles will do.
    let blocking = plane_min(missing);
    let mut own = op.identity();
    #[unroll]
    for tile in 0..each {
        if first + tile < goal {
            own = op.combine(own, kept::<O::State>(&folds, tile));
        }
    }
    let between = plane_fold::<O>(op, own, plane);
    if UNIT_POS == 0 {
        while has_prefix == 0u32 && looks < comptime!(blueprint.patience) {
            has_prefix = look::<O::State, D>(descriptors, extent.tiles + ordinal, extent.tag, &mut prefix, 0u32);
            looks += 1u32;
        }
        if blocking != goal {
            note::<O::State>(room, blocking, op.identity());
        } else if has_prefix == 0u32 {
            note::<O::State>(room, anchor, op.identity());
        } else {
            let mut found = kept::<O::State>(&prefix, 0u32);
            if goal > anchor + 1 {
                found = op.combine(found, between);
            }
            note::<O::State>(room, goal, found);
        }
    }
}

/// Each unit of the cube polls one tile; the cube folds what they found.
#[cube]
fn cube_look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &D,
    goal: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let ordinal = (goal - 1) / comptime!(blueprint.window);
    let anchor = ordinal * comptime!(blueprint.window);
    let mine = anchor + 1 + UNIT_POS;
    let mut fold = registers::<O::State>(1u32);
    let mut own = op.identity();
    let mut looks = 0u32;
    let mut there = 0u32;
    if mine < goal {
        while there == 0u32 && looks < comptime!(blueprint.patience) {
            there = look::<O::State, D>(descriptors, mine, extent.tag, &mut fold, 0u32);
            looks += 1u32;
        }
        own = kept::<O::State>(&fold, 0u32);
    }
    // Protects: shared memory is read before it is used again.
    sync_cube();
    if UNIT_POS == 0 {
        room.notes[0] = goal;
    }
    let between = cube_fold::<O>(op, own, &mut room.states, comptime!(blueprint.tile));
    if mine < goal && there == 0u32 {
        // Any of the missing tiles will do: whichever unit writes last.
        room.notes[0] = mine;
    }
    // Protects: every unit has said what it misses.
    sync_cube();
    if UNIT_POS == 0 && room.notes[0] == goal {
        there = 0u32;
        looks = 0u32;
        while there == 0u32 && looks < comptime!(blueprint.patience) {
            there = look::<O::State, D>(descriptors, extent.tiles + ordinal, extent.tag, &mut fold, 0u32);
            looks += 1u32;
        }
        if there == 0u32 {
            note::<O::State>(room, anchor, op.identity());
        } else {
            let mut found = kept::<O::State>(&fold, 0u32);
            if goal > anchor + 1 {
                found = op.combine(found, between);
            }
            note::<O::State>(room, goal, found);
        }
    }
}
