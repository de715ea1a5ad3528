//! How a scan is cut up: pure arithmetic, tested without a device.

use super::blueprint::Strategy;
use crate::reduce::Cut;
use crate::tile::Tile;
use crate::{Feature, Profile, State};

/// Units of a cube and rows of a look-back scan: enough items to hide the look-back, few enough for registers.
const UNITS: u32 = 256;
const ROWS: u32 = 4;

/// Words that a unit moves at once: 16 bytes.
const RUN_WORDS: usize = 4;

/// Tiles that a unit of the looking plane looks at.
const LOOKS: u32 = 4;

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
}

/// Why there is no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The device lacks this.
    Lacks(Feature),
    /// More items than this cannot be cut up.
    TooLong(u64),
}

impl Plan {
    /// The plan for `len` items of type `T`, scanned as states `S`.
    pub fn new<T: State, S: State>(len: u64, strategy: Strategy, profile: &Profile) -> Result<Self, Refusal> {
        let strategy = match strategy {
            Strategy::Auto if profile.atomic_u32 => Strategy::DecoupledLookback,
            Strategy::Auto => Strategy::Blelloch,
            named => named,
        };
        let tile = match strategy {
            Strategy::DecoupledLookback if !profile.atomic_u32 => Err(Feature::Atomic32),
            Strategy::DecoupledLookback => lookback_tile::<T, S>(profile),
            _ => recursive_tile::<S>(profile),
        };
        let tile = tile.map_err(Refusal::Lacks)?;
        let cut = Cut::new(len, tile.len(), u64::MAX).map_err(Refusal::TooLong)?;
        let limit = u64::from(profile.max_cubes.0) * u64::from(profile.max_cubes.1);
        if u64::from(cut.cubes) > limit {
            return Err(Refusal::TooLong(limit * u64::from(tile.len())));
        }
        Ok(Plan { strategy, tile, cut })
    }

    /// Slots of the descriptors: every tile's fold, then every anchor's prefix.
    pub fn slots(&self) -> u64 {
        u64::from(self.cut.cubes) + u64::from(self.cut.cubes.div_ceil(self.window()))
    }

    /// Tiles between two anchors: as many as are looked at together, so that the chain of anchors is short.
    pub fn window(&self) -> u32 {
        if self.tile.plane > 0 { self.tile.plane * LOOKS } else { self.tile.units }
    }
}

fn lookback_tile<T: State, S: State>(profile: &Profile) -> Result<Tile, Feature> {
    let run = (RUN_WORDS / T::WORDS).max(1) as u32;
    // What units tell each other takes one more state, and a tile.
    Tile::fitting::<T, S>(profile, Tile { units: UNITS, rows: ROWS, run, plane: 0 }, 2)
}

/// One item a unit, so that the strategies are what their names say.
fn recursive_tile<S: State>(profile: &Profile) -> Result<Tile, Feature> {
    let units = 1 << profile.max_units.clamp(1, 1024).ilog2();
    let mut tile = Tile { units, rows: 1, run: 1, plane: 0 };
    while tile.units as usize * S::WORDS * 4 + 16 > profile.shared_bytes {
        tile.units /= 2;
        if tile.units == 0 {
            return Err(Feature::SharedMemory(S::WORDS * 4 + 16));
        }
    }
    Ok(tile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WideFieldsSupport;

    fn profile() -> Profile {
        Profile {
            plane: None,
            max_units: 1024,
            shared_bytes: 32768,
            max_cubes: (65535, 65535, 65535),
            max_binding: 1 << 27,
            max_memory: None,
            atomic_u32: true,
            atomic_u64: false,
            memory_scope: false,
            wide: WideFieldsSupport::default(),
            multiprocessors: None,
            max_loop: u32::MAX,
        }
    }

    #[test]
    fn auto_takes_look_back_only_where_atomics_are() {
        let plan = |profile: &Profile, strategy| Plan::new::<f32, f32>(1 << 20, strategy, profile);
        assert_eq!(plan(&profile(), Strategy::Auto).map(|plan| plan.strategy), Ok(Strategy::DecoupledLookback));
        let bare = Profile { atomic_u32: false, ..profile() };
        assert_eq!(plan(&bare, Strategy::Auto).map(|plan| plan.strategy), Ok(Strategy::Blelloch));
        assert_eq!(plan(&bare, Strategy::DecoupledLookback), Err(Refusal::Lacks(Feature::Atomic32)));
    }

    #[test]
    fn tiles_shrink_to_the_shared_memory_of_the_device() {
        for shared_bytes in [1 << 10, 1 << 12, 16384, 32768, 1 << 16] {
            let profile = Profile { shared_bytes, ..profile() };
            let tile = lookback_tile::<f64, f64>(&profile).expect("there is room for one unit");
            assert!(tile.shared_bytes::<f64>() <= shared_bytes, "{tile:?} in {shared_bytes} bytes");
        }
    }

    #[test]
    fn a_grid_of_two_dimensions_is_the_limit() {
        let profile = Profile { max_cubes: (2, 3, 1), ..profile() };
        let plan = |len| Plan::new::<u32, u32>(len, Strategy::DecoupledLookback, &profile);
        assert!(plan(6 * 4096).is_ok());
        assert_eq!(plan(6 * 4096 + 1), Err(Refusal::TooLong(6 * 4096)));
    }
}
