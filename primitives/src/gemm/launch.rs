//! The launch of a product.

use cubecl::prelude::*;

use super::GemmStrategy;
use super::kernel::{self, ShapeLaunch};
use super::plan::Plan;
use crate::device::{Gpu, Launch, argument};
use crate::reduce::launch::{check_types, cube_grid};
use crate::views::Matrix;
use crate::{Buffer, Device, Error, Lower, Semiring, State};

/// Multiplies into a new buffer.
pub fn multiply<A: Matrix, B: Matrix, O: Semiring<A::Item, B::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    a: &A,
    b: &B,
    op: &O,
    strategy: GemmStrategy,
) -> Result<Buffer<O::Output>, Error> {
    check_types::<A::Item, O>(device, gpu)?;
    check_types::<B::Item, O>(device, gpu)?;
    let plan = Plan::new::<A::Item, B::Item>(a.rows(), b.columns(), strategy, &gpu.profile)
        .map_err(|feature| Error::Unsupported { device: device.label(), feature })?;
    let (depth, limit) = (u64::from(a.columns()), u64::from(gpu.profile.max_loop));
    if depth > limit {
        return Err(Error::TooLong { what: "a product on this device", len: depth, limit });
    }
    let len = u64::from(a.rows()) * u64::from(b.columns());
    device.fitting::<O::Output>(gpu, len)?;
    let output = device.allocate::<O::Output>(gpu, len as usize)?;
    if len > 0 {
        // Fewer tiles than results, and results index with u32.
        let grid = cube_grid(plan.tiles as u32, &gpu.profile);
        let units = plan.blueprint.side * plan.blueprint.side;
        let shape = ShapeLaunch::new(a.rows(), b.columns(), a.columns(), plan.across);
        let (left, right, bound) = (a.bind(device)?, b.bind(device)?, op.bind(device)?);
        let strategy = plan.strategy.name();
        device.notify(&Launch { kernel: "gemm::multiply", strategy, cubes: plan.tiles, units });
        // SAFETY: elements are read and results written only at rows, columns and depths inside the shape, which is
        // that of the matrices and of the output. Loops end after `depth` products.
        unsafe {
            kernel::multiply::launch_unchecked::<A::View, B::View, O>(
                &gpu.client,
                grid,
                CubeDim::new_1d(units),
                left,
                right,
                bound,
                argument(output.clone(), len as usize * O::Output::WORDS),
                shape,
                plan.blueprint,
            );
        }
    }
    Ok(Buffer::on_device(device, output, len as usize))
}
