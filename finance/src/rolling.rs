//! Figures of the last so many rows; the primitive is `sliding`.
//!
//! Nothing is subtracted when a row leaves the window. A sum does not drift, a constant window has a variance of
//! exactly 0 however wild the rows before it were, and minima cost what sums do.

use cubefold_primitives::ops::{Maximum, Minimum, Sum};
use cubefold_primitives::{Buffer, Device, Lift, Lower, Real};

use crate::columns::{narrow, present, wide};
use crate::data::Table;
use crate::error::{FinanceError, at_least_one};
use crate::observed::Observed;
use crate::windowed::{Figure, Windowed};

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
        self.moments(device, prices, Figure::Mean)
    }

    /// The variance.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn var(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.moments(device, prices, Figure::Variance)
    }

    /// The standard deviation.
    ///
    /// # Errors
    /// As [`mean`](Rolling::mean).
    pub fn std(&self, device: &Device, prices: &Table) -> Result<Table, FinanceError> {
        self.moments(device, prices, Figure::Deviation)
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
    fn moments(&self, device: &Device, prices: &Table, figure: Figure) -> Result<Table, FinanceError> {
        let least = u32::try_from(self.least()).unwrap_or(u32::MAX);
        self.each_column(prices, |values| match device.is_host() {
            true => wide(self.windows::<f64, _>(device, values, Windowed::new(figure, least, self.ddof))?),
            false => wide(self.windows::<f32, _>(device, values, Windowed::new(figure, least, self.ddof))?),
        })
    }

    fn each_column(
        &self,
        prices: &Table,
        figure: impl Fn(Vec<f64>) -> Result<Vec<f64>, FinanceError>,
    ) -> Result<Table, FinanceError> {
        self.check()?;
        prices.with_columns(|column| figure(prices.column(column)))
    }

    /// The windows of one column through `op`, where they have seen enough.
    fn slide<T: Real, O: Lift<T> + Lower<Output = T>>(
        &self,
        device: &Device,
        values: Vec<f64>,
        op: O,
        figure: impl Fn(T) -> f64,
    ) -> Result<Vec<f64>, FinanceError> {
        let observed = present(&values);
        let found = self.windows::<T, O>(device, values, op)?.into_vec()?;
        let (least, mut count) = (self.least(), 0);
        let shown = |(row, value): (usize, T)| {
            count += usize::from(observed[row]);
            count -= row.checked_sub(self.window).map_or(0, |gone| usize::from(observed[gone]));
            if count >= least { figure(value) } else { f64::NAN }
        };
        Ok(found.into_iter().enumerate().map(shown).collect())
    }

    /// The windows of one column through `op`; missing values leave no trace.
    fn windows<T: Real, O: Lift<T> + Lower>(
        &self,
        device: &Device,
        values: Vec<f64>,
        op: O,
    ) -> Result<Buffer<O::Output>, FinanceError> {
        let (items, window, op) = (narrow::<T>(values)?, self.window as u64, Observed::new(op));
        Ok(match device.is_host() {
            true => device.sliding(&items, window, &op)?,
            // Read more than once, uploaded once.
            false => device.sliding(&device.upload(&items)?, window, &op)?,
        })
    }

    /// Values that a result needs.
    fn least(&self) -> usize {
        self.min_periods.unwrap_or(self.window)
    }
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
    fn results_show_where_the_window_has_seen_enough() {
        let rows = "1,1\n2,\n3,3\n4,4\n5,\n6,6\n";
        let prices = Table::from_reader("test", format!("day,A\n{rows}").as_bytes()).unwrap();
        let shown = |window, least| {
            let rolling = Rolling { min_periods: Some(least), ..Rolling::new(window) };
            let marks = |table: Table| table.values.iter().map(|value| !value.is_nan()).collect::<Vec<_>>();
            let host = Device::host();
            let sums = marks(rolling.sum(&host, &prices).unwrap());
            assert_eq!(marks(rolling.mean(&host, &prices).unwrap()), sums);
            sums
        };
        assert_eq!(shown(1, 1), [true, false, true, true, false, true]);
        assert_eq!(shown(3, 2), [false, false, true, true, true, true]);
        assert_eq!(shown(99, 3), [false, false, false, true, true, true]);
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
