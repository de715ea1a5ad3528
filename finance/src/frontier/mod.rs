//! The efficient frontier: portfolios evaluated by the hundred thousand, and the best of them refined in rounds.
//!
//! A portfolio with weights `w` that sum to 1 has the return `wᵀm`, the volatility `sd = √max(0, wᵀ·Sigma·w)` and the Sharpe
//! ratio `(wᵀm − rf) / sd`, all per year. A portfolio whose risk is nothing but rounding is *riskless*: its ratio is NaN and
//! flagged, and it never wins as the best one.
//!
//! | step | where | primitive |
//! |---|---|---|
//! | weights of the plain cloud, within bounds | `sampler`, `fit` | collect, reduce columns |
//! | return, risk and ratio of every portfolio | [`Evaluator`] | tiled GEMM, reduce rows |
//! | the best for each goal: the two best, targets, along the edge | `goals` | reduce rows (arg-reductions) |
//! | others around the best, round after round | `refine`, `steps`, `ladder` | collect |
//! | the edge | `edge` | reduce rows, scan |
//! | what they are measured against | [`TwoFund`], [`Exact`] | – (closed form, quadratic programs, on the host) |

mod bounds;
mod cloud;
mod edge;
mod evaluate;
mod exact;
mod fit;
mod goals;
mod ladder;
mod options;
mod refine;
mod sampler;
mod steps;
mod two_fund;

use cubefold_primitives::{Device, Real};

pub use bounds::{Bound, read_bounds};
pub use evaluate::{Evaluated, Evaluator};
pub use exact::{Distance, Exact, ExactFrontier, exact};
pub use options::{FrontierOptions, Objective, Sampler, Target};
pub use sampler::draw_weights;
pub use two_fund::TwoFund;

use crate::covariance::{Covariance, covariance};
use crate::data::Table;
use crate::error::FinanceError;
use bounds::Limits;
use evaluate::{portfolio, riskless_below};
use refine::Search;

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

/// A cloud of portfolios, its edge, and its best.
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
    /// What was asked for in [`FrontierOptions::targets`]; none where no portfolio reaches it.
    pub targets: Vec<Option<Portfolio>>,
    /// The edge in ascending order of return, from the least volatility on: no portfolio of the cloud returns as much with
    /// less volatility.
    pub edge: Vec<Portfolio>,
    /// Every portfolio evaluated, in the order of the rounds.
    pub cloud: Vec<Point>,
    /// Each asset alone, in the order of `assets`.
    pub singles: Vec<Point>,
    /// The riskless rate of the ratios.
    pub rf: f64,
    /// Rounds until the best stood still, or as many as were allowed.
    pub rounds: u32,
    /// Portfolios whose variance came out below 0 and was taken for 0, as it may where the covariance is singular.
    pub clamped: u64,
    /// What the portfolios were evaluated with.
    pub estimate: Covariance,
}

/// Evaluates portfolios at once, refines the best in rounds, and gives them with their weights and the edge of the cloud.
///
/// Weights are addressed by seed, portfolio and asset: the same call on the same device gives the same bits. The host computes
/// in f64, devices in f32; portfolios that are reported are evaluated once more in f64 from their weights. The work is that of
/// [`Evaluator::points`] for all portfolios together, the memory that of their weights and of the products of one round.
///
/// # Errors
/// What [`FrontierOptions::check_returns`] refuses, [`FinanceError::NotFinite`] for returns whose covariance overflows, and
/// what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::frontier::exact;
/// use cubefold_finance::{FrontierOptions, Returns, bundled_prices, frontier};
/// use cubefold_primitives::Device;
///
/// let returns = bundled_prices().select(&["AAPL", "JNJ", "XOM"])?.returns(Returns::Simple)?;
/// let options = FrontierOptions { portfolios: 2000, ..FrontierOptions::default() };
/// let found = frontier(&Device::host(), &returns, &options)?;
/// let distance = exact(&found, &options)?.distance;
/// assert!(distance.min_volatility < 0.002 && distance.max_sharpe < 0.002);
/// # Ok::<(), cubefold_finance::FinanceError>(())
/// ```
pub fn frontier(device: &Device, returns: &Table, options: &FrontierOptions) -> Result<Frontier, FinanceError> {
    options.check(returns.complete_rows().rows())?;
    let limits = options.limits(&returns.columns)?;
    let estimate = covariance(device, returns, &options.covariance())?;
    if let Some(&value) = estimate.covariance.iter().chain(&estimate.mean).find(|value| !value.is_finite()) {
        return Err(FinanceError::NotFinite { name: "a mean or covariance of these returns", value });
    }
    options.check_rate(&estimate.mean, &limits)?;
    match device.is_host() {
        true => search::<f64>(device, estimate, &limits, options),
        false => search::<f32>(device, estimate, &limits, options),
    }
}

fn search<T: Real>(
    device: &Device,
    estimate: Covariance,
    limits: &Limits,
    options: &FrontierOptions,
) -> Result<Frontier, FinanceError> {
    let found = Search::<T>::new(device, &estimate, limits, options)?.run()?;
    let points = found.points.to_vec()?;
    let floor = riskless_below::<T>(&estimate);
    let single = |asset: usize| {
        let mut alone = vec![0.0; estimate.assets.len()];
        alone[asset] = 1.0;
        portfolio(alone, &estimate, options.rf, floor).point
    };
    let [min_volatility, max_sharpe] = found.best;
    Ok(Frontier {
        assets: estimate.assets.clone(),
        portfolios: options.portfolios,
        min_volatility,
        max_sharpe,
        targets: found.targets,
        edge: found.edge,
        clamped: points.iter().filter(|point| point.is_clamped()).count() as u64,
        cloud: points.into_iter().map(|point| point.point()).collect(),
        singles: (0..estimate.assets.len()).map(single).collect(),
        rf: options.rf,
        rounds: found.rounds,
        estimate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn riskless_points_are_equal_to_themselves() {
        let point = Point { ret: 0.02, volatility: 0.0, sharpe: f64::NAN };
        assert_eq!(point, point);
        assert_ne!(point, Point { sharpe: 0.0, ..point });
    }
}
