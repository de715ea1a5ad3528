//! Figures of the last so many rows; the primitive is `sliding`.
//!
//! Nothing is subtracted when a row leaves the window. A sum does not drift, a constant window has a variance of
//! exactly 0 however wild the rows before it were, and minima cost what sums do.

use cubefold_primitives::ops::{Maximum, Minimum, Moments, MomentsState, Sum};
use cubefold_primitives::{Device, Lift, Lower, Real};

use crate::columns::{narrow, present};
use crate::data::Table;
use crate::error::{FinanceError, at_least_one};
use crate::observed::Observed;

/// A window over the last rows; its methods are the figures.
///
/// Every figure is a table of the input's shape. A result is missing until the window has seen `min_periods` values that
/// are not missing: all of it by default, as in pandas. Work `3 n` combines a column, whatever the window. The host
/// computes in f64, devices in f32.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Rolling, Table};
/// use cubefold_primitives::Device;
///
/// let prices = Table::from_reader("example", "day,A\n1,3\n2,1\n3,4\n4,1\n".as_bytes())?;
/// let highest = Rolling::new(3).max(&Device::host(), &prices)?;
/// assert!(highest.value(1, 0).is_nan());
/// assert_eq!((highest.value(2, 0), highest.value(3, 0)), (4.0, 4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rolling {
    /// Rows of the window; at least 1.
    pub window: usize,
    /// Values that a result needs; the window's length if none is given.
    pub min_periods: Option<usize>,
    /// Degrees of freedom taken off the divisor of a variance: 1 is unbiased, 0 the population's.
    pub ddof: u32,
}

impl Rolling {
    /// pandas' defaults: results of full windows only, unbiased.
    pub fn new(window: usize) -> Self {
        Rolling { window, min_periods: None, ddof: 1 }
    }

    /// Accepts windows of at least one row that can hold what they need.
    ///
    /// # Errors
    /// [`FinanceError::Zero`], or [`FinanceError::OutOfRange`] for more periods than rows.
    pub fn check(&self) -> Result<(), FinanceError> {
        at_least_one("rows in the window", self.window as u64)?;
        match self.min_periods {
            Some(needed) if needed > self.window => Err(FinanceError::OutOfRange {
                name: "min-periods",
                value: needed as f64,
                range: "at most the length of the window",
            }),
            _ => Ok(()),
        }
    }

    /// The mean.
    ///
    /// # Errors
    /// What [`check`](Rolling::check) refuses, and what goes wrong on the device.
    pub fn mean(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.moments(device, prices, |moments| moments.0)
    }

    /// The variance.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn var(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.moments(device, prices, |moments| moments.1)
    }

    /// The standard deviation.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn std(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.moments(device, prices, |moments| moments.1.sqrt())
    }

    /// The smallest value.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn min(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.each_column(prices, |values| match device.is_host() {
            true => self.slide::<f64, _>(device, values, Minimum::new(), finite_or_missing),
            false => self.slide::<f32, _>(device, values, Minimum::new(), finite_or_missing),
        })
    }

    /// The largest value.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn max(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.each_column(prices, |values| match device.is_host() {
            true => self.slide::<f64, _>(device, values, Maximum::new(), finite_or_missing),
            false => self.slide::<f32, _>(device, values, Maximum::new(), finite_or_missing),
        })
    }

    /// The sum; 0 for no values, where none are needed.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn sum(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.each_column(prices, |values| match device.is_host() {
            true => self.slide::<f64, _>(device, values, Sum::new(), |sum| sum),
            false => self.slide::<f32, _>(device, values, Sum::new(), f64::from),
        })
    }

    /// A figure of mean and variance.
    fn moments(
        &self,
        device: &Device,
        prices: &Table,
        figure: impl Fn((f64, f64)) -> f64,
    ) -> Result<Table, FinanceError> {
        fn both<T: Real>(state: MomentsState<T>, ddof: u32) -> (f64, f64) {
            (state.mean(), state.variance(ddof))
        }
        self.each_column(prices, |values| match device.is_host() {
            true => self.slide::<f64, _>(device, values, Moments::new(), |state| figure(both(state, self.ddof))),
            false => self.slide::<f32, _>(device, values, Moments::new(), |state| figure(both(state, self.ddof))),
        })
    }

    fn each_column(
        &self,
        prices: &Table,
        figure: impl Fn(&[f64]) -> Result<Vec<f64>, FinanceError>,
    ) -> Result<Table, FinanceError> {
        self.check()?;
        prices.with_columns(|column| figure(&prices.column(column)))
    }

    /// The windows of one column through `op`, where they have seen enough.
    fn slide<T: Real, O: Lift<T> + Lower>(
        &self,
        device: &Device,
        values: &[f64],
        op: O,
        figure: impl Fn(O::Output) -> f64,
    ) -> Result<Vec<f64>, FinanceError> {
        let items = device.upload(&narrow::<T>(values))?;
        let found = device.sliding(&items, self.window as u64, &Observed::new(op))?.to_vec()?;
        let least = self.min_periods.unwrap_or(self.window);
        let counts = counts(&present(values), self.window);
        let shown = |(state, count)| if count >= least { figure(state) } else { f64::NAN };
        Ok(found.into_iter().zip(counts).map(shown).collect())
    }
}

/// How many of the last `window` rows are observed, at every row.
fn counts(observed: &[bool], window: usize) -> Vec<usize> {
    let mut count = 0;
    let at = |row: usize| {
        count += usize::from(observed[row]);
        count -= row.checked_sub(window).map_or(0, |gone| usize::from(observed[gone]));
        count
    };
    (0..observed.len()).map(at).collect()
}

/// An extremum; a window without a value leaves the infinity that it starts from.
fn finite_or_missing<T: Real>(extremum: T) -> f64 {
    let value = extremum.widen();
    if value.is_infinite() { f64::NAN } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_window() {
        let observed = [true, false, true, true, false, true];
        assert_eq!(counts(&observed, 1), [1, 0, 1, 1, 0, 1]);
        assert_eq!(counts(&observed, 3), [1, 1, 2, 2, 2, 2]);
        assert_eq!(counts(&observed, 99), [1, 1, 2, 3, 3, 4]);
    }

    #[test]
    fn the_last_accepted_options_stand_beside_the_first_refused_ones() {
        assert!(Rolling::new(1).check().is_ok());
        assert!(matches!(Rolling::new(0).check(), Err(FinanceError::Zero { .. })));
        let needs = |periods| Rolling { min_periods: Some(periods), ..Rolling::new(5) }.check();
        assert!(needs(5).is_ok() && needs(0).is_ok());
        assert!(matches!(needs(6), Err(FinanceError::OutOfRange { name: "min-periods", .. })));
    }
}
