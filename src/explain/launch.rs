//! The launches of the measurements, each with new memory for its results.

use cubecl::prelude::*;
use cubefold::{Buffer, State};

use super::Gpu;
use super::branch::{self, run_sides};
use super::chains::{self, run_chains};
use super::columns::{self, read_columns};
use super::stride::copy_columns;
use crate::bench::BenchError;

/// What a step of a chain multiplies by and adds. So it counts, which f32 does exactly below 2^24; no compiler knows the numbers.
const COUNTING: (f32, f32) = (1.0, 1.0);

/// The launch argument of a buffer on a device, whole.
fn argument<T: State>(buffer: &Buffer<T>) -> BufferArg {
    let handle = buffer.handle().expect("a launch has its buffers on the device").clone();
    // SAFETY: a buffer's handle holds its items, of as many words each.
    unsafe { BufferArg::from_raw_parts(handle, (buffer.len() * T::WORDS).max(1)) }
}

/// Chains of multiply-adds, as [`run_chains`] has them.
pub fn chains(gpu: &Gpu, shape: chains::Shape) -> Result<Buffer<f32>, BenchError> {
    let output = gpu.results(shape.results())?;
    let (scale, shift) = COUNTING;
    // SAFETY: unit `u` of cube `c`, of the `cubes` that have work, writes result `c · units + u`, for which there is room. Loops
    // end after `rounds`.
    unsafe {
        run_chains::launch_unchecked(
            &gpu.client,
            gpu.grid(shape.cubes),
            CubeDim::new_1d(shape.units),
            argument(&output),
            scale,
            shift,
            shape.rounds,
            shape.cubes,
            shape.chains as usize,
            chains::UNROLLED,
        );
    }
    Ok(output)
}

/// Steps up and down, as [`run_sides`] has them.
pub fn sides(gpu: &Gpu, shape: branch::Shape) -> Result<Buffer<f32>, BenchError> {
    let output = gpu.results(shape.results())?;
    let (scale, shift) = COUNTING;
    // SAFETY: unit `u` of cube `c`, of the `cubes` that have work, writes result `c · units + u`, for which there is room. Loops
    // end after `rounds`.
    unsafe {
        run_sides::launch_unchecked(
            &gpu.client,
            gpu.grid(shape.cubes),
            CubeDim::new_1d(shape.units),
            argument(&output),
            scale,
            shift,
            shape.width,
            shape.rounds,
            shape.cubes,
            branch::UNROLLED,
        );
    }
    Ok(output)
}

/// Columns of a square, as [`read_columns`] has them.
pub fn columns(gpu: &Gpu, shape: columns::Shape) -> Result<Buffer<f32>, BenchError> {
    let output = gpu.results(shape.results())?;
    // SAFETY: unit `u` of cube `c`, of the `cubes` that have work, writes result `c · units + u`, for which there is room; rows and
    // columns of the square are below `side`, and it has `side` rows of `pitch` items. Loops end after `rounds`.
    unsafe {
        read_columns::launch_unchecked(
            &gpu.client,
            gpu.grid(shape.cubes),
            CubeDim::new_1d(columns::UNITS),
            argument(&output),
            shape.rounds,
            shape.cubes,
            columns::SIDE,
            columns::UNITS,
            shape.pitch,
        );
    }
    Ok(output)
}

/// A copy at a stride, as [`copy_columns`] has it, by cubes of so many units.
pub fn copy(gpu: &Gpu, items: &Buffer<f32>, stride: u32, units: u32) -> Result<Buffer<f32>, BenchError> {
    let len = items.len() as u32;
    let output = gpu.results(len)?;
    // SAFETY: a unit below `len` reads an item of the `len / stride` rows of `stride` items, whose product is `len`, as both are
    // powers of two; and writes a result of as many.
    unsafe {
        copy_columns::launch_unchecked(
            &gpu.client,
            gpu.grid(len.div_ceil(units)),
            CubeDim::new_1d(units),
            argument(items),
            argument(&output),
            len / stride,
            stride,
            len,
        );
    }
    Ok(output)
}
