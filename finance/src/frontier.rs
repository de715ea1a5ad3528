//! The efficient frontier as the edge of a cloud of random portfolios.
//!
//! A portfolio with weights `w` (each ≥ 0, summing to 1) has the return `wᵀm`, the volatility `sd =
//! √max(0, wᵀ·Sigma·w)` and the Sharpe ratio `(wᵀm − rf) / sd`, all per year. A portfolio whose
//! risk is nothing but rounding is *riskless*: its ratio is NaN and flagged, and it never wins as
//! the best one.

use crate::covariance::CovarianceOptions;
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
        FrontierOptions {
            portfolios: 50_000,
            rf: 0.02,
            periods_per_year: 252.0,
            seed: 1,
        }
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
        CovarianceOptions {
            ddof: 1,
            periods_per_year: self.periods_per_year,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_portfolio_is_accepted_and_none_is_refused() {
        let with = |portfolios| FrontierOptions {
            portfolios,
            ..FrontierOptions::default()
        };
        assert!(with(1).check(2).is_ok());
        assert!(matches!(
            with(0).check(2),
            Err(FinanceError::Zero { name: "portfolios" })
        ));
    }

    #[test]
    fn two_periods_are_accepted_and_one_is_refused() {
        let options = FrontierOptions::default();
        assert!(options.check(2).is_ok());
        assert!(matches!(
            options.check(1),
            Err(FinanceError::DdofTooLarge {
                ddof: 1,
                periods: 1
            })
        ));
    }

    #[test]
    fn rf_and_periods_per_year_are_checked() {
        for rf in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let options = FrontierOptions {
                rf,
                ..FrontierOptions::default()
            };
            assert!(matches!(
                options.check(9),
                Err(FinanceError::NotFinite { name: "rf", .. })
            ));
        }
        assert!(
            FrontierOptions {
                rf: -0.5,
                ..FrontierOptions::default()
            }
            .check(9)
            .is_ok()
        );
        for periods_per_year in [0.0, -1.0, f64::NAN] {
            assert!(
                FrontierOptions {
                    periods_per_year,
                    ..FrontierOptions::default()
                }
                .check(9)
                .is_err()
            );
        }
    }

    #[test]
    fn riskless_points_are_equal_to_themselves() {
        let point = Point {
            ret: 0.02,
            volatility: 0.0,
            sharpe: f64::NAN,
        };
        assert_eq!(point, point);
        assert_ne!(
            point,
            Point {
                sharpe: 0.0,
                ..point
            }
        );
    }
}
