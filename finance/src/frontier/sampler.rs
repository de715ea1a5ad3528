//! Weights drawn on the device, each by its own address, so that they are the same whatever draws them.
//!
//! | portfolios | weights, before bounds | source |
//! |---|---|---|
//! | most | Dirichlet(α): Gamma(α) draws over their sum | Marsaglia and Tsang, "A simple method for generating gamma variables", 2000 |
//! | one in eight, as long as there are assets | corners: an asset alone | – |
//! | one in eight | edges: two assets, in the ratio of two uniform numbers | – |
//!
//! A Dirichlet cloud of many assets keeps to the middle: corners and edges are where it never comes.
//!
//! Draws are logarithms until they are divided by their sum, itself one of exponentials relative to the largest: with a small
//! α most draws are too small for any float, and a portfolio of nothing but such draws must still sum to 1.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::{LogSum, LogSumExp, States};
use cubefold_primitives::rng::{Key, Random, normal_pair, philox, uniform};
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix, Source};
use cubefold_primitives::{Both, Buffer, Captured, Counter, Device, Operator, Real, Wide, wrapping_add};

use super::bounds::Limits;
use super::fit::fit;
use super::options::Sampler;
use crate::error::FinanceError;

/// A stretch of the portfolios of a run: their numbers are part of every draw's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Batch {
    /// Names the stream.
    pub seed: u64,
    /// The number of the first portfolio.
    pub first: u32,
    /// How many.
    pub portfolios: u32,
    /// Assets of each.
    pub assets: u32,
}

impl Batch {
    /// A place for every weight: asset after asset, within each the portfolios.
    ///
    /// # Errors
    /// [`cubefold_primitives::Error::TooLong`] for more than 2^32 − 1 weights.
    pub fn places(&self) -> Result<Counter, FinanceError> {
        let len = u64::from(self.portfolios) * u64::from(self.assets);
        let limit = u64::from(u32::MAX);
        match len <= limit {
            true => Ok(Counter::new(len)),
            false => Err(cubefold_primitives::Error::TooLong { what: "the weights of a round", len, limit }.into()),
        }
    }
}

/// Draws the weights of long-only portfolios on the device: a matrix of `assets` × `portfolios`, whose columns sum to 1. The
/// transpose of it is what [`Evaluator::points`](super::Evaluator::points) reads fastest.
///
/// Weights are addressed by seed, portfolio and asset: more portfolios begin with the same ones.
///
/// Work: about one Philox block and two logarithms a weight. Bytes: a weight written, read twice and written again.
///
/// # Errors
/// [`cubefold_primitives::Error::TooLong`] for more than 2^32 − 1 weights, and what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::Sampler;
/// use cubefold_finance::frontier::draw_weights;
/// use cubefold_primitives::Device;
///
/// let weights = draw_weights::<f64>(&Device::host(), 100, 3, Sampler::default(), 1)?.to_vec()?;
/// let first: f64 = (0..3).map(|asset| weights[asset * 100]).sum();
/// assert!((first - 1.0).abs() < 1e-12);
/// # Ok::<(), cubefold_finance::FinanceError>(())
/// ```
pub fn draw_weights<T: Real>(
    device: &Device,
    portfolios: u32,
    assets: u32,
    sampler: Sampler,
    seed: u64,
) -> Result<Buffer<T>, FinanceError> {
    let limits = Limits { lower: vec![0.0; assets as usize], upper: vec![1.0; assets as usize] };
    draw(device, Batch { seed, first: 0, portfolios, assets }, sampler, &limits)
}

/// The weights of a plain cloud within `limits`: assets × portfolios.
pub(super) fn draw<T: Real>(
    device: &Device,
    batch: Batch,
    sampler: Sampler,
    limits: &Limits,
) -> Result<Buffer<T>, FinanceError> {
    let places = batch.places()?;
    let logs = device.collect(&places.map(LogDraw::<T>::new(batch, sampler)))?;
    let terms = Dense::new(&logs, batch.assets, batch.portfolios)?.map_elements(Term::<T> { element: PhantomData });
    let sums = device.reduce_columns(&terms, &States::new(LogSumExp::<T>::new()))?;
    let share = Share {
        largest: device.collect(&(&sums).map(Largest::<T> { element: PhantomData }))?.into(),
        sums: device.collect(&(&sums).map(Relative::<T> { element: PhantomData }))?.into(),
        lower: scalars(&limits.lower),
        budget: T::constant(limits.budget()),
        portfolios: batch.portfolios,
    };
    let mut weights = device.collect(&(&logs).zip(places).map(share))?;
    drop(logs);
    if limits.are_capped() {
        weights = fit(device, batch, &weights, limits)?;
    }
    if limits.allow_short() {
        let even = limits.settle(&vec![1.0 / f64::from(batch.assets); batch.assets as usize]);
        weights = device.collect(&(&weights).zip(places).map(Towards::new(batch, &even)))?;
    }
    Ok(weights)
}

