//! The mean payoff over random paths, with its error bar.
//!
//! The price is `exp(−r·T)` times the mean payoff over `n` independent paths. With the sample
//! variance `s²` of the payoffs (divisor `n − 1`) its standard error is `exp(−r·T) · s / √n`, and
//! `value ± 1.96 · std_error` covers the true price in 95 of 100 runs.

use std::time::Instant;

use cubecl::prelude::*;
use cubefold_primitives::ops::{Moments, MomentsState, moments_of};
use cubefold_primitives::rng::{Key, Random, normal_pair, philox};
use cubefold_primitives::{
    Buffer, Counter, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, State, Wide,
};
use serde::Serialize;

use crate::error::{FinanceError, at_least_one};
use crate::european::{European, Style};

/// How many paths are drawn, and from which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonteCarlo {
    /// Paths, at least 1. One path has no standard error.
    pub paths: u64,
    /// Names the stream of random numbers; path `i` sees the same draws on every device.
    pub seed: u64,
}

impl Default for MonteCarlo {
    fn default() -> Self {
        MonteCarlo { paths: 20_000_000, seed: 42 }
    }
}

impl MonteCarlo {
    /// Accepts 1 path or more.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no paths.
    pub fn check(&self) -> Result<(), FinanceError> {
        at_least_one("paths", self.paths)
    }
}

/// A price by simulation. Serialises to the JSON of `cubefold price`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The discounted mean payoff, in the currency of the spot.
    pub value: f64,
    /// Standard error of `value`; NaN for one path.
    pub std_error: f64,
    /// `value ∓ 1.96 · std_error`: low, high.
    pub ci95: [f64; 2],
    /// Paths drawn.
    pub paths: u64,
    /// The seed of the stream.
    pub seed: u64,
    /// The label of the device.
    pub device: String,
    /// Seconds of the first call, compilation included.
    pub seconds_cold: f64,
    /// Seconds of a call after that.
    pub seconds_warm: f64,
}

/// Prices `option` by the mean payoff over random paths; the primitive is `reduce` over a counter.
///
/// Four paths share one Philox block, addressed by the seed and the paths' number alone, so the draws are
/// the same on every device. The job runs twice, for the cold and the warm time. Payoffs are f32, discounted and in
/// units near the larger of stock and strike. The moments of blocks of 64 paths come from sums of differences from the first
/// of them, and are merged in a fixed order.
///
/// # Errors
/// What [`European::check`] and [`MonteCarlo::check`] refuse, and what goes wrong on the device.
pub fn price(device: &Device, option: &European, engine: &MonteCarlo) -> Result<Estimate, FinanceError> {
    let run = || Ok::<_, FinanceError>(payoff_moments(device, option, engine)?.get(0)?);
    let (moments, seconds_cold) = timed(run)?;
    let (_, seconds_warm) = timed(run)?;
    let discounted = discounted_unit(option);
    let value = discounted * moments.mean();
    // One path has no spread to estimate: its error is unknown.
    let std_error = discounted * moments.std(1) / (engine.paths as f64).sqrt();
    Ok(Estimate {
        value,
        std_error,
        ci95: [value - 1.96 * std_error, value + 1.96 * std_error],
        paths: engine.paths,
        seed: engine.seed,
        device: device.label(),
        seconds_cold,
        seconds_warm,
    })
}

/// The moments of the payoffs, left on the device: the reduction of [`price`] without its read-back. Times
/// [`discounted_unit`], their mean is the price.
///
/// # Errors
/// As [`price`].
pub fn payoff_moments(
    device: &Device,
    option: &European,
    engine: &MonteCarlo,
) -> Result<Buffer<MomentsState<f32>>, FinanceError> {
    option.check()?;
    engine.check()?;
    let blocks = Counter::new(engine.paths.div_ceil(u64::from(PATHS)));
    Ok(device.reduce(&blocks, &Payoffs::new(option, engine))?)
}

/// What a payoff of 1 in [`payoff_moments`] is worth today: the power of two next to the larger of stock and strike,
/// so that payoffs stay near 1 and are rounded by nothing but f32.
pub fn discounted_unit(option: &European) -> f64 {
    match option.discounted_stock().max(option.discounted_strike()) {
        0.0 => 1.0,
        largest => largest.log2().floor().exp2(),
    }
}

fn timed<T, E>(job: impl Fn() -> Result<T, E>) -> Result<(T, f64), E> {
    let start = Instant::now();
    let result = job()?;
    Ok((result, start.elapsed().as_secs_f64()))
}

/// A spread of the log price from which on every path ends at nothing in f32: no draw reaches 7.
const LARGEST_SPREAD: f64 = 1e3;

/// The discounted payoffs of a block of paths at a time, and their moments.
#[derive(Debug, Clone, Operator)]
struct Payoffs {
    moments: Moments<f32>,
    seed: Seed,
    paths: Paths,
    /// What the stock is worth today, without its dividends.
    stock: f32,
    /// By how much that is more than the strike is worth, formed in f64: what a path pays on which nothing happens.
    excess: f32,
    drift: f32,
    spread: f32,
    sign: f32,
}

/// A seed of 64 bits.
#[derive(Debug, Clone, Operator)]
struct Seed {
    low: u32,
    high: u32,
}

/// How many paths there are.
#[derive(Debug, Clone, Operator)]
struct Paths {
    low: u32,
    high: u32,
}

