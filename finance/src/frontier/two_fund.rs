//! The frontier without bounds, in closed form.
//!
//! Merton (1972), "An analytic derivation of the efficient portfolio frontier". With `a = 1ᵀΣ⁻¹1`, `b = 1ᵀΣ⁻¹μ` and
//! `c = μᵀΣ⁻¹μ`, the least variance of all portfolios that sum to 1 and return `r` is
//!
//! ```text
//! σ²(r) = (a r² − 2 b r + c) / (a c − b²)
//! ```
//!
//! All of them are mixtures of two: `Σ⁻¹1 / a`, the calmest of all, and `Σ⁻¹(μ − rf 1) / (b − a rf)`, of the largest Sharpe
//! ratio where the calmest returns more than `rf`.

use nalgebra::{DMatrix, DVector};

use super::Portfolio;
use super::evaluate::{dot, portfolio, riskless_below};
use crate::covariance::Covariance;

/// The frontier of all portfolios that sum to 1, whatever they hold or owe of each asset.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoFund {
    /// The portfolio of least volatility.
    pub min_volatility: Portfolio,
    /// The portfolio of largest Sharpe ratio; none where `min_volatility` does not return more than `rf`.
    pub max_sharpe: Option<Portfolio>,
    a: f64,
    b: f64,
    c: f64,
}

impl TwoFund {
    /// Solves for the two portfolios. None where the covariance is singular, but for the rounding of f32: then a portfolio has
    /// no risk, or two assets are one.
    ///
    /// Work n³ / 3 for n assets, on the host in f64.
    pub fn new(estimate: &Covariance, rf: f64) -> Option<Self> {
        let assets = estimate.assets.len();
        let factor = DMatrix::from_row_slice(assets, assets, &estimate.covariance).cholesky()?;
        let largest = (0..assets).map(|asset| estimate.at(asset, asset)).fold(0.0, f64::max);
        let lower = factor.l_dirty();
        let pivots = (0..assets).map(|asset| lower[(asset, asset)].powi(2));
        if pivots.fold(f64::INFINITY, f64::min) <= f64::from(f32::EPSILON) * largest {
            return None;
        }
        let solve = |right: &[f64]| factor.solve(&DVector::from_column_slice(right)).as_slice().to_vec();
        let ones = vec![1.0; assets];
        let (of_ones, of_means) = (solve(&ones), solve(&estimate.mean));
        let (a, b, c) = (dot(&ones, &of_ones), dot(&ones, &of_means), dot(&estimate.mean, &of_means));
        let floor = riskless_below::<f64>(estimate);
        let whole = |weights: Vec<f64>, sum: f64| {
            let weights = weights.into_iter().map(|weight| weight / sum).collect();
            portfolio(weights, estimate, rf, floor)
        };
        let excess = of_means.iter().zip(&of_ones).map(|(mean, one)| mean - rf * one).collect();
        let max_sharpe = (b > a * rf).then(|| whole(excess, b - a * rf));
        Some(TwoFund { min_volatility: whole(of_ones, a), max_sharpe, a, b, c })
    }

    /// The least volatility of a portfolio that returns `ret`; NaN where all assets return the same, and so do portfolios.
    pub fn volatility(&self, ret: f64) -> f64 {
        let apart = self.a * self.c - self.b * self.b;
        match apart > f64::EPSILON * self.a * self.c {
            true => ((self.a * ret * ret - 2.0 * self.b * ret + self.c) / apart).sqrt(),
            false => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: &[f64], covariance: &[f64]) -> Covariance {
        Covariance {
            assets: (0..mean.len()).map(|asset| asset.to_string()).collect(),
            periods: 60,
            ddof: 1,
            mean: mean.to_vec(),
            covariance: covariance.to_vec(),
            shrinkage: 0.0,
        }
    }

    #[test]
    fn two_assets_without_correlation_are_held_by_their_inverse_variances() {
        let found = TwoFund::new(&estimate(&[0.1, 0.2], &[0.01, 0.0, 0.0, 0.04]), 0.0).unwrap();
        let near =
            |got: &[f64], expected: &[f64]| got.iter().zip(expected).all(|(left, right)| (left - right).abs() < 1e-14);
        assert!(near(&found.min_volatility.weights, &[0.8, 0.2]));
        assert!(near(&found.max_sharpe.unwrap().weights, &[2.0 / 3.0, 1.0 / 3.0]));
        let even = f64::sqrt(0.25 * 0.05);
        let curve = TwoFund::new(&estimate(&[0.1, 0.2], &[0.01, 0.0, 0.0, 0.04]), 0.0).unwrap();
        assert!(near(&[curve.volatility(0.15), curve.volatility(0.1)], &[even, 0.1]));
    }

    #[test]
    fn a_rate_above_the_calmest_return_has_no_best_ratio() {
        let found = TwoFund::new(&estimate(&[0.1, 0.2], &[0.01, 0.0, 0.0, 0.04]), 0.12).unwrap();
        assert!(found.max_sharpe.is_none(), "the calmest returns 0.12");
    }

    #[test]
    fn singular_covariances_have_no_closed_form() {
        for singular in [[0.04, 0.04, 0.04, 0.04], [0.0, 0.0, 0.0, 0.04], [0.01, 0.02, 0.02, 0.01]] {
            assert!(TwoFund::new(&estimate(&[0.1, 0.2], &singular), 0.0).is_none(), "{singular:?}");
        }
    }

    #[test]
    fn equal_means_have_a_calmest_portfolio_and_no_curve() {
        let found = TwoFund::new(&estimate(&[0.1, 0.1], &[0.01, 0.0, 0.0, 0.04]), 0.0).unwrap();
        assert!((found.min_volatility.weights[0] - 0.8).abs() < 1e-14);
        assert!(found.volatility(0.1).is_nan());
    }
}