/// Values as an operator captures them.
pub(super) fn scalars<T: Real>(values: &[f64]) -> Captured<T> {
    values.iter().map(|&value| T::constant(value)).collect::<Vec<T>>().into()
}

/// Domain of the draws of weights: the last word of the counter, so that no other job draws the same.
const WEIGHTS: u32 = 0x5745_4947;
/// Domain of what is drawn once for a portfolio of two assets or with shorts.
const PORTFOLIO: u32 = 0x504f_5254;

/// Which of eight portfolios is a corner, and which an edge.
const EVERY: u32 = 8;
const CORNER: u32 = 3;
const EDGE: u32 = 7;

/// The logarithm of a weight that is not there; its exponential is 0 beside any other.
const NOTHING: f32 = -1e30;

/// How often a Gamma draw is tried. Each try is accepted with 95 % or more: one draw in 4e10 is not, and is the median of
/// the method's proposals, `shape − 1/3`.
const TRIES: u32 = 8;

/// The logarithm of an unscaled weight, for its place in the matrix.
#[derive(Debug, Clone, Operator)]
struct LogDraw<T: Real> {
    low: u32,
    high: u32,
    first: u32,
    portfolios: u32,
    assets: u32,
    /// α, or α + 1 where that is below 1.
    shape: f32,
    /// 1 / α where that is below 1, else 0: a Gamma(α + 1) draw times a uniform number to this power is one of Gamma(α).
    power: f32,
    element: PhantomData<T>,
}

impl<T: Real> LogDraw<T> {
    fn new(batch: Batch, Sampler::Dirichlet { alpha }: Sampler) -> Self {
        let seed = Wide::from(batch.seed);
        let (shape, power) = if alpha < 1.0 { (alpha + 1.0, 1.0 / alpha) } else { (alpha, 0.0) };
        LogDraw {
            low: seed.low,
            high: seed.high,
            first: batch.first,
            portfolios: batch.portfolios,
            assets: batch.assets,
            shape: shape as f32,
            power: power as f32,
            element: PhantomData,
        }
    }
}

#[cube]
impl<T: Real> Mapping<Wide> for LogDraw<T> {
    type Output = T;

    fn map(&self, item: Wide) -> T {
        let key = Key { low: self.low, high: self.high };
        let portfolio = wrapping_add(self.first, item.low % self.portfolios);
        let asset = item.low / self.portfolios;
        let kind = portfolio % EVERY;
        let corner = portfolio / EVERY;
        let mut log = select(asset == corner, 0.0f32, NOTHING);
        if kind == EDGE {
            log = log_edge(key, portfolio, asset, self.assets);
        } else if select(kind == CORNER, corner >= self.assets, true) {
            log = log_gamma(key, portfolio, asset, self.shape, self.power);
        }
        T::of_f32(log)
    }
}

/// The logarithm of a Gamma draw.
#[cube]
fn log_gamma(key: Key, portfolio: u32, asset: u32, shape: f32, power: f32) -> f32 {
    let scale = shape - 0.333_333_34f32;
    let width = 0.333_333_34f32 / scale.sqrt();
    let mut cube = 1.0f32.runtime();
    let mut spare = 0u32.runtime();
    let mut open = 1u32.runtime();
    for attempt in 0..TRIES {
        if open == 1u32 {
            let words = philox(key, Random { a: asset, b: portfolio, c: attempt, d: WEIGHTS });
            let normal = normal_pair(words.a, words.b).first;
            let root = 1.0f32 + width * normal;
            let tried = select(root > 0.0f32, root * root * root, 1.0f32);
            let bound = 0.5f32 * normal * normal + scale * (1.0f32 - tried + tried.ln());
            let accepted = select(root > 0.0f32, uniform(words.c).ln() < bound, false);
            cube = select(accepted, tried, cube);
            open = select(accepted, 0u32, 1u32);
            spare = words.d;
        }
    }
    (scale * cube).ln() + power * uniform(spare).ln()
}

