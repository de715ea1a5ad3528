//! Mean and covariance of returns.
//!
//! With `n` rows `r_t` of returns and their mean `m`, `Sigma = Σ_t (r_t − m)(r_t − m)ᵀ / (n −
//! ddof)`. Both `m` and `Sigma` are reported per year: times the number of periods in one.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::{Moments, MomentsState, PlusTimes};
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix};
use cubefold_primitives::{Both, Device, Operator, Real};

use crate::data::Table;
use crate::error::{FinanceError, positive};

/// The divisor and the scale of a covariance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CovarianceOptions {
    /// Degrees of freedom taken off the divisor; 1 is unbiased, 0 the population's.
    pub ddof: u32,
    /// Periods in a year: 252 for trading days, 12 for months, 1 to leave the figures as they are.
    pub periods_per_year: f64,
}

impl Default for CovarianceOptions {
    fn default() -> Self {
        CovarianceOptions { ddof: 1, periods_per_year: 252.0 }
    }
}

impl CovarianceOptions {
    /// Accepts options for so many rows of returns.
    ///
    /// # Errors
    /// [`FinanceError::DdofTooLarge`] unless `ddof < periods`; [`FinanceError::NotFinite`] or
    /// [`FinanceError::OutOfRange`] unless `periods_per_year` is finite and above 0.
    pub fn check(&self, periods: usize) -> Result<(), FinanceError> {
        positive("periods-per-year", self.periods_per_year)?;
        let ddof = self.ddof;
        match usize::try_from(ddof).is_ok_and(|ddof| ddof < periods) {
            true => Ok(()),
            false => Err(FinanceError::DdofTooLarge { ddof, periods }),
        }
    }
}

/// Mean and covariance of the returns of `n` assets, per year.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    /// The names of the assets.
    pub assets: Vec<String>,
    /// Rows of returns used.
    pub periods: usize,
    /// Degrees of freedom taken off the divisor.
    pub ddof: u32,
    /// Mean return of each asset, times periods per year.
    pub mean: Vec<f64>,
    /// `n × n`, row-major, symmetric, times periods per year.
    pub covariance: Vec<f64>,
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
}

/// The annualised mean and covariance of the complete rows of `returns`.
///
/// Column means by `reduce_columns`, then `XᵀX` of the centred returns by `tiled_gemm`, which reads the one matrix
/// on both sides: no transpose and no centred copy. The host computes in f64, devices in f32. The result is exactly
/// symmetric, and 0 for a column that is constant.
///
/// # Errors
/// What [`CovarianceOptions::check`] refuses, and what goes wrong on the device.
pub fn covariance(device: &Device, returns: &Table, options: &CovarianceOptions) -> Result<Covariance, FinanceError> {
    let complete = returns.complete_rows();
    let periods = complete.rows();
    options.check(periods)?;
    let (mean, products) = match device.is_host() {
        true => centred_products::<f64>(device, &complete)?,
        false => centred_products::<f32>(device, &complete)?,
    };
    let assets = complete.width();
    let scale = options.periods_per_year / (periods as f64 - f64::from(options.ddof));
    let entry = |place: usize| {
        let (row, column) = (place / assets, place % assets);
        // Both halves are the same sums; one of them is taken for both, whatever a host's GEMM rounds.
        products[row.min(column) * assets + row.max(column)] * scale
    };
    Ok(Covariance {
        periods,
        ddof: options.ddof,
        mean: mean.into_iter().map(|value| value * options.periods_per_year).collect(),
        covariance: (0..assets * assets).map(entry).collect(),
        assets: complete.columns,
    })
}

/// The column means, and the sums of products of centred columns.
fn centred_products<T: Real>(device: &Device, returns: &Table) -> Result<(Vec<f64>, Vec<f64>), FinanceError> {
    let too_many =
        |what, len: usize| cubefold_primitives::Error::TooLong { what, len: len as u64, limit: u64::from(u32::MAX) };
    let rows = u32::try_from(returns.rows()).map_err(|_| too_many("a matrix's column", returns.rows()))?;
    let columns = u32::try_from(returns.width()).map_err(|_| too_many("a matrix's row", returns.width()))?;
    let items: Vec<T> = returns.values.iter().map(|&value| T::constant(value)).collect();
    let matrix = Dense::new(device.upload(&items)?, rows, columns)?;
    let moments = device.reduce_columns(&matrix, &Moments::<T>::new())?;
    let means = Dense::repeated_row(&moments, rows)?;
    let centred = matrix.zip_elements(means)?.map_elements(Centre::<T>::new());
    let products = device.tiled_gemm(&(&centred).transposed(), &centred, &PlusTimes::<T>::new())?;
    let mean = moments.to_vec()?.iter().map(MomentsState::mean).collect();
    Ok((mean, products.to_vec()?.into_iter().map(T::widen).collect()))
}

/// A value less its column's mean.
#[derive(Debug, Clone, Operator)]
struct Centre<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Centre<T> {
    fn new() -> Self {
        Centre { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Mapping<Both<T, MomentsState<T>>> for Centre<T> {
    type Output = T;

    fn map(&self, item: Both<T, MomentsState<T>>) -> T {
        item.left - item.right.mean
    }
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
        }
    }

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
    fn periods_per_year_must_be_finite_and_above_zero() {
        let with = |periods_per_year| CovarianceOptions { periods_per_year, ..CovarianceOptions::default() };
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

    /// The matrix of numpy's documentation of `cov` (O19 of research/finance.md).
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
    }
}
