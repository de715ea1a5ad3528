//! Devices under wgpu's WGSL, whatever other compilers the build has.

use cubecl::device::{DeviceUnavailable, WgpuDevice, WgpuDeviceKind};
use cubecl_server::runtime::Runtime;
use cubecl_wgpu::{WgpuRuntime, WgslCompiler, wgpu};
use cubefold_primitives::Device;

use super::{Kind, Name, Reason, Refusal, refuse, start};

/// The kinds of hardware, in the order in which they are counted.
const HARDWARE: [fn(usize) -> WgpuDeviceKind; 4] =
    [WgpuDeviceKind::DiscreteGpu, WgpuDeviceKind::IntegratedGpu, WgpuDeviceKind::VirtualGpu, WgpuDeviceKind::Other];

/// The device at `name.index` of all hardware, made by `make` from its kind.
pub fn hardware(
    name: Name,
    make: impl Fn(WgpuDeviceKind) -> Result<cubecl::Device, DeviceUnavailable>,
) -> Result<cubecl::Device, Refusal> {
    let mut passed = 0;
    for kind in HARDWARE {
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
    match hardware(name, cubecl::Device::wgpu)? {
        cubecl::Device::Wgpu(device) => open_wgsl(name, &device),
        _ => Err(refuse(name, Reason::Failed)),
    }
}

/// Whether there is a software adapter, which is never chosen unnamed.
pub fn has_software() -> bool {
    cubecl::Device::wgpu(WgpuDeviceKind::Cpu).is_ok()
}

/// An adapter under WGSL: hardware first, then the software one; or the software one of Vulkan alone for `lavapipe`.
pub fn open(name: Name) -> Result<Device, Refusal> {
    let (place, software) = match name.kind {
        Kind::Lavapipe => (Err(0), cubecl::Device::vulkan(WgpuDeviceKind::Cpu)),
        _ => (hardware_place(name), cubecl::Device::wgpu(WgpuDeviceKind::Cpu)),
    };
    match (place, software) {
        (Ok(device), _) => open_wgsl(name, &device),
        (Err(before), Ok(cubecl::Device::Wgpu(device))) if name.index == before => match name.kind {
            Kind::Lavapipe => open_wgsl(name, &device),
            _ => start(name, "WGSL; in software: for tests, not for timing", || {
                WgpuRuntime::<WgslCompiler>::client(&device)
            }),
        },
        (Err(before), software) => {
            Err(refuse(name, Reason::NotThere { available: before + usize::from(software.is_ok()) }))
        }
    }
}

/// The hardware adapter at the name's index, or how many there are.
fn hardware_place(name: Name) -> Result<WgpuDevice, usize> {
    match hardware(name, cubecl::Device::wgpu) {
        Ok(cubecl::Device::Wgpu(device)) => Ok(device),
        Err(Refusal { reason: Reason::NotThere { available }, .. }) => Err(available),
        _ => Err(0),
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

fn open_wgsl(name: Name, device: &WgpuDevice) -> Result<Device, Refusal> {
    start(name, "WGSL", || WgpuRuntime::<WgslCompiler>::client(device))
}
