//! The launch of a product.

use cubecl::prelude::*;

use super::GemmStrategy;
use super::blocked::launch_multiply_blocked;
use super::kernel::{self, ShapeLaunch};
use super::plan::{DEEPEST, Kernel, Plan, Product};
use crate::device::{Gpu, Launch, argument};
use crate::ops::Resume;
use crate::reduce::launch::{check_types, cube_grid, partials};
use crate::views::{Dense, Matrix};
use crate::{Buffer, Device, Error, Lower, Semiring, State};

/// The plan for a product of `a` and `b`.
pub fn plan<A: Matrix, B: Matrix, O: Semiring<A::Item, B::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    product: Product,
    strategy: GemmStrategy,
) -> Result<Plan, Error> {
    check_types::<A::Item, O>(device, gpu)?;
    check_types::<B::Item, O>(device, gpu)?;
    device.fitting::<O::Output>(gpu, product.len())?;
    let plan = Plan::new::<A::Item, B::Item, O::State>(product, strategy, &gpu.profile)
        .map_err(|feature| Error::Unsupported { device: device.label(), feature })?;
    for (depth, limit) in [(product.depth, DEEPEST), (plan.slices.1, gpu.profile.max_loop)] {
        if depth > limit {
            return Err(Error::TooLong { what: "a product on this device", len: depth.into(), limit: limit.into() });
        }
    }
    Ok(plan)
}

/// Multiplies into a new buffer.
pub fn multiply<A: Matrix, B: Matrix, O: Semiring<A::Item, B::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    a: &A,
    b: &B,
    op: &O,
    product: Product,
    strategy: GemmStrategy,
) -> Result<Buffer<O::Output>, Error> {
    let plan = plan::<A, B, O>(device, gpu, product, strategy)?;
    let (len, (slices, _)) = (product.len(), plan.slices);
    if slices == 1 {
        let output = device.allocate::<O::Output>(gpu, len as usize)?;
        let out = argument(output.clone(), len as usize * O::Output::WORDS);
        launch(device, gpu, a, b, op, out, product, plan)?;
        return Ok(Buffer::on_device(device, output, len as usize));
    }
    let count = u32::try_from(len * u64::from(slices)).map_err(|_| Error::TooLong {
        what: "a split product",
        len,
        limit: u64::from(u32::MAX / slices),
    })?;
    let partials = partials::<O::State>(device, gpu, count, 1)?;
    launch(device, gpu, a, b, op, argument(partials.clone(), count as usize * O::State::WORDS), product, plan)?;
    // The states of a result lie all results apart.
    let states = Buffer::<O::State>::on_device(device, partials, count as usize);
    let states = Dense::strided(states, len as u32, slices, 1, len as u32)?;
    device.reduce_rows(&states, &Resume::new(op.clone()))
}

/// One launch of the plan's kernel.
#[allow(clippy::too_many_arguments)]
fn launch<A: Matrix, B: Matrix, O: Semiring<A::Item, B::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    a: &A,
    b: &B,
    op: &O,
    out: BufferArg,
    product: Product,
    plan: Plan,
) -> Result<(), Error> {
    let (slices, slice) = plan.slices;
    if plan.tiles == 0 || product.count == 0 {
        return Ok(());
    }
    // Fewer tiles than results, and slices of few; results index with u32.
    let cubes = plan.tiles as u32 * product.count * slices;
    let grid = cube_grid(cubes, &gpu.profile);
    let units = plan.kernel.units();
    let Product { rows, columns, depth, count, .. } = product;
    let shape = ShapeLaunch::new(rows, columns, depth, plan.across, plan.tiles as u32, slice, count, cubes);
    let run = plan.kernel.run();
    let (left, right, bound) = (a.bind(device, run)?, b.bind(device, run)?, op.bind(device)?);
    let (client, cube) = (&gpu.client, CubeDim::new_1d(units));
    let kernel = match plan.kernel {
        Kernel::Tiled(_) => "gemm::multiply",
        Kernel::Blocked(_) => "gemm::multiply_blocked",
    };
    device.notify(&Launch { kernel, strategy: plan.strategy.name(), cubes: cubes.into(), units });
    // SAFETY: elements are read and results written only at rows, columns and depths inside the shape, which is that of
    // the matrices and of the output, `count` times, and `slices` times that where the depth is split; shared memory is as long as the plan's
    // units reach. Loops end after `depth` products.
    unsafe {
        match plan.kernel {
            Kernel::Tiled(blueprint) => kernel::launch_multiply::<A::View, B::View, O>(
                client, grid, cube, left, right, bound, out, shape, blueprint,
            ),
            Kernel::Blocked(blocks) => launch_multiply_blocked::<A::View, B::View, O>(
                client, grid, cube, left, right, bound, out, shape, blocks,
            ),
        }
    }
    Ok(())
}
