//! Chains of fused multiply-adds, `x <- x · scale + shift`: arithmetic, and no memory but a result a unit.

use cubecl::prelude::*;

use super::measured::compared;
use super::{Gpu, launch};
use crate::bench::{BenchError, Ready, Scale};

/// Steps of a chain that stand in a row, so that the loop around them costs little.
pub const UNROLLED: u32 = 16;

/// Unit `u` runs `chains` chains of `rounds · UNROLLED` steps, chain `c` from `u mod CUBE_DIM + c` on, and writes the sum of
/// their ends.
#[cube(launch_unchecked)]
pub fn run_chains(
    output: &mut [f32],
    scale: f32,
    shift: f32,
    rounds: u32,
    cubes: u32,
    #[comptime] chains: usize,
    #[comptime] unrolled: u32,
) {
    let cube = CUBE_POS as u32;
    if cube < cubes {
        let mut values = Array::<f32>::new(chains);
        // Chains start from numbers that are known only when the kernel runs.
        #[unroll]
        for chain in 0..chains {
            values[chain] = f32::cast_from(UNIT_POS + comptime!(chain as u32));
        }
        // The chains of a step do not wait for one another.
        for _round in 0..rounds {
            #[unroll]
            for _step in 0..unrolled {
                #[unroll]
                for chain in 0..chains {
                    values[chain] = fma(values[chain], scale, shift);
                }
            }
        }
        // A result depends on every step of every chain: none can be left out.
        let mut sum = values[0];
        #[unroll]
        for chain in 1..chains {
            sum += values[chain];
        }
        output[(cube * CUBE_DIM + UNIT_POS) as usize] = sum;
    }
}

/// How much there is to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Cubes.
    pub cubes: u32,
    /// Units of a cube.
    pub units: u32,
    /// Chains of a unit, which do not wait for one another.
    pub chains: u32,
    /// Rounds of [`UNROLLED`] steps.
    pub rounds: u32,
}

impl Shape {
    /// Work of a millisecond on the fastest devices there are, in cubes enough that the last ones do not count; less where
    /// processors compute.
    pub fn of(scale: Scale, units: u32, chains: u32) -> Self {
        let (all, rounds) = match scale {
            Scale::Full => (1 << 20, 256 * 8 / chains),
            Scale::Small => (1 << 14, 64 * 8 / chains),
            Scale::Tiny => (1 << 8, 2),
        };
        Shape { cubes: (all / units).max(1), units, chains, rounds }
    }

    /// Multiplications and additions of all units.
    pub fn operations(&self) -> u64 {
        let steps = u64::from(self.rounds) * u64::from(UNROLLED);
        2 * steps * u64::from(self.chains) * u64::from(self.results())
    }

    /// Units that write a result.
    pub fn results(&self) -> u32 {
        self.cubes * self.units
    }

    /// What unit `unit` of a cube should write.
    fn expected(&self, unit: u32) -> f64 {
        let steps = self.rounds * UNROLLED;
        (0..self.chains).map(|chain| f64::from(unit + chain + steps)).sum()
    }
}

/// Runs the chains once, compares every result, and hands the same call out.
pub(super) fn ready(gpu: &Gpu, shape: Shape) -> Result<Ready, BenchError> {
    let expected = (0..shape.results() as usize).map(|index| shape.expected(index as u32 % shape.units));
    let gpu = gpu.clone();
    compared(expected, move || launch::chains(&gpu, shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_work_is_dealt_to_cubes_of_any_size() {
        for scale in [Scale::Full, Scale::Small, Scale::Tiny] {
            let operations = |units, chains| Shape::of(scale, units, chains).operations();
            assert_eq!(operations(32, 8), operations(256, 8));
        }
        assert_eq!(Shape::of(Scale::Full, 256, 1).operations(), Shape::of(Scale::Full, 256, 8).operations());
    }

    #[test]
    fn results_stay_whole_numbers_that_f32_holds() {
        for (scale, chains) in [(Scale::Full, 8), (Scale::Full, 1), (Scale::Small, 8), (Scale::Small, 1)] {
            let shape = Shape::of(scale, 1024, chains);
            assert!(shape.expected(shape.units - 1) < f64::from(1 << 24), "{shape:?}");
        }
        let shape = Shape { cubes: 1, units: 2, chains: 2, rounds: 1 };
        assert_eq!(shape.expected(1), 2.0 * 16.0 + 1.0 + 2.0);
    }
}
