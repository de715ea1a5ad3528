//! The frontier within bounds, exactly: convex quadratic programs, solved on the host by the interior-point crate `clarabel`.
//!
//! | portfolio | program |
//! |---|---|
//! | least volatility | min ½ wᵀΣw, 1ᵀw = 1, l ≤ w ≤ u |
//! | the same from a return on | and μᵀw ≥ r |
//! | largest Sharpe ratio | min ½ yᵀΣy, (μ − rf)ᵀy = 1, 1ᵀy = κ, κl ≤ y ≤ κu; w = y / κ |
//!
//! The last is Cornuejols and Tütüncü (2007), "Optimization methods in finance", section 8.2.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT, ZeroConeT,
};

use super::bounds::Limits;
use super::evaluate::{portfolio, riskless_below};
use super::two_fund::TwoFund;
use super::{Frontier, FrontierOptions, Portfolio};
use crate::covariance::Covariance;
use crate::error::FinanceError;

/// The programs of one estimate and its bounds.
#[derive(Debug, Clone)]
pub struct Exact<'a> {
    estimate: &'a Covariance,
    limits: Limits,
    rf: f64,
    floor: f64,
    /// The covariance by its average variance: tolerances are those of numbers near 1.
    scaled: CscMatrix<f64>,
}

/// The exact frontier beside one that was found, and how far apart they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactFrontier {
    /// The portfolio of least volatility.
    pub min_volatility: Portfolio,
    /// The portfolio of largest Sharpe ratio; none where no portfolio returns more than the riskless rate.
    pub max_sharpe: Option<Portfolio>,
    /// The least volatility from the returns of points of the edge on, in the same order: of all of them, or of evenly chosen
    /// ones where there are more than 300 assets.
    pub curve: Vec<Portfolio>,
    /// The frontier without bounds; none where the covariance is singular.
    pub unbounded: Option<TwoFund>,
    /// How far what was found is from it.
    pub distance: Distance,
}

/// How far a frontier that was found is from the exact one, relatively. NaN where there is nothing to compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// By how much its least volatility is larger.
    pub min_volatility: f64,
    /// By how much its largest Sharpe ratio is smaller.
    pub max_sharpe: f64,
    /// By how much the volatility of a point of its edge is larger at the same return: the largest of them all.
    pub edge: f64,
}

impl<'a> Exact<'a> {
    /// The programs of `estimate` within the bounds of `options`.
    ///
    /// # Errors
    /// Bounds that are none.
    pub fn new(estimate: &'a Covariance, options: &FrontierOptions) -> Result<Self, FinanceError> {
        let assets = estimate.assets.len();
        let trace: f64 = (0..assets).map(|asset| estimate.at(asset, asset)).sum();
        let scale = if trace > 0.0 { assets as f64 / trace } else { 1.0 };
        Ok(Exact {
            limits: options.limits(&estimate.assets)?,
            rf: options.rf,
            floor: riskless_below::<f64>(estimate),
            scaled: upper_triangle(estimate, scale),
            estimate,
        })
    }

    /// The portfolio of least volatility.
    ///
    /// # Errors
    /// [`FinanceError::NotSolved`].
    pub fn min_volatility(&self) -> Result<Portfolio, FinanceError> {
        self.least("least volatility", None)
    }

    /// The portfolio of least volatility of those that return `ret` or more; of a return that is too large the largest.
    ///
    /// # Errors
    /// [`FinanceError::NotSolved`].
    pub fn at_return(&self, ret: f64) -> Result<Portfolio, FinanceError> {
        let mean = &self.estimate.mean;
        let highest = self.limits.largest_return(mean);
        let spread = mean.iter().fold(0.0, |spread: f64, mean| spread.max((highest - mean).abs()));
        // At its end the frontier is a single portfolio, which has no interior.
        match ret >= highest - 1e-9 * spread {
            true => Ok(self.portfolio(&self.limits.best_return(mean))),
            false => self.least("least volatility at a return", Some(ret)),
        }
    }

