//! Looking back: the fold of everything before a tile, from what earlier tiles have published.

use cubecl::prelude::*;

use super::blueprint::LookbackBlueprint;
use super::descriptor::{Descriptors, look, publish};
use super::lookback::Extent;
use crate::ops::choose;
use crate::tile::{Tile, cube_fold, kept, plane_fold, registers};
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
/// `prefix of the anchor ⊕ (folds of the window in order)`: one combine separates two anchors. Where the goal is an anchor
/// itself and `own` its fold, its prefix is published at once, for others wait for it.
#[cube]
pub fn look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &mut D,
    goal: u32,
    own: O::State,
    publishes: bool,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) -> Both<u32, O::State> {
    if comptime!(blueprint.tile.plane > 0) {
        if comptime!(blueprint.tile.shuffles) {
            // The first plane looks while the others wait.
            if UNIT_POS < comptime!(blueprint.tile.plane) {
                plane_look_back::<O, D>(op, descriptors, goal, own, publishes, room, extent, blueprint);
            }
        } else {
            // Protects: shared memory is read before it is used again.
            sync_cube();
            plane_look_back::<O, D>(op, descriptors, goal, own, publishes, room, extent, blueprint);
        }
    } else {
        cube_look_back::<O, D>(op, descriptors, goal, own, publishes, room, extent, blueprint);
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

/// The units of the first plane look at neighbouring tiles, row after row; the plane folds what they found. Where planes
/// do not shuffle, all units of the cube are here, for the barriers.
#[cube]
fn plane_look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &mut D,
    goal: u32,
    own: O::State,
    publishes: bool,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let shape = comptime!(blueprint.tile);
    let plane = comptime!(blueprint.tile.plane);
    let rows = comptime!(blueprint.window / plane);
    let ordinal = (goal - 1) / comptime!(blueprint.window);
    let first = ordinal * comptime!(blueprint.window) + 1;
    let mut folds = registers::<O::State>(rows);
    let mut prefix = registers::<O::State>(1u32);
    let mut pending = Array::<u32>::new(comptime!(rows as usize));
    // All at once, so that nearly always one wait is enough. Past the goal, the last tile before it will do.
    #[unroll]
    for row in 0..rows {
        let tile = looked_at(first + comptime!(row * plane), goal, shape);
        let there = look::<O::State, D>(&*descriptors, extent.slots, min(tile, goal - 1), &mut folds, row);
        pending[row as usize] = select(tile < goal, 1u32 - there, 0u32);
    }
    let has_prefix = look::<O::State, D>(&*descriptors, extent.slots, extent.tiles + ordinal, &mut prefix, 0u32);
    // Then what was missing, a row after the other: tiles are done nearly in order.
    let mut missing = goal;
    let mut between = op.identity();
    #[unroll]
    for row in 0..rows {
        let begin = first + comptime!(row * plane);
        let tile = looked_at(begin, goal, shape);
        let mut looks = 0u32;
        // All units of the plane go on together, without a branch: units that part need not meet again for the next vote.
        // Looking once more at what is there finds the same.
        while any_of_plane(pending[row as usize] != 0u32, shape) && looks < comptime!(blueprint.patience) {
            let there = look::<O::State, D>(&*descriptors, extent.slots, min(tile, goal - 1), &mut folds, row);
            pending[row as usize] = select(pending[row as usize] != 0u32, 1u32 - there, 0u32);
            looks += 1u32;
        }
        missing = select(pending[row as usize] != 0u32, tile, missing);
        if begin < goal {
            let seen = choose::<O::State>(tile < goal, kept::<O::State>(&folds, row), op.identity());
            let folded = plane_fold::<O>(op, seen, &mut room.states, shape);
            between = if comptime!(row == 0) { folded } else { op.combine(between, folded) };
        }
    }
    let blocking = any_missing(missing, goal, room, shape);
    if UNIT_POS == 0 {
        if blocking != goal {
            note::<O::State>(room, blocking, op.identity());
        } else {
            finish::<O, D>(
                op,
                descriptors,
                goal,
                between,
                own,
                publishes,
                &mut prefix,
                has_prefix,
                room,
                extent,
                blueprint,
            );
        }
    }
}

/// The tile that the unit looks at in the row that begins at tile `begin`; the goal where there is none.
#[cube]
fn looked_at(begin: u32, goal: u32, #[comptime] tile: Tile) -> u32 {
    if comptime!(tile.shuffles) {
        min(begin + UNIT_POS, goal)
    } else {
        select(UNIT_POS < comptime!(tile.plane), min(begin + UNIT_POS, goal), goal)
    }
}

/// Whether any unit of the plane has more to do; for want of planes, whether the unit has.
#[cube]
fn any_of_plane(more: bool, #[comptime] tile: Tile) -> bool {
    if comptime!(tile.shuffles) { plane_any(more) } else { more }
}

/// One of the tiles that units miss, or the goal where they miss none; right on the first unit.
#[cube]
fn any_missing(missing: u32, goal: u32, room: &mut Room, #[comptime] tile: Tile) -> u32 {
    if comptime!(tile.shuffles) {
        // By shuffles: the minimum of a plane under WGSL, with NVIDIA's driver 580 on an H200, was no unit's number.
        let mut least = missing;
        #[unroll]
        for step in 0..comptime!(tile.plane.ilog2()) {
            least = min(least, plane_shuffle_down(least, comptime!(1u32 << step)));
        }
        least
    } else {
        if UNIT_POS == 0 {
            room.notes[0] = goal;
        }
        // Protects: no unit's word is overwritten.
        sync_cube();
        if missing != goal {
            room.notes[0] = missing;
        }
        // Protects: every unit has said what it misses.
        sync_cube();
        room.notes[0]
    }
}

/// The anchor's prefix, unless `found` already, and with it what comes before the goal; by one unit.
#[cube]
fn finish<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &mut D,
    goal: u32,
    between: O::State,
    own: O::State,
    publishes: bool,
    prefix: &mut Array<u32>,
    found: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let ordinal = (goal - 1) / comptime!(blueprint.window);
    let anchor = ordinal * comptime!(blueprint.window);
    let mut there = found;
    let mut looks = 0u32;
    while there == 0u32 && looks < comptime!(blueprint.patience) {
        there = look::<O::State, D>(&*descriptors, extent.slots, extent.tiles + ordinal, prefix, 0u32);
        looks += 1u32;
    }
    if there == 0u32 {
        note::<O::State>(room, anchor, op.identity());
    } else {
        let mut before = kept::<O::State>(&*prefix, 0u32);
        if goal > anchor + 1 {
            before = op.combine(before, between);
        }
        if publishes {
            publish::<O::State, D>(descriptors, extent.slots, extent.tiles + ordinal + 1, op.combine(before, own));
        }
        note::<O::State>(room, goal, before);
    }
}

