//! Return, risk and Sharpe ratio of many portfolios at once.
//!
//! With the weights as a matrix of a row a portfolio, `W·Sigma` is one `tiled_gemm`, and the products of its rows with those
//! of `W` are folded by `reduce_rows` together with the sums of the weights and of what they gain. Portfolios lie side by
//! side in memory, asset after asset, so that every pass reads with full width.

use cubecl::prelude::*;
use cubefold_primitives::ops::PlusTimes;
use cubefold_primitives::views::{Dense, Matrix};
use cubefold_primitives::{
    Both, Buffer, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State,
};

use super::{Point, Portfolio};
use crate::covariance::Covariance;
use crate::error::FinanceError;

/// The mark of a portfolio whose risk is nothing but rounding.
const RISKLESS: u32 = 1;
/// The mark of one whose variance came out below 0, for which 0 is taken.
const CLAMPED: u32 = 2;

/// A portfolio on its way from a device. The ratio of a riskless one is the lowest there is.
#[derive(Debug, Clone, Copy, State)]
pub struct Evaluated<T: State> {
    /// Expected return a year.
    pub ret: T,
    /// Standard deviation of the return over a year.
    pub volatility: T,
    /// `(ret − rf) / volatility`; negative infinity where the portfolio is riskless.
    pub sharpe: T,
    marks: u32,
}

impl<T: Real> Evaluated<T> {
    /// The same in f64, with NaN for a ratio that means nothing.
    pub fn point(self) -> Point {
        let sharpe = if self.is_riskless() { f64::NAN } else { self.sharpe.widen() };
        Point { ret: self.ret.widen(), volatility: self.volatility.widen(), sharpe }
    }

    /// Whether the risk is nothing but rounding.
    pub fn is_riskless(self) -> bool {
        self.marks & RISKLESS != 0
    }

    /// Whether the variance came out below 0, as rounding makes it where the covariance is singular; 0 was taken.
    pub fn is_clamped(self) -> bool {
        self.marks & CLAMPED != 0
    }
}

/// Means and covariance on a device, ready to evaluate any number of portfolios in the arithmetic of `T`.
#[derive(Debug, Clone)]
pub struct Evaluator<T: Real> {
    sigma: Dense<Buffer<T>>,
    mean: Buffer<T>,
    op: Evaluate<T>,
}

impl<T: Real> Evaluator<T> {
    /// Uploads what `estimate` holds; ratios are over the rate `rf`.
    ///
    /// # Errors
    /// What goes wrong on the device.
    pub fn new(device: &Device, estimate: &Covariance, rf: f64) -> Result<Self, FinanceError> {
        let scalars = |values: &[f64]| values.iter().map(|&value| T::constant(value)).collect::<Vec<T>>();
        let assets = estimate.assets.len() as u32;
        let sigma = Dense::new(device.upload(&scalars(&estimate.covariance))?, assets, assets)?;
        let mean = device.upload(&scalars(&estimate.mean))?;
        // So much above what counts for a portfolio that is reported that rounding does not decide.
        let floor = 4.0 * riskless_below::<T>(estimate);
        Ok(Evaluator { sigma, mean, op: Evaluate { rf: T::constant(rf), floor: T::constant(floor) } })
    }

    /// Evaluates every row of `weights` (portfolios × assets), which need not sum to 1, and leaves the points on the device.
    ///
    /// Work 2 n m² for n portfolios of m assets, in one GEMM and one fold. Bytes: the weights three times, the products
    /// written and read once. Fastest for weights that lie in memory asset after asset: the transpose of a matrix of assets
    /// × portfolios.
    ///
    /// # Errors
    /// [`cubefold_primitives::Error::Length`] unless there is a column an asset, and what goes wrong on the device.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_finance::frontier::Evaluator;
    /// use cubefold_finance::{CovarianceOptions, Returns, bundled_prices, covariance};
    /// use cubefold_primitives::Device;
    /// use cubefold_primitives::views::Dense;
    ///
    /// let device = Device::host();
    /// let returns = bundled_prices().select(&["XOM", "KO"])?.returns(Returns::Simple)?;
    /// let estimate = covariance(&device, &returns, &CovarianceOptions::default())?;
    /// let weights = device.upload(&[1.0, 0.0, 0.5, 0.5])?;
    /// let evaluator = Evaluator::<f64>::new(&device, &estimate, 0.02)?;
    /// let points = evaluator.points(&device, &Dense::new(&weights, 2, 2)?)?.to_vec()?;
    /// assert!(points[1].volatility < points[0].volatility);
    /// # Ok::<(), cubefold_finance::FinanceError>(())
    /// ```
    pub fn points<M: Matrix<Item = T>>(
        &self,
        device: &Device,
        weights: &M,
    ) -> Result<Buffer<Evaluated<T>>, FinanceError> {
        let (portfolios, assets) = (weights.rows(), self.sigma.rows());
        let held = weights.transposed();
        let products = device.tiled_gemm(&self.sigma, &held, &PlusTimes::<T>::new())?;
        let products = Dense::new(products, assets, portfolios)?;
        let mean = Dense::repeated_column(&self.mean, portfolios)?;
        let terms = held.zip_elements(products)?.zip_elements(mean)?;
        Ok(device.reduce_columns(&terms, &self.op)?)
    }
}

