//! The kernel of the recursive scans: every tile on its own, on from a prefix that is known.

use cubecl::prelude::*;

use super::blueprint::{TilesBlueprint, Within};
use crate::tile::{cube_scan, cube_scan_sweeps, fetch, load_items, store_scanned, tile_start, unit_fold};
use crate::views::View;
use crate::{Lift, Lower, Monoid, MonoidExpand, State};

/// Cube `c` scans tile `c` of `tiles` on from state `c` of `prefixes`.
#[cube(launch_unchecked)]
pub fn scan_tiles<V: View, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    prefixes: &[u32],
    output: &mut [u32],
    tiles: u32,
    full_tiles: u32,
    tail: u32,
    #[comptime] blueprint: TilesBlueprint,
) {
    let tile = comptime!(blueprint.tile);
    let mut states = Shared::<[u32]>::new_slice(comptime!(tile.slots() as usize * <O::State as State>::WORDS));
    let mut exchange = Shared::<[u32]>::new_slice(comptime!(
        tile.exchange_words::<V::Item>(V::STORED).max(tile.exchange_words::<O::Output>(true))
    ));
    let index = CUBE_POS as u32;
    // The same for every unit of a cube: barriers below are reached by all or none.
    if index < tiles {
        let valid = select(index < full_tiles, comptime!(tile.len()), tail);
        let start = tile_start(index, comptime!(tile.len()));
        let items = load_items::<V>(&view, start, valid, &mut exchange, tile);
        let own = unit_fold::<V, O>(&op, &items, valid, tile);
        let mut before = scan_units::<O>(&op, own, &mut states, blueprint);
        if comptime!(blueprint.carried) {
            before = op.combine(fetch::<O::State>(prefixes, index), before);
        }
        // Protects: the exchange's items are read before results are written there.
        sync_cube();
        store_scanned::<V, O>(
            &op,
            &items,
            before,
            start.low,
            valid,
            &mut exchange,
            output,
            tile,
            comptime!(blueprint.exclusive),
        );
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
        cube_scan::<O>(op, own, states, comptime!(blueprint.tile)).left
    }
}
