//! What a frontier is asked to be.

use super::bounds::{Bound, Limits};
use crate::covariance::CovarianceOptions;
use crate::data::Table;
use crate::error::{FinanceError, at_least_one, finite};

/// How the weights of the plain cloud are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sampler {
    /// The Dirichlet distribution with all parameters `alpha`, from 0.001 to 1000: 1 is uniform over all portfolios, smaller
    /// ones hold few assets, larger ones nearly the same of each. One portfolio in eight is an asset alone as long as there
    /// are more assets, and one in eight holds two.
    Dirichlet {
        /// All parameters.
        alpha: f64,
    },
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler::Dirichlet { alpha: 0.5 }
    }
}

/// What the search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// The least volatility, the largest Sharpe ratio, and the edge between.
    #[default]
    Both,
    /// The least volatility and the edge, also where no portfolio returns more than the riskless rate. The largest ratio is
    /// only that of the cloud then, below 0 as all others are.
    MinVolatility,
}

/// A point of the frontier that is named by one of its coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The least volatility of those that return at least this a year.
    Return(f64),
    /// The largest return of those whose volatility a year is at most this.
    Volatility(f64),
}

/// How many portfolios are drawn, how, within which bounds, and against which rate.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontierOptions {
    /// Portfolios evaluated in all rounds together, at least 1.
    pub portfolios: u32,
    /// Riskless rate a year, in the units of the returns: 0.02 is 2 %.
    pub rf: f64,
    /// Periods in a year: 252 for trading days.
    pub periods_per_year: f64,
    /// Names the stream of random weights.
    pub seed: u64,
    /// How the weights of the plain cloud are drawn.
    pub sampler: Sampler,
    /// Rounds at most, at least 1: the plain cloud, and then others around the best. What rounds do not need, or are too few
    /// portfolios for, is drawn plainly.
    pub rounds: u32,
    /// Points of the edge at most, from 1 to 1000.
    pub points: u32,
    /// Whether weights may be below 0: from −1 to 1, unless they have a bound.
    pub short: bool,
    /// Bounds of some assets; the others weigh from 0 (−1 with `short`) to 1.
    pub bounds: Vec<Bound>,
    /// Points of the frontier to be named beside the two best.
    pub targets: Vec<Target>,
    /// What the search is for.
    pub objective: Objective,
}

impl Default for FrontierOptions {
    fn default() -> Self {
        FrontierOptions {
            portfolios: 50_000,
            rf: 0.02,
            periods_per_year: 252.0,
            seed: 1,
            sampler: Sampler::default(),
            rounds: 8,
            points: 20,
            short: false,
            bounds: Vec::new(),
            targets: Vec::new(),
            objective: Objective::Both,
        }
    }
}

/// The range of alpha in which Gamma draws in f32 are those of their distribution.
const ALPHA: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// The most points of an edge.
const MOST_POINTS: u32 = 1000;

impl FrontierOptions {
    /// Accepts options for so many rows of returns; there must be two at least, as the divisor is
    /// `n − 1`.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no portfolios, rounds or points, [`FinanceError::NotFinite`] for `rf` or a target,
    /// [`FinanceError::OutOfRange`] for alpha or points, and those of [`CovarianceOptions::check`].
    pub fn check(&self, periods: usize) -> Result<(), FinanceError> {
        at_least_one("portfolios", u64::from(self.portfolios))?;
        at_least_one("rounds", u64::from(self.rounds))?;
        at_least_one("points", u64::from(self.points))?;
        finite("rf", self.rf)?;
        let Sampler::Dirichlet { alpha } = self.sampler;
        finite("alpha", alpha)?;
        let out = |name, value, range| Err(FinanceError::OutOfRange { name, value, range });
        if !ALPHA.contains(&alpha) {
            return out("alpha", alpha, "from 0.001 to 1000");
        }
        if self.points > MOST_POINTS {
            return out("the number of points", self.points.into(), "at most 1000");
        }
        for target in &self.targets {
            match *target {
                Target::Return(ret) => finite("a target return", ret)?,
                Target::Volatility(volatility) => crate::error::positive("a target volatility", volatility)?,
            }
        }
        self.covariance().check(periods)
    }

