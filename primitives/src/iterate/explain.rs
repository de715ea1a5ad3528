//! [`LoopPlan`]: what a loop would run.

use super::plan::Task;
use super::{Iteration, Way, launch};
use crate::{Device, Error, State};

/// What a loop would run on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopPlan {
    /// The way; never `Auto`.
    pub way: Way,
    /// Units of a cube.
    pub units: u32,
    /// Cubes of a launch that share the items of a loop.
    pub cubes: u32,
    /// Steps of a launch.
    pub steps: u32,
}

impl Device {
    /// What [`iterate`](Device::iterate) over `len` items, whose folds are states `T`, would run; nothing runs. None on the
    /// host, which has one way.
    ///
    /// # Errors
    ///
    /// As [`iterate`](Device::iterate).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, iterate::Iteration};
    ///
    /// assert_eq!(Device::host().explain_iterate::<f32>(1000, &Iteration::default())?, None);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn explain_iterate<T: State>(&self, len: u64, iteration: &Iteration) -> Result<Option<LoopPlan>, Error> {
        let Iteration { steps, keys, members, way } = *iteration;
        let Some(gpu) = self.gpu() else {
            return Ok(None);
        };
        let plan = launch::plan::<T>(self, gpu, &Task { len, steps, keys, members }, way)?;
        Ok(Some(LoopPlan { way: plan.way, units: plan.units, cubes: plan.cubes, steps: plan.steps }))
    }
}
