//! The kernel of the reproducible reduction.

use cubecl::prelude::*;
use cubefold_derive::launched;

use super::plan::Tree;
use crate::ops::carried;
use crate::tile::{keep, kept, plane_pairs, registers, shared_pairs, shared_store, store, tile_start, within_tile};
use crate::views::{View, ViewExpand};
use crate::{Lift, LiftExpand, Lower, LowerExpand, MonoidExpand, State, Wide};

/// Cube `c` of `cubes` folds its block of leaves and stores what it has as item `slot + c` of `output`.
#[launched]
#[cube(launch_unchecked)]
pub fn fold_tree<V: View, O: Lift<V::Item> + Lower>(
    view: V,
    op: O,
    output: &mut [u32],
    slot: u32,
    cubes: u32,
    full_blocks: u32,
    tail: u32,
    #[comptime] tree: Tree,
) {
    let slots = comptime!(tree.slots());
    let mut states = Shared::<[u32]>::new_slice(comptime!(slots as usize * <O::State as State>::WORDS));
    let cube = CUBE_POS as u32;
    // The same for every unit of a cube: barriers are reached by all or none.
    if cube < cubes {
        let valid = select(cube < full_blocks, comptime!(tree.len()), tail);
        let start = tile_start(cube, comptime!(tree.len()));
        // Leaves that have an item.
        let leaves = (valid + comptime!(tree.run - 1)) / comptime!(tree.run);
        if comptime!(tree.rolled) {
            for row in 0..tree.rows {
                let leaf = row * tree.units + UNIT_POS;
                fold_leaf::<V, O>(&op, &view, &mut states, start, leaf, valid, leaves, tree);
            }
        } else {
            #[unroll]
            for row in 0..comptime!(tree.rows) {
                let leaf = comptime!(row * tree.units) + UNIT_POS;
                fold_leaf::<V, O>(&op, &view, &mut states, start, leaf, valid, leaves, tree);
            }
        }
        let each = comptime!(tree.plane.max(1));
        let there = (leaves + comptime!(each - 1)) / each;
        let folded = shared_pairs::<O>(&op, &mut states, there, slots, comptime!(tree.units));
        if UNIT_POS == 0 {
            if comptime!(tree.lowered) {
                store::<O::Output>(output, slot + cube, op.lower(folded));
            } else {
                store::<O::State>(output, slot + cube, folded);
            }
        }
    }
}

/// Folds a leaf for each unit and leaves them in `states`: a state a leaf, or a state a plane, in their order.
#[cube]
fn fold_leaf<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    states: &mut Shared<[u32]>,
    start: Wide,
    leaf: u32,
    valid: u32,
    leaves: u32,
    #[comptime] tree: Tree,
) {
    let slots = comptime!(tree.slots());
    let own = leaf_fold::<V, O>(op, view, start, leaf * comptime!(tree.run), valid, tree);
    if comptime!(tree.plane > 0) {
        let folded = plane_pairs::<O>(op, own, leaf, leaves, comptime!(tree.plane));
        if UNIT_POS_PLANE == 0 {
            shared_store::<O::State>(states, leaf / comptime!(tree.plane), folded, slots);
        }
    } else {
        shared_store::<O::State>(states, leaf, own, slots);
    }
}

/// The fold in order of the leaf that begins with item `first` of the block; the identity where it has none.
#[cube]
fn leaf_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    first: u32,
    valid: u32,
    #[comptime] tree: Tree,
) -> O::State {
    let mut folded = op.identity();
    if first < valid {
        if comptime!(tree.rolled) {
            let end = min(valid, first + comptime!(tree.run));
            let item = view.read(within_tile(start, first));
            let mut run = op.open(item);
            // Two at a time: the one is worked on while the other waits.
            let pairs = (end - first - 1) / 2u32;
            for pair in 0..pairs {
                let offset = first + 1 + 2u32 * pair;
                let one = op.extend(run, item, view.read(within_tile(start, offset)));
                let both = op.extend(one, item, view.read(within_tile(start, offset + 1)));
                run = carried::<O>(op, pair < pairs, both);
            }
            if first + 1 + 2u32 * pairs < end {
                run = op.extend(run, item, view.read(within_tile(start, end - 1)));
            }
            folded = op.close(run, item);
        } else {
            folded = held_fold::<V, O>(op, view, start, first, valid, comptime!(tree.run));
        }
    }
    folded
}

/// The same of items that are held all at once. There is one at least.
#[cube]
fn held_fold<V: View, O: Lift<V::Item>>(
    op: &O,
    view: &V,
    start: Wide,
    first: u32,
    valid: u32,
    #[comptime] run: u32,
) -> O::State {
    let mut items = registers::<V::Item>(run);
    if first + run <= valid {
        view.read_run(within_tile(start, first), &mut items, 0u32, run);
    } else {
        #[unroll]
        for item in 0..run {
            if first + item < valid {
                keep::<V::Item>(&mut items, view.read(within_tile(start, first + item)), item);
            }
        }
    }
    let begun = kept::<V::Item>(&items, 0u32);
    let mut folded = op.open(begun);
    #[unroll]
    for item in 1..run {
        if first + item < valid {
            folded = op.extend(folded, begun, kept::<V::Item>(&items, item));
        }
    }
    op.close(folded, begun)
}
