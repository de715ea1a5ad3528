//! The launch of `collect`.

use cubecl::prelude::*;

use super::kernel;
use crate::device::{Gpu, Launch};
use crate::reduce::launch::cube_grid;
use crate::views::{Sink, Source};
use crate::{Device, Error, State};

/// Units of a cube.
const UNITS: u32 = 256;

/// Items are numbered with u32, past the last one too.
const LIMIT: u64 = 1 << 31;

/// Writes every item into `sink`, which has as much room.
pub fn collect<S: Source + ?Sized, K: Sink<Item = S::Item> + ?Sized>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    sink: &mut K,
) -> Result<(), Error> {
    let len = source.len();
    if let Some(feature) = gpu.profile.lacks::<S::Item>() {
        return Err(Error::Unsupported { device: device.label(), feature });
    }
    if len > LIMIT {
        return Err(Error::TooLong { what: "a collection", len, limit: LIMIT });
    }
    // 16 bytes a unit.
    let run = (4 / S::Item::WORDS).max(1) as u32;
    let (view, place) = (source.bind(device, run)?, sink.bind_place(device, run)?);
    if len == 0 {
        return Ok(());
    }
    let units = UNITS.min(gpu.profile.max_units);
    let cubes = (len as u32).div_ceil(units * run);
    device.notify(&Launch { kernel: "collect", strategy: "Collect", cubes: u64::from(cubes), units });
    // SAFETY: a unit reads and writes the items of its run only where they are below `len`, the length of both.
    unsafe {
        kernel::launch_collect::<S::View, K::Place>(
            &gpu.client,
            cube_grid(cubes, &gpu.profile),
            CubeDim::new_1d(units),
            view,
            place,
            len as u32,
            run,
        );
    }
    Ok(())
}
