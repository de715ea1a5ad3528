//! What a device is made of, measured: how fast it moves memory and computes, and what that leaves of work done in an unlucky
//! order. Every result is compared with the host's before it is timed.

mod branch;
mod chains;
mod columns;
mod facts;
mod host;
mod launch;
mod launch_vectors;
mod measured;
mod needs;
mod plans;
pub mod roofline;
mod strategies;
mod stride;
mod width;

use cubecl::client::Client;
use cubecl::prelude::*;
use cubefold::{Buffer, Device, Profile};

pub use facts::Facts;
pub use measured::{LeftOut, Measurement, Row};
pub use strategies::{StrategyRow, strategies};

use crate::bench::measure::Pace;
use crate::bench::{BenchError, Scale};
use measured::Course;
use plans::Plans;

/// Measurements of a device.
pub const MEASUREMENTS: u64 = 6;

/// Why there is no occupancy among the measurements of a device.
const OCCUPANCY: &str = "CubeCL tells no register count of a kernel, so the cubes that a multiprocessor holds cannot be computed: \
                         cube sizes are measured instead";

/// A measurement, or the reason why there is none on this device.
type Outcome = Result<Result<Measurement, String>, BenchError>;

/// What was measured, and what was not.
#[derive(Debug, Default)]
pub struct Measured {
    /// What was measured.
    pub measurements: Vec<Measurement>,
    /// What does not apply to the device, and why.
    pub left_out: Vec<LeftOut>,
}

impl Measured {
    /// Keeps a measurement, or the reason why there is none. What is beyond the device is a reason.
    fn keep(&mut self, name: &'static str, measured: Outcome) -> Result<(), BenchError> {
        let reason = match measured {
            Ok(Ok(measurement)) => {
                self.measurements.push(measurement);
                return Ok(());
            }
            Ok(Err(reason)) => reason,
            Err(error) if error.is_beyond_the_device() => error.to_string(),
            Err(source) => return Err(BenchError::Measuring { what: name, source: Box::new(source) }),
        };
        self.left_out.push(LeftOut { name, reason });
        Ok(())
    }
}

/// Measures everything that there is to measure on `device`; `done` is called after each.
///
/// # Errors
/// A wrong result, what goes wrong on the device, and clocks that fail.
pub fn measure(device: &Device, done: impl FnMut()) -> Result<Measured, BenchError> {
    let pace = Pace::of(device);
    // A first look at many settings.
    let pace = Pace { repeats: pace.repeats / 2, budget: pace.budget / 5, ..pace };
    measure_at(&Course { device, scale: Scale::of(device), pace }, done)
}

fn measure_at(course: &Course, mut done: impl FnMut()) -> Result<Measured, BenchError> {
    let (plans, mut all) = (Plans::of(course.device), Measured::default());
    let mut keep = |name, measured| {
        let kept = all.keep(name, measured);
        done();
        kept
    };
    keep("roofline", roofline::measure(course, &plans).map(Ok))?;
    keep("stride", stride::measure(course, &plans).map(Ok))?;
    let gpu = Gpu::of(course.device);
    let on_gpu = |measure: &dyn Fn(&Gpu) -> Outcome| match &gpu {
        None => Ok(Err("the host has no planes, shared memory or cubes".to_owned())),
        Some(gpu) => measure(gpu),
    };
    keep("branch", on_gpu(&|gpu| branch::measure(course, gpu)))?;
    keep("shared memory", on_gpu(&|gpu| columns::measure(course, gpu)))?;
    keep("cube size, copy", on_gpu(&|gpu| width::copies(course, gpu, &plans).map(Ok)))?;
    keep("cube size, arithmetic", on_gpu(&|gpu| width::chains(course, gpu, &plans).map(Ok)))?;
    if gpu.is_some() {
        all.left_out.push(LeftOut { name: "occupancy", reason: OCCUPANCY.to_owned() });
    }
    Ok(all)
}

/// A device that runs kernels: what every launch here needs of one.
#[derive(Clone)]
struct Gpu {
    device: Device,
    client: Client,
    profile: Profile,
}

impl Gpu {
    /// None for the host.
    fn of(device: &Device) -> Option<Self> {
        let (client, profile) = (device.client()?.clone(), device.profile()?.clone());
        Some(Gpu { device: device.clone(), client, profile })
    }

    /// New memory for `len` results, each of which a launch is about to write.
    fn results(&self, len: u32) -> Result<Buffer<f32>, BenchError> {
        let handle = self.client.empty(4 * len as usize);
        Ok(Buffer::from_handle(&self.device, handle, len as usize)?)
    }

    /// `cubes` cubes in rows that the device can launch. The last row may run over: kernels count their cubes.
    fn grid(&self, cubes: u32) -> CubeCount {
        let width = cubes.min(self.profile.max_cubes.0).max(1);
        CubeCount::Static(width, cubes.div_ceil(width), 1)
    }

    /// The wanted units of a cube, or as many as the device has.
    fn units(&self, wanted: u32) -> u32 {
        wanted.min(1 << self.profile.max_units.max(1).ilog2())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_host_is_measured_and_says_what_is_left_out() {
        let pace = Pace { warm_up: Duration::ZERO, repeats: 1, budget: Duration::ZERO };
        let course = Course { device: &Device::host(), scale: Scale::Tiny, pace };
        let mut steps = 0;
        let measured = measure_at(&course, || steps += 1).expect("the results are right");
        let names: Vec<_> = measured.measurements.iter().map(|measurement| measurement.name).collect();
        assert_eq!((names, steps), (vec!["roofline", "stride"], MEASUREMENTS));
        assert!(measured.measurements.iter().flat_map(|each| &each.rows).all(|row| row.rate > 0.0 && row.compared > 0));
        assert_eq!(measured.left_out.len(), 4);
    }

    #[test]
    fn what_is_beyond_a_device_is_a_reason_and_a_wrong_result_an_error() {
        let mut measured = Measured::default();
        let large = cubefold::Error::BindingTooLarge { device: "small".to_owned(), bytes: 32, limit: 16 };
        assert!(measured.keep("stride", Err(large.into())).is_ok());
        assert!(measured.left_out[0].reason.contains("32 bytes"));
        let wrong = measured.keep("stride", Err(BenchError::Wrong { index: 3, got: 1.0, expected: 2.0 }));
        let told = wrong.expect_err("a wrong result ends the run").to_string();
        assert_eq!(told, "measuring stride: result 3 is 1, the host computes 2");
    }
}
