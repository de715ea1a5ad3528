//! The kernel of the recursive scans: every tile on its own, on from a prefix that is known.

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::blueprint::{TilesBlueprint, Within};
use crate::tile::{
    cube_scan, cube_scan_sweeps, fetch, load_runs, registers, run_fold, tile_start, write_nothing, write_row,
};
use crate::views::{Place, View};
use crate::{Lift, Lower, Monoid, MonoidExpand, State};

/// Cube `c` scans tile `c` of `tiles` on from state `c` of `prefixes`.
#[launched]
#[cube(launch_unchecked)]
pub fn scan_tiles<V: View, O: Lift<V::Item> + Lower, P: Place<Item = O::Output>>(
    view: V,
    op: O,
    prefixes: &[u32],
    place: &mut P,
    tiles: u32,
    full_tiles: u32,
    tail: u32,
    #[comptime] blueprint: TilesBlueprint,
) {
    let tile = comptime!(blueprint.tile);
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    write_nothing::<V, O, P>(&op, place, full_tiles, tail, comptime!(blueprint.kind));
    let index = CUBE_POS as u32;
    // The same for every unit of a cube: barriers below are reached by all or none.
    if index < tiles {
        let valid = select(index < full_tiles, comptime!(tile.len()), tail);
        let start = tile_start(index, comptime!(tile.len()));
        let mut items = registers::<V::Item>(comptime!(tile.items()));
        load_runs::<V>(&view, start, valid, 0u32, &mut items, tile, false);
        let own = run_fold::<V, O>(&op, &items, valid, 0u32, 0u32, tile, false);
        let mut before = scan_units::<O>(&op, own, &mut states, blueprint);
        if comptime!(blueprint.carried) {
            before = op.combine(fetch::<O::State>(prefixes, index), before);
        }
        let end = select(index == tiles - 1, valid, 0u32);
        let kind = comptime!(blueprint.kind);
        // A unit has one item, or none.
        if UNIT_POS < valid {
            write_row::<V, O, P>(&op, &items, before, start.low, valid, end, 0u32, place, 0u32, tile, true, kind);
        }
    }
}

/// What comes before the unit within the tile.
#[cube]
fn scan_units<O: Monoid>(
    op: &O,
    own: O::State,
    states: &mut Shared<[u32]>,
    #[comptime] blueprint: TilesBlueprint,
) -> O::State {
    if comptime!(blueprint.within == Within::Sweeps) {
        cube_scan_sweeps::<O>(op, own, states, comptime!(blueprint.tile.units)).left
    } else {
        cube_scan::<O>(op, own, states, comptime!(blueprint.tile.units)).left
    }
}
