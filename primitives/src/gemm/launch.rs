//! The launch of a product.

use cubecl::prelude::*;

use super::GemmStrategy;
use super::blocked::launch_multiply_blocked;
use super::kernel::{self, ShapeLaunch};
use super::matrix_units::{Fragments, launch_multiply_fragments};
use super::plan::{DEEPEST, Kernel, Plan, Product};
use crate::device::{Gpu, Launch, argument};
use crate::ops::Resume;
use crate::reduce::launch::{check_types, cube_grid, partials};
use crate::views::{Dense, Matrix, SIDE};
use crate::{Buffer, Device, Error, Lower, PlainProducts, Semiring, State};

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
    check_depth(product, &plan, gpu)?;
    Ok(plan)
}

/// The plan for a plain product on matrix units.
pub fn plan_tf32<O: PlainProducts + Lower>(
    device: &Device,
    gpu: &Gpu,
    product: Product,
) -> Result<Plan<Fragments>, Error> {
    check_types::<f32, O>(device, gpu)?;
    device.fitting::<O::Output>(gpu, product.len())?;
    let plan = Plan::on_matrix_units(product, &gpu.profile)
        .map_err(|feature| Error::Unsupported { device: device.label(), feature })?;
    check_depth(product, &plan, gpu)?;
    Ok(plan)
}

/// Whether kernels count as far as the depth, and their loops go as far as a slice of it.
fn check_depth<K>(product: Product, plan: &Plan<K>, gpu: &Gpu) -> Result<(), Error> {
    for (depth, limit) in [(product.depth, DEEPEST), (plan.slices.1, gpu.profile.max_loop)] {
        if depth > limit {
            return Err(Error::TooLong { what: "a product on this device", len: depth.into(), limit: limit.into() });
        }
    }
    Ok(())
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
    results(device, gpu, op, product, &plan, |out| launch(device, gpu, a, b, op, out, product, plan))
}

/// Multiplies on matrix units into a new buffer.
pub fn multiply_tf32<A: Matrix<Item = f32>, B: Matrix<Item = f32>, O: PlainProducts + Lower>(
    device: &Device,
    gpu: &Gpu,
    a: &A,
    b: &B,
    op: &O,
    product: Product,
) -> Result<Buffer<O::Output>, Error> {
    let plan = plan_tf32::<O>(device, gpu, product)?;
    results(device, gpu, op, product, &plan, |out| launch_tf32(device, gpu, a, b, op, out, product, plan))
}

/// What `launch` writes: the results, or what the states of slices come to.
fn results<O: Lower, K>(
    device: &Device,
    gpu: &Gpu,
    op: &O,
    product: Product,
    plan: &Plan<K>,
    launch: impl FnOnce(BufferArg) -> Result<(), Error>,
) -> Result<Buffer<O::Output>, Error> {
    let (len, (slices, _)) = (product.len(), plan.slices);
    if slices == 1 {
        let output = device.allocate::<O::Output>(gpu, len as usize)?;
        launch(argument(output.clone(), len as usize * O::Output::WORDS))?;
        return Ok(Buffer::on_device(device, output, len as usize));
    }
    let count = u32::try_from(len * u64::from(slices)).map_err(|_| Error::TooLong {
        what: "a split product",
        len,
        limit: u64::from(u32::MAX / slices),
    })?;
    let partials = partials::<O::State>(device, gpu, count, 1)?;
    launch(argument(partials.clone(), count as usize * O::State::WORDS))?;
    // The states of a result lie all results apart.
    let states = Buffer::<O::State>::on_device(device, partials, count as usize);
    let states = Dense::strided(states, len as u32, slices, 1, len as u32)?;
    device.reduce_rows(&states, &Resume::new(op.clone()))
}

/// The cubes with work of a launch, their grid, and the sizes that its kernel is told.
fn grid<K>(product: Product, plan: &Plan<K>, gpu: &Gpu) -> (u32, CubeCount, ShapeLaunch) {
    let (slices, slice) = plan.slices;
    let Product { rows, columns, depth, count, .. } = product;
    // Fewer tiles than results, and slices of few; results index with u32.
    let cubes = plan.tiles as u32 * count * slices;
    let shape = ShapeLaunch::new(rows, columns, depth, plan.across, plan.tiles as u32, slice, count, cubes);
    (cubes, cube_grid(cubes, &gpu.profile), shape)
}

/// One launch of the kernel for matrix units.
#[allow(clippy::too_many_arguments)]
fn launch_tf32<A: Matrix<Item = f32>, B: Matrix<Item = f32>, O: PlainProducts + Lower>(
    device: &Device,
    gpu: &Gpu,
    a: &A,
    b: &B,
    op: &O,
    out: BufferArg,
    product: Product,
    plan: Plan<Fragments>,
) -> Result<(), Error> {
    if plan.tiles == 0 {
        return Ok(());
    }
    let (cubes, grid, shape) = grid(product, &plan, gpu);
    let units = plan.kernel.units();
    let (left, right, bound) = (a.bind(device, SIDE)?, b.bind(device, SIDE)?, op.bind(device)?);
    let (kernel, strategy) = ("gemm::multiply_fragments", plan.strategy.name());
    device.notify(&Launch { kernel, strategy, cubes: cubes.into(), units });
    // SAFETY: as in `launch`; `on_matrix_units` has seen that the device has such units, and planes of the plan's size.
    unsafe {
        launch_multiply_fragments::<A::View, B::View, O>(
            &gpu.client,
            grid,
            CubeDim::new_1d(units),
            left,
            right,
            bound,
            out,
            shape,
            plan.kernel,
        );
    }
    Ok(())
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
    if plan.tiles == 0 || product.count == 0 {
        return Ok(());
    }
    let (cubes, grid, shape) = grid(product, &plan, gpu);
    let units = plan.kernel.units();
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
