//! The launch of a column scan.

use cubecl::prelude::*;

use super::super::blueprint::{ScanOptions, Strategy};
use super::super::descriptor::{Halves, MEMORY, SlotsLaunch, Wholes};
use super::super::launch::{Form, cubes_in, descriptors, refused};
use super::super::plan::PATIENCE;
use super::kernel::{self, ExtentLaunch};
use super::plan::{Blueprint, Plan};
use crate::device::{Gpu, Launch, argument};
use crate::reduce::launch::cube_grid;
use crate::views::Matrix;
use crate::{Buffer, Device, Error, Lift, Lower, State};

/// Scans every column into a new row-major buffer.
pub fn scan_columns<M: Matrix, O: Lift<M::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    options: &ScanOptions,
) -> Result<Buffer<O::Output>, Error> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let len = u64::from(rows) * u64::from(columns);
    let output = device.room_for::<M::Item, O>(len)?;
    if len == 0 {
        return Ok(output);
    }
    let plan =
        Plan::new::<M::Item, O::State>(rows, columns, &gpu.profile).map_err(|refusal| refused(device, len, refusal))?;
    if gpu.profile.atomic_u64 {
        launch::<M, O, Wholes>(device, gpu, matrix, op, &output, &plan, options)?;
    } else {
        launch::<M, O, Halves>(device, gpu, matrix, op, &output, &plan, options)?;
    }
    Ok(output)
}

fn launch<M: Matrix, O: Lift<M::Item> + Lower, D: Form>(
    device: &Device,
    gpu: &Gpu,
    matrix: &M,
    op: &O,
    output: &Buffer<O::Output>,
    plan: &Plan,
    options: &ScanOptions,
) -> Result<(), Error> {
    let slots = plan.slots();
    let (held, words, tag) = descriptors::<D>(gpu, slots * O::State::WORDS as u64 * MEMORY as u64);
    let blueprint = Blueprint {
        units: plan.units,
        run: plan.run,
        steps: plan.steps,
        polled: plan.polled,
        exclusive: options.exclusive,
        reverse: options.reverse,
        patience: if options.withhold > 0 { 4 } else { PATIENCE },
        withhold: options.withhold,
    };
    let grid = cube_grid(plan.cubes() as u32, &gpu.profile);
    let cubes = cubes_in(&grid);
    let extent = ExtentLaunch::new(
        matrix.rows(),
        matrix.columns(),
        plan.lanes,
        plan.groups,
        plan.blocks,
        plan.tiles,
        SlotsLaunch::new(slots as u32, tag),
        cubes,
    );
    let (view, op) = (matrix.bind(device, 1)?, op.bind(device)?);
    let results = argument(output.handle_on(device)?, output.len() * O::Output::WORDS);
    let strategy = Strategy::DecoupledLookback.name();
    device.notify(&Launch { kernel: "scan::columns", strategy, cubes: u64::from(cubes), units: plan.units });
    // SAFETY: a unit reads and writes elements in rows below the tile's last and columns below the matrix's, and the
    // output has a result an element. Descriptors of all `slots` are there. Every loop is bounded: polls by the patience,
    // and rounds by the tiles and anchors of the block: each round publishes one of those that were missing, which
    // the cube that posted it then sees.
    unsafe {
        kernel::launch_scan_columns::<M::View, O, D>(
            &gpu.client,
            grid,
            CubeDim::new_1d(plan.units),
            view,
            op,
            D::argument(held, words),
            argument(gpu.ticket(), 1),
            results,
            extent,
            blueprint,
        );
    }
    Ok(())
}
