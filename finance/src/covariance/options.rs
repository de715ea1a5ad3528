//! What a covariance is asked to be.

use crate::error::{FinanceError, positive};

/// Which rows count where values are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deletion {
    /// Rows in which every asset has a value: the matrix is positive semidefinite.
    #[default]
    Complete,
    /// For each pair of assets the rows in which both have one, as in pandas. The matrix need not be positive semidefinite:
    /// look at its smallest eigenvalue. NaN for a pair with no more rows than `ddof`.
    Pairwise,
}

/// Towards what the estimate is pulled: the average variance on the diagonal, nothing beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shrinkage {
    /// Nothing.
    #[default]
    None,
    /// As far as Ledoit and Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices".
    LedoitWolf,
    /// As far as the oracle-approximating estimator: Chen, Wiesel, Eldar and Hero (2010), "Shrinkage algorithms for MMSE
    /// covariance estimation".
    Oas,
}

/// Divisor, scale, weights and shrinkage of a covariance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CovarianceOptions {
    /// Degrees of freedom taken off the divisor; 1 is unbiased, 0 the population's.
    pub ddof: u32,
    /// Periods in a year: 252 for trading days, 12 for months, 1 to leave the figures as they are.
    pub periods_per_year: f64,
    /// Rows after which a row's weight is halved, counted back from the last one; none for equal weights.
    pub half_life: Option<f64>,
    /// Which rows count.
    pub missing: Deletion,
    /// Towards what the estimate is pulled; only equally weighted complete rows say how far.
    pub shrinkage: Shrinkage,
}

impl Default for CovarianceOptions {
    fn default() -> Self {
        CovarianceOptions {
            ddof: 1,
            periods_per_year: 252.0,
            half_life: None,
            missing: Deletion::Complete,
            shrinkage: Shrinkage::None,
        }
    }
}

impl CovarianceOptions {
    /// Accepts options for so many rows of returns.
    ///
    /// # Errors
    /// [`FinanceError::DdofTooLarge`] unless `ddof < periods`; [`FinanceError::NotFinite`] or
    /// [`FinanceError::OutOfRange`] unless `periods_per_year` and the half-life are finite and above 0;
    /// [`FinanceError::Combination`] for shrinkage of weighted or pairwise rows, and for pairwise rows that are weighted.
    pub fn check(&self, periods: usize) -> Result<(), FinanceError> {
        positive("periods-per-year", self.periods_per_year)?;
        if let Some(half_life) = self.half_life {
            positive("half-life", half_life)?;
        }
        self.check_weighted(self.half_life.map(|_| "a half-life"))?;
        let ddof = self.ddof;
        match usize::try_from(ddof).is_ok_and(|ddof| ddof < periods) {
            true => Ok(()),
            false => Err(FinanceError::DdofTooLarge { ddof, periods }),
        }
    }

    /// Refuses what does not go with rows weighted by `weights`, if they are.
    pub(super) fn check_weighted(&self, weights: Option<&'static str>) -> Result<(), FinanceError> {
        let refuse = |what, with| Err(FinanceError::Combination { what, with });
        match (self.shrinkage, self.missing, weights) {
            (Shrinkage::LedoitWolf | Shrinkage::Oas, Deletion::Pairwise, _) => refuse("shrinkage", "pairwise rows"),
            (Shrinkage::LedoitWolf | Shrinkage::Oas, _, Some(weights)) => refuse("shrinkage", weights),
            (_, Deletion::Pairwise, Some(weights)) => refuse("pairwise rows", weights),
            _ => Ok(()),
        }
    }
}

/// A weight for each row of the returns, as numpy's `cov` takes them; both kinds multiply.
///
/// Of `n` rows with `w = frequency · analytic` and `W = Σ w`, the divisor is `W − ddof · Σ (w · analytic) / W`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowWeights {
    /// How often each row was seen; none for once.
    pub frequency: Option<Vec<u32>>,
    /// How much each row counts, on any scale: an inverse variance, say; none for equal.
    pub analytic: Option<Vec<f64>>,
}

impl RowWeights {
    /// Weights that halve every `half_life` rows from the last one back.
    ///
    /// # Errors
    /// [`FinanceError::NotFinite`] or [`FinanceError::OutOfRange`] unless the half-life is finite and above 0.
    pub fn halving(half_life: f64, rows: usize) -> Result<Self, FinanceError> {
        positive("half-life", half_life)?;
        let weight = |row: usize| (-((rows - 1 - row) as f64) / half_life).exp2();
        Ok(RowWeights { frequency: None, analytic: Some((0..rows).map(weight).collect()) })
    }

