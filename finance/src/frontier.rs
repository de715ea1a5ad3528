//! The efficient frontier as the edge of a cloud of random portfolios.
//!
//! A portfolio with weights `w` (each ≥ 0, summing to 1) has the return `wᵀm`, the volatility `sd =
//! √max(0, wᵀ·Sigma·w)` and the Sharpe ratio `(wᵀm − rf) / sd`, all per year. A portfolio whose
//! risk is nothing but rounding is *riskless*: its ratio is NaN and flagged, and it never wins as
//! the best one.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::{ArgMaximum, ArgMinimum, PlusTimes};
use cubefold_primitives::rng::{Key, Random, philox, uniform};
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix, Source};
use cubefold_primitives::{
    Both, Buffer, Counter, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State,
    Wide,
};

use crate::covariance::{Covariance, CovarianceOptions, covariance};
use crate::data::Table;
use crate::error::{FinanceError, at_least_one, finite};

/// How large a cloud is drawn, and against which rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrontierOptions {
    /// Portfolios drawn, at least 1.
    pub portfolios: u32,
    /// Riskless rate a year, in the units of the returns: 0.02 is 2 %.
    pub rf: f64,
    /// Periods in a year: 252 for trading days.
    pub periods_per_year: f64,
    /// Names the stream of random weights.
    pub seed: u64,
}

impl Default for FrontierOptions {
    fn default() -> Self {
        FrontierOptions { portfolios: 50_000, rf: 0.02, periods_per_year: 252.0, seed: 1 }
    }
}

impl FrontierOptions {
    /// Accepts options for so many rows of returns; there must be two at least, as the divisor is
    /// `n − 1`.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no portfolios, [`FinanceError::NotFinite`] for `rf`, and those of
    /// [`CovarianceOptions::check`].
    pub fn check(&self, periods: usize) -> Result<(), FinanceError> {
        at_least_one("portfolios", u64::from(self.portfolios))?;
        finite("rf", self.rf)?;
        self.covariance().check(periods)
    }

    /// The options of the covariance beneath: ddof 1, the same periods per year.
    pub fn covariance(&self) -> CovarianceOptions {
        CovarianceOptions { periods_per_year: self.periods_per_year, ..CovarianceOptions::default() }
    }
}

/// Where a portfolio lies in the picture.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Expected return a year, `wᵀm`.
    pub ret: f64,
    /// Standard deviation of the return over a year.
    pub volatility: f64,
    /// `(ret − rf) / volatility`; NaN where the portfolio is riskless.
    pub sharpe: f64,
}

/// Equal returns, volatilities and ratios, where the ratios of two riskless portfolios are equal.
impl PartialEq for Point {
    fn eq(&self, other: &Point) -> bool {
        let ratios = self.sharpe == other.sharpe || (self.sharpe.is_nan() && other.sharpe.is_nan());
        self.ret == other.ret && self.volatility == other.volatility && ratios
    }
}

/// One portfolio of the cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct Portfolio {
    /// Its return, volatility and Sharpe ratio.
    pub point: Point,
    /// Whether it has no risk, so that its Sharpe ratio means nothing.
    pub riskless: bool,
    /// One share an asset, in the order of [`Frontier::assets`]; they sum to 1.
    pub weights: Vec<f64>,
}

/// A cloud of portfolios and its two best.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontier {
    /// The names of the assets.
    pub assets: Vec<String>,
    /// Portfolios evaluated.
    pub portfolios: u32,
    /// The portfolio of least volatility.
    pub min_volatility: Portfolio,
    /// The portfolio of largest Sharpe ratio.
    pub max_sharpe: Portfolio,
    /// Every portfolio drawn.
    pub cloud: Vec<Point>,
    /// Each asset alone, in the order of `assets`.
    pub singles: Vec<Point>,
    /// The riskless rate of the ratios.
    pub rf: f64,
}

/// Evaluates random long-only portfolios at once and picks the best.
///
/// Weights are uniform on the simplex: exponential draws over their sum (Devroye 1986, chapter V.2), addressed by
/// seed, portfolio and asset. `W·Sigma` by `tiled_gemm`; return, risk and ratio by `reduce_rows`; the best two by
/// arg-reductions. Reported portfolios are evaluated once more in f64 from their weights.
///
/// # Errors
/// What [`FrontierOptions::check`] refuses, and what goes wrong on the device.
pub fn frontier(device: &Device, returns: &Table, options: &FrontierOptions) -> Result<Frontier, FinanceError> {
    options.check(returns.complete_rows().rows())?;
    let estimate = covariance(device, returns, &options.covariance())?;
    if let Some(&value) = estimate.covariance.iter().chain(&estimate.mean).find(|value| !value.is_finite()) {
        return Err(FinanceError::NotFinite { name: "a mean or covariance of these returns", value });
    }
    match device.is_host() {
        true => evaluate::<f64>(device, estimate, options),
        false => evaluate::<f32>(device, estimate, options),
    }
}

