//! The hardware under Vulkan, and what wgpu does not tell of it: asked of the drivers, once.

use std::sync::LazyLock;

use cubecl::device::{WgpuBackend, WgpuDevice};
use cubecl_wgpu::wgpu;

use super::wgpu::{HARDWARE, HardwareKind};

/// An adapter that is a GPU.
pub struct Adapter {
    /// Which one it is to CubeCL.
    pub device: WgpuDevice,
    /// What its driver tells.
    pub told: Told,
}

/// What a driver tells beside what wgpu asks.
#[derive(Default)]
pub struct Told {
    /// The multiprocessors: NVIDIA's driver tells them.
    pub multiprocessors: Option<u32>,
    /// Whether CubeCL's SPIR-V may use shared memory.
    #[cfg_attr(not(feature = "vulkan"), allow(dead_code))] // asked for by SPIR-V alone
    pub explicit_layout: bool,
}

/// The instance stays: loaders crash where instances come and go on several threads.
static FOUND: LazyLock<(wgpu::Instance, Vec<Adapter>)> = LazyLock::new(|| {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(descriptor);
    let adapters = cubecl::future::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let of_kind = |(kind, make): HardwareKind| {
        let same = adapters.iter().filter(move |adapter| adapter.get_info().device_type == kind);
        same.enumerate().map(move |(index, adapter)| Adapter {
            device: WgpuDevice::new(make(index)).on(WgpuBackend::Vulkan),
            told: told(adapter).unwrap_or_default(),
        })
    };
    let found = HARDWARE.into_iter().flat_map(of_kind).collect();
    (instance, found)
});

/// All of them, in the order in which they are counted.
pub fn all() -> &'static [Adapter] {
    &FOUND.1
}

#[cfg(not(target_vendor = "apple"))]
fn told(adapter: &wgpu::Adapter) -> Option<Told> {
    use ash::vk::{PhysicalDeviceProperties2, PhysicalDeviceShaderSMBuiltinsPropertiesNV};

    // SAFETY: the adapter is only asked for what it is, while it and its instance live.
    let vulkan = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let has = |extension| vulkan.physical_device_capabilities().supports_extension(extension);
    let mut builtins = PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
    if has(c"VK_NV_shader_sm_builtins") {
        let mut properties = PhysicalDeviceProperties2::default().push_next(&mut builtins);
        let instance = vulkan.shared_instance().raw_instance();
        // SAFETY: the device is one of the instance's, and has the extension whose properties are asked for.
        unsafe { instance.get_physical_device_properties2(vulkan.raw_physical_device(), &mut properties) };
    }
    Some(Told {
        multiprocessors: Some(builtins.shader_sm_count).filter(|&count| count > 0),
        explicit_layout: has(c"VK_KHR_workgroup_memory_explicit_layout"),
    })
}

/// There is no Vulkan in wgpu for Metal's machines.
#[cfg(target_vendor = "apple")]
fn told(_: &wgpu::Adapter) -> Option<Told> {
    None
}
