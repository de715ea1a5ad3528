//! Devices under Vulkan and SPIR-V.
//!
//! cubecl-spirv 0.11.3 writes an invalid module for any kernel with shared memory where the driver lacks
//! `VK_KHR_workgroup_memory_explicit_layout`; some drivers then crash the process. Such drivers are refused.

use cubefold_primitives::Device;

use super::{Name, Reason, Refusal, adapters, refuse, start};

/// A hardware adapter under SPIR-V.
pub fn open(name: Name) -> Result<Device, Refusal> {
    let available = adapters::all().len();
    let adapter = adapters::all().get(name.index).ok_or_else(|| refuse(name, Reason::NotThere { available }))?;
    match adapter.told.explicit_layout {
        true => start(name, "SPIR-V", || cubecl::Device::Wgpu(adapter.device.clone()).client()),
        false => Err(refuse(name, Reason::NoExplicitLayout)),
    }
}
