//! The launch that marks heads.

use cubecl::prelude::*;

use super::kernel;
use super::marks::BITS;
use crate::device::{Gpu, Launch, argument};
use crate::reduce::launch::cube_grid;
use crate::views::Source;
use crate::{Buffer, Device, Error};

/// Units of a cube.
const UNITS: u32 = 256;

/// A device's bits, by one launch.
pub fn mark<F: Source<Item = u32> + ?Sized>(
    device: &Device,
    gpu: &Gpu,
    offsets: &F,
    len: u64,
) -> Result<Buffer<u32>, Error> {
    let starts = u32::try_from(offsets.len()).map_err(|_| Error::TooLong {
        what: "a list of offsets",
        len: offsets.len(),
        limit: u64::from(u32::MAX),
    })?;
    // Whole runs of a unit, and one where there are no items.
    let words = len.div_ceil(u64::from(BITS * kernel::RUN)).max(1) * u64::from(kernel::RUN);
    device.fitting::<u32>(gpu, words)?;
    let bits = device.allocate::<u32>(gpu, words as usize)?;
    let units = UNITS.min(gpu.profile.max_units);
    let cubes = (words as u32).div_ceil(units * kernel::RUN);
    device.notify(&Launch { kernel: "segments::mark", strategy: "Marks", cubes: u64::from(cubes), units });
    // SAFETY: a unit writes the words of its run below `words`, which is how many there are, and reads offsets below
    // `starts`. The search halves what is left, and every round of the other loop goes on to a later offset.
    unsafe {
        kernel::launch_mark::<F::View>(
            &gpu.client,
            cube_grid(cubes, &gpu.profile),
            CubeDim::new_1d(units),
            offsets.bind(device, 1)?,
            argument(bits.clone(), words as usize),
            starts,
            words as u32,
        );
    }
    Ok(Buffer::on_device(device, bits, words as usize))
}
