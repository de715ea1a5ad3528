//! The single-pass scan: decoupled look-back (Merrill and Garland 2016) for any monoid, portable and repeatable.
//!
//! A tile publishes its fold, finds the fold of all that comes before it, and scans on from there: items are read once
//! and results written once.
//!
//! - *Repeatable.* Only anchors (every `window`-th tile) publish a prefix. A tile folds the window between its anchor
//!   and itself in a fixed grouping, so that no bit depends on which tiles happened to be done.
//! - *Without forward progress.* A cube polls a bounded number of times, then folds the missing tile itself, by the
//!   owner's grouping: the bits it publishes are those that the owner will.
//! - *Without planes.* Each unit polls one tile of the window; the cube folds what they found.

use cubecl::prelude::*;

use super::blueprint::LookbackBlueprint;
use super::descriptor::{AGGREGATE, PREFIX, is_there, poll, polled, publish};
use crate::tile::{cube_fold, cube_scan, load_items, store_scanned, tile_start, unit_fold};
use crate::views::{View, both};
use crate::{Both, Lift, Lower, Monoid, MonoidExpand, State, state_of};

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
    /// The call, as descriptors name it.
    pub tag: u32,
    /// Cubes launched, of which those past `tiles` have nothing to do.
    pub cubes: u32,
}

/// The shared memory of a cube.
#[derive(CubeType)]
struct Room {
    /// For collectives over states.
    states: Shared<[u32]>,
    /// For items and results on their way between units.
    exchange: Shared<[u32]>,
    /// What one unit tells the others: a tile; whether a state is there; the state.
    notes: Shared<[u32]>,
}

/// Scans `view` in one pass.
#[cube(launch_unchecked)]
pub fn scan_lookback<V: View, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    descriptors: &mut [Atomic<u32>],
    ticket: &mut [Atomic<u32>],
    output: &mut [u32],
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) {
    let tile = comptime!(blueprint.tile);
    let mut room = Room {
        states: Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS)),
        exchange: Shared::<[u32]>::new_slice(comptime!(
            tile.exchange_words::<V::Item>(V::STORED).max(tile.exchange_words::<O::Output>(true))
        )),
        notes: Shared::<[u32]>::new_slice(comptime!(1 + <O::State as State>::WORDS)),
    };
    let index = draw_tile(ticket, &mut room, extent.cubes);
    // The same for every unit of a cube: barriers below are reached by all or none.
    if index < extent.tiles {
        let valid = select(index < extent.full_tiles, comptime!(tile.len()), extent.tail);
        let start = tile_start(index, comptime!(tile.len()));
        let items = load_items::<V>(&view, start, valid, &mut room.exchange, tile);
        let own = unit_fold::<V, O>(&op, &items, valid, tile);
        let scanned = cube_scan::<O>(&op, own, &mut room.states, tile);
        let mut before = scanned.left;
        if index == 0 {
            if UNIT_POS == 0 {
                publish::<O::State>(descriptors, 0u32, PREFIX, extent.tag, scanned.right);
            }
        } else {
            let withheld = comptime!(blueprint.withhold > 0) && index % comptime!(blueprint.withhold.max(1)) == 0;
            if UNIT_POS == 0 && !withheld {
                publish::<O::State>(descriptors, index, AGGREGATE, extent.tag, scanned.right);
            }
            let window = comptime!(blueprint.window);
            let anchor = (index - 1) / window * window;
            // The window first, while the anchor's prefix is on its way: one combine separates two anchors.
            let between = fold_window::<V, O>(&view, &op, descriptors, anchor + 1, index, &mut room, extent, blueprint);
            let mut prefix = prefix_of::<V, O>(&view, &op, descriptors, anchor, &mut room, extent, blueprint);
            if index > anchor + 1 {
                prefix = op.combine(prefix, between);
            }
            if UNIT_POS == 0 && index % window == 0 && !withheld {
                publish::<O::State>(descriptors, index, PREFIX, extent.tag, op.combine(prefix, scanned.right));
            }
            before = op.combine(prefix, before);
        }
        // Protects: the exchange's items are read before results are written there.
        sync_cube();
        store_scanned::<V, O>(
            &op,
            &items,
            before,
            start.low,
            valid,
            &mut room.exchange,
            output,
            tile,
            comptime!(blueprint.exclusive),
        );
    }
}

/// The next tile, in the order in which cubes start. The cube that draws the last ticket leaves the counter at 0 for
/// the next launch.
#[cube]
fn draw_tile(ticket: &mut [Atomic<u32>], room: &mut Room, cubes: u32) -> u32 {
    if UNIT_POS == 0 {
        let drawn = ticket[0].fetch_add(1u32);
        if drawn == cubes - 1 {
            ticket[0].store(0u32);
        }
        room.notes[0] = drawn;
    }
    // Protects: the tile is known before any unit works on it.
    sync_cube();
    let index = room.notes[0];
    // Protects: every unit has read the tile before the notes are used again.
    sync_cube();
    index
}

