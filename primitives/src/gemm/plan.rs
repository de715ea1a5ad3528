//! Which tile a product takes: pure arithmetic, tested without a device.

use super::GemmStrategy;
use super::kernel::Blueprint;
use crate::{Feature, Profile, State};

/// Side of the square of units that computes without shared memory.
const NAIVE_SIDE: u32 = 16;

/// Products of at least so many elements a side gain from larger tiles.
const SIDES: [(GemmStrategy, u32); 3] =
    [(GemmStrategy::Tiled32, 32), (GemmStrategy::Tiled16, 16), (GemmStrategy::Tiled8, 8)];

/// What a device runs for a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Never `Auto`.
    pub strategy: GemmStrategy,
    /// What the kernel is compiled for.
    pub blueprint: Blueprint,
    /// Tiles of the result from left to right.
    pub across: u32,
    /// Tiles of the result.
    pub tiles: u64,
}

impl Plan {
    /// The plan for a product with `rows × columns` results of factors `A` and `B`.
    ///
    /// # Errors
    ///
    /// The feature that the device lacks for a strategy that was named.
    pub fn new<A: State, B: State>(
        rows: u32,
        columns: u32,
        strategy: GemmStrategy,
        profile: &Profile,
    ) -> Result<Self, Feature> {
        let (strategy, blueprint) = match strategy {
            GemmStrategy::Auto => Self::largest::<A, B>(profile),
            GemmStrategy::Naive => (strategy, naive(profile)),
            named => {
                let side = SIDES.iter().find(|(each, _)| *each == named).map_or(NAIVE_SIDE, |(_, side)| *side);
                (named, tiled::<A, B>(side, profile)?)
            }
        };
        let across = columns.div_ceil(blueprint.side);
        let tiles = u64::from(across) * u64::from(rows.div_ceil(blueprint.side));
        Ok(Plan { strategy, blueprint, across, tiles })
    }

    fn largest<A: State, B: State>(profile: &Profile) -> (GemmStrategy, Blueprint) {
        SIDES
            .iter()
            .find_map(|&(strategy, side)| Some((strategy, tiled::<A, B>(side, profile).ok()?)))
            .unwrap_or((GemmStrategy::Naive, naive(profile)))
    }
}

fn naive(profile: &Profile) -> Blueprint {
    let mut side = NAIVE_SIDE;
    while side * side > profile.max_units.max(1) {
        side /= 2;
    }
    Blueprint { side, shared: false }
}

fn tiled<A: State, B: State>(side: u32, profile: &Profile) -> Result<Blueprint, Feature> {
    let bytes = (side * side) as usize * (A::WORDS + B::WORDS) * 4;
    if side * side > profile.max_units {
        return Err(Feature::Units(side * side));
    }
    if bytes > profile.shared_bytes {
        return Err(Feature::SharedMemory(bytes));
    }
    Ok(Blueprint { side, shared: true })
}
