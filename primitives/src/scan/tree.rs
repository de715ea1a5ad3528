//! The host's scan in the grouping of the look-back kernel on a device with planes of 32: for reproducible bits.
//!
//! What follows is what `tile/` and `window.rs` combine, in their order, item by item.

use rayon::prelude::*;

use super::blueprint::Kind;
use super::plan::{reproducible_tile, window};
use crate::collect::host::filled;
use crate::reduce::fold_pairs;
use crate::reduce::host::fold_run;
use crate::tile::Tile;
use crate::views::HostView;
use crate::{Lift, Lower, Monoid};

/// Scans all `len` items of `view`.
pub fn scan<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, op: &O, kind: Kind) -> Vec<O::Output> {
    let tile = reproducible_tile::<V::Item, O::State>(len);
    let tiles = Tiles { view, op, tile, len };
    let count = len.div_ceil(tiles.tile_len());
    let parts: Vec<Parts<O::State>> = (0..count).into_par_iter().map(|index| tiles.parts(index)).collect();
    let prefixes = prefixes(op, &parts, window(tile) as usize, tile.plane as usize);
    let blank = op.lower(op.identity());
    let mut results = filled(len as usize, tiles.tile_len() as usize, blank, |start, results| {
        let index = start / tiles.tile_len() as usize;
        let mut place = results.iter_mut();
        tiles.scan(index as u64, prefixes[index], &parts[index].before, |before, after| {
            let state = if kind == Kind::Inclusive { after } else { before };
            if let Some(place) = place.next() {
                *place = op.lower(state);
            }
        });
    });
    if kind == Kind::Offsets {
        let mut total = op.identity();
        if let Some(last) = count.checked_sub(1) {
            let prefix = prefixes[last as usize];
            tiles.scan(last, prefix, &parts[last as usize].before, |_, after| total = after);
        }
        results.push(op.lower(total));
    }
    results
}

/// A tile folded: what comes before each of its planes, and all of it.
struct Parts<S> {
    before: Vec<S>,
    total: S,
}

/// The items, cut into tiles.
struct Tiles<'a, V, O> {
    view: &'a V,
    op: &'a O,
    tile: Tile,
    len: u64,
}

impl<V: HostView, O: Lift<V::Item>> Tiles<'_, V, O> {
    fn tile_len(&self) -> u64 {
        u64::from(self.tile.len())
    }

    /// The folds of a row's runs, one a unit of the plane.
    fn runs(&self, index: u64, plane: u32, row: u32) -> Vec<O::State> {
        let tile = self.tile;
        let (start, run) = (index * self.tile_len(), u64::from(tile.run));
        let valid = (self.len - start).min(self.tile_len());
        let rows = tile.rows * tile.steps;
        let first = u64::from((plane * rows + row) * tile.plane) * run;
        let push = |folded, item: u64| self.op.push(folded, self.view.read(item));
        (0..u64::from(tile.plane))
            .map(|unit| {
                let (begin, end) = (first + unit * run, first + (unit + 1) * run);
                if valid == self.tile_len() {
                    fold_run(self.view, start + begin, start + end, self.op)
                } else {
                    (start + begin.min(valid)..start + end.min(valid)).fold(self.op.identity(), push)
                }
            })
            .collect()
    }

    /// As `tile_parts`.
    fn parts(&self, index: u64) -> Parts<O::State> {
        let rows = self.tile.rows * self.tile.steps;
        let part = |plane: u32| {
            let row = |row: u32| fold_pairs(self.op, self.runs(index, plane, row));
            if rows == 1 {
                return row(0);
            }
            (0..rows).map(row).fold(self.op.identity(), |left, right| self.op.combine(left, right))
        };
        let mut before = vec![self.op.identity()];
        let mut total = part(0);
        for plane in 1..self.tile.groups() {
            before.push(total);
            total = self.op.combine(total, part(plane));
        }
        Parts { before, total }
    }

    /// As `write_scanned`: hands out what comes before and after each item of the tile.
    fn scan(&self, index: u64, prefix: O::State, before: &[O::State], mut put: impl FnMut(O::State, O::State)) {
        let tile = self.tile;
        let start = index * self.tile_len();
        let mut items = start..self.len.min(start + self.tile_len());
        for (plane, &before) in (0..).zip(before) {
            let mut carry = self.op.combine(prefix, before);
            for row in 0..tile.rows * tile.steps {
                if items.is_empty() {
                    return;
                }
                let scanned = plane_scan(self.op, self.runs(index, plane, row));
                for unit in 0..tile.plane as usize {
                    let mut running = if unit > 0 { self.op.combine(carry, scanned[unit - 1]) } else { carry };
                    for item in items.by_ref().take(tile.run as usize) {
                        let next = self.op.push(running, self.view.read(item));
                        put(running, next);
                        running = next;
                    }
                }
                carry = self.op.combine(carry, scanned[tile.plane as usize - 1]);
            }
        }
    }
}

/// What comes before each tile, as `look_back` finds it.
fn prefixes<O: Monoid>(op: &O, parts: &[Parts<O::State>], window: usize, plane: usize) -> Vec<O::State> {
    // The prefix of each anchor, itself within.
    let mut anchors: Vec<O::State> = parts.first().map(|first| first.total).into_iter().collect();
    let look_back = |goal: usize, anchors: &[O::State]| {
        let ordinal = (goal - 1) / window;
        let folds = &parts[ordinal * window + 1..goal];
        let row = |row: &[Parts<O::State>]| {
            let mut folds: Vec<O::State> = row.iter().map(|part| part.total).collect();
            folds.resize(plane, op.identity());
            fold_pairs(op, folds)
        };
        let between = folds.chunks(plane).map(row).reduce(|left, right| op.combine(left, right));
        between.map_or(anchors[ordinal], |between| op.combine(anchors[ordinal], between))
    };
    for anchor in (window..parts.len()).step_by(window) {
        let prefix = op.combine(look_back(anchor, &anchors), parts[anchor].total);
        anchors.push(prefix);
    }
    (0..parts.len())
        .into_par_iter()
        .map(|goal| if goal == 0 { op.identity() } else { look_back(goal, &anchors) })
        .collect()
}

/// As the kernel's: doubling distances.
fn plane_scan<O: Monoid>(op: &O, mut states: Vec<O::State>) -> Vec<O::State> {
    let mut distance = 1;
    while distance < states.len() {
        for unit in (distance..states.len()).rev() {
            states[unit] = op.combine(states[unit - distance], states[unit]);
        }
        distance *= 2;
    }
    states
}
