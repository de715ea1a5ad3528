//! [`ReducePlan`]: what a reduction would run.

use super::launch;
use crate::views::Source;
use crate::{Device, Error, Lift, Lower};

/// What a reduction would run on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReducePlan {
    /// Units of a cube.
    pub units: u32,
    /// Items that a cube folds at a time.
    pub tile: u32,
    /// Cubes of the first launch.
    pub cubes: u32,
    /// Launches: 2 where another one folds what the cubes have.
    pub launches: u32,
}

impl Device {
    /// What [`reduce`](Device::reduce) of `len` items of such a source would run; nothing runs. None on the host, which folds
    /// fixed chunks.
    ///
    /// # Errors
    ///
    /// As [`reduce`](Device::reduce).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Buffer, Device, ops::Sum};
    ///
    /// assert_eq!(Device::host().explain_reduce::<Buffer<f32>, Sum<f32>>(1 << 20)?, None);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn explain_reduce<S, O>(&self, len: u64) -> Result<Option<ReducePlan>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        let Some(gpu) = self.gpu() else {
            return Ok(None);
        };
        let plan = launch::plan::<S, O>(self, gpu, len)?;
        let launches = if plan.is_one_launch(&gpu.profile) { 1 } else { 2 };
        Ok(Some(ReducePlan { units: plan.tile.units, tile: plan.tile.len(), cubes: plan.cubes(), launches }))
    }
}
