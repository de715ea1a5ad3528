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
    /// Recordings of launches.
    Recordings,
    /// Operations of a plane.
    Planes,
    /// The number of multiprocessors.
    Multiprocessors,
    /// So many units a cube.
    Units(u32),
    /// So many bytes of shared memory a cube.
    Shared(usize),
}

impl Need {
    /// Whether a device of such a profile has it.
    pub fn is_met(&self, profile: &Profile) -> bool {
        match *self {
            Need::Atomics32 => profile.atomic_u32,
            Need::Atomics64 => profile.atomic_u64,
            Need::MemoryScope => profile.memory_scope,
            Need::Recordings => profile.recordings,
            Need::Planes => profile.plane.is_some(),
            Need::Multiprocessors => profile.multiprocessors.is_some(),
            Need::Units(units) => profile.max_units >= units,
            Need::Shared(bytes) => profile.shared_bytes >= bytes,
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Atomics32 => write!(f, "atomic u32"),
            Need::Atomics64 => write!(f, "atomic u64"),
            Need::MemoryScope => write!(f, "memory scope of the device"),
            Need::Recordings => write!(f, "recordings of launches"),
            Need::Planes => write!(f, "plane operations"),
            Need::Multiprocessors => write!(f, "multiprocessors told"),
            Need::Units(units) => write!(f, "{units} units a cube"),
            Need::Shared(bytes) => write!(f, "{bytes} bytes of shared memory"),
        }
    }
}

/// A device that has everything.
pub(super) fn rich() -> Profile {
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
        recordings: true,
        tf32: true,
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
        (Need::Recordings, Profile { recordings: false, ..rich() }),
        (Need::Planes, Profile { plane: None, ..rich() }),
        (Need::Multiprocessors, Profile { multiprocessors: None, ..rich() }),
    ];
    let mut needs: Vec<Need> =
        without.into_iter().filter(|(_, profile)| !is_planned(profile)).map(|(need, _)| need).collect();
    let units = least(1, rich().max_units as usize, |units| is_planned(&Profile { max_units: units as u32, ..rich() }));
    if units > 1 {
        needs.push(Need::Units(units as u32));
    }
    let bytes = least(0, rich().shared_bytes, |shared_bytes| is_planned(&Profile { shared_bytes, ..rich() }));
    if bytes > 0 {
        needs.push(Need::Shared(bytes));
    }
    needs
}

/// The least number from `low` to `high`, which is enough, that is enough.
fn least(mut low: usize, mut high: usize, is_enough: impl Fn(usize) -> bool) -> usize {
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
        assert_eq!(needs(|profile| profile.max_units > 0), [], "no device has cubes of no units");
        assert_eq!(needs(|_| false), []);
        let plan = |profile: &Profile| profile.atomic_u32 && profile.max_units >= 256 && profile.shared_bytes >= 8192;
        assert_eq!(needs(plan), [Need::Atomics32, Need::Units(256), Need::Shared(8192)]);
        let stays = |profile: &Profile| profile.multiprocessors.is_some() && profile.memory_scope;
        assert_eq!(needs(stays), [Need::MemoryScope, Need::Multiprocessors]);
    }

    #[test]
    fn the_last_number_is_enough_and_the_one_below_is_not() {
        let of = |max_units, shared_bytes| Profile { max_units, shared_bytes, ..rich() };
        assert!(Need::Units(256).is_met(&of(256, 0)) && !Need::Units(256).is_met(&of(255, 0)));
        assert!(Need::Shared(64).is_met(&of(1, 64)) && !Need::Shared(64).is_met(&of(1, 63)));
        assert!(!Need::Multiprocessors.is_met(&Profile { multiprocessors: None, ..rich() }));
    }

    #[test]
    fn the_least_that_is_enough_is_exact() {
        for enough in [0, 1, 5, 99, 100] {
            assert_eq!(least(0, 100, |number| number >= enough), enough);
        }
    }
}