    fn least(&self, problem: &'static str, ret: Option<f64>) -> Result<Portfolio, FinanceError> {
        let assets = self.estimate.assets.len();
        let mut rows = Rows::new(assets);
        rows.equal((0..assets).map(|asset| (asset, 1.0)), 1.0);
        let budget = self.limits.budget();
        for (asset, (&lower, &upper)) in self.limits.lower.iter().zip(&self.limits.upper).enumerate() {
            rows.at_most([(asset, -1.0)], -lower);
            // A bound that the others imply is left out.
            if upper - lower < budget {
                rows.at_most([(asset, 1.0)], upper);
            }
        }
        if let Some(ret) = ret {
            let mean = &self.estimate.mean;
            let scale = 1.0 / mean.iter().fold(f64::MIN_POSITIVE, |scale: f64, mean| scale.max(mean.abs()));
            rows.at_most(mean.iter().map(|mean| -mean * scale).enumerate(), -ret * scale);
        }
        Ok(self.portfolio(&rows.solve(&self.scaled, problem)?))
    }

    /// The portfolio of largest Sharpe ratio; none where no portfolio returns more than the riskless rate.
    ///
    /// # Errors
    /// [`FinanceError::NotSolved`].
    pub fn max_sharpe(&self) -> Result<Option<Portfolio>, FinanceError> {
        let (mean, assets) = (&self.estimate.mean, self.estimate.assets.len());
        let most = self.limits.largest_return(mean) - self.rf;
        if most <= 0.0 {
            return Ok(None);
        }
        let mut rows = Rows::new(assets + 1);
        rows.equal(mean.iter().map(|mean| (mean - self.rf) / most).enumerate(), 1.0);
        rows.equal((0..assets).map(|asset| (asset, 1.0)).chain([(assets, -1.0)]), 0.0);
        for (asset, (&lower, &upper)) in self.limits.lower.iter().zip(&self.limits.upper).enumerate() {
            rows.at_most([(asset, -1.0), (assets, lower)], 0.0);
            rows.at_most([(asset, 1.0), (assets, -upper)], 0.0);
        }
        rows.at_most([(assets, -1.0)], 0.0);
        let mut scaled = self.scaled.clone();
        // The sum of the weights has no variance of its own.
        scaled.colptr.push(scaled.nzval.len());
        (scaled.m, scaled.n) = (assets + 1, assets + 1);
        let mut solution = rows.solve(&scaled, "largest Sharpe ratio")?;
        let sum = solution.pop().expect("there is a sum beside the weights");
        let weights: Vec<f64> = solution.into_iter().map(|weight| weight / sum).collect();
        Ok(Some(self.portfolio(&weights)))
    }

    fn portfolio(&self, weights: &[f64]) -> Portfolio {
        portfolio(self.limits.settle(weights), self.estimate, self.rf, self.floor)
    }
}

/// The exact frontier at the returns of what was found, with the distance between them. On the host in f64: a program of about
/// n³ operations an iteration for each point of the curve of n assets, a millisecond for 20 assets and seconds for 500.
///
/// # Errors
/// [`FinanceError::NotSolved`], and bounds that are none.
pub fn exact(found: &Frontier, options: &FrontierOptions) -> Result<ExactFrontier, FinanceError> {
    let programs = Exact::new(&found.estimate, options)?;
    let (min_volatility, max_sharpe) = (programs.min_volatility()?, programs.max_sharpe()?);
    let chosen: Vec<&Portfolio> = evenly(&found.edge, most_points(found.assets.len())).collect();
    let at = |point: &&Portfolio| programs.at_return(point.point.ret);
    let curve = chosen.iter().map(at).collect::<Result<Vec<_>, _>>()?;
    let above = |found: &Portfolio, exact: &Portfolio| match exact.riskless {
        true => f64::NAN,
        false => found.point.volatility / exact.point.volatility - 1.0,
    };
    let edge = chosen.iter().zip(&curve).map(|(found, exact)| above(found, exact));
    let distance = Distance {
        min_volatility: above(&found.min_volatility, &min_volatility),
        max_sharpe: max_sharpe
            .as_ref()
            .map_or(f64::NAN, |best| 1.0 - found.max_sharpe.point.sharpe / best.point.sharpe),
        edge: edge.filter(|distance| !distance.is_nan()).fold(f64::NAN, f64::max),
    };
    let unbounded = TwoFund::new(&found.estimate, options.rf);
    Ok(ExactFrontier { min_volatility, max_sharpe, curve, unbounded, distance })
}

/// Operations of all points of a curve together, an iteration.
const CURVE_WORK: f64 = 6e8;

/// Points of the curve of so many assets at most.
fn most_points(assets: usize) -> usize {
    ((CURVE_WORK / (assets as f64).powi(3)) as usize).max(3)
}

