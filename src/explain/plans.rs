//! What the library would run on a device, as its own plans say.

use cubefold::iterate::{Iteration, LoopPlan, Way};
use cubefold::ops::{PlusTimes, Sum};
use cubefold::prelude::*;
use cubefold::{Error, GemmLaunch, GemmPlan, GemmStrategy, ReducePlan, ScanOptions, ScanPlan, Strategy};

use super::roofline::Ramp;

/// Items of the scans that are asked for.
const ITEMS: u64 = 1 << 24;

/// Rows and columns of the matrices.
const SIDE: u32 = 2048;

/// Items and steps of a loop.
const LOOP: (u64, u32) = (1 << 16, 500);

/// The plans of two usual jobs, by the strategies that `Auto` takes; none on the host.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plans {
    /// A running sum of 2^24 f32 items.
    pub scan: Option<ScanPlan>,
    /// A product of two matrices of 2048 × 2048 f32 elements.
    pub product: Option<GemmLaunch>,
}

impl Plans {
    /// The plans on `device`.
    pub fn of(device: &Device) -> Self {
        let scan = scan(device, Strategy::Auto).ok().flatten();
        Plans { scan, product: product(device, GemmStrategy::Auto).ok().flatten() }
    }
}

/// What a sum of `len` f32 items would run.
pub(super) fn reduce(device: &Device, len: u64) -> Result<Option<ReducePlan>, Error> {
    device.explain_reduce::<Buffer<f32>, Sum<f32>>(len)
}

/// What a running sum of f32 items would run.
pub(super) fn scan(device: &Device, strategy: Strategy) -> Result<Option<ScanPlan>, Error> {
    device.explain_scan::<Buffer<f32>, Sum<f32>>(ITEMS, &ScanOptions { strategy, ..ScanOptions::default() })
}

/// What a product of two matrices of f32 would run. Their elements do not matter for it.
pub(super) fn product(device: &Device, strategy: GemmStrategy) -> Result<Option<GemmLaunch>, Error> {
    let elements = Counter::new(u64::from(SIDE) * u64::from(SIDE)).map(Ramp);
    let matrix = Dense::new(elements, SIDE, SIDE)?;
    match device.explain_gemm(&matrix, &matrix, &PlusTimes::<f32>::new(), strategy)? {
        GemmPlan::Host(_) => Ok(None),
        GemmPlan::Device(launch) => Ok(Some(launch)),
    }
}

/// What so many loops, whose folds are f32, would run.
pub(super) fn iterate(device: &Device, way: Way, members: u32) -> Result<Option<LoopPlan>, Error> {
    let (len, steps) = LOOP;
    device.explain_iterate::<f32>(len, &Iteration { steps, keys: 1, members, way })
}
