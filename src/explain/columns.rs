//! A square of shared memory read down its columns, with rows of its own length and of one more: where shared memory has banks,
//! the first makes all units of a plane wait for the same one.

use cubecl::prelude::*;

use super::Outcome;
use super::measured::{Against, Course, Measurement, Row, compared};
use super::{Gpu, launch};
use crate::bench::{BenchError, Ready, Scale, Work};

/// Rows and columns of the square, as many as banks of shared memory on most devices.
pub const SIDE: u32 = 32;

/// Units of a cube: a column each of the square, times the columns that are read at a time.
pub const UNITS: u32 = 256;

/// Unit `u` reads all of row `u mod side`, an item after another, `rounds` times over, and writes their sum. Neighbours so read
/// down a column: items that lie `pitch` apart.
#[cube(launch_unchecked)]
pub fn read_columns(
    output: &mut [f32],
    rounds: u32,
    cubes: u32,
    #[comptime] side: u32,
    #[comptime] units: u32,
    #[comptime] pitch: u32,
) {
    let cube = CUBE_POS as u32;
    let mut square = Shared::<[f32]>::new_slice(comptime!((side * pitch) as usize));
    // The same for every unit of a cube: the barrier is reached by all or none.
    if cube < cubes {
        let (lane, first) = (UNIT_POS % side, UNIT_POS / side);
        // The square is written row by row, an item's value its row and column together.
        #[unroll]
        for step in 0..comptime!(side * side / units) {
            let row = first + comptime!(step * (units / side));
            square[(row * pitch + lane) as usize] = f32::cast_from(row + lane);
        }
        // Protects: the square is whole before it is read.
        sync_cube();
        // It is read column by column, from another one on in every round, so that no item is read once for all rounds.
        let mut sum = f32::cast_from(UNIT_POS);
        for round in 0..rounds {
            #[unroll]
            for step in 0..side {
                let column = (first + round + step) % side;
                sum += square[(lane * pitch + column) as usize];
            }
        }
        output[(cube * units + UNIT_POS) as usize] = sum;
    }
}

/// How much there is to read, and how far rows lie apart.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub cubes: u32,
    pub rounds: u32,
    pub pitch: u32,
}

impl Shape {
    fn of(scale: Scale, pitch: u32) -> Self {
        let (cubes, rounds) = match scale {
            Scale::Full => (1 << 11, 1 << 8),
            Scale::Small => (1 << 4, 1 << 4),
            Scale::Tiny => (2, 2),
        };
        Shape { cubes, rounds, pitch }
    }

    pub fn results(&self) -> u32 {
        self.cubes * UNITS
    }

    /// Bytes that are read of shared memory.
    fn bytes(&self) -> u64 {
        4 * u64::from(self.rounds * SIDE) * u64::from(self.results())
    }

    /// What unit `unit` of a cube should write.
    fn expected(&self, unit: u32) -> f64 {
        let row: u32 = (0..SIDE).map(|column| unit % SIDE + column).sum();
        f64::from(unit) + f64::from(self.rounds) * f64::from(row)
    }
}

/// The columns padded and unpadded.
///
/// # Errors
/// What goes wrong on the device. A device that has no such cubes is the inner error.
pub(super) fn measure(course: &Course, gpu: &Gpu) -> Outcome {
    let (units, bytes) = (gpu.profile.max_units, gpu.profile.shared_bytes);
    let needed = (4 * SIDE * (SIDE + 1)) as usize;
    if units < UNITS || bytes < needed {
        return Ok(Err(format!("cubes of {UNITS} units and {needed} bytes of shared memory are needed")));
    }
    let mut rows = Vec::new();
    for (setting, pitch) in [("rows of 33 (padded)", SIDE + 1), ("rows of 32 (unpadded)", SIDE)] {
        let shape = Shape::of(course.scale, pitch);
        rows.push(course.time(setting, &ready(gpu, shape)?, Work::Bytes(shape.bytes()))?);
    }
    Ok(Ok(Measurement::new("shared memory", rows, Against::First, meaning)))
}

fn meaning(rows: &[Row]) -> String {
    let times = rows.last().map_or(f64::NAN, |row| 1.0 / row.fraction);
    format!(
        "columns of a square of 32 × 32 take {times:.2} times as long unpadded as padded: states lie in shared memory a word of \
         all units after another, so that neighbours find neighbouring banks whatever the state's size"
    )
}

fn ready(gpu: &Gpu, shape: Shape) -> Result<Ready, BenchError> {
    let expected = (0..shape.results() as usize).map(|index| shape.expected(index as u32 % UNITS));
    let gpu = gpu.clone();
    compared(expected, move || launch::columns(&gpu, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_rows_are_whole_numbers_that_f32_holds() {
        assert_eq!(Shape { cubes: 1, rounds: 1, pitch: SIDE }.expected(0), f64::from(31 * 32 / 2));
        assert_eq!(Shape { cubes: 1, rounds: 2, pitch: SIDE }.expected(33), 33.0 + 2.0 * (496.0 + 32.0));
        assert!(Shape::of(Scale::Full, SIDE).expected(UNITS - 1) < f64::from(1 << 24));
    }
}