/// At most `most` of the items, evenly chosen, the first and the last among them.
fn evenly<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = items.len().min(most);
    (0..count).map(move |place| &items[place * (items.len() - 1) / (count - 1).max(1)])
}

/// The upper triangle of the covariance times `scale`, column after column.
fn upper_triangle(estimate: &Covariance, scale: f64) -> CscMatrix<f64> {
    let assets = estimate.assets.len();
    let entries = (0..assets).flat_map(|column| (0..=column).map(move |row| (row, column)));
    CscMatrix::new(
        assets,
        assets,
        (0..=assets).map(|column| column * (column + 1) / 2).collect(),
        (0..assets).flat_map(|column| 0..=column).collect(),
        entries.map(|(row, column)| estimate.at(row, column) * scale).collect(),
    )
}

/// Linear constraints, as they are added.
struct Rows {
    variables: usize,
    equal: Vec<(Vec<(usize, f64)>, f64)>,
    at_most: Vec<(Vec<(usize, f64)>, f64)>,
}

impl Rows {
    fn new(variables: usize) -> Self {
        Rows { variables, equal: Vec::new(), at_most: Vec::new() }
    }

    fn equal(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, right: f64) {
        self.equal.push((terms.into_iter().collect(), right));
    }

    fn at_most(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, right: f64) {
        self.at_most.push((terms.into_iter().collect(), right));
    }

    /// The variables of least `½ xᵀPx`.
    fn solve(&self, quadratic: &CscMatrix<f64>, problem: &'static str) -> Result<Vec<f64>, FinanceError> {
        let rows: Vec<_> = self.equal.iter().chain(&self.at_most).collect();
        let (mut row_of, mut column_of, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (row, (terms, _)) in rows.iter().enumerate() {
            for &(column, value) in terms {
                row_of.push(row);
                column_of.push(column);
                values.push(value);
            }
        }
        let linear = CscMatrix::new_from_triplets(rows.len(), self.variables, row_of, column_of, values);
        let right: Vec<f64> = rows.iter().map(|(_, right)| *right).collect();
        let cones: [SupportedConeT<f64>; 2] = [ZeroConeT(self.equal.len()), NonnegativeConeT(self.at_most.len())];
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            ..DefaultSettings::default()
        };
        let none = vec![0.0; self.variables];
        let mut solver = DefaultSolver::new(quadratic, &none, &linear, &right, &cones, settings)
            .map_err(|_| FinanceError::NotSolved { problem })?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(solver.solution.x),
            _ => Err(FinanceError::NotSolved { problem }),
        }
    }
}

