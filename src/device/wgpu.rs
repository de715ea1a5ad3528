//! Devices under wgpu's WGSL, whatever other compilers the build has.

use cubecl::device::{DeviceUnavailable, WgpuDevice, WgpuDeviceKind};
use cubecl_server::runtime::Runtime;
use cubecl_wgpu::{WgpuRuntime, WgslCompiler, wgpu};
use cubefold_primitives::{Device, Profile};

use super::{Kind, Name, Reason, Refusal, adapters, refuse, start};

/// A kind of hardware to wgpu, and to CubeCL with a number.
pub type HardwareKind = (wgpu::DeviceType, fn(usize) -> WgpuDeviceKind);

/// All of them, in the order in which they are counted.
pub const HARDWARE: [HardwareKind; 4] = [
    (wgpu::DeviceType::DiscreteGpu, WgpuDeviceKind::DiscreteGpu),
    (wgpu::DeviceType::IntegratedGpu, WgpuDeviceKind::IntegratedGpu),
    (wgpu::DeviceType::VirtualGpu, WgpuDeviceKind::VirtualGpu),
    (wgpu::DeviceType::Other, WgpuDeviceKind::Other),
];

/// Hardware, and its multiprocessors where they are told.
type Hardware = (WgpuDevice, Option<u32>);

/// The device at `name.index` of all hardware, made by `make` from its kind.
pub fn hardware(
    name: Name,
    make: impl Fn(WgpuDeviceKind) -> Result<cubecl::Device, DeviceUnavailable>,
) -> Result<cubecl::Device, Refusal> {
    let mut passed = 0;
    for (_, kind) in HARDWARE {
        for index in 0.. {
            match make(kind(index)) {
                Ok(device) if passed == name.index => return Ok(device),
                Ok(_) => passed += 1,
                Err(_) => break,
            }
        }
    }
    Err(refuse(name, Reason::NotThere { available: passed }))
}

/// A hardware adapter under WGSL.
pub fn open_hardware(name: Name) -> Result<Device, Refusal> {
    open_wgsl(name, best_hardware(name)?)
}

/// The device at `name.index` of all hardware under Vulkan, as CubeCL prefers that; where there is none, of what CubeCL finds.
fn best_hardware(name: Name) -> Result<Hardware, Refusal> {
    let vulkan = adapters::all();
    match vulkan.get(name.index) {
        Some(adapter) => Ok((adapter.device.clone(), adapter.told.multiprocessors)),
        None if !vulkan.is_empty() => Err(refuse(name, Reason::NotThere { available: vulkan.len() })),
        None => match hardware(name, cubecl::Device::wgpu)? {
            cubecl::Device::Wgpu(device) => Ok((device, None)),
            _ => Err(refuse(name, Reason::Failed)),
        },
    }
}

/// Whether there is a software adapter, which is never chosen unnamed.
pub fn has_software() -> bool {
    cubecl::Device::wgpu(WgpuDeviceKind::Cpu).is_ok()
}

/// An adapter under WGSL: hardware first, then the software one; or the software one of Vulkan alone for `lavapipe`.
pub fn open(name: Name) -> Result<Device, Refusal> {
    let hardware = match name.kind {
        Kind::Lavapipe => Err(refuse(name, Reason::NotThere { available: 0 })),
        _ => best_hardware(name),
    };
    let before = match hardware {
        Ok(hardware) => return open_wgsl(name, hardware),
        Err(Refusal { reason: Reason::NotThere { available }, .. }) => available,
        Err(refusal) => return Err(refusal),
    };
    let software = match name.kind {
        Kind::Lavapipe => cubecl::Device::vulkan(WgpuDeviceKind::Cpu),
        _ => cubecl::Device::wgpu(WgpuDeviceKind::Cpu),
    };
    let compiler = match name.kind {
        Kind::Lavapipe => "WGSL",
        _ => "WGSL; in software: for tests, not for timing",
    };
    match software {
        Ok(cubecl::Device::Wgpu(device)) if name.index == before => {
            start(name, compiler, || WgpuRuntime::<WgslCompiler>::client(&device))
        }
        software => Err(refuse(name, Reason::NotThere { available: before + usize::from(software.is_ok()) })),
    }
}

/// The driver of the first adapter of that name, and what it says of itself.
pub fn driver(name: &str) -> Option<String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = cubecl::future::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let info = adapters.iter().map(wgpu::Adapter::get_info).find(|info| info.name == name)?;
    let told: Vec<_> = [info.driver, info.driver_info].into_iter().filter(|text| !text.is_empty()).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

fn open_wgsl(name: Name, (device, multiprocessors): Hardware) -> Result<Device, Refusal> {
    let device = start(name, "WGSL", || WgpuRuntime::<WgslCompiler>::client(&device))?;
    match (device.client(), device.profile()) {
        (Some(client), Some(profile)) if multiprocessors.is_some() => {
            let profile = Profile { multiprocessors, ..profile.clone() };
            Ok(Device::with_profile(client.clone(), device.label(), profile))
        }
        _ => Ok(device),
    }
}