fn evaluate<T: Real>(
    device: &Device,
    estimate: Covariance,
    options: &FrontierOptions,
) -> Result<Frontier, FinanceError> {
    let assets = estimate.assets.len() as u32;
    let draws = Counter::new(u64::from(options.portfolios) * u64::from(assets));
    let draws = device.collect(&draws.map(Exponential::<T>::new(options.seed)))?;
    let weights = Dense::new(&draws, options.portfolios, assets)?;
    let floor = riskless_below::<T>(&estimate);
    let points = points::<T>(device, &weights, &estimate, options.rf, floor)?;
    let best = |winner: Option<u64>| {
        let row = winner.expect("there is at least one portfolio") as usize;
        let row = draws.range(row * assets as usize, assets as usize)?;
        Ok::<_, FinanceError>(portfolio(&row, &estimate, options.rf, floor))
    };
    let index = Counter::new(u64::from(options.portfolios));
    let volatility = (&points).map(Volatility::<T>::new()).zip(index);
    let lowest = device.reduce(&volatility, &ArgMinimum::<T>::new())?.get(0)?;
    let sharpe = (&points).map(Sharpe::<T>::new()).zip(index);
    let highest = device.reduce(&sharpe, &ArgMaximum::<T>::new())?.get(0)?;
    let cloud = points.to_vec()?.into_iter().map(|point| point.reported()).collect();
    let single = |asset: usize| {
        let mut alone = vec![T::whole(0); assets as usize];
        alone[asset] = T::whole(1);
        portfolio(&alone, &estimate, options.rf, floor).point
    };
    Ok(Frontier {
        portfolios: options.portfolios,
        min_volatility: best(lowest.index())?,
        max_sharpe: best(highest.index())?,
        cloud,
        singles: (0..assets as usize).map(single).collect(),
        rf: options.rf,
        assets: estimate.assets,
    })
}

/// Return, risk and ratio of every row of weights, which need not sum to 1.
fn points<T: Real>(
    device: &Device,
    weights: &Dense<&Buffer<T>>,
    estimate: &Covariance,
    rf: f64,
    floor: f64,
) -> Result<Buffer<PointState<T>>, FinanceError> {
    let scalars = |values: &[f64]| values.iter().map(|&value| T::constant(value)).collect::<Vec<T>>();
    let assets = estimate.assets.len() as u32;
    let sigma = Dense::new(device.upload(&scalars(&estimate.covariance))?, assets, assets)?;
    let products = device.tiled_gemm(weights, &sigma, &PlusTimes::<T>::new())?;
    let products = Dense::new(products, weights.rows(), assets)?;
    let mean = Dense::repeated_row(device.upload(&scalars(&estimate.mean))?, weights.rows())?;
    let terms = weights.zip_elements(products)?.zip_elements(mean)?;
    let op = Evaluate { rf: T::constant(rf), floor: T::constant(floor) };
    Ok(device.reduce_rows(&terms, &op)?)
}

/// A variance that is nothing but the rounding of `Sigma`'s largest entry in the arithmetic of `T`.
fn riskless_below<T: Real>(estimate: &Covariance) -> f64 {
    let largest = (0..estimate.assets.len()).map(|asset| estimate.at(asset, asset)).fold(0.0, f64::max);
    8.0 * T::EPSILON.widen() * largest
}

/// The portfolio of `draws`, scaled to sum to 1, evaluated in f64.
fn portfolio<T: Real>(draws: &[T], estimate: &Covariance, rf: f64, floor: f64) -> Portfolio {
    let total: f64 = draws.iter().map(|draw| draw.widen()).sum();
    let weights: Vec<f64> = draws.iter().map(|draw| draw.widen() / total).collect();
    let ret: f64 = weights.iter().zip(&estimate.mean).map(|(weight, mean)| weight * mean).sum();
    let mut variance = 0.0;
    for (row, left) in weights.iter().enumerate() {
        for (column, right) in weights.iter().enumerate() {
            variance += left * right * estimate.at(row, column);
        }
    }
    let (riskless, volatility) = (variance <= floor, variance.max(0.0).sqrt());
    let sharpe = if riskless { f64::NAN } else { (ret - rf) / volatility };
    Portfolio { point: Point { ret, volatility, sharpe }, riskless, weights }
}

/// A portfolio on its way from a device. The ratio of a riskless one is the lowest there is.
#[derive(Debug, Clone, Copy, State)]
struct PointState<T: State> {
    ret: T,
    volatility: T,
    sharpe: T,
    riskless: u32,
}

impl<T: Real> PointState<T> {
    fn reported(self) -> Point {
        let sharpe = if self.riskless != 0 { f64::NAN } else { self.sharpe.widen() };
        Point { ret: self.ret.widen(), volatility: self.volatility.widen(), sharpe }
    }
}

/// Sums over a row of weights.
#[derive(Debug, Clone, Copy, State)]
struct RowSums<T: Real> {
    weight: T,
    gain: T,
    variance: T,
}

/// Weights, `W·Sigma` and means of a row to its return, risk and ratio.
#[derive(Debug, Clone, Operator)]
struct Evaluate<T: Real> {
    rf: T,
    floor: T,
}

