//! Cubes of every width for the same work: a copy, which waits for memory, and chains of multiply-adds, of which each step waits
//! for the one before. Both are hidden by other units that have work meanwhile.

use super::chains::{self, Shape};
use super::measured::{Against, Course, Measurement, Row};
use super::plans::Plans;
use super::roofline::{copied, ramp};
use super::{Gpu, stride};
use crate::bench::{BenchError, Scale, Work};

/// The narrowest cube that is tried: a plane on most devices.
const NARROWEST: u32 = 32;

/// Part of the roofline's items that are copied: the sweep has several settings.
const PART: u64 = 4;

/// Powers of two up to the device's units.
fn widths(gpu: &Gpu) -> Vec<u32> {
    let widest = gpu.units(u32::MAX >> 1);
    let narrowest = NARROWEST.min(widest);
    std::iter::successors(Some(narrowest), |width| Some(2 * width)).take_while(|&width| width <= widest).collect()
}

/// A copy by cubes of every width.
pub(super) fn copies(course: &Course, gpu: &Gpu, plans: &Plans) -> Result<Measurement, BenchError> {
    let len = match course.scale {
        Scale::Full => copied(course.scale, Some(&gpu.profile)) / PART,
        scale => copied(scale, Some(&gpu.profile)) / (2 * PART),
    };
    let items = ramp(&gpu.device, len)?;
    let mut rows = Vec::new();
    for units in widths(gpu) {
        let ready = stride::on_gpu(gpu, &items, 1, units)?;
        rows.push(course.time(units_text(units), &ready, Work::Bytes(8 * len))?);
    }
    let taken = plans.scan.map(|plan| ("a scan of 2^24 f32", plan.units));
    Ok(Measurement::new("cube size, copy", rows, Against::Best, |rows| meaning(rows, "copy", taken)))
}

/// One chain a unit, in cubes of every width.
pub(super) fn chains(course: &Course, gpu: &Gpu, plans: &Plans) -> Result<Measurement, BenchError> {
    let mut rows = Vec::new();
    for units in widths(gpu) {
        let shape = Shape::of(course.scale, units, 1);
        rows.push(course.time(units_text(units), &chains::ready(gpu, shape)?, Work::Operations(shape.operations()))?);
    }
    let taken = plans.product.map(|plan| ("a product of 2048 × 2048 f32", plan.units));
    Ok(Measurement::new("cube size, arithmetic", rows, Against::Best, |rows| meaning(rows, "arithmetic", taken)))
}

fn units_text(units: u32) -> String {
    format!("{units} units")
}

/// What the width that the library takes for a job gets of the best one.
fn meaning(rows: &[Row], work: &str, taken: Option<(&str, u32)>) -> String {
    let best = rows.iter().find(|row| row.best).map_or("–", |row| &row.setting);
    let of = |units: u32| rows.iter().find(|row| row.setting == units_text(units));
    let measured = format!("cubes of {best} are the best for {work}");
    match taken.and_then(|(job, units)| Some((job, units, of(units)?.fraction))) {
        None => measured,
        Some((job, units, part)) => {
            format!("{measured}; {job} takes cubes of {units}, which have {:.0} % of it", 100.0 * part)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::row;
    use super::*;

    #[test]
    fn the_width_that_is_taken_is_compared_with_the_best() {
        let rows = vec![row("32 units", 4.0), row("64 units", 2.0), row("128 units", 2.5)];
        let measured = Measurement::new("cube size, copy", rows, Against::Best, |rows| {
            meaning(rows, "copy", Some(("a scan", 128)))
        });
        let told = "cubes of 64 units are the best for copy; a scan takes cubes of 128, which have 80 % of it";
        assert_eq!(measured.meaning, told);
        assert_eq!(meaning(&measured.rows, "copy", None), "cubes of 64 units are the best for copy");
        assert_eq!(meaning(&measured.rows, "copy", Some(("a scan", 512))), meaning(&measured.rows, "copy", None));
    }
}