/// The logarithm of a weight of two assets that are drawn, too.
#[cube]
fn log_edge(key: Key, portfolio: u32, asset: u32, assets: u32) -> f32 {
    let words = philox(key, Random { a: 0u32, b: portfolio, c: 0u32, d: PORTFOLIO });
    let left = words.a % assets;
    // Another one than the left, where there is another one.
    let apart = select(assets > 1u32, 1u32 + words.b % (assets - select(assets > 1u32, 1u32, 0u32)), 0u32);
    let right = (left + apart) % assets;
    let of_right = select(asset == right, uniform(words.d).ln(), NOTHING);
    select(asset == left, uniform(words.c).ln(), of_right)
}

/// A logarithm as a sum of one exponential.
#[derive(Debug, Clone, Copy, Operator)]
struct Term<T: Real> {
    element: PhantomData<T>,
}

#[cube]
impl<T: Real> Mapping<T> for Term<T> {
    type Output = LogSum<T>;

    fn map(&self, item: T) -> LogSum<T> {
        LogSum::<T> { maximum: item, sum: T::whole(1) }
    }
}

/// The largest exponent of a sum.
#[derive(Debug, Clone, Operator)]
struct Largest<T: Real> {
    element: PhantomData<T>,
}

#[cube]
impl<T: Real> Mapping<LogSum<T>> for Largest<T> {
    type Output = T;

    fn map(&self, item: LogSum<T>) -> T {
        item.maximum
    }
}

/// The sum relative to the largest exponential.
#[derive(Debug, Clone, Operator)]
struct Relative<T: Real> {
    element: PhantomData<T>,
}

#[cube]
impl<T: Real> Mapping<LogSum<T>> for Relative<T> {
    type Output = T;

    fn map(&self, item: LogSum<T>) -> T {
        item.sum
    }
}

/// A weight from its logarithm and the portfolio's sum: the least one, and its share of the rest.
#[derive(Debug, Clone, Operator)]
struct Share<T: Real> {
    largest: Captured<T>,
    sums: Captured<T>,
    lower: Captured<T>,
    budget: T,
    portfolios: u32,
}

#[cube]
impl<T: Real> Mapping<Both<T, Wide>> for Share<T> {
    type Output = T;

    fn map(&self, item: Both<T, Wide>) -> T {
        let place = item.right.low;
        let portfolio = (place % self.portfolios) as usize;
        let share = T::exponential(item.left - self.largest[portfolio]) / self.sums[portfolio];
        self.lower[(place / self.portfolios) as usize] + self.budget * share
    }
}

/// A portfolio on its way to the even one, as far as is drawn for it: weights that reach their limits on both sides are
/// many times what a portfolio is worth, and lie far out in the picture.
#[derive(Debug, Clone, Operator)]
struct Towards<T: Real> {
    low: u32,
    high: u32,
    first: u32,
    portfolios: u32,
    even: Captured<T>,
}

impl<T: Real> Towards<T> {
    fn new(batch: Batch, even: &[f64]) -> Self {
        let seed = Wide::from(batch.seed);
        let (first, portfolios) = (batch.first, batch.portfolios);
        Towards { low: seed.low, high: seed.high, first, portfolios, even: scalars(even) }
    }
}

#[cube]
impl<T: Real> Mapping<Both<T, Wide>> for Towards<T> {
    type Output = T;

