//! Collectives of a cube whose units are dealt to columns side by side: each column's units fold, scan and look back
//! among themselves, all columns at a time.

use cubecl::prelude::*;

use super::super::descriptor::{Descriptors, look, publish};
use super::super::window::Room;
use super::kernel::Extent;
use super::plan::Blueprint;
use crate::tile::{kept, registers, shared_load, shared_store};
use crate::views::both;
use crate::{Both, Monoid, MonoidExpand};

/// Where a unit works.
#[derive(CubeType, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Seat {
    /// The block of columns.
    pub block: u32,
    /// The column within the block.
    pub lane: u32,
    /// How many units of the column come before this one.
    pub position: u32,
    /// The column.
    pub column: u32,
    /// 1 where the matrix has the column and the tile the unit; else 0.
    pub there: u32,
}

/// The seat of this unit in a block.
#[cube]
pub fn seat_in(block: u32, extent: Extent) -> Seat {
    let lane = UNIT_POS % extent.lanes;
    let position = UNIT_POS / extent.lanes;
    let column = block * extent.lanes + lane;
    let there = select(column < extent.columns && position < extent.groups, 1u32, 0u32);
    Seat { block, lane, position, column, there }
}

/// The slot of the column's fold of a tile; past the tiles come the anchors' prefixes.
#[cube]
pub fn slot_of(tile: u32, seat: Seat, extent: Extent) -> u32 {
    (tile * extent.blocks + seat.block) * extent.lanes + seat.lane
}

/// Exclusive scan over each column's units in order, and its total: `left` is what comes before the unit.
///
/// `shared` holds a state a unit. It may be used again after the next barrier.
#[cube]
pub fn lanes_scan<O: Monoid>(
    op: &O,
    state: O::State,
    shared: &mut Shared<[u32]>,
    seat: Seat,
    extent: Extent,
    #[comptime] units: u32,
) -> Both<O::State, O::State> {
    let mut scanned = state;
    shared_store::<O::State>(shared, UNIT_POS, scanned, units);
    let mut distance = 1u32;
    // The same number of steps for every unit.
    while distance < extent.groups {
        // Protects: the states of the last step are all there.
        sync_cube();
        if seat.position >= distance {
            let before = shared_load::<O::State>(&*shared, UNIT_POS - distance * extent.lanes, units);
            scanned = op.combine(before, scanned);
        }
        // Protects: nobody overwrites a state that another unit still reads.
        sync_cube();
        shared_store::<O::State>(shared, UNIT_POS, scanned, units);
        distance *= 2u32;
    }
    // Protects: the last step's states are there before they are read.
    sync_cube();
    let mut before = op.identity();
    if seat.position > 0 {
        before = shared_load::<O::State>(&*shared, UNIT_POS - extent.lanes, units);
    }
    let total = shared_load::<O::State>(&*shared, (extent.groups - 1) * extent.lanes + seat.lane, units);
    both::<O::State, O::State>(before, total)
}

/// The states of each column's units folded in order, right on the column's first unit. Ends with a barrier.
#[cube]
fn lanes_fold<O: Monoid>(
    op: &O,
    state: O::State,
    shared: &mut Shared<[u32]>,
    seat: Seat,
    extent: Extent,
    #[comptime] units: u32,
) -> O::State {
    let mut folded = state;
    shared_store::<O::State>(shared, UNIT_POS, folded, units);
    let mut distance = 1u32;
    while distance < extent.groups {
        // Protects: the partner's state of the last step is there.
        sync_cube();
        if seat.position % (2 * distance) == 0 && seat.position + distance < extent.groups {
            let after = shared_load::<O::State>(&*shared, UNIT_POS + distance * extent.lanes, units);
            folded = op.combine(folded, after);
            shared_store::<O::State>(shared, UNIT_POS, folded, units);
        }
        distance *= 2u32;
    }
    // Protects: states are read before shared memory is used again.
    sync_cube();
    folded
}

