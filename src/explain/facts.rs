//! The facts of a device, as its runtime tells them and as plans see them.

use cubefold::Device;
use serde::Serialize;

use super::Gpu;

/// What is known of a device without running anything. What does not apply to it, or is not told, is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Threads, of the host.
    pub threads: Option<usize>,
    /// The fewest and the most units of a plane.
    pub plane_sizes: Option<[u32; 2]>,
    /// Whether kernels here use operations of a plane.
    pub plane_operations: Option<bool>,
    /// Units a cube may have.
    pub units_per_cube: Option<u32>,
    /// Bytes of shared memory that a cube may have.
    pub shared_memory_bytes: Option<usize>,
    /// Cubes along x, y and z in one launch.
    pub cubes_per_launch: Option<[u32; 3]>,
    /// Bytes of the largest buffer that can be bound.
    pub largest_binding_bytes: Option<u64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Whether one cube's writes reach another within a launch.
    pub memory_scope: Option<bool>,
    /// Whether launches can be recorded and played again.
    pub recordings: Option<bool>,
    /// Matrix units that multiply TF32.
    pub tf32: Option<bool>,
    /// Atomic loads, stores and additions of u32.
    pub atomic_u32: Option<bool>,
    /// Atomic loads and stores of u64.
    pub atomic_u64: Option<bool>,
    /// 64-bit floats.
    pub f64: Option<bool>,
    /// 64-bit signed integers.
    pub i64: Option<bool>,
    /// 64-bit unsigned integers.
    pub u64: Option<bool>,
    /// Multiprocessors.
    pub multiprocessors: Option<u32>,
    /// Iterations that the loops of a unit may take in all, where they end.
    pub loop_limit: Option<u32>,
}

/// A fact that is asked for and not told.
const NOT_TOLD: &str = "not told";

impl Facts {
    /// The facts of `device`.
    pub fn of(device: &Device) -> Self {
        let Some(Gpu { client, profile, .. }) = Gpu::of(device) else {
            let threads = std::thread::available_parallelism().ok().map(usize::from);
            return Facts { threads, ..Facts::default() };
        };
        let hardware = &client.properties().hardware;
        let (x, y, z) = profile.max_cubes;
        Facts {
            threads: None,
            plane_sizes: Some([hardware.plane_size_min, hardware.plane_size_max]).filter(|sizes| sizes[1] > 0),
            plane_operations: Some(profile.plane.is_some()),
            units_per_cube: Some(profile.max_units),
            shared_memory_bytes: Some(profile.shared_bytes),
            cubes_per_launch: Some([x, y, z]),
            largest_binding_bytes: Some(profile.max_binding),
            memory_bytes: profile.max_memory,
            memory_scope: Some(profile.memory_scope),
            recordings: Some(profile.recordings),
            tf32: Some(profile.tf32),
            atomic_u32: Some(profile.atomic_u32),
            atomic_u64: Some(profile.atomic_u64),
            f64: Some(profile.wide.f64),
            i64: Some(profile.wide.i64),
            u64: Some(profile.wide.u64),
            multiprocessors: profile.multiprocessors,
            loop_limit: Some(profile.max_loop).filter(|&limit| limit < u32::MAX),
        }
    }

    /// Name and value for people, of those that apply.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        if self.units_per_cube.is_none() {
            return vec![("threads", told(self.threads))];
        }
        vec![
            ("plane", self.plane_text()),
            ("units a cube", told(self.units_per_cube)),
            ("shared memory", bytes(self.shared_memory_bytes.map(|bytes| bytes as u64))),
            ("cubes a launch", told(self.cubes_per_launch.map(|cubes| cubes.map(|each| each.to_string()).join(" × ")))),
            ("largest binding", bytes(self.largest_binding_bytes)),
            ("memory", bytes(self.memory_bytes)),
            ("memory scope of the device", yes(self.memory_scope)),
            ("recordings of launches", yes(self.recordings)),
            ("matrix units for TF32", yes(self.tf32)),
            ("atomic u32", yes(self.atomic_u32)),
            ("atomic u64", yes(self.atomic_u64)),
            ("64-bit scalars", self.wide_text()),
            ("multiprocessors", told(self.multiprocessors)),
            ("loop limit", self.loop_limit.map_or("none".to_owned(), |limit| format!("{limit} iterations a unit"))),
        ]
    }

    fn plane_text(&self) -> String {
        let operations = if self.plane_operations == Some(true) { "used" } else { "not used" };
        match self.plane_sizes {
            None => format!("{NOT_TOLD}, operations {operations}"),
            Some([least, most]) if least == most => format!("{least} units, operations {operations}"),
            Some([least, most]) => format!("{least} to {most} units, operations {operations}"),
        }
    }

    fn wide_text(&self) -> String {
        let named = [("f64", self.f64), ("i64", self.i64), ("u64", self.u64)];
        let there: Vec<_> = named.into_iter().filter(|(_, there)| *there == Some(true)).map(|(name, _)| name).collect();
        if there.is_empty() { "none".to_owned() } else { there.join(", ") }
    }
}

fn told(value: Option<impl ToString>) -> String {
    value.map_or(NOT_TOLD.to_owned(), |value| value.to_string())
}

fn yes(value: Option<bool>) -> String {
    told(value.map(|there| if there { "yes" } else { "no" }))
}

fn bytes(value: Option<u64>) -> String {
    told(value.map(in_units))
}

/// Bytes in the largest unit of which there is a whole one.
fn in_units(value: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = (0..units.len()).rev().find(|&power| value >> (10 * power) > 0).unwrap_or(0);
    let scaled = value as f64 / (1u64 << (10 * power)) as f64;
    let text = if power == 0 { value.to_string() } else { format!("{scaled:.1}") };
    format!("{} {}", text.trim_end_matches(".0"), units[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_largest_unit() {
        let told = [0, 1023, 1024, 1536, 32768, (1 << 30) - 1, 1 << 30, 3 << 40].map(|value| bytes(Some(value)));
        assert_eq!(told, ["0 B", "1023 B", "1 KiB", "1.5 KiB", "32 KiB", "1024 MiB", "1 GiB", "3 TiB"]);
        assert_eq!(bytes(None), "not told");
    }

    #[test]
    fn the_host_has_threads_and_a_device_every_fact() {
        let host = Facts::of(&Device::host());
        assert!(host.threads.is_some() && host.atomic_u32.is_none());
        assert_eq!(host.lines().len(), 1);
        let device =
            Facts { plane_sizes: Some([8, 32]), units_per_cube: Some(256), f64: Some(true), ..Facts::default() };
        let lines = device.lines();
        let of = |name: &str| lines.iter().find(|(each, _)| *each == name).map(|(_, value)| value.as_str());
        assert_eq!(of("plane"), Some("8 to 32 units, operations not used"));
        assert_eq!(
            (of("multiprocessors"), of("64-bit scalars"), of("loop limit")),
            (Some("not told"), Some("f64"), Some("none"))
        );
    }
}
