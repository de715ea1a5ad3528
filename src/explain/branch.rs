//! A branch that the units of a plane take apart, or whole planes, or all units alike: the same work each time.

use cubecl::prelude::*;

use super::Outcome;
use super::measured::{Against, Course, Measurement, Row, compared};
use super::{Gpu, launch};
use crate::bench::{BenchError, Ready, Scale, Work};

/// Steps that stand in a row.
pub const UNROLLED: u32 = 16;

/// Units of a cube.
const UNITS: u32 = 256;

/// Units of a plane where the device does not tell them.
const USUAL_PLANE: u32 = 32;

/// Unit `u` of a cube counts its steps up where `u / width` is even, and down where it is odd, from `u` on: two loops, of which a
/// plane whose units differ runs both.
#[cube(launch_unchecked)]
pub fn run_sides(
    output: &mut [f32],
    scale: f32,
    shift: f32,
    width: u32,
    rounds: u32,
    cubes: u32,
    #[comptime] unrolled: u32,
) {
    let cube = CUBE_POS as u32;
    if cube < cubes {
        let mut value = f32::cast_from(UNIT_POS);
        if (UNIT_POS / width) % 2 == 0 {
            for _round in 0..rounds {
                #[unroll]
                for _step in 0..unrolled {
                    value = fma(value, scale, shift);
                }
            }
        } else {
            for _round in 0..rounds {
                #[unroll]
                for _step in 0..unrolled {
                    value = fma(scale, value, -shift);
                }
            }
        }
        output[(cube * CUBE_DIM + UNIT_POS) as usize] = value;
    }
}

/// How much there is to do, and which units differ.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub cubes: u32,
    pub units: u32,
    pub rounds: u32,
    pub width: u32,
}

impl Shape {
    fn of(scale: Scale, units: u32, width: u32) -> Self {
        let (all, rounds) = match scale {
            Scale::Full => (1 << 20, 1 << 10),
            Scale::Small => (1 << 14, 1 << 6),
            Scale::Tiny => (1 << 9, 2),
        };
        Shape { cubes: (all / units).max(1), units, rounds, width }
    }

    pub fn results(&self) -> u32 {
        self.cubes * self.units
    }

    fn operations(&self) -> u64 {
        2 * u64::from(self.rounds * UNROLLED) * u64::from(self.results())
    }

    /// What unit `unit` of a cube should write.
    fn expected(&self, unit: u32) -> f64 {
        let steps = f64::from(self.rounds * UNROLLED);
        f64::from(unit) + if (unit / self.width).is_multiple_of(2) { steps } else { -steps }
    }
}

/// Units of a plane as the device tells them, the more of them where there are two numbers; none where it does not.
pub(super) fn told_plane(gpu: &Gpu) -> Option<u32> {
    Some(gpu.client.properties().hardware.plane_size_max).filter(|&size| size > 1)
}

/// The branch nowhere, between planes and within them.
///
/// # Errors
/// What goes wrong on the device. A cube that has not two planes is the inner error.
pub(super) fn measure(course: &Course, gpu: &Gpu) -> Outcome {
    let (told, units) = (told_plane(gpu), gpu.units(UNITS));
    let plane = told.unwrap_or(USUAL_PLANE);
    if units < 2 * plane {
        return Ok(Err(format!("a cube of {units} units has not two planes of {plane}")));
    }
    let settings = [
        ("branch nowhere".to_owned(), units),
        (format!("between planes of {plane}"), plane),
        ("within a plane".to_owned(), 1),
    ];
    let mut rows = Vec::new();
    for (setting, width) in settings {
        let shape = Shape::of(course.scale, units, width);
        rows.push(course.time(setting, &ready(gpu, shape)?, Work::Operations(shape.operations()))?);
    }
    Ok(Ok(Measurement::new("branch", rows, Against::First, |rows| meaning(rows, told))))
}

fn meaning(rows: &[Row], told: Option<u32>) -> String {
    let times = |row: usize| rows.get(row).map_or(f64::NAN, |row| 1.0 / row.fraction);
    let plane = match told {
        Some(_) => String::new(),
        None => format!(" (the device does not tell its planes: {USUAL_PLANE} units are taken for one)"),
    };
    format!(
        "a branch within a plane takes {:.2} times as long as none, one between planes {:.2}{plane}: full tiles are read with \
         no bound tested by the unit, and the last one by code of its own",
        times(2),
        times(1)
    )
}

fn ready(gpu: &Gpu, shape: Shape) -> Result<Ready, BenchError> {
    let expected = (0..shape.results() as usize).map(|index| shape.expected(index as u32 % shape.units));
    let gpu = gpu.clone();
    compared(expected, move || launch::sides(&gpu, shape))
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::row;
    use super::*;

    #[test]
    fn units_differ_by_their_width_and_do_the_same_work() {
        let shape = |width| Shape { cubes: 1, units: 8, rounds: 1, width };
        let sides = |width| (0..8).map(|unit| shape(width).expected(unit) > f64::from(unit)).collect::<Vec<_>>();
        assert_eq!(sides(1)[..4], [true, false, true, false]);
        assert_eq!(sides(4), [true, true, true, true, false, false, false, false]);
        assert!(sides(8).into_iter().all(|up| up));
        let largest = Shape::of(Scale::Full, 256, 1);
        assert!(largest.expected(254) < f64::from(1 << 24), "f32 counts exactly");
    }

    #[test]
    fn a_plane_that_is_not_told_is_said() {
        let rows = [row("branch nowhere", 1.0), row("between planes of 32", 1.0), row("within a plane", 2.0)];
        assert!(meaning(&rows, None).contains("32 units are taken for one"));
        assert!(!meaning(&rows, Some(32)).contains("taken for one"));
    }
}
