//! How the columns of a matrix are cut up: pure arithmetic, tested without a device.

use super::super::plan::{LONG, Refusal};
use crate::{Feature, Profile, State};

/// Columns side by side in a tile: a line of the cache of 32-bit items. More make a tile of fewer rows, and the way from
/// anchor to anchor longer.
const LANES: u32 = 32;

/// Words of items that a unit holds at a time, and items.
const REGISTERS: usize = 32;
const RUN: usize = 16;

/// Items between two anchors, as of a flat scan: a hop takes about 0.9 us on an H200.
const WINDOW_ITEMS: u64 = 300_000;

/// Tiles that a unit polls at most, and the words of their states.
const POLLED: u32 = 4;
const POLLED_WORDS: usize = 16;

/// What the kernel is compiled anew for. The shape of the matrix is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blueprint {
    /// Units of a cube: the length of shared arrays.
    pub units: u32,
    /// Rows that a unit holds at a time: register arrays.
    pub run: u32,
    /// Runs of a unit, one below the other.
    pub steps: u32,
    /// Tiles that a unit polls when it looks back: register arrays.
    pub polled: u32,
    /// Whether results leave out their own item.
    pub exclusive: bool,
    /// Whether columns are scanned from the bottom to the top.
    pub reverse: bool,
    /// Polls of a descriptor before the cube folds the missing tile itself.
    pub patience: u32,
    /// Tiles that publish nothing: multiples of this; 0 for none. For tests.
    pub withhold: u32,
}

impl Blueprint {
    /// Rows of a unit.
    pub fn chain(&self) -> u32 {
        self.run * self.steps
    }
}

/// A matrix cut into blocks of `lanes` columns, and a block into tiles of `groups` chains of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Units of a cube.
    pub units: u32,
    /// Rows that a unit holds at a time.
    pub run: u32,
    /// Runs of a unit.
    pub steps: u32,
    /// Tiles that a unit polls.
    pub polled: u32,
    /// Columns of a block; the last one may have fewer.
    pub lanes: u32,
    /// Units of a column within a tile. `lanes · groups` units have work.
    pub groups: u32,
    /// Blocks there are.
    pub blocks: u32,
    /// Tiles of a block.
    pub tiles: u32,
}

impl Plan {
    /// The plan for `rows` by `columns` items of type `T`, none of them 0, scanned as states `S`.
    ///
    /// Units and steps are those that were measured for the flat scan: see its plan.
    pub fn new<T: State, S: State>(rows: u32, columns: u32, profile: &Profile) -> Result<Self, Refusal> {
        if !profile.atomic_u32 {
            return Err(Refusal::Lacks(Feature::Atomic32));
        }
        let (wanted, steps) = match (u64::from(rows) * u64::from(columns) < LONG, S::WORDS) {
            (true, _) => (256, 1),
            // On an H200 (CUDA, affine maps, 20 columns of 2^26 items) 2.67 TB/s; with 256 units of 4 steps 2.30.
            (false, 1..=2) => (512, 2),
            (false, _) => (256, 4),
        };
        let units = units::<S>(wanted, profile).map_err(Refusal::Lacks)?;
        let run = (REGISTERS / T::WORDS).clamp(1, RUN) as u32;
        // Chains that have rows at all: with few of them, a tile has the more columns.
        let chains = rows.div_ceil(run * steps);
        let lanes = lanes(columns, units, chains);
        let groups = (units / lanes).min(chains);
        let (blocks, height) = (columns.div_ceil(lanes), groups * run * steps);
        let tiles = rows.div_ceil(height);
        let plan = Plan { units, run, steps, polled: 1, lanes, groups, blocks, tiles };
        let plan = Plan { polled: plan.polled_tiles::<S>(), ..plan };
        plan.check::<S>(profile)
    }

    /// Rows of a tile.
    pub fn height(&self) -> u32 {
        self.groups * self.run * self.steps
    }

    /// Tiles between two anchors.
    pub fn window(&self) -> u32 {
        self.groups * self.polled
    }

    /// Cubes that have work: a tile each.
    pub fn cubes(&self) -> u64 {
        u64::from(self.tiles) * u64::from(self.blocks)
    }

    /// Slots of the descriptors: every column's fold of every tile, then every column's prefix of every anchor.
    pub fn slots(&self) -> u64 {
        let anchors = u64::from(self.tiles.div_ceil(self.window()));
        (u64::from(self.tiles) + anchors) * u64::from(self.blocks) * u64::from(self.lanes)
    }

    fn items(&self) -> u64 {
        u64::from(self.height()) * u64::from(self.lanes)
    }

    /// Enough that a window has the wanted items; a power of two, so that few kernels differ by it.
    fn polled_tiles<S: State>(&self) -> u32 {
        if self.tiles <= self.groups {
            return 1;
        }
        let wanted = WINDOW_ITEMS.div_ceil(self.items() * u64::from(self.groups)).min(u64::from(POLLED)) as u32;
        let most = (POLLED_WORDS / S::WORDS).max(1).ilog2();
        wanted.next_power_of_two().min(1 << most)
    }

    /// What is counted in 32 bits, and what a launch takes.
    fn check<S: State>(self, profile: &Profile) -> Result<Self, Refusal> {
        let launched = u64::from(profile.max_cubes.0) * u64::from(profile.max_cubes.1);
        let slots = u64::from(u32::MAX) / (2 * S::WORDS as u64);
        let limit = launched.min(slots / (2 * u64::from(self.lanes))).min(u64::from(u32::MAX));
        if self.cubes() > limit { Err(Refusal::TooLong(limit.saturating_mul(self.items()))) } else { Ok(self) }
    }
}

