//! What the units of a cube do together, over the states of any monoid. Order is kept everywhere.
//!
//! CubeCL's levels: a *unit* is CUDA's thread, a *plane* its warp, a *cube* its block. Every collective has a path
//! with plane shuffles and one through shared memory alone; the blueprint's `plane` says which.
//!
//! A *group* is a plane where planes are used, else the whole cube. A tile is dealt to its groups in contiguous parts,
//! a part to rows (`rows` of them to a step, `steps` steps), and a row to the group's units in *runs* of neighbouring
//! items:
//!
//! ```text
//! group 0: row 0 | unit 0: run | unit 1: run | … | unit 31: run |
//!          row 1 | unit 0: run | …
//! group 1: row 0 | …
//! ```
//!
//! A run is what a unit moves at once (16 bytes, say), so that neighbouring units move neighbouring memory with no
//! exchange between them; what they exchange is one state a run.

mod cube;
mod load;
mod output;
mod pairs;
mod plane;
mod shared;
mod sweep;

pub use cube::{cube_fold, cube_scan, group_before, groups_fold, part_fold, tile_parts};
pub use load::*;
pub use output::{fetch, store, write_nothing, write_row, write_scanned};
pub use pairs::{plane_pairs, shared_pairs};
pub use plane::{
    lane, plane_fold, plane_fold_rows, plane_folds, plane_last, plane_scan, plane_shift_up, shuffled_from,
};
pub use shared::{shared_load, shared_store};
pub use sweep::cube_scan_sweeps;

use crate::State;

/// Words that the items in a unit's registers are read from, at most; what is computed from them has twice as many at most.
const REGISTERS: usize = 32;

/// What a kernel must be compiled anew for. Small on purpose: sizes are run-time arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Units of a cube: the length of shared arrays and of unrolled loops over planes.
    pub units: u32,
    /// Steps of a group through its part: more than one only with planes. What a unit holds at a time is one step's.
    pub steps: u32,
    /// Rows of a step: more than one only with planes.
    pub rows: u32,
    /// Neighbouring items that a unit moves at once.
    pub run: u32,
    /// Units of a plane where the cube is dealt to planes; 0 for the path without.
    pub plane: u32,
    /// Whether the units of a plane exchange by shuffles; else through shared memory, so that a device without planes of
    /// this size folds in the same grouping.
    pub shuffles: bool,
    /// Whether a unit goes through its run in a loop, an item at a time: for items that nothing is read for, whose code may be
    /// long. Else the code stands once for every item, and many reads are under way at once.
    pub rolled: bool,
    /// Whether units that exchange by shuffles share out the rows of a step, and fold on for one each: fewer combines, and more
    /// choices between states.
    pub shares: bool,
}

impl Tile {
    /// Items that a unit holds at a time.
    pub fn items(self) -> u32 {
        self.rows * self.run
    }

    /// Items of a tile.
    pub fn len(self) -> u32 {
        self.units * self.items() * self.steps
    }

    /// The same order of items a row at a time: for the tile that is not full, whose code is to be small.
    pub fn by_rows(self) -> Self {
        Tile { steps: self.steps * self.rows, rows: 1, ..self }
    }

    /// A group's part of the tile, for kernels that deal parts to groups themselves.
    pub fn part(self) -> Self {
        Tile { units: self.group(), ..self }
    }

    /// Units of a group.
    pub fn group(self) -> u32 {
        if self.plane > 0 { self.plane } else { self.units }
    }

    /// Groups of a cube.
    pub fn groups(self) -> u32 {
        self.units / self.group()
    }

    /// Slots of shared memory through which units exchange states.
    pub fn exchanged(self) -> u32 {
        if self.plane > 0 && self.shuffles { self.groups() } else { self.units }
    }

    /// Slots of shared memory that the collectives need: with planes, also one for what comes before each.
    pub fn slots(self) -> u32 {
        if self.plane > 0 { self.exchanged() + self.groups() } else { self.units }
    }

    /// Bytes of shared memory for the collectives over states `S`.
    pub fn shared_bytes<S: State>(self) -> usize {
        4 * self.slots() as usize * S::WORDS
    }

    /// The largest tile of at most the `wanted` units and items that the device has room for. `extra` is the number of
    /// states of shared memory that the kernel needs beside, `stored` the words that an item is read from.
    pub fn fitting<T: State, S: State>(
        profile: &crate::Profile,
        wanted: Tile,
        extra: u32,
        stored: usize,
    ) -> Result<Tile, crate::Feature> {
        let mut tile = wanted;
        while tile.units > profile.max_units {
            tile.units /= 2;
        }
        tile.use_planes(profile);
        while tile.bytes::<S>(extra) > profile.shared_bytes && tile.units > 1 {
            tile.units /= 2;
            tile.use_planes(profile);
        }
        tile.check_shared::<S>(profile, extra)?;
        if tile.plane == 0 {
            tile.run *= tile.rows;
            (tile.steps, tile.rows) = (1, 1);
        }
        Ok(tile.held::<T>(stored))
    }

    /// The `wanted` tile as it is on every device, its planes and all.
    pub fn fixed<T: State, S: State>(
        profile: &crate::Profile,
        wanted: Tile,
        extra: u32,
    ) -> Result<Tile, crate::Feature> {
        let tile = Tile { shuffles: profile.plane == Some(wanted.plane), ..wanted };
        if tile.units > profile.max_units {
            return Err(crate::Feature::Units(tile.units));
        }
        tile.check_shared::<S>(profile, extra)?;
        Ok(tile.held::<T>(T::WORDS))
    }

    fn use_planes(&mut self, profile: &crate::Profile) {
        self.plane = profile.plane.filter(|&plane| self.units.is_multiple_of(plane)).unwrap_or(0);
        self.shuffles = self.plane > 0;
    }

    fn bytes<S: State>(self, extra: u32) -> usize {
        self.shared_bytes::<S>() + 4 * extra as usize * S::WORDS
    }

    fn check_shared<S: State>(self, profile: &crate::Profile, extra: u32) -> Result<(), crate::Feature> {
        let bytes = self.bytes::<S>(extra);
        if bytes > profile.shared_bytes { Err(crate::Feature::SharedMemory(bytes)) } else { Ok(()) }
    }

    /// Wide items leave room for fewer at a time. What is computed from fewer words than it has takes fewer registers, mostly.
    pub fn held<T: State>(self, stored: usize) -> Self {
        let mut tile = self;
        let over = |items: u32| items as usize * stored.max(T::WORDS.div_ceil(2)) > REGISTERS;
        while over(tile.items()) && tile.items() > 1 {
            if tile.rows > 1 {
                (tile.steps, tile.rows) = (2 * tile.steps, tile.rows / 2);
            } else {
                tile.run /= 2;
            }
        }
        tile
    }
}