/// What comes before tile `goal` in the unit's column (`right`). `left`, the same on every unit, is `goal`, or where
/// something is missing in any column the tile whose fold it is or the anchor whose prefix it is.
///
/// `prefix of the anchor ⊕ (folds of the window in order)`, as in the flat scan. Each unit polls `polled` neighbouring
/// tiles. Where the goal is an anchor itself and `own` its fold, its prefix is published at once, for others wait for it.
#[cube]
pub fn lanes_look_back<O: Monoid, D: Descriptors>(
    op: &O,
    descriptors: &mut D,
    goal: u32,
    own: O::State,
    publishes: bool,
    room: &mut Room,
    seat: Seat,
    extent: Extent,
    #[comptime] blueprint: Blueprint,
) -> Both<u32, O::State> {
    let units = comptime!(blueprint.units);
    let window = extent.groups * comptime!(blueprint.polled);
    let ordinal = (goal - 1) / window;
    let anchor = ordinal * window;
    let first = anchor + 1 + seat.position * comptime!(blueprint.polled);
    let mut folds = registers::<O::State>(comptime!(blueprint.polled));
    let mut pending = Array::<u32>::new(comptime!(blueprint.polled as usize));
    // All at once, so that nearly always one wait is enough.
    #[unroll]
    for poll in 0..comptime!(blueprint.polled) {
        let tile = first + poll;
        pending[poll as usize] = 0u32;
        if seat.there != 0 && tile < goal {
            let slot = slot_of(tile, seat, extent);
            pending[poll as usize] = 1u32 - look::<O::State, D>(&*descriptors, extent.slots, slot, &mut folds, poll);
        }
    }
    // Then what was missing, with patience for all of them together: rounds of this loop must not add up.
    let mut missing = goal;
    let mut folded = op.identity();
    let mut looks = 0u32;
    #[unroll]
    for poll in 0..comptime!(blueprint.polled) {
        let tile = first + poll;
        let slot = slot_of(tile, seat, extent);
        while pending[poll as usize] != 0u32 && looks < comptime!(blueprint.patience) {
            pending[poll as usize] = 1u32 - look::<O::State, D>(&*descriptors, extent.slots, slot, &mut folds, poll);
            looks += 1u32;
        }
        if pending[poll as usize] != 0u32 {
            missing = tile;
        }
        if seat.there != 0 && tile < goal {
            let fold = kept::<O::State>(&folds, poll);
            folded = if comptime!(poll == 0) { fold } else { op.combine(folded, fold) };
        }
    }
    // Protects: shared memory is read before it is used again.
    sync_cube();
    if UNIT_POS == 0 {
        room.notes[0] = goal;
    }
    let between = lanes_fold::<O>(op, folded, &mut room.states, seat, extent, units);
    if missing != goal {
        // Any of the missing tiles will do: whichever unit writes last.
        room.notes[0] = missing;
    }
    // Protects: every unit has said what it misses.
    sync_cube();
    let noted = room.notes[0];
    // Protects: every unit has read it before a column says that its anchor is missing.
    sync_cube();
    if noted == goal && seat.position == 0 && seat.there != 0 {
        let mut prefix = registers::<O::State>(1u32);
        let slot = slot_of(extent.tiles + ordinal, seat, extent);
        let mut there = 0u32;
        let mut looks = 0u32;
        while there == 0u32 && looks < comptime!(blueprint.patience) {
            there = look::<O::State, D>(&*descriptors, extent.slots, slot, &mut prefix, 0u32);
            looks += 1u32;
        }
        if there == 0u32 {
            room.notes[0] = anchor;
        } else {
            let mut before = kept::<O::State>(&prefix, 0u32);
            if goal > anchor + 1 {
                before = op.combine(before, between);
            }
            if publishes {
                let next = slot_of(extent.tiles + ordinal + 1, seat, extent);
                publish::<O::State, D>(descriptors, extent.slots, next, op.combine(before, own));
            }
            // The column's first unit sits in slot `lane`.
            shared_store::<O::State>(&mut room.states, UNIT_POS, before, units);
        }
    }
    // Protects: what was found is there before every unit reads it.
    sync_cube();
    both::<u32, O::State>(room.notes[0], shared_load::<O::State>(&room.states, seat.lane, units))
}