    /// Refuses anything but one weight for each of `rows` rows, finite and not below 0.
    pub(super) fn check(&self, rows: usize) -> Result<(), FinanceError> {
        let lengths = [self.frequency.as_ref().map(Vec::len), self.analytic.as_ref().map(Vec::len)];
        if let Some(weights) = lengths.into_iter().flatten().find(|&weights| weights != rows) {
            return Err(FinanceError::WeightCount { weights, rows });
        }
        let name = "an analytic weight";
        for &value in self.analytic.iter().flatten() {
            match value {
                value if !value.is_finite() => return Err(FinanceError::NotFinite { name, value }),
                value if value < 0.0 => return Err(FinanceError::Negative { name, value }),
                _ => (),
            }
        }
        Ok(())
    }

    /// Both kinds of some rows, the analytic one as part of the largest.
    pub(super) fn of_rows(&self, rows: impl Iterator<Item = usize> + Clone) -> Vec<(f64, f64)> {
        let analytic = |row: usize| self.analytic.as_ref().map_or(1.0, |weights| weights[row]);
        let largest = rows.clone().map(analytic).fold(0.0, f64::max);
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let frequency = |row: usize| self.frequency.as_ref().map_or(1.0, |counts| f64::from(counts[row]));
        rows.map(|row| (frequency(row), analytic(row) / scale)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ddof_must_be_below_the_number_of_periods() {
        let with = |ddof| CovarianceOptions { ddof, ..CovarianceOptions::default() };
        for (ddof, periods) in [(0, 1), (1, 2), (4, 5), (u32::MAX, u32::MAX as usize + 1)] {
            assert!(with(ddof).check(periods).is_ok(), "{ddof} of {periods}");
        }
        for (ddof, periods) in [(0, 0), (1, 0), (1, 1), (5, 5), (6, 5), (u32::MAX, 1257)] {
            match with(ddof).check(periods).unwrap_err() {
                FinanceError::DdofTooLarge { ddof: d, periods: p } => {
                    assert_eq!((d, p), (ddof, periods));
                }
                error => panic!("{error}"),
            }
        }
    }

    #[test]
    fn periods_per_year_and_half_life_must_be_finite_and_above_zero() {
        let year = |periods_per_year| CovarianceOptions { periods_per_year, ..CovarianceOptions::default() };
        let half = |half_life| CovarianceOptions { half_life: Some(half_life), ..CovarianceOptions::default() };
        for with in [&year as &dyn Fn(f64) -> CovarianceOptions, &half] {
            for accepted in [f64::from_bits(1), 1.0, 24.0 * 365.0] {
                assert!(with(accepted).check(10).is_ok());
            }
            for refused in [0.0, -252.0] {
                assert!(matches!(with(refused).check(10), Err(FinanceError::OutOfRange { .. })));
            }
            for refused in [f64::NAN, f64::INFINITY] {
                assert!(matches!(with(refused).check(10), Err(FinanceError::NotFinite { .. })));
            }
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let base = CovarianceOptions::default();
        let shrunk = CovarianceOptions { shrinkage: Shrinkage::Oas, ..base };
        let refused = [
            CovarianceOptions { missing: Deletion::Pairwise, ..shrunk },
            CovarianceOptions { half_life: Some(5.0), ..shrunk },
            CovarianceOptions { missing: Deletion::Pairwise, half_life: Some(5.0), ..base },
        ];
        for options in refused {
            assert!(matches!(options.check(10), Err(FinanceError::Combination { .. })), "{options:?}");
        }
        assert!(shrunk.check(10).is_ok());
    }

    #[test]
    fn there_is_one_finite_weight_a_row() {
        let analytic = |weights: &[f64]| RowWeights { analytic: Some(weights.to_vec()), ..RowWeights::default() };
        assert!(analytic(&[0.0, 2.0]).check(2).is_ok());
        assert!(matches!(analytic(&[1.0]).check(2), Err(FinanceError::WeightCount { weights: 1, rows: 2 })));
        assert!(matches!(analytic(&[1.0, -1.0]).check(2), Err(FinanceError::Negative { .. })));
        assert!(matches!(analytic(&[1.0, f64::NAN]).check(2), Err(FinanceError::NotFinite { .. })));
        let counts = RowWeights { frequency: Some(vec![1, 2, 3]), analytic: None };
        assert!(matches!(counts.check(2), Err(FinanceError::WeightCount { weights: 3, rows: 2 })));
    }

    #[test]
    fn halving_weights_end_at_one() {
        let weights = RowWeights::halving(2.0, 5).unwrap().analytic.unwrap();
        assert_eq!(weights, [0.25, 0.125f64.sqrt(), 0.5, 0.5f64.sqrt(), 1.0]);
    }
}
