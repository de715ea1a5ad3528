//! The single-pass scan: decoupled look-back (Merrill and Garland 2016) for any monoid, portable and repeatable.
//!
//! A tile publishes its fold, finds the fold of all that comes before it, and scans on from there. Of its items the last step's
//! stay in registers while it waits; the others are read again, from the cache: memory is read once and written once. A
//! tile is as large as that allows, for what bounds the rate is how much waits at a time; while it waits its units hold
//! nothing else.
//!
//! - *Repeatable.* Only anchors (every `window`-th tile) publish a prefix. A tile folds the window between its anchor
//!   and itself in a fixed grouping, so that no bit depends on which tiles happened to be done.
//! - *Without forward progress.* A cube polls a bounded number of times, then makes the missing fold or prefix itself,
//!   by the owner's grouping: the bits it publishes are those that the owner will.

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::blueprint::LookbackBlueprint;
use super::descriptor::{Descriptors, Slots, publish};
use super::window::{Room, look_back};
use crate::tile::{group_before, registers, tile_parts, tile_start, write_nothing, write_scanned};
use crate::views::{Place, View};
use crate::{Lift, Lower, MonoidExpand, State};

/// What a launch tells the kernel about its sizes.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Extent {
    /// Tiles there are.
    pub tiles: u32,
    /// Tiles that are full.
    pub full_tiles: u32,
    /// Items of the tile after them.
    pub tail: u32,
    /// Where descriptors lie.
    pub slots: Slots,
    /// Cubes launched, of which those past `tiles` have nothing to do.
    pub cubes: u32,
}

/// Scans `view` into `place` in one pass.
#[launched]
#[cube(launch_unchecked)]
pub fn scan_lookback<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>, D: Descriptors>(
    view: V,
    op: O,
    descriptors: &mut D,
    ticket: &mut [Atomic<u32>],
    place: &mut P,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let tile = comptime!(blueprint.tile);
    let mut room = Room {
        states: Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS)),
        notes: Shared::<[u32]>::new_slice(comptime!(1 + <O::State as State>::WORDS)),
    };
    write_nothing::<V, O, P>(&op, place, extent.full_tiles, extent.tail, comptime!(blueprint.kind));
    let index = draw_tile(ticket, &mut room, extent.cubes);
    // The same for every unit of a cube: barriers are reached by all or none.
    if index < extent.tiles {
        scan_tile::<V, O, P, D>(&view, &op, descriptors, place, index, &mut room, extent, blueprint);
    }
}

/// Scans a tile.
///
/// Nearly always a cube goes once through the loop: reads the tile, publishes its fold, finds the prefix. Where something is
/// missing, it works for a while on another tile (`at`), or towards the prefix of an earlier anchor (`goal`), and
/// comes back.
#[cube]
fn scan_tile<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>, D: Descriptors>(
    view: &V,
    op: &O,
    descriptors: &mut D,
    place: &mut P,
    index: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let tile = comptime!(blueprint.tile);
    let window = comptime!(blueprint.window);
    let withheld = comptime!(blueprint.withhold > 0) && index % comptime!(blueprint.withhold.max(1)) == 0;
    let mut items = registers::<V::Item>(comptime!(tile.items()));
    let mut before = op.identity();
    let mut at = index;
    let mut goal = index;
    let mut settled = false;
    while !settled {
        let valid = select(at < extent.full_tiles, comptime!(tile.len()), extent.tail);
        let start = tile_start(at, comptime!(tile.len()));
        let parts = tile_parts::<V, O>(op, view, start, valid, &mut items, &mut room.states, tile);
        let silent = withheld && at == index;
        if UNIT_POS == 0 && !silent {
            if at == 0 {
                publish::<O::State, D>(descriptors, extent.slots, extent.tiles, parts.right);
            } else if at % window != 0 {
                publish::<O::State, D>(descriptors, extent.slots, at, parts.right);
            }
        }
        let mut prefix = op.identity();
        let mut missing = goal;
        if goal > 0 {
            let publishes = at == goal && goal % window == 0 && !silent;
            let own = parts.right;
            let found = look_back::<O, D>(op, descriptors, goal, own, publishes, room, extent, blueprint);
            missing = found.left;
            prefix = found.right;
        } else {
            // Protects: what comes before each group is there, as after looking back.
            sync_cube();
        }
        if missing == goal && at == goal && goal == index {
            before = op.combine(prefix, group_before::<O::State>(parts.left, &room.states, tile));
            settled = true;
        } else {
            let next = next_course(Course { at, goal }, missing, index, window);
            at = next.at;
            goal = next.goal;
            // Protects: shared memory is read before the next round writes there.
            sync_cube();
        }
    }
    let valid = select(index < extent.full_tiles, comptime!(tile.len()), extent.tail);
    let start = tile_start(index, comptime!(tile.len()));
    let end = select(index == extent.tiles - 1, valid, 0u32);
    let kind = comptime!(blueprint.kind);
    write_scanned::<V, O, P>(op, view, &mut items, before, start, valid, end, place, &mut room.states, tile, kind);
}

/// What a cube works on.
#[derive(CubeType, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Course {
    /// The tile that it folds.
    pub at: u32,
    /// The tile whose prefix it looks for.
    pub goal: u32,
}

/// What a cube works on next, on its way to the prefix of tile `index`: `missing` is the course's goal where its prefix was
/// found, else the tile whose fold is missing or the anchor whose prefix is.
#[cube]
pub fn next_course(course: Course, missing: u32, index: u32, window: u32) -> Course {
    let mut at = course.goal;
    let mut goal = course.goal;
    if missing != course.goal {
        // A tile's fold is missing, or an anchor's prefix: then that is the goal, by its own grouping.
        at = missing;
        if missing % window == 0 {
            goal = missing;
        }
    } else if course.at == course.goal {
        goal = min(course.goal + window, index);
        at = goal;
    }
    Course { at, goal }
}

/// The next tile, in the order in which cubes start. The cube that draws the last ticket leaves the counter at 0 for
/// the next launch.
#[cube]
pub fn draw_tile(ticket: &mut [Atomic<u32>], room: &mut Room, cubes: u32) -> u32 {
    let mut tile = 0u32;
    if cubes > 1 {
        if UNIT_POS == 0 {
            let drawn = ticket[0].fetch_add(1u32);
            if drawn == cubes - 1 {
                ticket[0].store(0u32);
            }
            room.notes[0] = drawn;
        }
        // Protects: the tile is known before any unit works on it.
        sync_cube();
        tile = room.notes[0];
    }
    tile
}
