//! Device names: `wgpu`, `cuda:1`, …

use std::fmt;
use std::str::FromStr;

use super::DeviceError;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The best there is.
    Auto,
    /// Rayon.
    Host,
    /// WGSL on any graphics API.
    Wgpu,
    /// SPIR-V on Vulkan.
    Vulkan,
    /// CUDA.
    Cuda,
    /// HIP.
    Hip,
    /// Metal.
    Metal,
    /// CubeCL's CPU runtime.
    Cpu,
    /// WGSL on a software Vulkan.
    Lavapipe,
}

/// All kinds with their names, in the order in which they are listed.
pub const KINDS: [(&str, Kind); 9] = [
    ("auto", Kind::Auto),
    ("host", Kind::Host),
    ("cuda", Kind::Cuda),
    ("hip", Kind::Hip),
    ("metal", Kind::Metal),
    ("wgpu", Kind::Wgpu),
    ("vulkan", Kind::Vulkan),
    ("cpu", Kind::Cpu),
    ("lavapipe", Kind::Lavapipe),
];

/// A kind, and which of its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name {
    /// The kind.
    pub kind: Kind,
    /// 0 for the first.
    pub index: usize,
}

impl FromStr for Name {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        let unknown = || DeviceError::UnknownName { name: text.to_owned() };
        let (kind, index) = match text.split_once(':') {
            None => (text, 0),
            Some((kind, index)) => (kind, index.parse().map_err(|_| unknown())?),
        };
        let kind = KINDS.iter().find(|(name, _)| *name == kind).map(|(_, kind)| *kind).ok_or_else(unknown)?;
        // There is one host and one choice.
        if index > 0 && matches!(kind, Kind::Auto | Kind::Host) {
            return Err(unknown());
        }
        Ok(Name { kind, index })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| *name);
        match self.index {
            0 => f.write_str(name),
            index => write!(f, "{name}:{index}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_with_and_without_an_index() {
        assert_eq!("wgpu".parse(), Ok(Name { kind: Kind::Wgpu, index: 0 }));
        assert_eq!("cuda:1".parse(), Ok(Name { kind: Kind::Cuda, index: 1 }));
        assert_eq!("cuda:0".parse::<Name>().map(|name| name.to_string()), Ok("cuda".to_owned()));
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "CUDA", "host:1", "auto:2", "wgpu:1:2"] {
            assert_eq!(name.parse::<Name>(), Err(DeviceError::UnknownName { name: name.to_owned() }));
        }
    }
}
