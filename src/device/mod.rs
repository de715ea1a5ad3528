//! Which device runs: by name, or the best there is.
//!
//! | name | runs |
//! |---|---|
//! | `host` | rayon |
//! | `wgpu` | WGSL on any graphics API of the machine; hardware first, a software adapter with a warning |
//! | `vulkan` | SPIR-V on Vulkan (feature `vulkan`); refused on drivers for which CubeCL writes invalid modules |
//! | `cuda`, `hip`, `metal` | the vendor's own (features of the same names) |
//! | `cpu` | CubeCL's CPU runtime (feature `cpu`), best effort |
//! | `lavapipe` | WGSL on a software Vulkan: right for tests, never for timing |
//! | `auto` | cuda, hip or metal, else the GPU under WGSL, else the host; never a software adapter |
//!
//! `NAME:1` is the second one of a kind.

#[cfg(feature = "wgpu")]
mod adapters;
mod name;
#[cfg(feature = "vulkan")]
mod spirv;
#[cfg(feature = "wgpu")]
mod wgpu;

use std::fmt;

use cubefold_primitives::Device;

pub use name::{KINDS, Kind, Name};

/// Why a device cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No device has this name.
    #[error(
        "unknown device '{name}': use auto, host, wgpu, vulkan, cuda, hip, metal, cpu or lavapipe, with :1 for the second"
    )]
    UnknownName {
        /// The name.
        name: String,
    },
    /// The device is not there.
    #[error("{0}")]
    Refused(#[from] Refusal),
}

/// Why a device is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no device '{name}': {reason}")]
pub struct Refusal {
    /// The device's name.
    pub name: String,
    /// The reason.
    pub reason: Reason,
}

/// What stands in the way of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The build has no such runtime.
    #[error("this build leaves it out: build with `--features {feature}`")]
    NotBuilt {
        /// The feature that brings it.
        feature: &'static str,
    },
    /// The machine has fewer of them.
    #[error("this machine has {available} of that kind")]
    NotThere {
        /// How many there are.
        available: usize,
    },
    /// CubeCL's SPIR-V needs an extension of the driver for shared memory.
    #[error(
        "its driver lacks VK_KHR_workgroup_memory_explicit_layout, without which CubeCL's SPIR-V is invalid: use wgpu"
    )]
    NoExplicitLayout,
    /// `auto` leaves it to be named.
    #[error("only a software device, slower than the host: install a GPU's driver, or name it to use it")]
    Software,
    /// The runtime failed to start.
    #[error("its runtime failed to start")]
    Failed,
}

/// A device of the machine, or why it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Availability {
    /// The name to ask for it by.
    pub name: String,
    /// What it is, or why it is not there.
    pub state: Result<String, Refusal>,
}

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.state {
            Ok(description) => write!(f, "{}: {description}", self.name),
            Err(refusal) => write!(f, "{}: {}", self.name, refusal.reason),
        }
    }
}

/// What `auto` chose, and why not the others.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The device.
    pub device: Device,
    /// Those before it in the order of preference.
    pub refused: Vec<Refusal>,
}

/// The choice of a device, as functions of [`Device`] itself.
pub trait DeviceChoice: Sized {
    /// The best device there is; the host where there is no other.
    fn auto() -> Self;

    /// The device of this name.
    ///
    /// # Errors
    ///
    /// [`DeviceError`]: the name is unknown, or the device is not there.
    fn by_name(name: &str) -> Result<Self, DeviceError>;

    /// Every device that can be named, with the reason where it is not there.
    fn available() -> Vec<Availability>;
}

impl DeviceChoice for Device {
    fn auto() -> Self {
        auto().device
    }

    fn by_name(name: &str) -> Result<Self, DeviceError> {
        by_name(name)
    }

    fn available() -> Vec<Availability> {
        available()
    }
}

/// Whether a device could have this name; touches no hardware.
pub fn is_known_name(name: &str) -> bool {
    name.parse::<Name>().is_ok()
}

/// The device of this name.
///
/// # Errors
///
/// [`DeviceError`]: the name is unknown, or the device is not there.
pub fn by_name(name: &str) -> Result<Device, DeviceError> {
    Ok(open(name.parse()?)?)
}

/// The best device there is, and why those before it were refused.
pub fn auto() -> Choice {
    let mut refused = Vec::new();
    for kind in [Kind::Cuda, Kind::Hip, Kind::Metal, Kind::Wgpu] {
        let opened = match kind {
            Kind::Wgpu => open_hardware_wgpu(),
            _ => open(Name { kind, index: 0 }),
        };
        match opened {
            Ok(device) => return Choice { device, refused },
            Err(refusal) => refused.push(refusal),
        }
    }
    Choice { device: Device::host(), refused }
}