    /// Accepts options for these returns: what [`check`](Self::check) does, bounds that leave a portfolio, and a riskless rate
    /// that one returns more than. Reads every value once, on the host, before a device is chosen.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); those of bounds that are none; [`FinanceError::NothingAboveRate`].
    pub fn check_returns(&self, returns: &Table) -> Result<(), FinanceError> {
        let complete = returns.complete_rows();
        self.check(complete.rows())?;
        let limits = self.limits(&complete.columns)?;
        let scale = self.periods_per_year / complete.rows() as f64;
        let mean: Vec<f64> =
            (0..complete.width()).map(|asset| complete.column(asset).iter().sum::<f64>() * scale).collect();
        self.check_rate(&mean, &limits)
    }

    /// Refuses a search for the largest ratio where all are below 0.
    pub(super) fn check_rate(&self, mean: &[f64], limits: &Limits) -> Result<(), FinanceError> {
        let best = limits.largest_return(mean);
        match self.objective {
            Objective::Both if best <= self.rf => Err(FinanceError::NothingAboveRate { rf: self.rf, best }),
            _ => Ok(()),
        }
    }

    /// The options of the covariance beneath: ddof 1, the same periods per year.
    pub fn covariance(&self) -> CovarianceOptions {
        CovarianceOptions { periods_per_year: self.periods_per_year, ..CovarianceOptions::default() }
    }

    pub(super) fn limits(&self, assets: &[String]) -> Result<Limits, FinanceError> {
        Limits::new(assets, &self.bounds, self.short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_everything_is_accepted_and_none_is_refused() {
        type Change = fn(u32) -> FrontierOptions;
        let changes: [(&str, Change); 3] = [
            ("portfolios", |portfolios| FrontierOptions { portfolios, ..FrontierOptions::default() }),
            ("rounds", |rounds| FrontierOptions { rounds, ..FrontierOptions::default() }),
            ("points", |points| FrontierOptions { points, ..FrontierOptions::default() }),
        ];
        for (what, with) in changes {
            assert!(with(1).check(2).is_ok(), "{what}");
            assert!(matches!(with(0).check(2), Err(FinanceError::Zero { name }) if name == what), "{what}");
        }
        let points = |points| FrontierOptions { points, ..FrontierOptions::default() };
        assert!(points(1000).check(2).is_ok());
        assert!(matches!(points(1001).check(2), Err(FinanceError::OutOfRange { .. })));
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
    fn alpha_and_targets_have_their_ranges() {
        let with = |alpha| {
            let sampler = Sampler::Dirichlet { alpha };
            FrontierOptions { sampler, ..FrontierOptions::default() }.check(9)
        };
        assert!(with(0.001).is_ok() && with(1000.0).is_ok());
        for alpha in [0.000_999, 1000.1, 0.0, -1.0] {
            assert!(matches!(with(alpha), Err(FinanceError::OutOfRange { name: "alpha", .. })), "{alpha}");
        }
        assert!(matches!(with(f64::NAN), Err(FinanceError::NotFinite { name: "alpha", .. })));
        let aimed = |target| FrontierOptions { targets: vec![target], ..FrontierOptions::default() }.check(9);
        assert!(aimed(Target::Return(-0.1)).is_ok() && aimed(Target::Volatility(0.1)).is_ok());
        assert!(aimed(Target::Return(f64::NAN)).is_err() && aimed(Target::Volatility(0.0)).is_err());
    }

    #[test]
    fn a_rate_that_nothing_is_above_is_refused_unless_the_ratio_is_not_asked_for() {
        let index = ["1", "2"].map(str::to_owned).to_vec();
        let returns =
            Table::new("day".into(), index, vec!["A".into(), "B".into()], vec![0.01, 0.02, 0.03, 0.0]).unwrap();
        let with = |rf| FrontierOptions { rf, periods_per_year: 1.0, ..FrontierOptions::default() };
        assert!(with(0.0199).check_returns(&returns).is_ok());
        for rf in [0.02, 0.5] {
            let refused = with(rf).check_returns(&returns);
            assert!(matches!(refused, Err(FinanceError::NothingAboveRate { best, .. }) if (best - 0.02).abs() < 1e-15));
            let calm = FrontierOptions { objective: Objective::MinVolatility, ..with(rf) };
            assert!(calm.check_returns(&returns).is_ok());
            // What is sold short pays for more of the other.
            let bounds = vec![Bound { asset: "A".into(), lower: 0.0, upper: 2.0 }];
            let short = FrontierOptions { short: true, bounds, ..with(rf) };
            assert_eq!(short.check_returns(&returns).is_ok(), rf < 0.03, "{rf}");
        }
    }
}
