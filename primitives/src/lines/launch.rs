//! The launches of line folds.

use cubecl::prelude::*;

use super::kernel::{self, ExtentLaunch, PiecesLaunch};
use super::plan::{Across, Along, Way};
use crate::device::{Gpu, Launch, argument};
use crate::ops::Resume;
use crate::reduce::launch::{check_types, cube_grid, partials};
use crate::views::{Dense, Matrix, SIDE};
use crate::{Buffer, Device, Error, Lift, Lower, State};

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
    let way = way::<M, O>(device, gpu, matrix)?;
    if way.pieces() == 1 {
        fold(device, gpu, matrix, op, out, way, true)?;
        return Ok(result);
    }
    let states = fold_pieces(device, gpu, matrix, op, way, 0)?;
    fold_states(device, gpu, states, op, out)?;
    Ok(result)
}

/// Folds the states of every line's pieces: in one launch, or in more where they are many.
fn fold_states<O: Lower>(
    device: &Device,
    gpu: &Gpu,
    mut states: Dense<Buffer<O::State>>,
    op: &O,
    output: BufferArg,
) -> Result<(), Error> {
    let op = Resume::new(op.clone());
    for depth in 1.. {
        let way = way::<_, Resume<O>>(device, gpu, &states)?;
        if way.pieces() == 1 {
            return fold(device, gpu, &states, &op, output, way, true);
        }
        states = fold_pieces(device, gpu, &states, &op, way, depth % 2)?;
    }
    unreachable!("a line has fewer pieces than elements")
}

fn way<M: Matrix, O: Lift<M::Item> + Lower>(device: &Device, gpu: &Gpu, matrix: &M) -> Result<Way, Error> {
    let (lines, len, contiguous) = (matrix.rows(), matrix.columns(), matrix.row_major());
    Way::new::<M::Item, O::State>(lines, len, contiguous, M::STORED, &gpu.profile)
        .map_err(|feature| Error::Unsupported { device: device.label(), feature })
}

/// Folds every piece of every line into scratch memory: a matrix of one row a line.
fn fold_pieces<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    way: Way,
    depth: u32,
) -> Result<Dense<Buffer<O::State>>, Error> {
    let (lines, pieces) = (matrix.rows(), way.pieces());
    let count = u64::from(lines) * u64::from(pieces);
    let partials = partials::<O::State>(device, gpu, count, depth)?;
    fold(device, gpu, matrix, op, argument(partials.clone(), count as usize * O::State::WORDS), way, false)?;
    let states = Buffer::<O::State>::on_device(device, partials, count as usize);
    match way {
        Way::Along(_) => Dense::new(states, lines, pieces),
        // A line's runs lie a row of lines apart.
        Way::Across(_) => Dense::strided(states, lines, pieces, 1, lines),
    }
}

fn fold<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    output: BufferArg,
    way: Way,
    lowered: bool,
) -> Result<(), Error> {
    match way {
        Way::Along(along) => fold_along(device, gpu, matrix, op, output, along, lowered),
        Way::Across(across) => fold_across(device, gpu, matrix, op, output, across, lowered),
    }
}

fn fold_along<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    output: BufferArg,
    along: Along,
    lowered: bool,
) -> Result<(), Error> {
    let tile = along.team.tile;
    let cubes = along.cubes(matrix.rows());
    let pieces = PiecesLaunch::new(
        matrix.rows() * along.pieces,
        along.pieces,
        along.parts_per_group,
        matrix.columns().div_ceil(tile.part().len()),
        matrix.columns(),
    );
    let run = if along.in_fours() { SIDE } else { 1 };
    let (view, op) = ((matrix.bind(device, run)?,), op.bind(device)?);
    device.notify(&Launch { kernel: "lines::fold_along", strategy: "Lines", cubes, units: tile.units });
    // SAFETY: elements are read inside the matrix, and piece `p` of line `l` writes item `l · pieces + p`, of which the output
    // has `lines · pieces`. Loops end after `parts_per_group` steps.
    unsafe {
        kernel::launch_fold_along::<M::View, O>(
            &gpu.client,
            cube_grid(cubes as u32, &gpu.profile),
            CubeDim::new_1d(tile.units),
            view,
            op,
            output,
            pieces,
            along.team,
            lowered,
        );
    }
    Ok(())
}

fn fold_across<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    output: BufferArg,
    across: Across,
    lowered: bool,
) -> Result<(), Error> {
    let lines = matrix.rows();
    let Across { patch, side, runs, run: run_len } = across;
    let extent = ExtentLaunch::new(lines, matrix.columns(), runs, run_len, side);
    let run = if across.in_fours(lines) { SIDE } else { 1 };
    let (view, op) = (matrix.bind(device, run)?, op.bind(device)?);
    let cubes = across.cubes();
    device.notify(&Launch { kernel: "lines::fold_across", strategy: "Lines", cubes, units: patch.units });
    // SAFETY: elements are read inside the matrix, and piece `p` of line `l` writes item `p · lines + l`, of which the
    // output has `pieces · lines`. The loops end at the end of the run.
    unsafe {
        kernel::launch_fold_across::<M::View, O>(
            &gpu.client,
            cube_grid(cubes as u32, &gpu.profile),
            CubeDim::new_1d(patch.units),
            view,
            op,
            output,
            extent,
            patch,
            lowered,
        );
    }
    Ok(())
}
