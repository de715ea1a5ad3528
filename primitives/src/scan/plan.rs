//! How a scan is cut up: pure arithmetic, tested without a device.

use super::blueprint::Strategy;
use crate::reduce::Cut;
use crate::tile::Tile;
use crate::{Feature, Profile, State};

/// Items from which on tiles are long. On an H200 (CUDA, f32 sum) long tiles take 20 us for 2^22 items, as short ones do; 48 us
/// for 2^24, against 66.
pub const LONG: u64 = 1 << 22;

/// States of shared memory for what units tell each other: one more state, and a tile.
const NOTED: u32 = 2;

/// Words that a unit moves at once: 16 bytes.
const RUN_WORDS: usize = 4;

/// Polls before a cube folds a missing tile itself: far longer than a tile takes, far shorter than a watchdog. Mesa's
/// llvmpipe ends every loop of a unit after 65,535 iterations in all, so it must be well below that too.
pub const PATIENCE: u32 = 1 << 10;

/// What a device runs for a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Never `Auto`.
    pub strategy: Strategy,
    /// The tile.
    pub tile: Tile,
    /// How the items are cut up: one tile a cube.
    pub cut: Cut,
    /// Tiles between two anchors.
    pub window: u32,
}

/// Why there is no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The device lacks this.
    Lacks(Feature),
    /// This strategy groups items by the device.
    Grouping(&'static str),
    /// More items than this cannot be cut up.
    TooLong(u64),
}

impl Plan {
    /// The plan for `len` items of type `T`, read from `stored` words each and scanned as states `S`.
    ///
    /// `light` is what the operator says of its combine.
    pub fn new<T: State, S: State>(
        len: u64,
        stored: usize,
        light: bool,
        strategy: Strategy,
        reproducible: bool,
        profile: &Profile,
    ) -> Result<Self, Refusal> {
        let strategy = match strategy {
            Strategy::Auto if profile.atomic_u32 || reproducible => Strategy::DecoupledLookback,
            Strategy::Auto => Strategy::Blelloch,
            named => named,
        };
        check_grouping(strategy, reproducible)?;
        let tile = match strategy {
            Strategy::DecoupledLookback if !profile.atomic_u32 => Err(Feature::Atomic32),
            Strategy::DecoupledLookback if reproducible => {
                Tile::fixed::<T, S>(profile, reproducible_tile::<T, S>(len), NOTED)
            }
            Strategy::DecoupledLookback => lookback_tile::<T, S>(len, stored, light, profile),
            _ => recursive_tile::<S>(profile),
        };
        let tile = tile.map_err(Refusal::Lacks)?;
        let cut = Cut::new(len, tile.len(), u64::MAX).map_err(Refusal::TooLong)?;
        let limit = u64::from(profile.max_cubes.0) * u64::from(profile.max_cubes.1);
        if u64::from(cut.cubes) > limit {
            return Err(Refusal::TooLong(limit * u64::from(tile.len())));
        }
        Ok(Plan { strategy, tile, cut, window: window(tile) })
    }

    /// Slots of the descriptors: every tile's fold, then every anchor's prefix.
    pub fn slots(&self) -> u64 {
        u64::from(self.cut.cubes) + u64::from(self.cut.cubes.div_ceil(self.window))
    }
}

