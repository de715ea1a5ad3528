//! What a strategy needs of a device: found by asking its plan for a device that has everything but one thing.

use std::fmt;

use cubefold::{Profile, WideFieldsSupport};

/// One thing that a plan needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Atomic 32-bit integers.
    Atomics32,
    /// Atomic 64-bit integers.
    Atomics64,
    /// One cube's writes reach another within a launch.
    MemoryScope,
    /// Operations of a plane.
    Planes,
    /// The number of multiprocessors.
    Multiprocessors,
    /// So many units a cube.
    Units(u32),
    /// So many bytes of shared memory a cube.
    Shared(usize),
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Atomics32 => write!(f, "atomic u32"),
            Need::Atomics64 => write!(f, "atomic u64"),
            Need::MemoryScope => write!(f, "memory scope of the device"),
            Need::Planes => write!(f, "plane operations"),
            Need::Multiprocessors => write!(f, "multiprocessors told"),
            Need::Units(units) => write!(f, "{units} units a cube"),
            Need::Shared(bytes) => write!(f, "{bytes} bytes of shared memory"),
        }
    }
}

/// A device that has everything.
fn rich() -> Profile {
    Profile {
        plane: Some(32),
        max_units: 1024,
        shared_bytes: 1 << 17,
        max_cubes: (u32::MAX, 1 << 15, 1 << 15),
        max_binding: 1 << 40,
        max_memory: None,
        atomic_u32: true,
        atomic_u64: true,
        memory_scope: true,
        wide: WideFieldsSupport { f64: true, i64: true, u64: true },
        multiprocessors: Some(128),
        max_loop: u32::MAX,
    }
}

/// What `is_planned` does not do without, for a device of such a profile. Nothing where not even a rich one is enough.
pub fn needs(is_planned: impl Fn(&Profile) -> bool) -> Vec<Need> {
    if !is_planned(&rich()) {
        return Vec::new();
    }
    let without = [
        (Need::Atomics32, Profile { atomic_u32: false, ..rich() }),
        (Need::Atomics64, Profile { atomic_u64: false, ..rich() }),
        (Need::MemoryScope, Profile { memory_scope: false, ..rich() }),
        (Need::Planes, Profile { plane: None, ..rich() }),
        (Need::Multiprocessors, Profile { multiprocessors: None, ..rich() }),
    ];
    let mut needs: Vec<Need> =
        without.into_iter().filter(|(_, profile)| !is_planned(profile)).map(|(need, _)| need).collect();
    let units = least(rich().max_units as usize, |units| is_planned(&Profile { max_units: units as u32, ..rich() }));
    if units > 1 {
        needs.push(Need::Units(units as u32));
    }
    let bytes = least(rich().shared_bytes, |shared_bytes| is_planned(&Profile { shared_bytes, ..rich() }));
    if bytes > 0 {
        needs.push(Need::Shared(bytes));
    }
    needs
}

/// The least number up to `most`, which is enough, that is enough.
fn least(most: usize, is_enough: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_does_not_do_without_is_found() {
        assert_eq!(needs(|_| true), []);
        assert_eq!(needs(|_| false), []);
        let plan = |profile: &Profile| profile.atomic_u32 && profile.max_units >= 256 && profile.shared_bytes >= 8192;
        assert_eq!(needs(plan), [Need::Atomics32, Need::Units(256), Need::Shared(8192)]);
        let stays = |profile: &Profile| profile.multiprocessors.is_some() && profile.memory_scope;
        assert_eq!(needs(stays), [Need::MemoryScope, Need::Multiprocessors]);
    }

    #[test]
    fn the_least_that_is_enough_is_exact() {
        for enough in [0, 1, 5, 99, 100] {
            assert_eq!(least(100, |number| number >= enough), enough);
        }
    }
}
