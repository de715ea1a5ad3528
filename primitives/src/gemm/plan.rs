//! Which tile a product takes: pure arithmetic, tested without a device.

use super::GemmStrategy;
use super::blocked::Blocks;
use super::explain::GemmReason;
use super::kernel::Blueprint;
use super::matrix_units::Fragments;
use crate::views::SIDE;
use crate::{Feature, Profile, State};

/// Side of the square of units that computes without shared memory.
const NAIVE_SIDE: u32 = 16;

/// Products of at least so many elements a side gain from larger tiles.
const SIDES: [(GemmStrategy, u32); 3] =
    [(GemmStrategy::Tiled32, 32), (GemmStrategy::Tiled16, 16), (GemmStrategy::Tiled8, 8)];

/// What a device runs for a strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan<K = Kernel> {
    /// Never `Auto`.
    pub strategy: GemmStrategy,
    /// Which kernel runs, and what it is compiled for.
    pub kernel: K,
    /// Tiles of the result from left to right.
    pub across: u32,
    /// Tiles of a product's result.
    pub tiles: u64,
    /// Slices of the depth, 1 where it is not split, and the depth of each.
    pub slices: (u32, u32),
    /// Why this strategy.
    pub reason: GemmReason,
}

/// The two kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// A unit an element.
    Tiled(Blueprint),
    /// A unit a block of elements.
    Blocked(Blocks),
}

impl Kernel {
    /// Units of a cube.
    pub fn units(&self) -> u32 {
        match self {
            Kernel::Tiled(blueprint) => blueprint.side * blueprint.side,
            Kernel::Blocked(blocks) => blocks.units(),
        }
    }

    /// Neighbouring elements of a factor that are read together.
    pub fn run(&self) -> u32 {
        match self {
            Kernel::Tiled(_) => 1,
            Kernel::Blocked(_) => SIDE,
        }
    }

    /// Rows and columns of a cube's results.
    pub fn sides(&self) -> (u32, u32) {
        match self {
            Kernel::Tiled(blueprint) => (blueprint.side, blueprint.side),
            Kernel::Blocked(blocks) => (blocks.rows, blocks.columns),
        }
    }

    /// Results of a cube.
    fn area(&self) -> u32 {
        self.sides().0 * self.sides().1
    }

    /// Cubes with work for a product whose depth is not split.
    fn cubes(&self, product: Product) -> u64 {
        let tiles = self.tiles(product.rows, product.columns);
        let across = u64::from(product.columns.div_ceil(self.sides().1));
        let with_work = if product.symmetric { across * (across + 1) / 2 } else { tiles };
        with_work * u64::from(product.count)
    }

    /// The depth below which a slice is not worth what it writes.
    fn shortest_slice(&self) -> u32 {
        2 * self.sides().0
    }

    /// Tiles of `rows × columns` results.
    fn tiles(&self, rows: u32, columns: u32) -> u64 {
        tiles(self.sides(), rows, columns)
    }
}

/// Tiles of so many rows and columns in `rows × columns` results.
fn tiles((down, across): (u32, u32), rows: u32, columns: u32) -> u64 {
    u64::from(rows.div_ceil(down)) * u64::from(columns.div_ceil(across))
}

/// What is multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Rows of the left factor.
    pub rows: u32,
    /// Columns of the right one.
    pub columns: u32,
    /// Columns of the left factor, rows of the right one.
    pub depth: u32,
    /// Whether neighbours in memory of the left and of the right factor are neighbours in a row.
    pub row_major: (bool, bool),
    /// Whether the result is known to be its own mirror image.
    pub symmetric: bool,
    /// How many such products, whose factors lie below one another.
    pub count: u32,
}

impl Product {
    /// Items of all results.
    pub fn len(&self) -> u64 {
        u64::from(self.rows).saturating_mul(self.columns.into()).saturating_mul(self.count.into())
    }
}

/// The greatest depth: kernels count in u32, and go on by a step or a slice past the end.
pub const DEEPEST: u32 = u32::MAX - 1024;