#[cube]
impl<T: Real> Monoid for Evaluate<T> {
    type State = RowSums<T>;

    fn identity(&self) -> RowSums<T> {
        RowSums::<T> { weight: T::whole(0), gain: T::whole(0), variance: T::whole(0) }
    }

    fn combine(&self, left: RowSums<T>, right: RowSums<T>) -> RowSums<T> {
        RowSums::<T> {
            weight: left.weight + right.weight,
            gain: left.gain + right.gain,
            variance: left.variance + right.variance,
        }
    }
}

#[cube]
impl<T: Real> Lift<Both<Both<T, T>, T>> for Evaluate<T> {
    fn lift(&self, item: Both<Both<T, T>, T>) -> RowSums<T> {
        let weight = item.left.left;
        RowSums::<T> { weight, gain: weight * item.right, variance: weight * item.left.right }
    }
}

#[cube]
impl<T: Real> Lower for Evaluate<T> {
    type Output = PointState<T>;

    fn lower(&self, state: RowSums<T>) -> PointState<T> {
        let ret = state.gain / state.weight;
        let variance = T::greater(state.variance / (state.weight * state.weight), T::whole(0));
        let volatility = T::root(variance);
        let riskless = variance <= self.floor;
        let ratio = (ret - self.rf) / T::greater(volatility, T::root(self.floor));
        PointState::<T> {
            ret,
            volatility,
            sharpe: select(riskless, T::lowest(), ratio),
            riskless: select(riskless, 1u32, 0u32),
        }
    }
}

/// The volatility of a point.
#[derive(Debug, Clone, Operator)]
struct Volatility<T: Real> {
    element: PhantomData<T>,
}

/// The Sharpe ratio of a point.
#[derive(Debug, Clone, Operator)]
struct Sharpe<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Volatility<T> {
    fn new() -> Self {
        Volatility { element: PhantomData }
    }
}

impl<T: Real> Sharpe<T> {
    fn new() -> Self {
        Sharpe { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Mapping<PointState<T>> for Volatility<T> {
    type Output = T;

    fn map(&self, item: PointState<T>) -> T {
        item.volatility
    }
}

#[cube]
impl<T: Real> Mapping<PointState<T>> for Sharpe<T> {
    type Output = T;

    fn map(&self, item: PointState<T>) -> T {
        item.sharpe
    }
}

/// The draw of an exponential distribution for a place in the matrix of weights.
#[derive(Debug, Clone, Operator)]
struct Exponential<T: Real> {
    low: u32,
    high: u32,
    element: PhantomData<T>,
}

impl<T: Real> Exponential<T> {
    fn new(seed: u64) -> Self {
        let seed = Wide::from(seed);
        Exponential { low: seed.low, high: seed.high, element: PhantomData }
    }
}

/// Domain of the draws of weights: the last word of the counter, so that no other job draws the same.
const DOMAIN: u32 = 0x5745_4947;

#[cube]
impl<T: Real> Mapping<Wide> for Exponential<T> {
    type Output = T;

    fn map(&self, item: Wide) -> T {
        let key = Key { low: self.low, high: self.high };
        let block = (item.low >> 2u32) | (item.high << 30u32);
        let words = philox(key, Random { a: block, b: item.high >> 2u32, c: 0u32, d: DOMAIN });
        let place = item.low & 3u32;
        let front = select(place == 0, words.a, words.b);
        let back = select(place == 2, words.c, words.d);
        T::of_f32(-uniform(select(place < 2, front, back)).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_portfolio_is_accepted_and_none_is_refused() {
        let with = |portfolios| FrontierOptions { portfolios, ..FrontierOptions::default() };
        assert!(with(1).check(2).is_ok());
        assert!(matches!(with(0).check(2), Err(FinanceError::Zero { name: "portfolios" })));
    }

    #[test]
    fn two_periods_are_accepted_and_one_is_refused() {
        let options = FrontierOptions::default();
        assert!(options.check(2).is_ok());
        assert!(matches!(options.check(1), Err(FinanceError::DdofTooLarge { ddof: 1, periods: 1 })));
    }

    #[test]
    fn rf_and_periods_per_year_are_checked() {
        for rf in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let options = FrontierOptions { rf, ..FrontierOptions::default() };
            assert!(matches!(options.check(9), Err(FinanceError::NotFinite { name: "rf", .. })));
        }
        assert!(FrontierOptions { rf: -0.5, ..FrontierOptions::default() }.check(9).is_ok());
        for periods_per_year in [0.0, -1.0, f64::NAN] {
            assert!(FrontierOptions { periods_per_year, ..FrontierOptions::default() }.check(9).is_err());
        }
    }

    #[test]
    fn riskless_points_are_equal_to_themselves() {
        let point = Point { ret: 0.02, volatility: 0.0, sharpe: f64::NAN };
        assert_eq!(point, point);
        assert_ne!(point, Point { sharpe: 0.0, ..point });
    }
}
