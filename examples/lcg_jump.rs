//! LCG jump-ahead: all states of a generator at once, and any one of them without those before it.
//!
//! `cargo run --example lcg_jump`
//!
//! A step `x <- a x + c` is an affine map, and so are n of them. The catalogue's `Affine` composes them: as a scan on a device,
//! and as plain Rust where one calls its methods. Brown, "Random Number Generation with Arbitrary Strides" (1994).

use cubefold::ops::{Affine, AffineMap};
use cubefold::prelude::*;

/// The constants of "Numerical Recipes".
const STEP: AffineMap<u32> = AffineMap { scale: 1_664_525, shift: 1_013_904_223 };

/// Every row becomes the same step: a source that reads no memory.
#[derive(Clone, Debug, Operator)]
struct Steps {
    scale: u32,
    shift: u32,
}

#[cube]
impl Mapping<Wide> for Steps {
    type Output = Both<u32, u32>;

    fn map(&self, _row: Wide) -> Both<u32, u32> {
        cubefold::views::both::<u32, u32>(self.scale, self.shift)
    }
}

/// `steps` steps as one, by repeated squaring.
fn jump(mut steps: u64) -> AffineMap<u32> {
    let op = Affine::<u32>::new();
    let (mut power, mut all) = (STEP, op.identity());
    while steps > 0 {
        if steps % 2 == 1 {
            all = op.combine(all, power);
        }
        power = op.combine(power, power);
        steps /= 2;
    }
    all
}

fn after(map: AffineMap<u32>, seed: u32) -> u32 {
    map.scale.wrapping_mul(seed).wrapping_add(map.shift)
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let (seed, count) = (42u32, 1u64 << 20);
    let steps = Counter::new(count).map(Steps { scale: STEP.scale, shift: STEP.shift });
    // Affine lowers to the shift, which is the state that a seed of 0 leads to. A first step from the seed makes it any seed.
    let from_zero = device.scan(&steps, &Affine::<u32>::new())?.to_vec()?;
    let (mut state, mut scale) = (seed, 1u32);
    for (place, &shift) in from_zero.iter().enumerate() {
        state = state.wrapping_mul(STEP.scale).wrapping_add(STEP.shift);
        scale = scale.wrapping_mul(STEP.scale);
        assert_eq!(scale.wrapping_mul(seed).wrapping_add(shift), state, "step {place}");
    }
    assert_eq!(after(jump(count), seed), state, "a jump of a million steps ends where the steps do");
    assert_eq!(after(jump(3 << 32), seed), seed, "whole periods lead back");
    println!("{}: {count} states by one scan, the last {state}", device.label());
    let workers = [0u64, 1, 2, 3].map(|worker| after(jump(worker << 30), seed));
    println!("  seeds of four workers, a quarter of the period apart: {workers:?}");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
