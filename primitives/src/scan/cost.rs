//! How much a scan combines, as it is cut up for a device: its work and its span.

use super::blueprint::Strategy;
use super::plan::Plan;

/// Work and span, in combines of two states. Those with an identity count too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// All of them.
    pub combines: u64,
    /// Those that follow one another, however many units there are.
    pub steps: u64,
}

impl Cost {
    /// That of `len` items.
    pub fn of(len: u64, plan: &Plan) -> Self {
        match plan.strategy {
            Strategy::DecoupledLookback => looking_back(len, plan),
            strategy => recursive(len, plan.tile.len().into(), strategy == Strategy::Blelloch),
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
    let within = if sweeps {
        Cost { combines: 2 * len, steps: 2 * depth }
    } else {
        Cost { combines: len * depth, steps: depth }
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn cost(len: u64, strategy: Strategy) -> Cost {
        let plan = Plan::new::<f32, f32>(len, 1, true, strategy, false, &Profile::plain()).expect("there is room");
        Cost::of(len, &plan)
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
        let doubled = cost(1024, Strategy::HillisSteele);
        assert_eq!(doubled, Cost { combines: by_doubling(1024) + 1024, steps: 11 });
        assert_eq!(cost(1024, Strategy::Blelloch), Cost { combines: 3 * 1024, steps: 21 });
    }

    #[test]
    fn a_level_more_adds_folds_prefixes_and_a_scan_of_them() {
        let (one, two) = (cost(1 << 10, Strategy::Blelloch), cost(1 << 20, Strategy::Blelloch));
        assert_eq!(two.combines, 5 * (1 << 20) + one.combines);
        assert_eq!(two.steps, 2 * one.steps + 11);
    }

    #[test]
    fn look_back_works_in_proportion_to_the_items() {
        let [short, long] = [1u64 << 22, 1 << 26].map(|len| cost(len, Strategy::DecoupledLookback));
        assert_eq!(short.combines * 16, long.combines);
        assert!(long.combines < cost(1 << 26, Strategy::HillisSteele).combines);
    }
}