/// A variance that is nothing but the rounding of `Sigma`'s largest entry in the arithmetic of `T`.
pub(super) fn riskless_below<T: Real>(estimate: &Covariance) -> f64 {
    let largest = (0..estimate.assets.len()).map(|asset| estimate.at(asset, asset)).fold(0.0, f64::max);
    4.0 * T::EPSILON.widen() * largest
}

/// `Sigma·w`: what each asset adds to the variance at the margin, halved.
pub(super) fn marginal(weights: &[f64], estimate: &Covariance) -> Vec<f64> {
    let row = |row: usize| weights.iter().enumerate().map(|(column, weight)| weight * estimate.at(row, column)).sum();
    (0..weights.len()).map(row).collect()
}

/// The sum of products.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// The portfolio of `weights`, evaluated in f64; its risk is rounding up to the variance `floor`.
pub(super) fn portfolio(weights: Vec<f64>, estimate: &Covariance, rf: f64, floor: f64) -> Portfolio {
    let ret = dot(&weights, &estimate.mean);
    let variance = dot(&weights, &marginal(&weights, estimate));
    let (riskless, volatility) = (variance <= floor, variance.max(0.0).sqrt());
    let sharpe = if riskless { f64::NAN } else { (ret - rf) / volatility };
    Portfolio { point: Point { ret, volatility, sharpe }, riskless, weights }
}

/// The point of a portfolio that is not evaluated yet.
#[cube]
pub(super) fn unevaluated<T: Real>() -> Evaluated<T> {
    Evaluated::<T> { ret: T::whole(0), volatility: T::whole(0), sharpe: T::whole(0), marks: 0u32.runtime() }
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
    type Output = Evaluated<T>;

    fn lower(&self, state: RowSums<T>) -> Evaluated<T> {
        let ret = state.gain / state.weight;
        let raw = state.variance / (state.weight * state.weight);
        let variance = T::greater(raw, T::whole(0));
        let volatility = T::root(variance);
        let riskless = variance <= self.floor;
        let ratio = (ret - self.rf) / T::greater(volatility, T::root(self.floor));
        let clamped = select(raw < T::whole(0), comptime!(CLAMPED).runtime(), 0u32);
        Evaluated::<T> {
            ret,
            volatility,
            sharpe: select(riskless, T::lowest(), ratio),
            marks: clamped | select(riskless, comptime!(RISKLESS).runtime(), 0u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    fn estimate(mean: &[f64], covariance: &[f64]) -> Covariance {
        Covariance {
            assets: (0..mean.len()).map(|asset| asset.to_string()).collect(),
            periods: 9,
            ddof: 1,
            mean: mean.to_vec(),
            covariance: covariance.to_vec(),
            shrinkage: 0.0,
        }
    }

    #[test]
    fn the_laws_hold() {
        let op = Evaluate { rf: 0.02, floor: 0.0 };
        let term = |weight, product, mean| op.lift(Both { left: Both { left: weight, right: product }, right: mean });
        check_laws(&op, &[op.identity(), term(0.5, 0.04, 0.1), term(-0.25, 0.0, 0.3), term(2.0, -0.5, 0.0)]).unwrap();
    }

    #[test]
    fn rows_that_do_not_sum_to_one_are_scaled_and_both_layouts_agree() {
        let device = Device::host();
        let evaluator =
            Evaluator::<f64>::new(&device, &estimate(&[0.1, 0.3], &[0.04, 0.01, 0.01, 0.09]), 0.05).unwrap();
        let rows = device.upload(&[1.0, 1.0, 3.0, 1.0]).unwrap();
        let points = evaluator.points(&device, &Dense::new(&rows, 2, 2).unwrap()).unwrap().to_vec().unwrap();
        let even: f64 = f64::sqrt(0.25 * (0.04 + 0.02 + 0.09));
        assert!((points[0].ret - 0.2).abs() < 1e-15 && (points[0].volatility - even).abs() < 1e-15);
        assert!((points[0].sharpe - 0.15 / even).abs() < 1e-14);
        let columns = device.upload(&[1.0, 3.0, 1.0, 1.0]).unwrap();
        let turned = Dense::new(&columns, 2, 2).unwrap();
        let turned = evaluator.points(&device, &turned.transposed()).unwrap().to_vec().unwrap();
        for (left, right) in points.into_iter().zip(turned) {
            assert_eq!(left.point(), right.point());
        }
    }

    #[test]
    fn a_variance_below_zero_is_taken_for_none_and_marked() {
        let device = Device::host();
        // No covariance at all: an eigenvalue is −0.01.
        let evaluator = Evaluator::<f64>::new(&device, &estimate(&[0.1, 0.3], &[0.04, 0.05, 0.05, 0.04]), 0.0).unwrap();
        let weights = device.upload(&[2.0, -1.0, 0.5, 0.5]).unwrap();
        let points = evaluator.points(&device, &Dense::new(&weights, 2, 2).unwrap()).unwrap().to_vec().unwrap();
        assert!(points[0].is_clamped() && points[0].is_riskless() && points[0].volatility == 0.0, "{:?}", points[0]);
        assert!(!points[1].is_clamped() && !points[1].is_riskless(), "{:?}", points[1]);
        assert!(points[0].point().sharpe.is_nan());
    }
}