/// Each unit of the cube polls one tile; the cube folds what they found.
#[cube]
fn cube_look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &mut D,
    goal: u32,
    own: O::State,
    publishes: bool,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let anchor = (goal - 1) / comptime!(blueprint.window) * comptime!(blueprint.window);
    let mine = anchor + 1 + UNIT_POS;
    let mut fold = registers::<O::State>(1u32);
    let mut folded = op.identity();
    let mut looks = 0u32;
    let mut there = 0u32;
    if mine < goal {
        while there == 0u32 && looks < comptime!(blueprint.patience) {
            there = look::<O::State, D>(&*descriptors, extent.slots, mine, &mut fold, 0u32);
            looks += 1u32;
        }
        folded = kept::<O::State>(&fold, 0u32);
    }
    // Protects: shared memory is read before it is used again.
    sync_cube();
    if UNIT_POS == 0 {
        room.notes[0] = goal;
    }
    let between = cube_fold::<O>(op, folded, &mut room.states, comptime!(blueprint.tile.units));
    if mine < goal && there == 0u32 {
        // Any of the missing tiles will do: whichever unit writes last.
        room.notes[0] = mine;
    }
    // Protects: every unit has said what it misses.
    sync_cube();
    if UNIT_POS == 0 && room.notes[0] == goal {
        finish::<O, D>(op, descriptors, goal, between, own, publishes, &mut fold, 0u32, room, extent, blueprint);
    }
}
