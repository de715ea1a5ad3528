//! The devices that tests run on.
//!
//! `CUBEFOLD_TEST_DEVICES=host,wgpu,cuda` names the devices that must be there: one that is not fails the tests. Without
//! it the host runs, and lavapipe where there is one; a device that is left out says why.

use std::sync::OnceLock;

use cubefold::iterate::Way;
use cubefold::{Device, device};

/// Every device under test, with its name.
pub fn devices() -> &'static [(String, Device)] {
    static DEVICES: OnceLock<Vec<(String, Device)>> = OnceLock::new();
    DEVICES.get_or_init(|| match std::env::var("CUBEFOLD_TEST_DEVICES") {
        Ok(names) => names.split(',').map(required).collect(),
        Err(_) => ["host", "lavapipe"].into_iter().filter_map(optional).collect(),
    })
}

/// The devices under test that are not the host.
pub fn gpus() -> impl Iterator<Item = &'static (String, Device)> {
    devices().iter().filter(|(_, device)| !device.is_host())
}

fn required(name: &str) -> (String, Device) {
    let device = device::by_name(name).unwrap_or_else(|error| panic!("CUBEFOLD_TEST_DEVICES asks for it: {error}"));
    (name.to_owned(), device)
}

fn optional(name: &str) -> Option<(String, Device)> {
    match device::by_name(name) {
        Ok(device) => Some((name.to_owned(), device)),
        Err(error) => {
            eprintln!("left out: {error}");
            None
        }
    }
}

/// Whether a device computes in software: sizes that would take minutes there are left to real ones.
pub fn is_software(name: &str) -> bool {
    name.starts_with("lavapipe") || name.starts_with("cpu")
}

/// Every way that one loop can go on a device.
pub fn ways(device: &Device) -> Vec<Way> {
    let mut ways = vec![Way::Auto, Way::Launches, Way::OneCube, Way::Ensemble];
    ways.extend(device.profile().is_none_or(|profile| profile.recordings).then_some(Way::Recorded));
    ways.extend(device.profile().is_none_or(|profile| profile.multiprocessors.is_some()).then_some(Way::Resident));
    ways
}

/// What ran since the observer was set: kernel and strategy of each launch.
pub fn observed(device: &Device) -> std::sync::Arc<std::sync::Mutex<Vec<(&'static str, &'static str)>>> {
    let launches = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = launches.clone();
    device.observe(move |launch| seen.lock().unwrap().push((launch.kernel, launch.strategy)));
    launches
}

/// A device of its own on the same hardware, so that observers and counters see this test alone.
pub fn private(device: &Device) -> Device {
    match device.is_host() {
        true => Device::host(),
        false => limited(device, |_| ()),
    }
}

/// The same hardware with other facts, to take the paths of lesser devices.
pub fn limited(device: &Device, limit: impl FnOnce(&mut cubefold::Profile)) -> Device {
    let client = device.client().expect("a device with a client").clone();
    let mut profile = device.profile().expect("a device with a profile").clone();
    limit(&mut profile);
    Device::with_profile(client, device.label(), profile)
}

/// A software device whose planes CubeCL leaves out, with planes.
pub fn with_planes(device: &Device) -> Option<Device> {
    let hardware = &device.client()?.properties().hardware;
    let (smallest, largest) = (hardware.plane_size_min, hardware.plane_size_max);
    let planes = device.profile()?.plane.is_none() && smallest == largest && smallest > 1;
    planes.then(|| limited(device, |profile| profile.plane = Some(smallest)))
}