/// Every device that can be named: all of a kind that are there, or one line with the reason.
pub fn available() -> Vec<Availability> {
    let mut all = Vec::new();
    for (_, kind) in KINDS.into_iter().filter(|(_, kind)| *kind != Kind::Auto) {
        for index in 0.. {
            let name = Name { kind, index };
            let state = open(name).map(|device| device.label());
            let last = state.is_err() || kind == Kind::Host || kind == Kind::Cpu;
            if index == 0 || state.is_ok() {
                all.push(Availability { name: name.to_string(), state });
            }
            if last {
                break;
            }
        }
    }
    all
}

/// The driver of a device and its version, where they are told: by wgpu's adapter of that name, by Linux of NVIDIA's module.
pub fn driver(device: &Device) -> Option<String> {
    let client = device.client()?;
    if client.name().contains("cuda") {
        let module = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
        return version_in(&module).map(str::to_owned);
    }
    adapter_driver(&client.properties().identity.name)
}

/// The first word of a text that is a version of numbers and dots.
fn version_in(text: &str) -> Option<&str> {
    let is_version =
        |word: &&str| word.contains('.') && word.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    text.split_whitespace().find(is_version)
}

#[cfg(feature = "wgpu")]
fn adapter_driver(name: &str) -> Option<String> {
    wgpu::driver(name)
}

#[cfg(not(feature = "wgpu"))]
fn adapter_driver(_name: &str) -> Option<String> {
    None
}

fn refuse(name: Name, reason: Reason) -> Refusal {
    Refusal { name: name.to_string(), reason }
}

fn open(name: Name) -> Result<Device, Refusal> {
    match name.kind {
        Kind::Auto => Ok(auto().device),
        Kind::Host => Ok(Device::host()),
        Kind::Cuda => named(name, "cuda", cubecl::Device::cuda(name.index)),
        Kind::Hip => named(name, "hip", cubecl::Device::rocm(name.index)),
        Kind::Cpu if name.index > 0 => Err(refuse(name, Reason::NotThere { available: 1 })),
        Kind::Cpu => named(name, "cpu", cubecl::Device::cpu()),
        Kind::Metal => metal(name),
        Kind::Wgpu | Kind::Lavapipe => wgpu(name),
        Kind::Vulkan => vulkan(name),
    }
}

/// Opens a device that CubeCL has found.
fn named(
    name: Name,
    feature: &'static str,
    found: Result<cubecl::Device, cubecl::device::DeviceUnavailable>,
) -> Result<Device, Refusal> {
    use cubecl::device::DeviceUnavailable;
    let device = found.map_err(|error| match error {
        DeviceUnavailable::NotLinked(_) => refuse(name, Reason::NotBuilt { feature }),
        DeviceUnavailable::NoSuchDevice { available, .. } => refuse(name, Reason::NotThere { available }),
    })?;
    start(name, feature, || device.client())
}

/// Starts a runtime. CubeCL panics where a driver refuses; here that is a refusal like any other.
fn start(name: Name, compiler: &str, client: impl FnOnce() -> cubecl::client::Client) -> Result<Device, Refusal> {
    let client =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(client)).map_err(|_| refuse(name, Reason::Failed))?;
    let adapter = client.properties().identity.name.clone();
    Ok(Device::from_client(client, format!("{name}: {adapter} ({compiler})")))
}

#[cfg(feature = "metal")]
fn metal(name: Name) -> Result<Device, Refusal> {
    wgpu::hardware(name, cubecl::Device::metal_msl).and_then(|device| start(name, "MSL", || device.client()))
}

#[cfg(not(feature = "metal"))]
fn metal(name: Name) -> Result<Device, Refusal> {
    Err(refuse(name, Reason::NotBuilt { feature: "metal" }))
}

#[cfg(feature = "wgpu")]
fn wgpu(name: Name) -> Result<Device, Refusal> {
    wgpu::open(name)
}

#[cfg(not(feature = "wgpu"))]
fn wgpu(name: Name) -> Result<Device, Refusal> {
    Err(refuse(name, Reason::NotBuilt { feature: "wgpu" }))
}

#[cfg(feature = "wgpu")]
fn open_hardware_wgpu() -> Result<Device, Refusal> {
    let name = Name { kind: Kind::Wgpu, index: 0 };
    wgpu::open_hardware(name).map_err(|refusal| match refusal.reason {
        Reason::NotThere { .. } if wgpu::has_software() => refuse(name, Reason::Software),
        _ => refusal,
    })
}

#[cfg(not(feature = "wgpu"))]
fn open_hardware_wgpu() -> Result<Device, Refusal> {
    wgpu(Name { kind: Kind::Wgpu, index: 0 })
}

#[cfg(feature = "vulkan")]
fn vulkan(name: Name) -> Result<Device, Refusal> {
    spirv::open(name)
}

#[cfg(not(feature = "vulkan"))]
fn vulkan(name: Name) -> Result<Device, Refusal> {
    Err(refuse(name, Reason::NotBuilt { feature: "vulkan" }))
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn a_version_is_found_among_other_words() {
        let module =
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release Build  (gcc 12.2.0)\nGCC version: 12";
        assert_eq!(version_in(module), Some("580.159.04"));
        assert_eq!(version_in("no version"), None);
    }
}
