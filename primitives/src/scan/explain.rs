//! [`ScanPlan`]: what a scan would run, and how much it combines.

use std::fmt;

use super::blueprint::Strategy;
use super::plan::Plan;
use crate::reduce::host::CHUNK;

/// What a scan would run; its `Display` is a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanPlan {
    /// The strategy; never `Auto`, and none on the host.
    pub strategy: Option<Strategy>,
    /// Items of a tile, or of a chunk of the host.
    pub tile: u64,
    /// Units of a cube; 1 on the host.
    pub units: u32,
    /// Tiles, or chunks of the host.
    pub tiles: u64,
    /// Work: how often two states are combined, with those that a unit combines with an identity.
    pub combines: u64,
    /// Span: combines that follow one another, however many units there are.
    pub steps: u64,
}

/// Work and span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    combines: u64,
    steps: u64,
}

impl ScanPlan {
    /// The host's: chunks are folded, their totals scanned, and each is scanned on.
    pub(super) fn host(len: u64) -> Self {
        let tiles = len.div_ceil(CHUNK);
        let chunk = CHUNK.min(len);
        ScanPlan {
            strategy: None,
            tile: CHUNK,
            units: 1,
            tiles,
            combines: 2 * len + tiles,
            steps: 2 * chunk + tiles,
        }
    }

    /// A device's.
    pub(super) fn device(len: u64, plan: &Plan) -> Self {
        let tile = plan.tile;
        let Cost { combines, steps } = match plan.strategy {
            Strategy::DecoupledLookback => looking_back(len, plan),
            strategy => recursive(len, u64::from(tile.len()), strategy == Strategy::Blelloch),
        };
        ScanPlan {
            strategy: Some(plan.strategy),
            tile: tile.len().into(),
            units: tile.units,
            tiles: plan.cut.cubes.into(),
            combines,
            steps,
        }
    }
}

/// Units fold their runs, the cube scans these, a tile folds those back to the anchor before it, and the runs are scanned on.
/// One anchor waits for another.
fn looking_back(len: u64, plan: &Plan) -> Cost {
    let [units, window, tiles] = [plan.tile.units, plan.window, plan.cut.cubes].map(u64::from);
    let run = u64::from(plan.tile.len()) / units;
    let [across, back] = [units, window].map(logarithm);
    Cost {
        combines: 2 * len + tiles * (units * across + window),
        steps: 2 * run + across + back + tiles.div_ceil(window),
    }
}

/// Tiles of one item a unit are scanned, on from prefixes that are the scan of the tiles' folds.
fn recursive(len: u64, tile: u64, sweeps: bool) -> Cost {
    let depth = logarithm(tile);
    let within = if sweeps { Cost { combines: 2 * len, steps: 2 * depth } } else { Cost { combines: len * depth, steps: depth } };
    let tiles = len.div_ceil(tile);
    // An inclusive result is one combine more.
    let here = Cost { combines: within.combines + len, steps: within.steps + 1 };
    if tiles <= 1 {
        return here;
    }
    let above = recursive(tiles, tile, sweeps);
    // A fold of every tile before, and its prefix onto every item.
    Cost { combines: here.combines + above.combines + 2 * len, steps: here.steps + above.steps + depth + 1 }
}

/// Rounded up.
fn logarithm(count: u64) -> u64 {
    count.max(1).next_power_of_two().ilog2().into()
}

impl fmt::Display for ScanPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.strategy {
            None => write!(f, "the host's {} chunks of {} items", self.tiles, self.tile)?,
            Some(strategy) => write!(
                f,
                "{}: {} tiles of {} items, each of {} units",
                strategy.name(),
                self.tiles,
                self.tile,
                self.units
            )?,
        }
        write!(f, "; {} combines, {} of them one after another", self.combines, self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn plan(len: u64, strategy: Strategy) -> ScanPlan {
        let plan = Plan::new::<f32, f32>(len, 1, true, strategy, false, &Profile::plain()).expect("there is room");
        ScanPlan::device(len, &plan)
    }

    /// Combines of the textbook's loop over one tile: every item, at every distance.
    fn by_doubling(tile: u64) -> u64 {
        let (mut combines, mut distance) = (0, 1);
        while distance < tile {
            combines += tile;
            distance *= 2;
        }
        combines
    }

    #[test]
    fn one_tile_costs_what_the_textbook_says() {
        let doubled = plan(1024, Strategy::HillisSteele);
        assert_eq!((doubled.tile, doubled.combines, doubled.steps), (1024, by_doubling(1024) + 1024, 11));
        let swept = plan(1024, Strategy::Blelloch);
        assert_eq!((swept.combines, swept.steps), (3 * 1024, 21));
    }

    #[test]
    fn a_level_more_adds_folds_prefixes_and_a_scan_of_them() {
        let (one, two) = (plan(1 << 10, Strategy::Blelloch), plan(1 << 20, Strategy::Blelloch));
        assert_eq!(two.combines, 5 * (1 << 20) + one.combines);
        assert_eq!(two.steps, one.steps + 21 + 11);
    }

    #[test]
    fn look_back_works_in_proportion_to_the_items() {
        let [short, long] = [1u64 << 22, 1 << 26].map(|len| plan(len, Strategy::DecoupledLookback));
        assert_eq!(short.combines * 16, long.combines);
        assert!(long.combines < plan(1 << 26, Strategy::HillisSteele).combines);
        let host = ScanPlan::host(CHUNK + 1);
        assert_eq!((host.tiles, host.combines), (2, 2 * (CHUNK + 1) + 2));
        assert_eq!(ScanPlan::host(0).combines, 0);
    }
}
