//! The single-pass scan: decoupled look-back (Merrill and Garland 2016) for any monoid, portable and repeatable.
//!
//! A tile publishes its fold, finds the fold of all that comes before it, reads its items again (they are still in the
//! cache) and scans on from there: memory is read once and written once. Nothing is held while a tile waits, so that
//! many tiles wait at a time.
//!
//! - *Repeatable.* Only anchors (every `window`-th tile) publish a prefix. A tile folds the window between its anchor
//!   and itself in a fixed grouping, so that no bit depends on which tiles happened to be done.
//! - *Without forward progress.* A cube polls a bounded number of times, then makes the missing fold or prefix itself,
//!   by the owner's grouping: the bits it publishes are those that the owner will.

use cubecl::prelude::*;

use super::blueprint::LookbackBlueprint;
use super::descriptor::{Descriptors, Slots, publish};
use super::window::{Room, look_back};
use crate::tile::{tile_parts, tile_start, write_nothing, write_scanned};
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
///
/// A cube draws tile `index`. Nearly always it goes once through the loop: reads the tile, publishes its fold, finds the
/// prefix. Where something is missing, it works for a while on another tile (`at`), or towards the prefix of an
/// earlier anchor (`goal`), and comes back.
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
    let window = comptime!(blueprint.window);
    let mut room = Room {
        states: Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS)),
        notes: Shared::<[u32]>::new_slice(comptime!(1 + <O::State as State>::WORDS)),
    };
    write_nothing::<V, O, P>(&op, place, extent.full_tiles, extent.tail, comptime!(blueprint.kind));
    let index = draw_tile(ticket, &mut room, extent.cubes);
    // The same for every unit of a cube: barriers below are reached by all or none.
    if index < extent.tiles {
        let withheld = comptime!(blueprint.withhold > 0) && index % comptime!(blueprint.withhold.max(1)) == 0;
        let mut before = op.identity();
        let mut at = index;
        let mut goal = index;
        let mut settled = false;
        while !settled {
            let valid = select(at < extent.full_tiles, comptime!(tile.len()), extent.tail);
            let start = tile_start(at, comptime!(tile.len()));
            let parts = tile_parts::<V, O>(&op, &view, start, valid, &mut room.states, tile);
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
                let found = look_back::<O, D>(&op, descriptors, goal, own, publishes, &mut room, extent, blueprint);
                missing = found.left;
                prefix = found.right;
            }
            if missing == goal && at == goal && goal == index {
                before = op.combine(prefix, parts.left);
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
        write_scanned::<V, O, P>(
            &op,
            &view,
            before,
            start,
            valid,
            end,
            place,
            &mut room.states,
            tile,
            comptime!(blueprint.kind),
        );
    }
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
    if UNIT_POS == 0 {
        let drawn = ticket[0].fetch_add(1u32);
        if drawn == cubes - 1 {
            ticket[0].store(0u32);
        }
        room.notes[0] = drawn;
    }
    // Protects: the tile is known before any unit works on it.
    sync_cube();
    room.notes[0]
}
