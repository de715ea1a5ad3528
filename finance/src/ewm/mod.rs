//! Exponentially weighted mean, sum, variance, deviation, covariance and correlation; the primitive is `scan`.
//!
//! Row `i` gives the value of row `j` the weight
//!
//! ```text
//! adjust     w_j = (1 − α)^k                        k rows from j to i
//! recursive  w_j = α (1 − α)^k, and (1 − α)^k for the row that the recurrence starts from
//! ```
//!
//! divided by the sum of all of them. Without missing values the recursive form is `s <- (1 − α) s + α x`.
//!
//! # Where peers differ
//!
//! | case | here | elsewhere |
//! |---|---|---|
//! | recursive, a value after `g` missing rows | `(β s + α x) / (β + α)`, `β = (1 − α)^(g + 1)`: on [0, 1, 2, NaN, 4] with α = 2/3 3.650794, as pandas computes | pandas' text describes 2.839506 |
//! | the same with α = 1/2 | 11/3 on [1, NaN, 5]: continuous in α, and the same from times that are evenly spaced | pandas 3.1 gives 4 for `com=1` and for times, by a branch of its own |
//! | a variance with times | defined by the same weights | pandas has none |
//! | a missing row | carries the last result, as in pandas | polars gives null: [`Missing::Preserve`] |
//! | the start of the recurrence | the first value, as in pandas | TA-Lib takes the mean of the first `span` values: [`Init::Sma`]; others take zero: [`Init::Zero`] |
//! | leading missing values | stay missing and poison nothing | some GPU data frames make everything after them missing |
//! | a constant series | stays exactly constant, with a variance of exactly 0 | as in pandas; formulas with `(1 − α)^n` in f32 drift |
//! | the correlation of a series that is constant | missing | missing |

mod column;
mod even;
mod fade;
mod mean;
mod pace;
mod spread;

use cubefold_primitives::Device;

use crate::data::Table;
use crate::ema::{Decay, Init};
use crate::error::{FinanceError, finite};
use spread::Figure;

/// What a row shows whose value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// The last result (pandas).
    #[default]
    Carry,
    /// Nothing (polars).
    Preserve,
}

/// An exponentially weighted window; its methods are the figures.
///
/// Every figure is a table of the input's shape, one scan a column. Work `n` per column, span `log n`; a figure
/// without gaps in its rows reads and writes each value once, others read three weights beside it. The host computes in f64, devices
/// in f32. Missing values (NaN) have no weight.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Decay, Ewm, Table};
/// use cubefold_primitives::Device;
///
/// let prices = Table::from_reader("example", "day,A\n1,1\n2,2\n3,4\n4,8\n".as_bytes())?;
/// let ewm = Ewm::new(Decay::Com(2.0)); // pandas' defaults: adjusted
/// let mean = ewm.mean(&Device::host(), &prices)?;
/// assert!((mean.value(3, 0) - 320.0 / 65.0).abs() < 1e-12);
/// let recursive = Ewm { adjust: false, ..ewm };
/// assert!((recursive.mean(&Device::host(), &prices)?.value(1, 0) - 4.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ewm {
    /// One for all columns, or one a column.
    pub decays: Vec<Decay>,
    /// Weights are divided by their sum; else the recurrence runs.
    pub adjust: bool,
    /// Missing rows take no time.
    pub ignore_na: bool,
    /// Values that a row needs before it shows a result.
    pub min_periods: usize,
    /// Variances and covariances are divided by the weights, not by what makes their expectation right.
    pub bias: bool,
    /// What the recurrence starts from. From zero, missing rows take no time.
    pub init: Init,
    /// What a row shows whose value is missing.
    pub missing: Missing,
    /// The time of every row, in the unit of the half-life. They may be uneven, but must not decrease.
    ///
    /// A step of length `d` then keeps `2^(−d / halflife)`, and a value of the recurrence weighs `1 − 2^(−d / halflife)`
    /// where `d` leads to it from the row before.
    pub times: Option<Vec<f64>>,
}

impl Ewm {
    /// pandas' defaults: adjusted, missing rows take time, unbiased, no minimum, carried.
    pub fn new(decay: Decay) -> Self {
        Ewm {
            decays: vec![decay],
            adjust: true,
            ignore_na: false,
            min_periods: 0,
            bias: false,
            init: Init::First,
            missing: Missing::Carry,
            times: None,
        }
    }