impl Plan {
    /// The plan for a product of factors `A` and `B` with states `S`.
    ///
    /// # Errors
    ///
    /// The feature that the device lacks for a strategy that was named.
    pub fn new<A: State, B: State, S: State>(
        product: Product,
        strategy: GemmStrategy,
        profile: &Profile,
    ) -> Result<Self, Feature> {
        let (strategy, reason) = match strategy {
            GemmStrategy::Auto => Self::choice::<A, B, S>(product, profile),
            named => (named, GemmReason::Named),
        };
        let (strategy, mut kernel) = match strategy {
            GemmStrategy::Naive => (strategy, Kernel::Tiled(naive(profile))),
            GemmStrategy::RegisterBlocked => (strategy, blocked::<A, B, S>(product, false, profile)?),
            GemmStrategy::SplitK => (strategy, blocked::<A, B, S>(product, true, profile)?),
            named => {
                let side = SIDES.iter().find(|(each, _)| *each == named).map_or(NAIVE_SIDE, |(_, side)| *side);
                (named, Kernel::Tiled(tiled::<A, B>(side, profile)?))
            }
        };
        let across = product.columns.div_ceil(kernel.sides().1);
        let tiles = kernel.tiles(product.rows, product.columns);
        let slices = match strategy {
            GemmStrategy::SplitK if tiles > 0 => slices(kernel.cubes(product), product.depth, kernel.shortest_slice()),
            _ => (1, product.depth),
        };
        if let Kernel::Blocked(blocks) = &mut kernel {
            blocks.split = slices.0 > 1;
        }
        Ok(Plan { strategy, kernel, across, tiles, slices, reason })
    }

    /// What `Auto` takes, and why.
    fn choice<A: State, B: State, S: State>(product: Product, profile: &Profile) -> (GemmStrategy, GemmReason) {
        let depth = product.depth;
        if depth > profile.max_loop {
            // Loops of the device end before the depth does: slices have loops of their own.
            return (GemmStrategy::SplitK, GemmReason::Deep { depth, loops: profile.max_loop });
        }
        if let Ok(kernel) = blocked::<A, B, S>(product, true, profile) {
            let blocks = kernel.cubes(product) * u64::from(kernel.area() / SMALLEST);
            if S::WORDS <= WIDEST && blocks >= FEW {
                let idle = kernel.cubes(product) < FULL && depth >= LONG;
                return match idle {
                    true => (GemmStrategy::SplitK, GemmReason::Slices { blocks, depth }),
                    false => (GemmStrategy::RegisterBlocked, GemmReason::Blocks { blocks }),
                };
            }
        }
        Self::largest::<A, B>(profile)
    }

    /// The largest tile that there is room for, and the last one for which there is none.
    fn largest<A: State, B: State>(profile: &Profile) -> (GemmStrategy, GemmReason) {
        let tile = |side| tiled::<A, B>(side, profile);
        let refused = |&(strategy, side)| Some((strategy, tile(side).err()?));
        let refused = SIDES.iter().filter_map(refused).next_back();
        let reason = GemmReason::LargestTile { units: profile.max_units, shared_bytes: profile.shared_bytes, refused };
        let fits = SIDES.iter().find(|(_, side)| tile(*side).is_ok());
        (fits.map_or(GemmStrategy::Naive, |(strategy, _)| *strategy), reason)
    }
}

impl Plan<Fragments> {
    /// The plan for a plain product on matrix units.
    ///
    /// # Errors
    ///
    /// The feature that the device lacks.
    pub fn on_matrix_units(product: Product, profile: &Profile) -> Result<Self, Feature> {
        let plane = profile.plane.filter(|_| profile.tf32).ok_or(Feature::Tf32)?;
        let deep = product.depth.is_multiple_of(SIDE);
        let mut kernel = Fragments {
            depth: DEPTHS[0],
            cube: FRAGMENTS.0,
            own: FRAGMENTS.1,
            plane,
            left_by_depth: product.row_major.0,
            right_by_depth: !product.row_major.1,
            whole: (product.rows.is_multiple_of(SIDE) && deep, product.columns.is_multiple_of(SIDE) && deep),
            split: false,
        };
        if kernel.units() > profile.max_units {
            return Err(Feature::Units(kernel.units()));
        }
        if kernel.shared_bytes() > profile.shared_bytes {
            return Err(Feature::SharedMemory(kernel.shared_bytes()));
        }
        let (down, across) = kernel.sides();
        let tiles = tiles(kernel.sides(), product.rows, product.columns);
        let depth = product.depth;
        let blocks = tiles * u64::from(down * across / SMALLEST);
        let idle = tiles < FULL && depth >= LONG;
        let slices = if idle && tiles > 0 { slices(tiles, depth, 2 * down) } else { (1, depth) };
        kernel.split = slices.0 > 1;
        let (strategy, reason) = match kernel.split {
            true => (GemmStrategy::SplitK, GemmReason::Slices { blocks, depth }),
            false => (GemmStrategy::RegisterBlocked, GemmReason::Blocks { blocks }),
        };
        Ok(Plan { strategy, kernel, across: product.columns.div_ceil(across), tiles, slices, reason })
    }
}

