//! How a reduction is cut up: pure arithmetic, tested without a device.

use crate::tile::Tile;
use crate::{Feature, Profile, State};

/// Units of a cube and items of a unit that a reduction asks for, where no planes are.
const WANTED: Tile =
    Tile { units: 256, steps: 1, rows: 1, run: 16, plane: 0, shuffles: false, rolled: false, shares: false };

/// The same for planes, which fold some rows of runs at a time: of states of one word, whose fold is little beside the reads,
pub const LIGHT: Tile = Tile { rows: 2, run: 8, ..WANTED };

/// of states of a few words, whose folds over a plane are to be few, and that leave room for more rows,
const MIDDLING: Tile = Tile { rows: 4, run: 8, shares: true, ..WANTED };

/// and of larger ones. On an H200 (CUDA), 2^28 items: the f32 sum takes 245 us by the first, 249 with rows shared out as in the
/// others. Count, mean and variance take 304, 264 and 267 us by these, and 281 by the last without sharing.
pub const HEAVY: Tile = Tile { rows: 2, run: 16, shares: true, ..WANTED };

/// Partials that the second launch folds: enough cubes to fill a large GPU, and that the last to end have little left; few enough for
/// one cube. There, 2,048, 4,096 and 8,192 take 248, 248 and 245 us for the sum.
const MOST_PARTIALS: u64 = 8192;

/// Tiles that keep a large GPU busy.
const BUSY: u64 = 1024;

/// A reduction in two launches: [`Plan::cubes`] partial states, then one cube that folds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The tile of both launches.
    pub tile: Tile,
    /// How the items are cut into parts and dealt to groups.
    pub cut: Cut,
}

/// Cubes whose last one folds what all have: each waits for its writes to reach the others.
const AT_ONCE: u32 = 64;

/// Parts are numbered with u32, past the last one too: a cube's groups are dealt as many each.
const MOST_PARTS: u64 = 1 << 31;

/// `len` items cut into tiles, and the tiles dealt to cubes in contiguous runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Cubes launched.
    pub cubes: u32,
    /// Tiles of every cube; the last ones may have fewer or none.
    pub tiles_per_cube: u32,
    /// Tiles that are full.
    pub full_tiles: u32,
    /// Items of the tile after them.
    pub tail: u32,
}

impl Cut {
    /// Cuts `len` items into tiles of `tile_len` for at most `max_cubes` cubes.
    ///
    /// # Errors
    ///
    /// The number of items that could be cut, where there are more tiles than 2^32 - 1.
    pub fn new(len: u64, tile_len: u32, max_cubes: u64) -> Result<Self, u64> {
        let limit = u64::from(tile_len) * u64::from(u32::MAX);
        if len > limit {
            return Err(limit);
        }
        let tiles = len.div_ceil(u64::from(tile_len)).max(1);
        let tiles_per_cube = tiles.div_ceil(max_cubes);
        let cubes = tiles.div_ceil(tiles_per_cube);
        Ok(Cut {
            cubes: cubes as u32,
            tiles_per_cube: tiles_per_cube as u32,
            full_tiles: (len / u64::from(tile_len)) as u32,
            tail: (len % u64::from(tile_len)) as u32,
        })
    }
}

/// The tile of items that nothing is read for: they may take long, so that few of them are dealt to more units, and their code
/// stands once.
fn computed(len: u64) -> Tile {
    let run = (len / (BUSY * u64::from(WANTED.units))).clamp(1, u64::from(WANTED.run));
    Tile { run: 1 << run.ilog2(), rolled: true, ..WANTED }
}

/// `len` items cut into the parts of `tile`, and those dealt to the groups of at most `max_cubes` cubes.
///
/// # Errors
///
/// As [`Cut::new`].
pub fn parts(len: u64, tile: Tile, max_cubes: u64) -> Result<Cut, u64> {
    Cut::new(len, tile.part().len(), max_cubes * u64::from(tile.groups()))
}

