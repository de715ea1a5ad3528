//! [`GemmPlan`]: what a product would run, and why.

use std::fmt;

use super::GemmStrategy;
use super::matrix_units::Fragments;
use super::plan::{Kernel, Plan, Product};
use crate::{Feature, State};

/// What a product would run, and why; its `Display` is a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GemmPlan {
    /// On the host, where strategies are of no account.
    Host(HostGemm),
    /// On a device.
    Device(GemmLaunch),
}

/// How the host multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostGemm {
    /// Threads of rayon's pool.
    pub threads: usize,
    /// Rows and columns of a tile in registers; none where the `matrixmultiply` crate multiplies plain floats.
    pub tile: Option<(u32, u32)>,
    /// Products that are folded into a tile before the next one has its turn.
    pub step: u32,
}

/// How a device multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmLaunch {
    /// The strategy; never `Auto`.
    pub strategy: GemmStrategy,
    /// Rows and columns of a cube's results.
    pub tile: (u32, u32),
    /// Rows and columns of a unit's results; on matrix units, which share a plane's results out as they like, how many and 1.
    pub unit: (u32, u32),
    /// Units of a cube.
    pub units: u32,
    /// Bytes of shared memory of a cube.
    pub shared_bytes: usize,
    /// Cubes in all.
    pub cubes: u64,
    /// Slices of the depth, which a second launch folds where there are several, and the depth of each.
    pub slices: (u32, u32),
    /// Why this strategy.
    pub reason: GemmReason,
}

/// Why a strategy runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GemmReason {
    /// The caller named it.
    Named,
    /// `Auto` splits a depth past the iterations that a unit of the device may loop.
    Deep {
        /// The depth.
        depth: u32,
        /// The iterations.
        loops: u32,
    },
    /// `Auto` takes blocks of results a unit where there are enough of them.
    Blocks {
        /// Blocks of 64 × 64 results.
        blocks: u64,
    },
    /// `Auto` splits the depth where there are too few blocks to keep a GPU busy.
    Slices {
        /// Blocks of 64 × 64 results.
        blocks: u64,
        /// The depth.
        depth: u32,
    },
    /// `Auto` takes the largest tile with a unit an element that the device has room for.
    LargestTile {
        /// Units that a cube of the device may have.
        units: u32,
        /// Bytes of shared memory that it may have.
        shared_bytes: usize,
        /// The next larger tile, and what the device lacks for it.
        refused: Option<(GemmStrategy, Feature)>,
    },
}

impl GemmLaunch {
    pub(super) fn new<A: State, B: State>(product: Product, plan: Plan) -> Self {
        let (unit, shared_bytes) = match plan.kernel {
            Kernel::Tiled(blueprint) => ((1, 1), blueprint.shared_bytes::<A, B>()),
            Kernel::Blocked(blocks) => ((blocks.unit_rows, blocks.unit_columns), blocks.shared_bytes::<A, B>()),
        };
        Self::of(product, plan, plan.kernel.sides(), unit, plan.kernel.units(), shared_bytes)
    }

    pub(super) fn on_matrix_units(product: Product, plan: Plan<Fragments>) -> Self {
        let (tile, units) = (plan.kernel.sides(), plan.kernel.units());
        Self::of(product, plan, tile, (tile.0 * tile.1 / units, 1), units, plan.kernel.shared_bytes())
    }

    fn of<K>(
        product: Product,
        plan: Plan<K>,
        tile: (u32, u32),
        unit: (u32, u32),
        units: u32,
        shared_bytes: usize,
    ) -> Self {
        GemmLaunch {
            strategy: plan.strategy,
            tile,
            unit,
            units,
            shared_bytes,
            cubes: plan.tiles * u64::from(product.count) * u64::from(plan.slices.0),
            slices: plan.slices,
            reason: plan.reason,
        }
    }
}

impl fmt::Display for GemmPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GemmPlan::Host(plan) => plan.fmt(f),
            GemmPlan::Device(plan) => plan.fmt(f),
        }
    }
}

impl fmt::Display for HostGemm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tile {
            None => write!(f, "the crate matrixmultiply, which multiplies plain floats on the host"),
            Some((rows, columns)) => write!(
                f,
                "the host's tiles of {rows} × {columns} results in steps of {} products on {} threads, for a semiring that \
                 no crate multiplies",
                self.step, self.threads
            ),
        }
    }
}

impl fmt::Display for GemmLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((rows, columns), (unit_rows, unit_columns)) = (self.tile, self.unit);
        write!(f, "{}: {} cubes of {rows} × {columns} results, ", self.strategy.name(), self.cubes)?;
        write!(f, "each of {} units with {unit_rows} × {unit_columns} of them ", self.units)?;
        write!(f, "and {} bytes of shared memory", self.shared_bytes)?;
        match self.slices {
            (1, _) => {}
            (slices, depth) => write!(f, ", the depth in {slices} slices of {depth}")?,
        }
        write!(f, "; {}", self.reason)
    }
}

impl fmt::Display for GemmReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GemmReason::Named => write!(f, "the caller named this strategy"),
            GemmReason::Deep { depth, loops } => {
                write!(f, "Auto splits a depth of {depth} where the loops of a unit end after {loops} iterations")
            }
            GemmReason::Blocks { blocks } => {
                write!(f, "Auto takes blocks of results a unit where there are enough: here {blocks} of 64 × 64")
            }
            GemmReason::Slices { blocks, depth } => {
                write!(f, "Auto splits the depth of {depth}, as {blocks} blocks of 64 × 64 results leave a GPU idle")
            }
            GemmReason::LargestTile { units, shared_bytes, refused } => {
                write!(
                    f,
                    "Auto takes the largest tile for which cubes of {units} units and {shared_bytes} bytes of shared "
                )?;
                write!(f, "memory have room")?;
                match refused {
                    None => Ok(()),
                    Some((strategy, feature)) => write!(f, ", and {} needs {feature}", strategy.name()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn explained(side: u32, strategy: GemmStrategy, profile: &Profile) -> String {
        let product =
            Product { rows: side, columns: side, depth: 2520, row_major: (true, true), symmetric: false, count: 1 };
        let plan = Plan::new::<f32, f32, f32>(product, strategy, profile).expect("there is room");
        GemmLaunch::new::<f32, f32>(product, plan).to_string()
    }

    #[test]
    fn a_plan_says_what_was_chosen_and_what_there_was_no_room_for() {
        let profile = Profile { max_units: 256, ..Profile::plain() };
        assert_eq!(
            explained(180, GemmStrategy::Auto, &profile),
            "Tiled16: 144 cubes of 16 × 16 results, each of 256 units with 1 × 1 of them and 2048 bytes of shared memory; \
             Auto takes the largest tile for which cubes of 256 units and 32768 bytes of shared memory have room, and Tiled32 \
             needs cubes of 1024 units"
        );
        assert_eq!(
            explained(500, GemmStrategy::SplitK, &profile),
            "SplitK: 144 cubes of 128 × 128 results, each of 256 units with 8 × 8 of them and 16896 bytes of shared memory, the \
             depth in 9 slices of 288; the caller named this strategy"
        );
        let reason = |side| explained(side, GemmStrategy::Auto, &profile).split("; ").last().map(str::to_owned);
        let slices = "Auto splits the depth of 2520, as 64 blocks of 64 × 64 results leave a GPU idle";
        assert_eq!(reason(500).as_deref(), Some(slices));
        let blocks = "Auto takes blocks of results a unit where there are enough: here 1156 of 64 × 64";
        assert_eq!(reason(2100).as_deref(), Some(blocks));
    }
}