/// The tile of a look-back scan. On an H200 (2^28 f32, CUDA), tiles of 2^16 items with half of them held: sums 3.4 TB/s (3.1 with
/// tiles of 2^14), affine maps 3.0 (2.7). Larger items or states need the registers for themselves: sums of segments 2.3 TB/s as
/// below (2.2 with two rows), averages of three words 2.3 (1.6 as sums), candles of four 2.2 (2.0 as averages). What bounds
/// all of them is how many items wait at a time: half the instructions, by what comes before each run kept in shared
/// memory, changed no rate. A heavy combine of two words, an average with a power in it, runs at 2.0 as averages do and at 0.7
/// as affine maps.
fn lookback_tile<T: State, S: State>(len: u64, stored: usize, light: bool, profile: &Profile) -> Result<Tile, Feature> {
    let (rows, run) = rows_and_run::<S>(stored);
    let tile = |units, steps, rows, run| Tile {
        units,
        steps,
        rows,
        run,
        plane: 0,
        shuffles: false,
        rolled: false,
        shares: false,
    };
    let tile = match (stored, S::WORDS) {
        _ if len < LONG => tile(256, 1, rows, run),
        (0..=1, words) if profile.plane.is_some() && (words == 1 || words == 2 && light) => {
            tile(1024, 2, 8, RUN_WORDS as u32)
        }
        (_, 1) => tile(512, 2, rows, run),
        (2.., 2) => tile(512, 4, 1, run_of_words(4 * RUN_WORDS, stored)),
        (_, 2..=3) => tile(256, 4, rows, run),
        _ => tile(256, 8, 1, run),
    };
    Tile::fitting::<T, S>(profile, tile, NOTED, stored)
}

/// Items of a run of so many words, of which an item is read from `stored`.
fn run_of_words(words: usize, stored: usize) -> u32 {
    (words / stored.max(1)).max(1) as u32
}

/// Planes combine one state a run: states of more than a word are dear enough for longer runs, though two lines of memory
/// then share a move.
fn rows_and_run<S: State>(stored: usize) -> (u32, u32) {
    let run = run_of_words(RUN_WORDS, stored);
    if S::WORDS > 1 { (2, 2 * run) } else { (4, run) }
}

/// The tile of a reproducible scan, the same on every device: planes of 32, and no more units than WebGPU promises.
pub fn reproducible_tile<T: State, S: State>(len: u64) -> Tile {
    let (rows, run) = rows_and_run::<S>(T::WORDS);
    let steps = if len < LONG { 1 } else { 4 };
    Tile { units: 256, steps, rows, run, plane: 32, shuffles: true, rolled: false, shares: false }.held::<T>(T::WORDS)
}

/// Whether the strategy can group items in the same way everywhere.
pub fn check_grouping(strategy: Strategy, reproducible: bool) -> Result<(), Refusal> {
    match strategy {
        Strategy::HillisSteele | Strategy::Blelloch if reproducible => Err(Refusal::Grouping(strategy.name())),
        _ => Ok(()),
    }
}

/// Tiles between two anchors: at most as many as are looked at together. A hop from anchor to anchor takes about 0.9 us on
/// an H200, so that some 300,000 items should lie between two.
pub fn window(tile: Tile) -> u32 {
    match tile.plane {
        0 => tile.units,
        plane if tile.len() >= 1 << 14 => plane,
        plane => 4 * plane,
    }
}

