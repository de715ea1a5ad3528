//! A device that goes away.

use cubecl::future::block_on;
use cubecl_wgpu::{RuntimeOptions, WgpuSetup, try_init_device, wgpu};
use cubefold::Error;
use cubefold::prelude::*;

use crate::devices::gpus;
use crate::samples::integers;

/// A logical device that this test alone uses, and the handle by which it is taken away.
fn mortal() -> (Device, wgpu::Device) {
    let backend = wgpu::Backends::VULKAN;
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backend;
    let instance = wgpu::Instance::new(descriptor);
    let adapter =
        block_on(instance.enumerate_adapters(backend)).into_iter().next().expect("a Vulkan device is under test");
    let left_out = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS | wgpu::Features::all_experimental_mask();
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features().difference(left_out),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = block_on(adapter.request_device(&descriptor)).unwrap();
    let backend = adapter.get_info().backend;
    let setup = WgpuSetup { instance, adapter, device: device.clone(), queue, backend };
    let place = try_init_device(setup, RuntimeOptions::default()).unwrap();
    (Device::from_client(cubecl::Device::Wgpu(place).client(), "mortal"), device)
}

#[test]
fn a_lost_device_says_so_in_every_later_call() {
    if !gpus().any(|(name, _)| name == "wgpu" || name == "lavapipe") {
        return eprintln!("left out: no device under WGSL is under test");
    }
    let (device, handle) = mortal();
    let lost = Error::DeviceLost { device: "mortal".to_owned() };
    let sum = ops::Sum::<u32>::new();
    let items = integers(5000, 1);
    let uploaded = device.upload(&items).unwrap();
    let before = device.scan(&uploaded, &sum).unwrap();
    assert_eq!(before.get(4999).unwrap(), items.iter().fold(0, |sum: u32, item| sum.wrapping_add(*item)));
    handle.destroy();
    // wgpu tells of the loss when it is polled; before that, CubeCL 0.11.3 takes an invalid buffer for a mistake of its own.
    handle.poll(wgpu::PollType::Poll).unwrap();
    assert_eq!(before.to_vec().unwrap_err(), lost, "what was made before cannot be read");
    assert_eq!(device.synchronize().unwrap_err(), lost);
    let after = device.scan(&uploaded, &sum).and_then(|sums| sums.to_vec());
    assert_eq!(after.unwrap_err(), lost, "nor anything made since");
    let elsewhere = device.upload(&items).and_then(|items| device.reduce(&items, &sum)?.to_vec());
    assert_eq!(elsewhere.unwrap_err(), lost);
    assert_eq!(lost.to_string(), "mortal was lost: make the device anew");
}