/// Units of a cube: a power of two for which there is room.
fn units<S: State>(wanted: u32, profile: &Profile) -> Result<u32, Feature> {
    let bytes = |units: u32| 4 * (units as usize * S::WORDS + 1);
    let mut units = wanted;
    while units > 1 && (units > profile.max_units || bytes(units) > profile.shared_bytes) {
        units /= 2;
    }
    if bytes(units) > profile.shared_bytes { Err(Feature::SharedMemory(bytes(units))) } else { Ok(units) }
}

/// Columns of a block. Blocks but the last begin at whole sectors of 32 bytes where the rows do.
fn lanes(columns: u32, units: u32, chains: u32) -> u32 {
    let even = |most: u32| {
        let lanes = columns.div_ceil(columns.div_ceil(most));
        if most >= 8 && lanes < columns { lanes.next_multiple_of(8).min(most) } else { lanes }
    };
    let wide = (units / chains.min(units)).max(1);
    even(LANES.min(units).max(wide / 8 * 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Both;

    const ROWS: [u32; 12] = [1, 2, 15, 16, 17, 255, 256, 4097, 70_001, 1 << 20, 1 << 22, 1 << 26];
    const COLUMNS: [u32; 14] = [1, 2, 3, 7, 20, 31, 32, 33, 40, 64, 65, 500, 1000, 1 << 20];

    fn check<T: State, S: State>(rows: u32, columns: u32, profile: &Profile) {
        let Ok(plan) = Plan::new::<T, S>(rows, columns, profile) else { return };
        let case = format!("{rows} by {columns}: {plan:?}");
        assert!(plan.lanes * plan.groups <= plan.units && plan.groups > 0 && plan.polled > 0, "seats: {case}");
        assert!(plan.units <= profile.max_units && plan.units.is_power_of_two(), "units: {case}");
        assert!(4 * (plan.units as usize * S::WORDS + 1) <= profile.shared_bytes, "shared memory: {case}");
        let (blocks, tiles) = (u64::from(plan.blocks), u64::from(plan.tiles));
        let (lanes, height) = (u64::from(plan.lanes), u64::from(plan.height()));
        assert!((blocks - 1) * lanes < u64::from(columns) && blocks * lanes >= u64::from(columns), "columns: {case}");
        assert!((tiles - 1) * height < u64::from(rows) && tiles * height >= u64::from(rows), "rows: {case}");
        assert!(plan.slots() * S::WORDS as u64 * 2 <= u64::from(u32::MAX), "slots: {case}");
        assert!(plan.polled as usize * S::WORDS <= POLLED_WORDS.max(S::WORDS), "registers: {case}");
    }

    #[test]
    fn every_element_is_in_one_tile_of_one_block() {
        type Wide4 = Both<Both<f32, f32>, Both<f32, f32>>;
        type Wide16 = Both<Both<Wide4, Wide4>, Both<Wide4, Wide4>>;
        for (max_units, shared_bytes) in [(1, 256), (16, 1 << 10), (128, 16384), (256, 32768), (1024, 1 << 17)] {
            let profile = Profile { max_units, shared_bytes, ..Profile::plain() };
            for rows in ROWS {
                for columns in COLUMNS {
                    check::<f32, f32>(rows, columns, &profile);
                    check::<f32, Both<f32, f32>>(rows, columns, &profile);
                    check::<f32, Wide4>(rows, columns, &profile);
                    check::<Wide16, Wide16>(rows, columns, &profile);
                }
            }
        }
    }

    #[test]
    fn anchors_of_a_long_matrix_are_far_apart() {
        for columns in [20, 32, 64, 500] {
            for rows in [1 << 22, 1 << 24] {
                let sums = Plan::new::<f32, f32>(rows, columns, &Profile::plain()).expect("it fits");
                let maps = Plan::new::<f32, Both<f32, f32>>(rows, columns, &Profile::plain()).expect("it fits");
                for plan in [sums, maps] {
                    assert!(u64::from(plan.window()) * plan.items() >= WINDOW_ITEMS, "{columns} columns: {plan:?}");
                }
            }
        }
    }

    #[test]
    fn few_rows_make_wide_tiles_whose_units_have_work() {
        let plan = Plan::new::<f32, f32>(100, 1 << 20, &Profile::plain()).expect("it fits");
        assert!(plan.tiles == 1 && plan.lanes * plan.groups * 4 >= plan.units * 3, "{plan:?}");
        let plan = Plan::new::<f32, f32>(1, 1000, &Profile::plain()).expect("it fits");
        assert_eq!((plan.groups, plan.tiles), (1, 1));
    }

    #[test]
    fn the_limit_is_a_grid_of_two_dimensions() {
        let small = Profile { max_cubes: (2, 3, 1), ..Profile::plain() };
        let taken = Plan::new::<u32, u32>(6 * 128, 32, &small);
        assert!(taken.is_ok(), "{taken:?}");
        assert_eq!(Plan::new::<u32, u32>(6 * 128 + 1, 32, &small), Err(Refusal::TooLong(6 * 128 * 32)));
        let bare = Profile { atomic_u32: false, ..Profile::plain() };
        assert_eq!(Plan::new::<u32, u32>(5, 5, &bare), Err(Refusal::Lacks(Feature::Atomic32)));
    }
}