/// Fragments of 16 × 16 results of a cube and of a plane, down and across. On an H200 (CUDA, a side of 3072), with steps of 16 products,
/// 0.665 ms; steps of 32 take 0.807, and with planes of 4 × 4 fragments 0.848.
const FRAGMENTS: ((u32, u32), (u32, u32)) = ((8, 8), (4, 2));

/// Blocks of 64 × 64 results from which on `Auto` takes blocks, and words of a state up to which it does. On an H200 (CUDA, f32
/// plus-times), blocks against tiles of 32: sides of 256, 16 blocks, 1.9 and 1.6 TFLOP/s; of 1024, 256 blocks, 25 and 8; of
/// 2048 43 and 8.
const FEW: u64 = 16;
const WIDEST: usize = 4;
const SMALLEST: u32 = 64 * 64;

/// Cubes that keep a large GPU busy, two for each of its multiprocessors; with fewer, `Auto` splits depths from here on. On an H200
/// (CUDA), 136 cubes of 128 × 128 for `XᵀX` of 2,000 columns run at half the rate of 256 for a side of 2048; a side of 1024
/// takes 82 us in slices and 87 in one.
const FULL: u64 = 256;
const LONG: u32 = 512;

/// Cubes below which smaller blocks are taken.
const ENOUGH: u64 = 96;

/// Cubes of all slices together that are wanted.
const SLICED: u64 = 512;

/// How many slices of a depth for so many cubes, and the depth of each: no less than `shortest`, below which what a slice writes
/// costs more than it saves.
fn slices(cubes: u64, depth: u32, shortest: u32) -> (u32, u32) {
    let wanted = SLICED.div_ceil(cubes.max(1)).min(u64::from(depth / shortest)).max(1) as u32;
    // Whole steps of the kernel, whose reads are then aligned.
    let each = depth.div_ceil(wanted).max(1).next_multiple_of(DEPTHS[0]);
    (depth.div_ceil(each).max(1), each)
}

/// Rows and columns of a block, and of a unit's; the largest first.
const BLOCKS: [(u32, u32); 2] = [(128, 8), (64, 4)];

/// Rows of a unit for which a whole step is written out. On an H200 (4096, f32 plus-times) that gives 42.9 TFLOP/s under SPIR-V
/// where two products a time give 31.2, 32.0 for 25.8 under WGSL, and changes nothing under CUDA.
const UNROLLED: u32 = 8;

/// Products of a step; as many as there is shared memory for.
const DEPTHS: [u32; 3] = [16, 8, 4];

