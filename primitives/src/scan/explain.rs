//! [`ScanPlan`]: what a scan would run.

use super::blueprint::{ScanOptions, Strategy};
use super::cost::Cost;
use super::launch;
use crate::views::Source;
use crate::{Device, Error, Lift, Lower};

/// What a scan would run on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanPlan {
    /// The strategy; never `Auto`.
    pub strategy: Strategy,
    /// Units of a cube.
    pub units: u32,
    /// Items of a cube.
    pub tile: u32,
    /// Neighbouring items that a unit moves at once.
    pub run: u32,
    /// Units of a plane that exchange by shuffles; 0 for the path through shared memory.
    pub plane: u32,
    /// Cubes that have work.
    pub cubes: u32,
    /// Work: how often two states are combined, with those that a unit combines with an identity.
    pub combines: u64,
    /// Span: combines that follow one another, however many units there are.
    pub steps: u64,
}

impl Device {
    /// What [`scan_with`](Device::scan_with) of `len` items of such a source would run; nothing runs. None on the host, which
    /// has one strategy.
    ///
    /// # Errors
    ///
    /// As [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Buffer, Device, ScanOptions, ops::Sum};
    ///
    /// let plan = Device::host().explain_scan::<Buffer<f32>, Sum<f32>>(1 << 20, &ScanOptions::default())?;
    /// assert_eq!(plan, None);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn explain_scan<S, O>(&self, len: u64, options: &ScanOptions) -> Result<Option<ScanPlan>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        let Some(gpu) = self.gpu() else {
            return Ok(None);
        };
        let plan = launch::plan::<S, O>(self, gpu, len, options)?;
        let tile = plan.tile;
        let Cost { combines, steps } = Cost::of(len, &plan);
        Ok(Some(ScanPlan {
            strategy: plan.strategy,
            units: tile.units,
            tile: tile.len(),
            run: tile.run,
            plane: if tile.shuffles { tile.plane } else { 0 },
            cubes: plan.cut.cubes,
            combines,
            steps,
        }))
    }
}