    /// Accepts options that go together and fit the rows and columns of `prices`.
    ///
    /// # Errors
    /// What [`Decay::alpha`] refuses; [`FinanceError::DecayCount`], [`FinanceError::AdjustedStart`],
    /// [`FinanceError::Zero`] for a simple mean of no values, and for times [`FinanceError::TimesWithoutHalfLife`],
    /// [`FinanceError::TimesFromZero`], [`FinanceError::TimesCount`], [`FinanceError::NotFinite`],
    /// [`FinanceError::TimesDecrease`].
    pub fn check(&self, prices: &Table) -> Result<(), FinanceError> {
        let (given, columns) = (self.decays.len(), prices.width());
        if given != 1 && given != columns {
            return Err(FinanceError::DecayCount { given, columns });
        }
        self.decays.iter().try_for_each(|decay| decay.alpha().map(|_| ()))?;
        if self.adjust && self.init != Init::First {
            return Err(FinanceError::AdjustedStart);
        }
        if self.init == Init::SmaOver(0) {
            return Err(FinanceError::Zero { name: "values of the simple mean" });
        }
        self.times.as_deref().map_or(Ok(()), |times| self.check_times(times, prices))
    }

    fn check_times(&self, times: &[f64], prices: &Table) -> Result<(), FinanceError> {
        if self.decays.iter().any(|decay| !matches!(decay, Decay::HalfLife(_))) {
            return Err(FinanceError::TimesWithoutHalfLife);
        }
        if self.init == Init::Zero {
            return Err(FinanceError::TimesFromZero);
        }
        if times.len() != prices.rows() {
            return Err(FinanceError::TimesCount { times: times.len(), rows: prices.rows() });
        }
        times.iter().try_for_each(|&time| finite("a time", time))?;
        match times.windows(2).position(|pair| pair[1] < pair[0]) {
            None => Ok(()),
            Some(row) => Err(FinanceError::TimesDecrease { file: prices.file.clone(), line: prices.line(row + 1) }),
        }
    }

    /// The weighted mean.
    ///
    /// # Errors
    /// What [`check`](Ewm::check) refuses, and what goes wrong on the device.
    pub fn mean(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.each_column(prices, |column| {
            let values = prices.column(column);
            match device.is_host() {
                true => self.mean_of::<f64>(device, values, column),
                false => self.mean_of::<f32>(device, values, column),
            }
        })
    }

    /// The weighted sum `Σ (1 − α)^k x`: adjusted weights that are not divided by their sum. It fades over missing rows.
    ///
    /// # Errors
    /// [`FinanceError::RecursiveSum`] unless the weights are adjusted, and as [`mean`](Ewm::mean).
    pub fn sum(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        if !self.adjust {
            return Err(FinanceError::RecursiveSum);
        }
        self.each_column(prices, |column| {
            let values = prices.column(column);
            match device.is_host() {
                true => self.sum_of::<f64>(device, values, column),
                false => self.sum_of::<f32>(device, values, column),
            }
        })
    }

    /// The weighted variance; missing for a single value, unless it is biased.
    ///
    /// # Errors
    /// As [`mean`](Ewm::mean).
    pub fn var(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.cov(device, prices, prices)
    }

    /// The square root of [`var`](Ewm::var).
    ///
    /// # Errors
    /// As [`mean`](Ewm::mean).
    pub fn std(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        let mut deviations = self.var(device, prices)?;
        deviations.values.iter_mut().for_each(|variance| *variance = variance.sqrt());
        Ok(deviations)
    }

    /// The weighted covariance of every column of `left` with the one of `right` at the same place, under the names of
    /// `left`. A row that misses one value misses both.
    ///
    /// # Errors
    /// [`FinanceError::Shapes`], and as [`mean`](Ewm::mean).
    pub fn cov(&self, device: &Device, left: &Table, right: &Table) -> Result<Table, FinanceError> {
        self.spread(device, left, right, if self.bias { Figure::Biased } else { Figure::Unbiased })
    }

    /// The weighted correlation, as [`cov`](Ewm::cov) pairs the columns; missing where one side does not vary.
    ///
    /// # Errors
    /// As [`cov`](Ewm::cov).
    pub fn corr(&self, device: &Device, left: &Table, right: &Table) -> Result<Table, FinanceError> {
        let mut found = self.spread(device, left, right, Figure::Correlation)?;
        found.values.iter_mut().for_each(|value| *value = value.clamp(-1.0, 1.0));
        Ok(found)
    }

    fn spread(&self, device: &Device, left: &Table, right: &Table, figure: Figure) -> Result<Table, FinanceError> {
        let shape = |table: &Table| (table.rows(), table.width());
        if shape(left) != shape(right) {
            return Err(FinanceError::Shapes { left: shape(left), right: shape(right) });
        }
        self.each_column(left, |column| {
            let values = left.column(column);
            let others = (!std::ptr::eq(left, right)).then(|| right.column(column));
            match device.is_host() {
                true => self.spread_of::<f64>(device, values, others, column, figure),
                false => self.spread_of::<f32>(device, values, others, column, figure),
            }
        })
    }

    /// A table of the shape of `prices`, column by column.
    fn each_column(
        &self,
        prices: &Table,
        figure: impl Fn(usize) -> Result<Vec<f64>, FinanceError>,
    ) -> Result<Table, FinanceError> {
        self.check(prices)?;
        prices.with_columns(figure)
    }
}