/// The largest blocks that the device has room for and of which there are enough, or else the smallest, as for a depth that
/// is `split`.
fn blocked<A: State, B: State, S: State>(product: Product, split: bool, profile: &Profile) -> Result<Kernel, Feature> {
    let deep = product.depth.is_multiple_of(SIDE);
    let plain = S::WORDS == 1 && A::WORDS == 1 && B::WORDS == 1;
    let fit = |(side, unit)| {
        let blocks = |depth| Blocks {
            rows: side,
            columns: side,
            depth,
            unit_rows: unit,
            unit_columns: unit,
            unrolled: if !plain {
                1
            } else if unit == UNROLLED {
                depth
            } else {
                2
            },
            whole: (product.rows.is_multiple_of(SIDE) && deep, product.columns.is_multiple_of(SIDE) && deep),
            left_by_depth: product.row_major.0,
            right_by_depth: !product.row_major.1,
            symmetric: product.symmetric,
            split: false,
        };
        let fitting = DEPTHS.map(blocks).into_iter().find(|blocks| {
            blocks.shared_bytes::<A, B>() <= profile.shared_bytes && blocks.units() <= profile.max_units
        });
        fitting.ok_or_else(|| {
            let smallest = blocks(DEPTHS[DEPTHS.len() - 1]);
            match smallest.units() > profile.max_units {
                true => Feature::Units(smallest.units()),
                false => Feature::SharedMemory(smallest.shared_bytes::<A, B>()),
            }
        })
    };
    let [large, small] = BLOCKS;
    let enough = |kernel: &Kernel| {
        let cubes = kernel.cubes(product);
        let sliced = if split { slices(cubes, product.depth, kernel.shortest_slice()).0 } else { 1 };
        S::WORDS == 1 && cubes * u64::from(sliced) >= ENOUGH
    };
    match fit(large).map(Kernel::Blocked) {
        Ok(kernel) if enough(&kernel) => Ok(kernel),
        _ => fit(small).map(Kernel::Blocked),
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
    let blueprint = Blueprint { side, shared: true };
    let bytes = blueprint.shared_bytes::<A, B>();
    if side * side > profile.max_units {
        return Err(Feature::Units(side * side));
    }
    if bytes > profile.shared_bytes {
        return Err(Feature::SharedMemory(bytes));
    }
    Ok(blueprint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Both;

    fn plan<S: State>(rows: u32, columns: u32, profile: &Profile) -> Result<Blocks, Feature> {
        let product = Product { rows, columns, depth: 512, row_major: (true, true), symmetric: false, count: 1 };
        match blocked::<f32, f32, S>(product, false, profile)? {
            Kernel::Blocked(blocks) => Ok(blocks),
            Kernel::Tiled(_) => unreachable!("blocks are what was asked for"),
        }
    }

    #[test]
    fn large_products_of_small_states_have_large_blocks() {
        let profile = Profile { shared_bytes: 1 << 16, ..Profile::plain() };
        let sides = |blocks: Blocks| (blocks.rows, blocks.unit_rows);
        assert_eq!(plan::<f32>(4096, 4096, &profile).map(sides), Ok((128, 8)));
        assert_eq!(plan::<f32>(1024, 1024, &profile).map(sides), Ok((64, 4)), "64 large blocks leave a GPU idle");
        assert_eq!(plan::<Both<f32, u32>>(4096, 4096, &profile).map(sides), Ok((64, 4)));
    }

    #[test]
    fn slices_cover_the_depth_and_none_is_empty() {
        for tiles in [1, 2, 64, 256, 1 << 20] {
            for depth in [0, 1, 127, 128, 255, 256, 2520, 8313, 100_000] {
                let (count, each) = slices(tiles, depth, 128);
                assert!(u64::from(count) * u64::from(each) >= depth.into(), "{tiles} tiles of {depth}");
                assert!(depth == 0 || (count - 1) * each < depth, "{tiles} tiles of {depth}");
                assert!(count == 1 || u64::from(count - 1) * tiles < SLICED, "{tiles} tiles of {depth}");
            }
        }
        let profile = Profile { shared_bytes: 1 << 16, ..Profile::plain() };
        let product =
            Product { rows: 500, columns: 500, depth: 2520, row_major: (false, true), symmetric: true, count: 1 };
        let plan = Plan::new::<f32, f32, f32>(product, GemmStrategy::SplitK, &profile).expect("there is room");
        assert_eq!((plan.strategy, plan.tiles, plan.slices), (GemmStrategy::SplitK, 64, (15, 176)));
    }

    #[test]
    fn a_depth_past_the_loops_of_a_device_is_split() {
        let profile = Profile { max_loop: 1 << 15, ..Profile::plain() };
        let of_depth = |depth| {
            let product = Product { rows: 2, columns: 3, depth, row_major: (true, true), symmetric: false, count: 1 };
            Plan::new::<f32, f32, f32>(product, GemmStrategy::Auto, &profile).map(|plan| (plan.strategy, plan.slices))
        };
        assert_eq!(of_depth(1 << 15), Ok((GemmStrategy::Tiled32, (1, 1 << 15))));
        assert_eq!(of_depth((1 << 15) + 1), Ok((GemmStrategy::SplitK, (121, 272))));
        assert_eq!(of_depth(1_000_000), Ok((GemmStrategy::SplitK, (509, 1968))));
    }

    #[test]
    fn matrix_units_are_there_or_refused_and_share_out_what_leaves_them_idle() {
        let able = Profile { tf32: true, plane: Some(32), shared_bytes: 1 << 16, ..Profile::plain() };
        let of = |side, depth, profile: &Profile| {
            let product =
                Product { rows: side, columns: side, depth, row_major: (true, true), symmetric: false, count: 1 };
            Plan::on_matrix_units(product, profile).map(|plan| (plan.strategy, plan.tiles, plan.slices))
        };
        assert_eq!(of(4096, 4096, &able), Ok((GemmStrategy::RegisterBlocked, 1024, (1, 4096))));
        assert_eq!(of(1024, 1024, &able), Ok((GemmStrategy::SplitK, 64, (4, 256))));
        assert_eq!(of(0, 1024, &able), Ok((GemmStrategy::RegisterBlocked, 0, (1, 1024))));
        assert_eq!(of(8, 8, &Profile { tf32: false, ..able.clone() }), Err(Feature::Tf32));
        assert_eq!(of(8, 8, &Profile { plane: None, ..able.clone() }), Err(Feature::Tf32));
        assert_eq!(of(8, 8, &Profile { max_units: 128, ..able.clone() }), Err(Feature::Units(256)));
        let small = of(8, 8, &Profile { shared_bytes: 1 << 14, ..able });
        assert!(matches!(small, Err(Feature::SharedMemory(_))), "{small:?}");
    }

    #[test]
    fn the_last_tile_ends_before_row_numbers_do() {
        for rows in [u32::MAX - 128, u32::MAX - 127, u32::MAX - 1, u32::MAX] {
            for strategy in [GemmStrategy::Naive, GemmStrategy::Tiled32, GemmStrategy::RegisterBlocked] {
                let profile = Profile { shared_bytes: 1 << 16, ..Profile::plain() };
                let product =
                    Product { rows, columns: 1, depth: 1, row_major: (true, true), symmetric: false, count: 1 };
                let plan = Plan::new::<f32, f32, f32>(product, strategy, &profile).expect("there is room");
                let (side, _) = plan.kernel.sides();
                let last = (plan.tiles - 1) * u64::from(side);
                assert!(last < rows.into() && last + u64::from(side) - 1 <= u32::MAX.into(), "{rows} rows, {plan:?}");
            }
        }
    }

    #[test]
    fn steps_shrink_to_the_shared_memory_of_the_device() {
        for shared_bytes in [1 << 13, 1 << 14, 1 << 15, 1 << 16] {
            let profile = Profile { shared_bytes, ..Profile::plain() };
            let blocks = plan::<f32>(4096, 4096, &profile).expect("there is room for small blocks");
            assert!(blocks.shared_bytes::<f32, f32>() <= shared_bytes, "{blocks:?} in {shared_bytes}");
            assert_eq!(blocks.units(), 256);
            assert!(blocks.depth.is_multiple_of(blocks.unrolled));
        }
    }

    #[test]
    fn a_device_without_room_for_the_smallest_block_says_what_it_lacks() {
        let product = Product { rows: 9, columns: 9, depth: 9, row_major: (true, true), symmetric: false, count: 1 };
        let refused = |profile: &Profile| {
            Plan::new::<f32, f32, f32>(product, GemmStrategy::RegisterBlocked, profile).map(|plan| plan.tiles)
        };
        let small = 2 * 2 * 4 * (16 + 1) * 16;
        assert_eq!(refused(&Profile { shared_bytes: small, ..Profile::plain() }), Ok(1));
        let profile = Profile { shared_bytes: small - 1, ..Profile::plain() };
        assert_eq!(refused(&profile), Err(Feature::SharedMemory(small)));
        assert_eq!(refused(&Profile { max_units: 255, ..Profile::plain() }), Err(Feature::Units(256)));
    }
}
