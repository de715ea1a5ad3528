//! The moving average `y <- (1 − α) y + α x` as a scan of pairs (value, length), with a power in every combine.
//!
//! `cargo run --example power_average`
//!
//! A stretch of `m` items scales what comes before it by `(1 − α)^m`: so stretches combine in any grouping. The catalogue's
//! `Affine` carries that factor instead of the length, `Ewma` the weight that is left of it; neither needs a power.

use cubefold::ops::{Ewma, Start};
use cubefold::prelude::*;

/// What a stretch of items adds to the average, and how many items it has.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Stretch {
    value: f32,
    length: u32,
}

/// `(a, n) ∘ (b, m) = (a (1 − α)^m + b, n + m)`, for 0 < α < 1. Not commutative.
#[derive(Clone, Debug, Operator)]
struct PowerAverage {
    alpha: f32,
}

#[cube]
impl Monoid for PowerAverage {
    type State = Stretch;

    fn identity(&self) -> Stretch {
        Stretch { value: 0.0f32.runtime(), length: 0u32.runtime() }
    }

    fn combine(&self, left: Stretch, right: Stretch) -> Stretch {
        let kept = (1.0f32 - self.alpha).powf(right.length as f32);
        Stretch { value: left.value * kept + right.value, length: left.length + right.length }
    }
}

#[cube]
impl Lift<f32> for PowerAverage {
    fn lift(&self, item: f32) -> Stretch {
        Stretch { value: self.alpha * item, length: 1u32.runtime() }
    }
}

#[cube]
impl Lower for PowerAverage {
    type Output = f32;

    fn lower(&self, state: Stretch) -> f32 {
        state.value
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let op = PowerAverage { alpha: 0.2 };
    check_laws(&op, &[3.0, -1.0, 4.0].map(|item| op.lift(item)))?;
    let prices: Vec<f32> = (0..100_000u32).map(|day| 100.0 + (day * 7919 % 1000) as f32 / 100.0).collect();
    let powers = device.scan(&prices, &op)?.to_vec()?;
    let catalogue = device.scan(&prices, &Ewma::new(0.2, Start::Zero))?.to_vec()?;
    let gap = powers.iter().zip(&catalogue).map(|(left, right)| (left / right - 1.0).abs()).fold(0.0, f32::max);
    println!("{}: {} averages, the last {}", device.label(), powers.len(), powers[powers.len() - 1]);
    println!("  largest relative difference from Ewma: {gap:.1e}");
    assert!(gap < 1e-5, "both are the same average");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