    fn map(&self, item: Both<T, Wide>) -> T {
        let place = item.right.low;
        let portfolio = wrapping_add(self.first, place % self.portfolios);
        let key = Key { low: self.low, high: self.high };
        let words = philox(key, Random { a: 1u32, b: portfolio, c: 0u32, d: PORTFOLIO });
        let far = uniform(words.a);
        let even = self.even[(place / self.portfolios) as usize];
        even + T::of_f32(far * far) * (item.left - even)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logs(alpha: f64, portfolios: u32, assets: u32) -> Vec<f64> {
        let batch = Batch { seed: 5, first: 0, portfolios, assets };
        let op = LogDraw::<f64>::new(batch, Sampler::Dirichlet { alpha });
        (0..u64::from(portfolios) * u64::from(assets)).map(|place| op.map(place.into())).collect()
    }

    /// Draws of the portfolios that are neither corners nor edges.
    fn gammas(alpha: f64, portfolios: u32) -> Vec<f64> {
        let every = logs(alpha, portfolios, 4);
        let plain = |(place, log): (usize, f64)| {
            let portfolio = place as u32 % portfolios;
            let seeded = portfolio % EVERY == EDGE || (portfolio % EVERY == CORNER && portfolio / EVERY < 4);
            (!seeded).then_some(log.exp())
        };
        every.into_iter().enumerate().filter_map(plain).collect()
    }

    #[test]
    fn gamma_draws_have_the_moments_of_gamma() {
        // Mean α, variance α; standard errors of both from the fourth central moment, 3 α² + 6 α.
        for alpha in [0.1, 0.5, 0.999, 1.0, 2.5, 40.0, 1000.0] {
            let draws = gammas(alpha, 40_000);
            let count = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / count;
            let variance = draws.iter().map(|draw| (draw - alpha).powi(2)).sum::<f64>() / count;
            assert!((mean - alpha).abs() < 5.0 * (alpha / count).sqrt(), "α {alpha}: mean {mean}");
            let error = ((2.0 * alpha * alpha + 6.0 * alpha) / count).sqrt();
            assert!((variance - alpha).abs() < 5.0 * error, "α {alpha}: variance {variance}");
        }
    }

    #[test]
    fn small_draws_are_distributed_as_gamma_is() {
        // Near 0 the distribution function is xᵅ / Γ(α + 1): Γ(1.5) = √π / 2, Γ(1.1) = 0.951350769866873.
        for (alpha, gamma, below) in
            [(0.5, std::f64::consts::PI.sqrt() / 2.0, 1e-4), (0.1, 0.951_350_769_866_873, 1e-8)]
        {
            let draws = gammas(alpha, 40_000);
            let share = draws.iter().filter(|draw| **draw < below).count() as f64 / draws.len() as f64;
            let expected = below.powf(alpha) / gamma;
            let error = (expected * (1.0 - expected) / draws.len() as f64).sqrt();
            assert!((share - expected).abs() < 5.0 * error, "α {alpha}: {share}, not {expected}");
        }
    }

    #[test]
    fn draws_that_no_float_holds_still_share_out_the_whole() {
        let limits = Limits { lower: vec![0.0; 3], upper: vec![1.0; 3] };
        let batch = Batch { seed: 1, first: 0, portfolios: 500, assets: 3 };
        let logs = logs(0.001, 500, 3);
        assert!(logs.iter().filter(|log| (**log as f32).exp() == 0.0).count() > 1000, "most are too small");
        let drawn = draw::<f32>(&Device::host(), batch, Sampler::Dirichlet { alpha: 0.001 }, &limits).unwrap();
        let weights = drawn.to_vec().unwrap();
        for portfolio in 0..500 {
            let sum: f32 = (0..3).map(|asset| weights[asset * 500 + portfolio]).sum();
            assert!((sum - 1.0).abs() < 1e-6, "portfolio {portfolio} sums to {sum}");
        }
    }

    #[test]
    fn one_in_eight_is_an_asset_alone_and_one_in_eight_a_pair() {
        let limits = Limits { lower: vec![0.0; 3], upper: vec![1.0; 3] };
        let batch = Batch { seed: 1, first: 0, portfolios: 64, assets: 3 };
        let weights = draw::<f64>(&Device::host(), batch, Sampler::default(), &limits).unwrap().to_vec().unwrap();
        let of = |portfolio: usize| [0, 1, 2].map(|asset| weights[asset * 64 + portfolio]);
        for asset in 0..3 {
            let mut alone = [0.0; 3];
            alone[asset] = 1.0;
            assert_eq!(of(8 * asset + 3), alone);
        }
        assert!(of(8 * 3 + 3).iter().all(|weight| *weight > 0.0 && *weight < 1.0), "no fourth corner");
        let held = |portfolio: usize| of(portfolio).iter().filter(|weight| **weight > 0.0).count();
        assert!((0..8).all(|block| held(8 * block + 7) == 2), "edges hold two assets");
        assert!((0..8).all(|block| held(8 * block) == 3), "others hold all");
    }

    #[test]
    fn one_asset_is_its_own_edge() {
        let limits = Limits { lower: vec![0.0], upper: vec![1.0] };
        let batch = Batch { seed: 1, first: 0, portfolios: 16, assets: 1 };
        let weights = draw::<f64>(&Device::host(), batch, Sampler::default(), &limits).unwrap().to_vec().unwrap();
        assert_eq!(weights, [1.0; 16]);
    }

    #[test]
    fn a_draw_belongs_to_its_portfolio_and_not_to_its_batch() {
        let draws = |first, portfolios| {
            let batch = Batch { seed: 9, first, portfolios, assets: 2 };
            let op = LogDraw::<f64>::new(batch, Sampler::default());
            (0..portfolios).map(|place| op.map(u64::from(place).into())).collect::<Vec<f64>>()
        };
        assert_eq!(draws(0, 40)[24..], draws(24, 16));
        assert_ne!(draws(0, 16), draws(16, 16));
    }
}