/// How exact solutions are, of numbers near 1.
const TOLERANCE: f64 = 1e-10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::Bound;

    /// O23: three assets of Zivot's course, monthly.
    fn zivot() -> Covariance {
        Covariance {
            assets: ["MSFT", "NORD", "SBUX"].map(str::to_owned).to_vec(),
            periods: 60,
            ddof: 1,
            mean: vec![0.0427, 0.0015, 0.0285],
            covariance: vec![0.0100, 0.0018, 0.0011, 0.0018, 0.0109, 0.0026, 0.0011, 0.0026, 0.0199],
            shrinkage: 0.0,
        }
    }

    fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
        let near = got.iter().zip(expected).all(|(left, right)| (left - right).abs() <= tolerance);
        assert!(near && got.len() == expected.len(), "{got:?} is not {expected:?}");
    }

    #[test]
    fn the_published_portfolios_come_out() {
        let estimate = zivot();
        let options = FrontierOptions { rf: 0.005, periods_per_year: 1.0, ..FrontierOptions::default() };
        let closed = TwoFund::new(&estimate, 0.005).unwrap();
        assert_near(&closed.min_volatility.weights, &[0.4411, 0.3656, 0.1933], 1e-4);
        let point = closed.min_volatility.point;
        assert_near(&[point.ret, point.volatility], &[0.02489184, 0.07267607], 1e-8);
        let tangency = closed.max_sharpe.unwrap();
        assert_near(&tangency.weights, &[1.0268, -0.3263, 0.2994], 1e-4);
        let point = tangency.point;
        assert_near(&[point.ret, point.volatility, point.sharpe], &[0.0518897, 0.1115816, 0.4202277], 1e-7);
        // The calmest portfolio is long only anyway.
        let bounded = Exact::new(&estimate, &options).unwrap();
        assert_near(&bounded.min_volatility().unwrap().weights, &closed.min_volatility.weights, 1e-6);
        let best = bounded.max_sharpe().unwrap().unwrap();
        assert_near(&best.weights, &[0.79, 0.0, 0.21], 0.01);
        assert_near(&[best.point.sharpe], &[0.40133], 1e-5);
        // With room for its short position the bounded program finds the tangency portfolio.
        let bound = |asset: &str| Bound { asset: asset.to_owned(), lower: -2.0, upper: 2.0 };
        let bounds = ["MSFT", "NORD", "SBUX"].map(bound).to_vec();
        let wide = FrontierOptions { short: true, bounds, ..options };
        let wide = Exact::new(&estimate, &wide).unwrap().max_sharpe().unwrap().unwrap();
        assert_near(&wide.weights, &tangency.weights, 1e-6);
    }

    #[test]
    fn the_curve_is_the_closed_one_where_no_bound_holds() {
        let estimate = zivot();
        let options = FrontierOptions { rf: 0.005, ..FrontierOptions::default() };
        let (bounded, closed) = (Exact::new(&estimate, &options).unwrap(), TwoFund::new(&estimate, 0.005).unwrap());
        for ret in [0.026, 0.03, 0.033] {
            let found = bounded.at_return(ret).unwrap().point;
            assert_near(&[found.ret, found.volatility], &[ret, closed.volatility(ret)], 1e-7);
        }
        // Further up the second asset would be owed: the bounded curve leaves it.
        let far = bounded.at_return(0.041).unwrap().point;
        assert!(far.volatility > closed.volatility(0.041) * 1.001, "{far:?}");
        for ret in [0.0427, 0.5] {
            assert_near(&bounded.at_return(ret).unwrap().weights, &[1.0, 0.0, 0.0], 1e-12);
        }
        assert_near(&[bounded.at_return(-1.0).unwrap().point.volatility], &[0.07267607], 1e-8);
    }

    #[test]
    fn curves_of_many_assets_have_few_points() {
        let chosen = |count: usize, most| evenly(&(0..count).collect::<Vec<_>>(), most).copied().collect::<Vec<_>>();
        assert_eq!(chosen(20, 4), [0, 6, 12, 19]);
        assert_eq!(chosen(3, 4), [0, 1, 2]);
        assert_eq!((chosen(1, 3), chosen(0, 3)), (vec![0], vec![]));
        assert_eq!((most_points(300), most_points(500), most_points(5000)), (22, 4, 3));
    }

    #[test]
    fn bounds_hold_and_a_rate_that_nothing_is_above_has_no_ratio() {
        let estimate = zivot();
        let bounds = vec![
            Bound { asset: "MSFT".to_owned(), lower: 0.0, upper: 0.3 },
            Bound { asset: "SBUX".to_owned(), lower: 0.25, upper: f64::NAN },
        ];
        let options = FrontierOptions { rf: 0.005, bounds, ..FrontierOptions::default() };
        let bounded = Exact::new(&estimate, &options).unwrap();
        assert_near(&bounded.min_volatility().unwrap().weights, &[0.3, 0.45, 0.25], 1e-6);
        let best = bounded.max_sharpe().unwrap().unwrap();
        assert!(best.weights[0] <= 0.3 && best.weights[2] >= 0.25, "{best:?}");
        let rate = FrontierOptions { rf: 0.0427, ..FrontierOptions::default() };
        assert!(Exact::new(&estimate, &rate).unwrap().max_sharpe().unwrap().is_none());
    }

    #[test]
    fn equal_and_riskless_assets_have_exact_portfolios_too() {
        let twins = Covariance {
            assets: ["A", "B"].map(str::to_owned).to_vec(),
            mean: vec![0.1, 0.1],
            covariance: vec![0.04; 4],
            ..zivot()
        };
        let found = Exact::new(&twins, &FrontierOptions::default()).unwrap();
        assert_near(&[found.min_volatility().unwrap().point.volatility], &[0.2], 1e-9);
        assert_near(&[found.max_sharpe().unwrap().unwrap().point.sharpe], &[0.4], 1e-8);
        let cash = Covariance { covariance: vec![0.0; 4], ..twins };
        let found = Exact::new(&cash, &FrontierOptions::default()).unwrap().min_volatility().unwrap();
        assert!(found.riskless && found.point.sharpe.is_nan(), "{found:?}");
    }
}