impl Plan {
    /// The plan for `len` items of type `T`, read from `stored` words each and folded as states `S`.
    ///
    /// # Errors
    ///
    /// The feature that the device lacks. Too many items are the second error.
    pub fn new<T: State, S: State>(len: u64, stored: usize, profile: &Profile) -> Result<Result<Self, u64>, Feature> {
        let wanted = match (stored, profile.plane, S::WORDS) {
            (0, _, _) => computed(len),
            (_, None, _) => WANTED,
            (_, _, 1) => LIGHT,
            (_, _, 2..=4) => MIDDLING,
            _ => HEAVY,
        };
        let tile = Tile::fitting::<T, S>(profile, wanted, 0, T::WORDS)?;
        let max_cubes = MOST_PARTIALS.min(u64::from(profile.max_cubes.0));
        let limit = MOST_PARTS * u64::from(tile.part().len());
        Ok(if len > limit { Err(limit) } else { parts(len, tile, max_cubes).map(|cut| Plan { tile, cut }) })
    }

    /// Whether the last cube folds what all have. On an H200 (CUDA, f32 sum) 2^16 items take 1.5 times what 2^10 take so, and
    /// 1.7 times in two launches; with 2,048 cubes, 2^28 items take 255 us so, and 249 in two.
    pub fn ends_at_once(&self, profile: &Profile) -> bool {
        profile.memory_scope && profile.atomic_u32 && self.cubes() <= AT_ONCE
    }

    /// Whether there is no second launch: one cube has all, or the last of some folds what they have.
    pub fn is_one_launch(&self, profile: &Profile) -> bool {
        self.cubes() == 1 || self.ends_at_once(profile)
    }

    /// Cubes of the first launch.
    pub fn cubes(&self) -> u32 {
        self.cut.cubes.div_ceil(self.tile.groups())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every item is in exactly one tile of exactly one cube.
    fn covered(cut: Cut, tile_len: u64) -> u64 {
        let valid = |tile: u64| match tile.cmp(&u64::from(cut.full_tiles)) {
            std::cmp::Ordering::Less => tile_len,
            std::cmp::Ordering::Equal => u64::from(cut.tail),
            std::cmp::Ordering::Greater => 0,
        };
        let per_cube = u64::from(cut.tiles_per_cube);
        (0..u64::from(cut.cubes)).flat_map(|cube| cube * per_cube..(cube + 1) * per_cube).map(valid).sum()
    }

    #[test]
    fn a_cut_covers_every_item_once() {
        for len in [0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 1 << 20, (1 << 20) + 3] {
            for max_cubes in [1, 2, 3, 64] {
                let cut = Cut::new(len, 256, max_cubes).expect("short enough");
                assert_eq!(covered(cut, 256), len, "{len} items, {max_cubes} cubes");
                assert!(u64::from(cut.cubes) <= max_cubes && cut.cubes > 0);
            }
        }
    }

    #[test]
    fn computed_items_are_dealt_to_many_units_before_a_unit_has_many() {
        for (len, run) in [(0, 1), (1 << 18, 1), ((1 << 19) - 1, 1), (1 << 19, 2), (1 << 22, 16), (1 << 40, 16)] {
            assert_eq!(computed(len).run, run, "{len} items");
        }
    }

    #[test]
    fn few_cubes_end_at_once_where_writes_reach_others() {
        let ends = |len, memory_scope| {
            let profile = Profile { memory_scope, ..Profile::plain() };
            let plan = Plan::new::<f32, f32>(len, 1, &profile).map(|plan| plan.map(|plan| plan.ends_at_once(&profile)));
            plan == Ok(Ok(true))
        };
        let len = 64 * 256 * 16;
        assert_eq!([ends(len, true), ends(len + 1, true), ends(len, false)], [true, false, false]);
    }

    #[test]
    fn a_cut_takes_the_last_length_and_refuses_the_next() {
        let limit = 256 * u64::from(u32::MAX);
        assert!(Cut::new(limit, 256, 1 << 30).is_ok());
        assert_eq!(Cut::new(limit + 1, 256, 1 << 30), Err(limit));
    }
}
