//! The launches of line folds.

use cubecl::prelude::*;

use super::kernel::{self, ExtentLaunch};
use super::plan::Runs;
use crate::device::{Gpu, Launch, argument};
use crate::ops::Resume;
use crate::reduce::launch::{check_types, cube_grid, partials};
use crate::views::{Dense, Matrix};
use crate::{Buffer, Device, Error, Lift, Lower, State};

/// Units of a cube: lines folded side by side.
const UNITS: u32 = 128;

/// Folds every row into a new buffer.
pub fn reduce_rows<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
) -> Result<Buffer<O::Output>, Error> {
    check_types::<M::Item, O>(device, gpu)?;
    let lines = matrix.rows();
    let output = device.allocate::<O::Output>(gpu, lines as usize)?;
    let result = Buffer::on_device(device, output.clone(), lines as usize);
    if lines == 0 {
        return Ok(result);
    }
    let out = argument(output, lines as usize * O::Output::WORDS);
    let runs = Runs::new(lines, matrix.columns(), gpu.profile.max_loop);
    if runs.count == 1 {
        fold(device, gpu, matrix, op, out, runs, true)?;
        return Ok(result);
    }
    let count = lines as usize * runs.count as usize;
    let partials = partials::<O::State>(device, gpu, count as u32, 0)?;
    fold(device, gpu, matrix, op, argument(partials.clone(), count * O::State::WORDS), runs, false)?;
    // A line's runs lie a row of lines apart.
    let states = Buffer::<O::State>::on_device(device, partials, count);
    let states = Dense::strided(states, lines, runs.count, 1, lines)?;
    let whole = Runs { count: 1, len: runs.count };
    fold(device, gpu, &states, &Resume::new(op.clone()), out, whole, true)?;
    Ok(result)
}

fn fold<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    output: BufferArg,
    runs: Runs,
    lowered: bool,
) -> Result<(), Error> {
    let units = UNITS.min(gpu.profile.max_units);
    let across = matrix.rows().div_ceil(units);
    let extent = ExtentLaunch::new(matrix.rows(), matrix.columns(), runs.len, across);
    let (view, op) = (matrix.bind(device, 1)?, op.bind(device)?);
    let cubes = across * runs.count;
    device.notify(&Launch { kernel: "lines::fold", strategy: "Lines", cubes: u64::from(cubes), units });
    // SAFETY: elements are read inside the matrix, and run `r` of line `l` writes item `r · lines + l`, of which the
    // output has `runs · lines`. The loop ends at the end of the run.
    unsafe {
        kernel::fold_lines::launch_unchecked::<M::View, O>(
            &gpu.client,
            cube_grid(cubes, &gpu.profile),
            CubeDim::new_1d(units),
            view,
            op,
            output,
            extent,
            runs.count,
            lowered,
        );
    }
    Ok(())
}
