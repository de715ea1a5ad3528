//! Mean and covariance of returns.
//!
//! With `n` rows `r_t` of returns and their mean `m`, `Sigma = Σ_t (r_t − m)(r_t − m)ᵀ / (n −
//! ddof)`. Both `m` and `Sigma` are reported per year: times the number of periods in one.
//!
//! | asked for | how | as in |
//! |---|---|---|
//! | equal rows | weighted means by `reduce_columns`, `XᵀX` of the centred returns by `gram` | numpy's `cov` |
//! | [`RowWeights`], a half-life | the same of rows times the root of their weights | numpy's `cov`; pandas' `ewm().cov()`, last row |
//! | [`Shrinkage`] | how far by `reduce_rows` | scikit-learn's `LedoitWolf`, `OAS` |
//! | [`Deletion::Pairwise`] | one `tiled_gemm` that counts and averages each pair | pandas' `cov` |

mod options;
mod pairwise;
mod products;
mod shrink;

use cubefold_primitives::Device;
use nalgebra::DMatrix;

pub use options::{CovarianceOptions, Deletion, RowWeights, Shrinkage};

use crate::data::Table;
use crate::error::FinanceError;
use products::Products;

/// Mean and covariance of the returns of `n` assets, per year.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    /// The names of the assets.
    pub assets: Vec<String>,
    /// Rows of returns used; of pairwise rows, those in which any asset has a value.
    pub periods: usize,
    /// Degrees of freedom taken off the divisor.
    pub ddof: u32,
    /// Mean return of each asset, times periods per year.
    pub mean: Vec<f64>,
    /// `n × n`, row-major, symmetric, times periods per year.
    pub covariance: Vec<f64>,
    /// How far the estimate was pulled towards its average variance, from 0 to 1.
    pub shrinkage: f64,
}

