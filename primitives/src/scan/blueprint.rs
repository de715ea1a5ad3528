//! What a scan is asked to do, and what its kernels are compiled anew for.

use crate::Error;
use crate::tile::Tile;

/// How a scan runs on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// Single-pass look-back where the device has atomic integers, else Blelloch.
    #[default]
    Auto,
    /// Doubling distances within tiles of one item a unit; totals recursively.
    HillisSteele,
    /// Up-sweep and down-sweep within tiles of one item a unit; totals recursively.
    Blelloch,
    /// One pass: a tile finds what comes before it in what earlier tiles have published.
    DecoupledLookback,
}

impl Strategy {
    /// The name that launches are observed under.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Auto => "Auto",
            Strategy::HillisSteele => "HillisSteele",
            Strategy::Blelloch => "Blelloch",
            Strategy::DecoupledLookback => "DecoupledLookback",
        }
    }
}

/// Options of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScanOptions {
    /// The strategy on a device; the host has one.
    pub strategy: Strategy,
    /// Whether result `i` leaves out item `i`.
    pub exclusive: bool,
    /// Whether an exclusive scan of n items has n + 1 results, the last of them the fold of all items: what makes the
    /// offsets of ragged rows out of their lengths. In reverse it is the first. The last result of an inclusive scan is
    /// that fold already, and no other is added.
    pub total: bool,
    /// Whether items are grouped in one way on every device and the host. Bits are then equal everywhere for integers,
    /// selections, and float operators that only add, or only multiply; see an operator's class. It rules out the
    /// strategies that group by the device, HillisSteele and Blelloch.
    pub reproducible: bool,
    /// Whether result `i` is the fold of the items from `i` to the last, in their order.
    pub reverse: bool,
    /// For tests of the fallback: tiles whose index is a multiple of this publish nothing; 0 for none.
    #[doc(hidden)]
    pub withhold: u32,
}

impl ScanOptions {
    /// How many results a scan of `len` items has.
    pub fn results(&self, len: u64) -> u64 {
        len + u64::from(self.kind() == Kind::Offsets)
    }

    /// Whether a scan of many lines can be what is asked for: totals have no place among its results.
    pub(crate) fn check_lines(&self, what: &'static str) -> Result<(), Error> {
        match self.kind() {
            Kind::Offsets => Err(Error::NoOption { what, option: "followed by totals" }),
            Kind::Inclusive | Kind::Exclusive => Ok(()),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match (self.exclusive, self.total) {
            (false, _) => Kind::Inclusive,
            (true, false) => Kind::Exclusive,
            (true, true) => Kind::Offsets,
        }
    }
}

/// What the results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Result `i` is the fold of items `0..=i`.
    Inclusive,
    /// Result `i` is the fold of items `0..i`.
    Exclusive,
    /// The same, and the fold of all items behind them.
    Offsets,
}

/// How the units of a cube scan their states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Within {
    /// Doubling distances through shared memory.
    Doubling,
    /// Up-sweep and down-sweep through shared memory.
    Sweeps,
}

/// What the kernel of the recursive scans is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TilesBlueprint {
    /// Changes register arrays, shared arrays and the collectives.
    pub tile: Tile,
    /// Which collective scans the units.
    pub within: Within,
    /// What is written.
    pub kind: Kind,
    /// Whether tiles start from a prefix.
    pub carried: bool,
}

/// What the look-back kernel is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LookbackBlueprint {
    /// Changes register arrays, shared arrays and the collectives.
    pub tile: Tile,
    /// Every `window`-th tile is an anchor and publishes its prefix. A multiple of the plane; without planes the units of a
    /// cube.
    pub window: u32,
    /// What is written.
    pub kind: Kind,
    /// Polls of a descriptor before the cube folds the missing tile itself.
    pub patience: u32,
    /// Tiles that publish nothing: multiples of this; 0 for none. For tests.
    pub withhold: u32,
}
