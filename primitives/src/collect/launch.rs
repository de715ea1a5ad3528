//! The launch of `collect`.

use cubecl::prelude::*;

use super::kernel;
use crate::device::{Gpu, Launch, argument};
use crate::reduce::launch::cube_grid;
use crate::views::Source;
use crate::{Buffer, Device, Error, State};

/// Units of a cube.
const UNITS: u32 = 256;

/// Stores every item in a new buffer.
pub fn collect<S: Source + ?Sized>(device: &Device, gpu: &Gpu, source: &S) -> Result<Buffer<S::Item>, Error> {
    let len = source.len();
    device.fitting::<S::Item>(gpu, len)?;
    let output = device.allocate::<S::Item>(gpu, len as usize)?;
    if len > 0 {
        let units = UNITS.min(gpu.profile.max_units);
        let cubes = (len as u32).div_ceil(units);
        let view = source.bind(device)?;
        device.notify(&Launch { kernel: "collect", strategy: "Collect", cubes: u64::from(cubes), units });
        // SAFETY: unit `i` reads and writes item `i` only where it is below `len`, the length of both.
        unsafe {
            kernel::collect::launch_unchecked::<S::View>(
                &gpu.client,
                cube_grid(cubes, &gpu.profile),
                CubeDim::new_1d(units),
                view,
                argument(output.clone(), len as usize * S::Item::WORDS),
                len as u32,
            );
        }
    }
    Ok(Buffer::on_device(device, output, len as usize))
}