/// One item a unit, so that the strategies are what their names say. Two at least: the folds of tiles of one would be as many as
/// the items, at every level.
fn recursive_tile<S: State>(profile: &Profile) -> Result<Tile, Feature> {
    if profile.max_units < 2 {
        return Err(Feature::Units(2));
    }
    let units = 1 << profile.max_units.min(1024).ilog2();
    let mut tile = Tile { units, steps: 1, rows: 1, run: 1, plane: 0, shuffles: false, rolled: false, shares: false };
    while tile.units as usize * S::WORDS * 4 + 16 > profile.shared_bytes {
        tile.units /= 2;
        if tile.units < 2 {
            return Err(Feature::SharedMemory(2 * S::WORDS * 4 + 16));
        }
    }
    Ok(tile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_takes_look_back_only_where_atomics_are() {
        let plan = |profile: &Profile, strategy| Plan::new::<f32, f32>(1 << 20, 1, true, strategy, false, profile);
        assert_eq!(plan(&Profile::plain(), Strategy::Auto).map(|plan| plan.strategy), Ok(Strategy::DecoupledLookback));
        let bare = Profile { atomic_u32: false, ..Profile::plain() };
        assert_eq!(plan(&bare, Strategy::Auto).map(|plan| plan.strategy), Ok(Strategy::Blelloch));
        assert_eq!(plan(&bare, Strategy::DecoupledLookback), Err(Refusal::Lacks(Feature::Atomic32)));
    }

    #[test]
    fn a_recursive_scan_needs_two_units() {
        let plan = |profile: &Profile| Plan::new::<f32, f32>(9, 1, true, Strategy::Blelloch, false, profile);
        let plain = Profile::plain();
        assert_eq!(plan(&Profile { max_units: 1, ..plain.clone() }), Err(Refusal::Lacks(Feature::Units(2))));
        assert_eq!(plan(&Profile { max_units: 2, ..plain.clone() }).map(|plan| plan.tile.len()), Ok(2));
        assert_eq!(plan(&Profile { shared_bytes: 24, ..plain.clone() }).map(|plan| plan.tile.len()), Ok(2));
        assert_eq!(plan(&Profile { shared_bytes: 23, ..plain }), Err(Refusal::Lacks(Feature::SharedMemory(24))));
    }

    #[test]
    fn tiles_shrink_to_the_shared_memory_of_the_device() {
        for shared_bytes in [1 << 10, 1 << 12, 16384, 32768, 1 << 16] {
            let profile = Profile { shared_bytes, ..Profile::plain() };
            let tile = lookback_tile::<f64, f64>(1 << 30, 2, true, &profile).expect("there is room for one unit");
            assert!(tile.shared_bytes::<f64>() <= shared_bytes, "{tile:?} in {shared_bytes} bytes");
        }
    }

    /// What the kernels take for granted of a look-back plan.
    fn check<T: State, S: State>(len: u64, profile: &Profile) {
        for (stored, light) in [(1, false), (1, true), (T::WORDS, true)] {
            check_stored::<T, S>(len, stored, light, profile);
        }
    }

    fn check_stored<T: State, S: State>(len: u64, stored: usize, light: bool, profile: &Profile) {
        let Ok(plan) = Plan::new::<T, S>(len, stored, light, Strategy::DecoupledLookback, false, profile) else {
            return;
        };
        let (tile, case) = (plan.tile, format!("{len} items, {profile:?}: {plan:?}"));
        assert!(tile.units.is_power_of_two() && tile.units <= profile.max_units, "units: {case}");
        assert!(tile.len().is_power_of_two() && tile.run > 0, "tiles are aligned to their length: {case}");
        assert!(tile.shared_bytes::<S>() + 4 + 4 * S::WORDS <= profile.shared_bytes, "shared memory: {case}");
        if tile.plane > 0 {
            assert!(tile.units.is_multiple_of(tile.plane) && plan.window.is_multiple_of(tile.plane), "planes: {case}");
        } else {
            assert_eq!((tile.steps, tile.rows, plan.window), (1, 1, tile.units), "without planes: {case}");
        }
    }

    #[test]
    fn look_back_plans_are_what_the_kernels_take_for_granted() {
        type Wide16 = crate::Both<crate::Both<u64, u64>, crate::Both<u64, u64>>;
        for plane in [None, Some(4), Some(8), Some(32), Some(64), Some(128)] {
            for (max_units, shared_bytes) in [(1, 256), (16, 1 << 10), (128, 16384), (256, 32768), (1024, 1 << 17)] {
                let profile =
                    Profile { plane, max_units, shared_bytes, max_cubes: (u32::MAX, 1, 1), ..Profile::plain() };
                for len in [0, 1, LONG - 1, LONG, 1 << 33] {
                    check::<f32, f32>(len, &profile);
                    check::<f32, crate::Both<f32, f32>>(len, &profile);
                    check::<f32, Wide16>(len, &profile);
                    check::<crate::Both<u32, f64>, crate::Both<u32, f64>>(len, &profile);
                    check::<Wide16, Wide16>(len, &profile);
                }
            }
        }
    }

    #[test]
    fn a_grid_of_two_dimensions_is_the_limit() {
        let profile = Profile { max_cubes: (2, 3, 1), ..Profile::plain() };
        let plan = |len| Plan::new::<u32, u32>(len, 1, true, Strategy::DecoupledLookback, false, &profile);
        assert!(plan(6 * 4096).is_ok());
        assert_eq!(plan(6 * 4096 + 1), Err(Refusal::TooLong(6 * 4096)));
    }
}
