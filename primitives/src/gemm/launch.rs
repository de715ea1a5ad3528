//! The launch of a product.

use cubecl::prelude::*;

use super::GemmStrategy;
use super::blocked::multiply_blocked;
use super::kernel::{self, ShapeLaunch};
use super::plan::{Kernel, Plan, Product};
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
    let product = Product { rows: a.rows(), columns: b.columns(), row_major: (a.row_major(), b.row_major()) };
    let plan = Plan::new::<A::Item, B::Item, O::State>(product, strategy, &gpu.profile)
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
        let units = plan.kernel.units();
        let shape = ShapeLaunch::new(a.rows(), b.columns(), a.columns(), plan.across);
        let (left, right, bound) = (a.bind(device)?, b.bind(device)?, op.bind(device)?);
        let out = argument(output.clone(), len as usize * O::Output::WORDS);
        let (client, cube) = (&gpu.client, CubeDim::new_1d(units));
        let kernel = match plan.kernel {
            Kernel::Tiled(_) => "gemm::multiply",
            Kernel::Blocked(_) => "gemm::multiply_blocked",
        };
        device.notify(&Launch { kernel, strategy: plan.strategy.name(), cubes: plan.tiles, units });
        // SAFETY: elements are read and results written only at rows, columns and depths inside the shape, which is
        // that of the matrices and of the output; shared memory is as long as the plan's units reach. Loops end after
        // `depth` products.
        unsafe {
            match plan.kernel {
                Kernel::Tiled(blueprint) => kernel::multiply::launch_unchecked::<A::View, B::View, O>(
                    client, grid, cube, left, right, bound, out, shape, blueprint,
                ),
                Kernel::Blocked(blocks) => multiply_blocked::launch_unchecked::<A::View, B::View, O>(
                    client, grid, cube, left, right, bound, out, shape, blocks,
                ),
            }
        }
    }
    Ok(Buffer::on_device(device, output, len as usize))
}
