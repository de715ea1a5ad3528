//! The two roofs of a device: how many bytes it moves in a second, and how many multiply-adds it does.
//!
//! Nothing that reads and writes memory is faster than a copy, and no product of plain floats faster than the arithmetic
//! alone: a figure is as good as its fraction of these.

use cubefold::Profile;
use cubefold::prelude::*;

use super::chains::{self, Shape};
use super::measured::{Against, Course, Measurement, Row, compared};
use super::plans::Plans;
use super::{Gpu, host};
use crate::bench::measure::Pace;
use crate::bench::{BenchError, Ready, Scale, Work};

/// Chains of a unit: more than the steps that any device's multiply-add takes.
const CHAINS: u32 = 8;

/// Units of a cube.
const UNITS: u32 = 256;

/// Parts of its memory that a device may be asked for at once: what is read, what is written, and as much again for others.
const PARTS: u64 = 8;

/// Bytes read and written a second by a copy of f32 items, through the library, compared with the host's before it is
/// timed.
///
/// # Errors
/// A wrong result, what goes wrong on the device, and clocks that fail.
pub fn copy_rate(device: &Device) -> Result<f64, BenchError> {
    Ok(copies(&course(device))?.rate)
}

/// Multiplications and additions of f32 a second, in multiply-adds without a memory access between them, compared with the
/// host's before they are timed.
///
/// On the host they are vectors of its processor, on as many threads as it runs at once.
///
/// # Errors
/// As [`copy_rate`].
pub fn fma_rate(device: &Device) -> Result<f64, BenchError> {
    Ok(multiply_adds(&course(device))?.rate)
}

fn course(device: &Device) -> Course<'_> {
    Course { device, scale: Scale::of(device), pace: Pace::of(device) }
}

/// Both rates, and the work for a byte at which they are balanced.
pub(super) fn measure(course: &Course, plans: &Plans) -> Result<Measurement, BenchError> {
    let rows = vec![copies(course)?, multiply_adds(course)?];
    Ok(Measurement::new("roofline", rows, Against::Nothing, |rows| meaning(rows, plans)))
}

fn meaning(rows: &[Row], plans: &Plans) -> String {
    let rate = |row: usize| rows.get(row).map_or(f64::NAN, |row: &Row| row.rate);
    let balance = rate(1) / rate(0);
    let bound = format!("what does fewer than {balance:.1} operations a byte waits for memory");
    let Some(plan) = plans.product else {
        return bound;
    };
    // A product's cube reads a row and a column of its results for each of their multiply-adds.
    let (down, across) = (f64::from(plan.tile.0), f64::from(plan.tile.1));
    let intensity = 2.0 * down * across / (4.0 * (down + across));
    let (rows, columns) = plan.tile;
    format!(
        "{bound}: a scan does, and a product of 2048 × 2048 takes cubes of {rows} × {columns} results, which do {intensity:.0} \
         for a byte that they read"
    )
}

fn copies(course: &Course) -> Result<Row, BenchError> {
    let len = copied(course.scale, course.device.profile());
    course.time("copy", &copy(course.device, len)?, Work::Bytes(8 * len))
}

fn multiply_adds(course: &Course) -> Result<Row, BenchError> {
    let (ready, operations) = match Gpu::of(course.device) {
        None => host::chains(course.scale)?,
        Some(gpu) => {
            let shape = Shape::of(course.scale, gpu.units(UNITS), CHAINS);
            (chains::ready(&gpu, shape)?, shape.operations())
        }
    };
    course.time("multiply-add f32", &ready, Work::Operations(operations))
}

/// Items of a copy that no cache holds, halved until the device has room for them; few where processors compute.
pub(super) fn copied(scale: Scale, profile: Option<&Profile>) -> u64 {
    let mut len = match scale {
        Scale::Full => 1u64 << 28,
        Scale::Small => 1 << 22,
        Scale::Tiny => 1 << 12,
    };
    let room = profile.map_or(u64::MAX, |profile| {
        profile.max_binding.min(profile.max_memory.map_or(u64::MAX, |memory| memory / PARTS))
    });
    while 4 * len > room && len > 1 << 10 {
        len /= 2;
    }
    len
}

/// The low bits of an index, as many as f32 holds exactly.
#[derive(Debug, Clone, Operator)]
pub(super) struct Ramp;

/// What [`Ramp`] makes of an index.
const HELD: u32 = (1 << 20) - 1;

#[cube]
impl Mapping<Wide> for Ramp {
    type Output = f32;

    fn map(&self, item: Wide) -> f32 {
        (item.low & 0xf_ffffu32) as f32
    }
}

/// Item `index` of a [`ramp`].
pub(super) fn held(index: u64) -> f64 {
    f64::from(index as u32 & HELD)
}

/// Items that say where they are, made on the device.
pub(super) fn ramp(device: &Device, len: u64) -> Result<Buffer<f32>, BenchError> {
    Ok(device.collect(&Counter::new(len).map(Ramp))?)
}

/// A copy whose result was right.
fn copy(device: &Device, len: u64) -> Result<Ready, BenchError> {
    let items = ramp(device, len)?;
    let expected = (0..len as usize).map(|index| held(index as u64));
    let device = device.clone();
    compared(expected, move || Ok(device.collect(&items)?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn both_roofs_of_the_host_are_measured() {
        let pace = Pace { warm_up: Duration::ZERO, repeats: 1, budget: Duration::ZERO };
        let course = Course { device: &Device::host(), scale: Scale::Tiny, pace };
        for rate in [copies, multiply_adds] {
            let rate = rate(&course).expect("the result is right").rate;
            assert!(rate.is_finite() && rate > 0.0, "{rate}");
        }
    }

    #[test]
    fn a_copy_is_halved_until_a_device_has_room() {
        assert_eq!(copied(Scale::Full, None), 1 << 28);
        let device = Device::host();
        assert_eq!(copied(Scale::of(&device), device.profile()), 1 << 22);
    }

    #[test]
    fn a_ramp_goes_around_where_f32_ends() {
        let items = ramp(&Device::host(), 1 << 21).and_then(|items| Ok(items.to_vec()?)).expect("the host has room");
        assert!(items.iter().enumerate().all(|(index, &item)| f64::from(item) == held(index as u64)));
        assert_eq!(held(u64::from(HELD) + 1), 0.0);
    }
}