/// The folds of tiles `first..end` folded in order; at most a window of them. The identity where there are none.
#[cube]
fn fold_window<V: View, O: Lift<V::Item> + Lower>(
    view: &V,
    op: &O,
    descriptors: &mut [Atomic<u32>],
    first: u32,
    end: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) -> O::State {
    let mine = first + UNIT_POS;
    let mut missing = mine < end;
    let mut found = op.identity();
    let mut settled = false;
    while !settled {
        if UNIT_POS == 0 {
            room.notes[0] = end;
        }
        // Protects: the note is blank before a unit writes there.
        sync_cube();
        if missing {
            let words = poll::<O::State>(&*descriptors, mine, AGGREGATE, extent.tag, comptime!(blueprint.patience));
            if is_there::<O::State>(&words) {
                found = polled::<O::State>(&words);
                missing = false;
            } else {
                // Any of the missing tiles will do: whichever unit writes last.
                room.notes[0] = mine;
            }
        }
        // Protects: every unit has looked before the cube decides.
        sync_cube();
        let blocking = room.notes[0];
        // Protects: every unit has read the note before it is used again.
        sync_cube();
        if blocking == end {
            settled = true;
        } else {
            let folded = fold_tile::<V, O>(view, op, blocking, room, extent, blueprint);
            if UNIT_POS == 0 {
                publish::<O::State>(descriptors, blocking, AGGREGATE, extent.tag, folded);
            }
        }
    }
    let folded = cube_fold::<O>(op, found, &mut room.states, comptime!(blueprint.tile));
    // Protects: shared memory is read before it is used again.
    sync_cube();
    folded
}

/// A tile's fold, by the grouping of its owner.
#[cube]
fn fold_tile<V: View, O: Lift<V::Item> + Lower>(
    view: &V,
    op: &O,
    index: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) -> O::State {
    let tile = comptime!(blueprint.tile);
    let valid = select(index < extent.full_tiles, comptime!(tile.len()), extent.tail);
    let start = tile_start(index, comptime!(tile.len()));
    let items = load_items::<V>(view, start, valid, &mut room.exchange, tile);
    let own = unit_fold::<V, O>(op, &items, valid, tile);
    let folded = cube_scan::<O>(op, own, &mut room.states, tile).right;
    // Protects: shared memory is read before it is used again.
    sync_cube();
    folded
}

/// The fold of everything up to and with an anchor: what it published, or, where it does not come, what can be made
/// of the last anchor that did and the windows since.
#[cube]
fn prefix_of<V: View, O: Lift<V::Item> + Lower>(
    view: &V,
    op: &O,
    descriptors: &mut [Atomic<u32>],
    anchor: u32,
    room: &mut Room,
    extent: Extent,
    #[comptime] blueprint: LookbackBlueprint,
) -> O::State {
    let window = comptime!(blueprint.window);
    let mut at = anchor;
    let mut known = look_at_prefix::<O>(op, descriptors, at, room, extent.tag, comptime!(blueprint.patience));
    // Back to the last anchor that has published, or to the first tile.
    while known.left == 0u32 && at > 0 {
        at -= window;
        known = look_at_prefix::<O>(op, descriptors, at, room, extent.tag, 1u32);
    }
    let mut prefix = known.right;
    if known.left == 0u32 {
        prefix = fold_tile::<V, O>(view, op, 0u32, room, extent, blueprint);
    }
    // Forward again, a window at a time, by the grouping of the anchors.
    while at < anchor {
        let next = at + window;
        let between = fold_window::<V, O>(view, op, descriptors, at + 1, next, room, extent, blueprint);
        if comptime!(window > 1) {
            prefix = op.combine(prefix, between);
        }
        prefix =
            op.combine(prefix, fold_window::<V, O>(view, op, descriptors, next, next + 1, room, extent, blueprint));
        at = next;
    }
    prefix
}

/// What an anchor has published, the same on every unit: `left` is 1 where it is there, `right` is the prefix.
#[cube]
fn look_at_prefix<O: Monoid>(
    op: &O,
    descriptors: &mut [Atomic<u32>],
    anchor: u32,
    room: &mut Room,
    tag: u32,
    patience: u32,
) -> Both<u32, O::State> {
    if UNIT_POS == 0 {
        let words = poll::<O::State>(&*descriptors, anchor, PREFIX, tag, patience);
        room.notes[0] = words[comptime!(<O::State as State>::WORDS)];
        #[unroll]
        for word in 0..comptime!(<O::State as State>::WORDS) {
            room.notes[word + 1] = words[word];
        }
    }
    // Protects: what unit 0 found is there before the others read it.
    sync_cube();
    let there = room.notes[0];
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(<O::State as State>::WORDS) {
        words.push(room.notes[word + 1]);
    }
    let mut state = op.identity();
    if there != 0u32 {
        state = state_of::<O::State>(&words);
    }
    // Protects: every unit has read the notes before they are used again.
    sync_cube();
    both::<u32, O::State>(there, state)
}