impl Covariance {
    /// One entry of the covariance matrix.
    ///
    /// # Panics
    /// Outside the matrix.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        assert!(column < self.assets.len(), "column {column} of {}", self.assets.len());
        self.covariance[row * self.assets.len() + column]
    }

    /// The correlation matrix, `n × n`, row-major: `Sigma_ij / (sd_i · sd_j)`, held within −1 and 1
    /// against rounding and exactly 1 on the diagonal; NaN in the row and column of an asset whose
    /// variance is not above 0.
    pub fn correlation(&self) -> Vec<f64> {
        let assets = self.assets.len();
        let deviation = |asset| match self.at(asset, asset) {
            variance if variance > 0.0 => variance.sqrt(),
            _ => f64::NAN,
        };
        let deviations: Vec<f64> = (0..assets).map(deviation).collect();
        let entry = |row: usize, column: usize| match self.at(row, column) / deviations[row] / deviations[column] {
            ratio if row == column && !ratio.is_nan() => 1.0,
            ratio => ratio.clamp(-1.0, 1.0),
        };
        (0..assets * assets).map(|position| entry(position / assets, position % assets)).collect()
    }

    /// The eigenvalues in ascending order: none below 0, but for rounding, where the rows were complete. Empty where an entry
    /// is NaN or infinite.
    pub fn eigenvalues(&self) -> Vec<f64> {
        if self.assets.is_empty() || self.covariance.iter().any(|entry| !entry.is_finite()) {
            return Vec::new();
        }
        let assets = self.assets.len();
        let matrix = DMatrix::from_row_slice(assets, assets, &self.covariance);
        let mut values = matrix.symmetric_eigenvalues().as_slice().to_vec();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// Whether ascending `eigenvalues` are those of no covariance: one is below 0 by more than the rounding of f32.
pub fn is_indefinite(eigenvalues: &[f64]) -> bool {
    match (eigenvalues.first(), eigenvalues.last()) {
        (Some(&smallest), Some(&largest)) => smallest < -f64::from(f32::EPSILON) * largest * eigenvalues.len() as f64,
        _ => false,
    }
}

/// The largest of ascending `eigenvalues` by the smallest: how much an error in a return can grow in a weight. Infinite where
/// the smallest is not above 0; NaN of none.
pub fn condition_number(eigenvalues: &[f64]) -> f64 {
    match (eigenvalues.first(), eigenvalues.last()) {
        (Some(&smallest), Some(&largest)) if smallest > 0.0 => largest / smallest,
        (Some(_), Some(_)) => f64::INFINITY,
        _ => f64::NAN,
    }
}

/// The annualised mean and covariance of `returns`.
///
/// No transpose and no centred copy is made. The host computes in f64, devices in f32. The result is exactly symmetric, 0 for
/// a column that is constant, and not below 0 on the diagonal.
///
/// # Errors
/// What [`CovarianceOptions::check`] refuses, and what goes wrong on the device.
pub fn covariance(device: &Device, returns: &Table, options: &CovarianceOptions) -> Result<Covariance, FinanceError> {
    if options.missing == Deletion::Pairwise {
        return pairwise(device, returns, options);
    }
    let complete = returns.complete();
    options.check(complete.rows())?;
    let every = complete.rows();
    let weights = match options.half_life {
        Some(half_life) => RowWeights::halving(half_life, every)?,
        None => RowWeights::default(),
    };
    of_complete(device, &complete, &weights.of_rows(0..every), options)
}

/// The same of rows that count as often as `weights` say, one for each row of `returns`; a half-life is a weight too.
///
/// # Errors
/// As [`covariance`]; [`FinanceError::WeightCount`], [`FinanceError::Negative`] or [`FinanceError::NotFinite`] for weights that are not
/// one a row, below 0 or not finite; [`FinanceError::Combination`] for weights beside a half-life, shrinkage or pairwise rows;
/// [`FinanceError::WeightsTooSmall`] where the weights leave nothing to divide by.
pub fn weighted_covariance(
    device: &Device,
    returns: &Table,
    weights: &RowWeights,
    options: &CovarianceOptions,
) -> Result<Covariance, FinanceError> {
    weights.check(returns.rows())?;
    options.check_weighted(Some("weights"))?;
    if options.half_life.is_some() {
        return Err(FinanceError::Combination { what: "a half-life", with: "weights" });
    }
    let complete = returns.complete();
    options.check(complete.rows())?;
    of_complete(device, &complete, &weights.of_rows(returns.complete_places()), options)
}

/// Of rows that are all there, each with both kinds of weight.
fn of_complete(
    device: &Device,
    returns: &Table,
    weights: &[(f64, f64)],
    options: &CovarianceOptions,
) -> Result<Covariance, FinanceError> {
    let both: Vec<f64> = weights.iter().map(|(frequency, analytic)| frequency * analytic).collect();
    let total: f64 = both.iter().sum();
    let analytic: f64 = both.iter().zip(weights).map(|(weight, (_, analytic))| weight * analytic).sum();
    let divisor = total - f64::from(options.ddof) * (analytic / total);
    if divisor.is_nan() || divisor <= 0.0 {
        return Err(FinanceError::WeightsTooSmall { ddof: options.ddof });
    }
    let shrinks = options.shrinkage != Shrinkage::None;
    let Products { mean, products, norms } = match device.is_host() {
        true => products::products::<f64>(device, returns, &both, shrinks)?,
        false => products::products::<f32>(device, returns, &both, shrinks)?,
    };
    let assets = returns.width();
    let scale = options.periods_per_year / divisor;
    let mut covariance: Vec<f64> = mirrored(&products, assets).map(|product| product * scale).collect();
    let shrinkage = shrink::Rows { products: &products, norms: &norms, assets }.intensity(options.shrinkage);
    if shrinkage > 0.0 {
        shrink::shrink(&mut covariance, assets, shrinkage);
    }
    Ok(Covariance {
        periods: returns.rows(),
        ddof: options.ddof,
        mean: mean.into_iter().map(|value| value * options.periods_per_year).collect(),
        covariance,
        shrinkage,
        assets: returns.columns.clone(),
    })
}

fn pairwise(device: &Device, returns: &Table, options: &CovarianceOptions) -> Result<Covariance, FinanceError> {
    let periods = returns.rows_with_any();
    options.check(periods)?;
    let (mean, entries) = match device.is_host() {
        true => pairwise::pairwise::<f64>(device, returns, options.ddof)?,
        false => pairwise::pairwise::<f32>(device, returns, options.ddof)?,
    };
    Ok(Covariance {
        periods,
        ddof: options.ddof,
        mean: mean.into_iter().map(|value| value * options.periods_per_year).collect(),
        covariance: mirrored(&entries, returns.width()).map(|entry| entry * options.periods_per_year).collect(),
        shrinkage: 0.0,
        assets: returns.columns.clone(),
    })
}

/// The entries of a square matrix whose halves are the same sums: one of them is taken for both, whatever a host's GEMM rounds.
fn mirrored(entries: &[f64], side: usize) -> impl Iterator<Item = f64> {
    (0..side * side).map(move |place| {
        let (row, column) = (place / side, place % side);
        entries[row.min(column) * side + row.max(column)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(assets: &[&str], covariance: &[f64]) -> Covariance {
        Covariance {
            assets: assets.iter().map(|asset| asset.to_string()).collect(),
            periods: 3,
            ddof: 1,
            mean: vec![0.0; assets.len()],
            covariance: covariance.to_vec(),
            shrinkage: 0.0,
        }
    }

    #[test]
    fn correlation_divides_by_both_deviations() {
        let covariance = matrix(&["x", "y"], &[11.71, -4.286, -4.286, 2.144133]);
        assert_eq!(covariance.at(1, 0), -4.286);
        let correlation = covariance.correlation();
        assert_eq!((correlation[0], correlation[3]), (1.0, 1.0));
        assert_eq!(correlation[1], correlation[2]);
        assert!((correlation[1] + 4.286 / f64::sqrt(11.71 * 2.144133)).abs() < 1e-15);
    }

    #[test]
    fn correlation_stays_within_one_and_survives_tiny_variances() {
        let above = 1.0f64.next_up();
        assert_eq!(matrix(&["x", "y"], &[1.0, above, above, 1.0]).correlation(), [1.0; 4]);
        assert_eq!(matrix(&["x", "y"], &[1e-200, -1e-200, -1e-200, 1e-200]).correlation(), [1.0, -1.0, -1.0, 1.0]);
    }

    #[test]
    fn a_constant_asset_has_no_correlation() {
        let correlation = matrix(&["x", "c"], &[0.04, 0.0, 0.0, 0.0]).correlation();
        assert_eq!(correlation[0], 1.0);
        assert!(correlation[1..].iter().all(|value| value.is_nan()), "{correlation:?}");
    }

    #[test]
    fn no_assets_have_an_empty_correlation() {
        assert!(matrix(&[], &[]).correlation().is_empty());
        assert!(matrix(&[], &[]).eigenvalues().is_empty());
    }

    #[test]
    fn a_matrix_is_indefinite_beyond_rounding_only() {
        // Of two assets that move as one, the smallest is 0 but for rounding.
        for as_one in [[1.0, 3.0, 3.0, 9.0], [0.1, 0.3, 0.3, 0.9], [0.0; 4]] {
            assert!(!is_indefinite(&matrix(&["x", "y"], &as_one).eigenvalues()), "{as_one:?}");
        }
        assert!(is_indefinite(&matrix(&["x", "y"], &[1.0, 1.01, 1.01, 1.0]).eigenvalues()));
        assert!(!is_indefinite(&[]));
    }
}
