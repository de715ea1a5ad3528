//! How a reproducible reduction is cut into cubes: pure arithmetic, of which no bit depends.

use super::RUN;
use crate::reduce::Cut;
use crate::{Feature, Profile, State};

/// Units of a cube and leaves of a unit that a reduction asks for.
const WANTED: (u32, u32) = (256, 4);

/// Leaves of a unit where items are computed: they take long, and are dealt to many cubes, so that the last ones to end leave few
/// multiprocessors idle. On an H200 (CUDA), 2^28 paths of a European call take 497, 489 and 502 us with 1, 2 and 4; 2^32 take 7.82,
/// 7.61 and 7.73 ms.
const COMPUTED: u32 = 2;

/// Below so many computed items a unit has one leaf.
const MANY: u64 = 1 << 25;

/// Words that a unit holds of a run, at most; longer items are read one by one.
const REGISTERS: usize = 32;

/// What the kernel is compiled anew for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tree {
    /// Units of a cube: a power of two.
    pub units: u32,
    /// Leaves of a unit, `units` apart: a power of two.
    pub rows: u32,
    /// Items of a leaf: those of a run, or one state.
    pub run: u32,
    /// Units of a plane that folds by shuffles; 0 for the path through shared memory alone.
    pub plane: u32,
    /// Whether a unit goes through its run in a loop, an item at a time.
    pub rolled: bool,
    /// Whether the cube's result is stored as an output, or as a state for the next launch.
    pub lowered: bool,
}

impl Tree {
    /// The tree of `len` items of type `T` in runs, read from `stored` words each, for states `S`.
    pub fn of_items<T: State, S: State>(len: u64, stored: usize, profile: &Profile) -> Result<Self, Feature> {
        let rolled = stored == 0 || T::WORDS * RUN as usize > REGISTERS;
        let rows = match (rolled, len < MANY) {
            (true, true) => 1,
            (true, false) => COMPUTED,
            (false, _) => WANTED.1,
        };
        Self::fitting::<S>(RUN, rows, rolled, profile)
    }

    /// The tree of states.
    pub fn of_states<S: State>(profile: &Profile) -> Result<Self, Feature> {
        Self::fitting::<S>(1, WANTED.1, false, profile)
    }

    /// The same for a cube of `most` items at most, two to the power of a number.
    pub fn within(mut self, most: u64, profile: &Profile) -> Self {
        while u64::from(self.len()) > most.max(self.run.into()) {
            if self.rows > 1 {
                self.rows /= 2;
            } else {
                self.units /= 2;
                self.use_planes(profile);
            }
        }
        self
    }

    /// The largest of at most the wanted units and rows that the device has room for.
    fn fitting<S: State>(run: u32, rows: u32, rolled: bool, profile: &Profile) -> Result<Self, Feature> {
        let units = WANTED.0.min(1 << profile.max_units.max(1).ilog2());
        let mut tree = Tree { units, rows, run, plane: 0, rolled, lowered: false };
        tree.use_planes(profile);
        while tree.shared_bytes::<S>() > profile.shared_bytes {
            if tree.rows > 1 {
                tree.rows /= 2;
            } else if tree.units > 1 {
                tree.units /= 2;
                tree.use_planes(profile);
            } else {
                return Err(Feature::SharedMemory(tree.shared_bytes::<S>()));
            }
        }
        Ok(tree)
    }

    fn use_planes(&mut self, profile: &Profile) {
        let fits = |plane: &u32| plane.is_power_of_two() && *plane > 1 && self.units.is_multiple_of(*plane);
        self.plane = profile.plane.filter(fits).unwrap_or(0);
    }

    /// States of shared memory: one a leaf, or one for the leaves of a plane.
    pub fn slots(self) -> u32 {
        self.rows * self.units / self.plane.max(1)
    }

    /// Items of a cube.
    pub fn len(self) -> u32 {
        self.units * self.rows * self.run
    }

    fn shared_bytes<S: State>(self) -> usize {
        4 * self.slots() as usize * S::WORDS
    }

    /// `len` items cut into blocks, one a cube.
    ///
    /// # Errors
    ///
    /// The number of items that could be cut.
    pub fn cut(self, len: u64, profile: &Profile) -> Result<Cut, u64> {
        let cubes = u64::from(profile.max_cubes.0) * u64::from(profile.max_cubes.1);
        let limit = u64::from(self.len()) * cubes.min(1 << 31);
        if len > limit { Err(limit) } else { Cut::new(len, self.len(), u64::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_what_the_kernel_takes_for_granted() {
        for plane in [None, Some(1), Some(4), Some(32), Some(64), Some(48)] {
            for (max_units, shared_bytes) in [(1, 256), (100, 1 << 10), (256, 16_384), (1024, 32_768)] {
                let profile = Profile { plane, max_units, shared_bytes, ..Profile::plain() };
                for tree in [
                    Tree::of_items::<f32, f32>(100, 1, &profile),
                    Tree::of_items::<f32, crate::Both<u64, f64>>(1 << 30, 0, &profile),
                    Tree::of_states::<crate::Both<u64, f64>>(&profile),
                ] {
                    let tree = tree.expect("there is room for one unit");
                    assert!(tree.units.is_power_of_two() && tree.rows.is_power_of_two() && tree.units <= max_units);
                    assert!(tree.plane == 0 || tree.units.is_multiple_of(tree.plane), "{tree:?}");
                    assert!(4 * tree.slots() as usize <= shared_bytes, "{tree:?}");
                }
            }
        }
    }

    #[test]
    fn a_state_too_large_for_one_unit_is_refused() {
        let profile = Profile { shared_bytes: 15, ..Profile::plain() };
        assert_eq!(Tree::of_states::<crate::Both<u64, f64>>(&profile), Err(Feature::SharedMemory(16)));
    }

    #[test]
    fn a_cut_takes_the_last_length_and_refuses_the_next() {
        let profile = Profile { max_cubes: (3, 2, 1), ..Profile::plain() };
        let tree = Tree::of_items::<f32, f32>(100, 1, &profile).expect("it fits");
        let limit = 6 * u64::from(tree.len());
        assert_eq!(tree.cut(limit, &profile).map(|cut| cut.cubes), Ok(6));
        assert_eq!(tree.cut(limit + 1, &profile), Err(limit));
    }
}