impl Payoffs {
    fn new(option: &European, engine: &MonteCarlo) -> Self {
        let (unit, stock) = (discounted_unit(option), option.discounted_stock());
        let spread = (option.vol * option.expiry.sqrt()).min(LARGEST_SPREAD);
        let (seed, paths) = (Wide::from(engine.seed), Wide::from(engine.paths));
        Payoffs {
            moments: Moments::new(),
            seed: Seed { low: seed.low, high: seed.high },
            paths: Paths { low: paths.low, high: paths.high },
            stock: (stock / unit) as f32,
            excess: ((stock - option.discounted_strike()) / unit) as f32,
            drift: (-spread * spread / 2.0) as f32,
            spread: spread as f32,
            sign: if option.style == Style::Call { 1.0 } else { -1.0 },
        }
    }
}

/// Domain of the draws of European paths: the last word of the counter, so that no other job draws the same.
const DOMAIN: u32 = 0x4555_524f;

#[cube]
impl Monoid for Payoffs {
    type State = MomentsState<f32>;

    fn identity(&self) -> MomentsState<f32> {
        self.moments.identity()
    }

    fn combine(&self, left: MomentsState<f32>, right: MomentsState<f32>) -> MomentsState<f32> {
        self.moments.combine(left, right)
    }
}

#[cube]
impl Lift<Wide> for Payoffs {
    /// The moments of a block's payoffs, from sums of what they differ by from the first of them: one division a block.
    fn lift(&self, item: Wide) -> MomentsState<f32> {
        let block =
            Wide { low: item.low << BLOCK_BITS, high: (item.high << BLOCK_BITS) | (item.low >> (32 - BLOCK_BITS)) };
        let left = self.paths.low - select(block.low <= self.paths.low, block.low, self.paths.low);
        // The last block may have fewer paths.
        let ends_here = block.high == self.paths.high && left < PATHS;
        let count = select(ends_here, left, PATHS);
        let head = self.pays(item, 0u32);
        let centre = head.first;
        let mut sums = differences(head, centre, count);
        if ends_here {
            for draw in 1..DRAWS {
                let drawn = differences(self.pays(item, draw), centre, count - min(count, 4 * draw));
                sums = Sums { plain: sums.plain + drawn.plain, squared: sums.squared + drawn.squared };
            }
        } else {
            for draw in 1..DRAWS {
                let drawn = differences(self.pays(item, draw), centre, 4u32.runtime());
                sums = Sums { plain: sums.plain + drawn.plain, squared: sums.squared + drawn.squared };
            }
        }
        let mean = sums.plain / (count as f32);
        // Below 0 by rounding only. What is not a number stays so: it is no error of 0.
        let m2 = sums.squared - sums.plain * mean;
        moments_of::<f32>(Wide { low: count, high: 0u32 }, centre + mean, select(m2 < 0.0f32, 0.0f32, m2))
    }
}

/// Paths of a block: one item of the reduction. A power of two.
const PATHS: u32 = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 6;

/// Draws of a block, of four paths each.
const DRAWS: u32 = PATHS / 4;

/// What four paths pay.
#[derive(Debug, Clone, Copy, State)]
struct Four {
    first: f32,
    second: f32,
    third: f32,
    fourth: f32,
}

/// Sums of differences and of their squares.
#[derive(Debug, Clone, Copy, State)]
struct Sums {
    plain: f32,
    squared: f32,
}

/// The first `count` of four payoffs less `centre`.
#[cube]
fn differences(pays: Four, centre: f32, count: u32) -> Sums {
    let first = select(count > 0, pays.first - centre, 0.0f32);
    let second = select(count > 1, pays.second - centre, 0.0f32);
    let third = select(count > 2, pays.third - centre, 0.0f32);
    let fourth = select(count > 3, pays.fourth - centre, 0.0f32);
    Sums {
        plain: (first + second) + (third + fourth),
        squared: (first * first + second * second) + (third * third + fourth * fourth),
    }
}

#[cube]
impl Payoffs {
    /// What the four paths of a draw of a block pay.
    fn pays(&self, block: Wide, draw: u32) -> Four {
        let (low, high) = (block.low << (BLOCK_BITS - 2), block.high << (BLOCK_BITS - 2));
        let key = Key { low: self.seed.low, high: self.seed.high };
        let place = Random { a: low | draw, b: high | (block.low >> (34 - BLOCK_BITS)), c: 0u32, d: DOMAIN };
        let words = philox(key, place);
        let (front, back) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
        Four {
            first: payoff(self.stock, self.excess, self.sign, self.drift + self.spread * front.first),
            second: payoff(self.stock, self.excess, self.sign, self.drift + self.spread * front.second),
            third: payoff(self.stock, self.excess, self.sign, self.drift + self.spread * back.first),
            fourth: payoff(self.stock, self.excess, self.sign, self.drift + self.spread * back.second),
        }
    }
}

/// What the option pays where the log of the discounted stock has moved by `growth`.
#[cube]
fn payoff(stock: f32, excess: f32, sign: f32, growth: f32) -> f32 {
    (sign * (stock * (growth.exp() - 1.0f32) + excess)).max(0.0f32)
}

#[cube]
impl Lower for Payoffs {
    type Output = MomentsState<f32>;

    fn lower(&self, state: MomentsState<f32>) -> MomentsState<f32> {
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_path_is_accepted_and_none_is_refused() {
        assert!(MonteCarlo { paths: 1, seed: 0 }.check().is_ok());
        assert!(MonteCarlo { paths: u64::MAX, seed: 0 }.check().is_ok());
        assert!(matches!(MonteCarlo { paths: 0, seed: 0 }.check(), Err(FinanceError::Zero { name: "paths" })));
    }
}
