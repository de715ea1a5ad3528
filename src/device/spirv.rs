//! Devices under Vulkan and SPIR-V.
//!
//! cubecl-spirv 0.11.3 writes an invalid module for any kernel with shared memory where the driver lacks
//! `VK_KHR_workgroup_memory_explicit_layout`; some drivers then crash the process. Such drivers are refused.

use cubecl_wgpu::wgpu;
use cubefold_primitives::Device;

use super::{Name, Reason, Refusal, refuse, start};

/// A hardware adapter under SPIR-V.
pub fn open(name: Name) -> Result<Device, Refusal> {
    let device = super::wgpu::hardware(name, cubecl::Device::vulkan)?;
    if !drivers_have_explicit_layout() {
        return Err(refuse(name, Reason::NoExplicitLayout));
    }
    start(name, "SPIR-V", || device.client())
}

/// Whether every hardware driver has the extension: CubeCL does not say which adapter an index names.
fn drivers_have_explicit_layout() -> bool {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(descriptor);
    let adapters = cubecl::future::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    adapters.iter().filter(|adapter| adapter.get_info().device_type != wgpu::DeviceType::Cpu).all(has_explicit_layout)
}

fn has_explicit_layout(adapter: &wgpu::Adapter) -> bool {
    // SAFETY: the adapter's capabilities are only read, while the adapter lives.
    let vulkan = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() };
    vulkan.is_some_and(|vulkan| {
        vulkan.physical_device_capabilities().supports_extension(c"VK_KHR_workgroup_memory_explicit_layout")
    })
}
