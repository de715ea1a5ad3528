//! What the units of a cube do together, over the states of any monoid. Order is kept everywhere.
//!
//! CubeCL's levels: a *unit* is CUDA's thread, a *plane* its warp, a *cube* its block. Every collective has a path
//! with plane shuffles and one through shared memory alone; the blueprint's `plane` says which.

mod cube;
mod load;
mod output;
mod plane;
mod shared;
mod sweep;

pub use cube::{cube_fold, cube_scan};
pub use load::*;
pub use output::{fetch, store, store_scanned};
pub use plane::{plane_fold, plane_scan, plane_shift_up};
pub use shared::{shared_load, shared_store};
pub use sweep::cube_scan_sweeps;

use crate::State;

/// Words of items that a unit keeps in registers at most.
const REGISTER_WORDS: usize = 32;

/// What a kernel must be compiled anew for. Small on purpose: sizes are run-time arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tile {
    /// Units of a cube: the length of shared arrays and of unrolled loops over planes.
    pub units: u32,
    /// Items a unit folds in a row: the length of its register array.
    pub items: u32,
    /// Units of a plane where plane operations are used; 0 for the path without.
    pub plane: u32,
}

impl Tile {
    /// Items of a tile.
    pub fn len(self) -> u32 {
        self.units * self.items
    }

    /// Slots of shared memory that a collective over one state a unit needs.
    pub fn slots(self) -> u32 {
        if self.plane > 0 { self.units / self.plane } else { self.units }
    }

    /// Slots through which the units of a cube exchange the items of a tile.
    pub fn exchange_slots(self) -> u32 {
        self.units * (self.items + 1)
    }

    /// Words of shared memory to exchange items of type `T`; at least one, since an array cannot be empty.
    pub fn exchange_words<T: State>(self, stored: bool) -> usize {
        if stored && self.items > 1 { self.exchange_slots() as usize * T::WORDS } else { 1 }
    }

    /// Bytes of shared memory for the collectives over states `S` and the exchange of items `T`.
    pub fn shared_bytes<T: State, S: State>(self, stored: bool) -> usize {
        4 * (self.slots() as usize * S::WORDS + self.exchange_words::<T>(stored))
    }

    /// The largest tile of at most `units` units and `items` items that the device has room for. `extra` is the
    /// number of states of shared memory that the kernel needs beside, and registers for `T` and `S` are counted
    /// against `items`.
    pub fn fitting<T: State, S: State>(
        profile: &crate::Profile,
        stored: bool,
        wanted: Tile,
        extra: u32,
    ) -> Result<Tile, crate::Feature> {
        let mut tile = wanted;
        while tile.units > profile.max_units {
            tile.units /= 2;
        }
        // Registers: a unit holds `items` items; wide ones leave room for fewer.
        while tile.items > 1 && tile.items as usize * T::WORDS.max(S::WORDS) > REGISTER_WORDS {
            tile.items /= 2;
        }
        tile.plane = profile.plane.filter(|&plane| tile.units.is_multiple_of(plane)).unwrap_or(0);
        let bytes = |tile: Tile| tile.shared_bytes::<T, S>(stored) + 4 * extra as usize * S::WORDS;
        while bytes(tile) > profile.shared_bytes && tile.items > 1 {
            tile.items /= 2;
        }
        while bytes(tile) > profile.shared_bytes && tile.units > 1 {
            tile.units /= 2;
            tile.plane = profile.plane.filter(|&plane| tile.units.is_multiple_of(plane)).unwrap_or(0);
        }
        if bytes(tile) > profile.shared_bytes {
            return Err(crate::Feature::SharedMemory(bytes(tile)));
        }
        Ok(tile)
    }
}
