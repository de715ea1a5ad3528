//! Columns on their way between tables and devices.

use cubefold_primitives::{Buffer, Real};

use crate::data::Table;
use crate::error::FinanceError;

/// Which values are not missing.
pub(crate) fn present(values: &[f64]) -> Vec<bool> {
    values.iter().map(|value| !value.is_nan()).collect()
}

/// Values as a device holds them; in the same memory where they are those of the host.
///
/// # Errors
/// [`FinanceError::TooLarge`] for a finite value that `T` would take for an infinite one.
pub(crate) fn narrow<T: Real>(values: Vec<f64>) -> Result<Vec<T>, FinanceError> {
    let overflows = |value: &f64| value.is_finite() && !T::constant(*value).widen().is_finite();
    match values.iter().find(|value| overflows(value)) {
        Some(&value) => Err(FinanceError::TooLarge { name: "a value", value, limit: f64::from(f32::MAX) }),
        None => Ok(values.into_iter().map(T::constant).collect()),
    }
}

/// Results as tables hold them; in the same memory where they are there.
pub(crate) fn wide<T: Real>(values: Buffer<T>) -> Result<Vec<f64>, FinanceError> {
    Ok(values.into_vec()?.into_iter().map(T::widen).collect())
}

impl Table {
    /// A table of the same index and columns, whose values `of` gives column by column.
    pub(crate) fn with_columns<E>(&self, of: impl Fn(usize) -> Result<Vec<f64>, E>) -> Result<Table, E> {
        if self.width() == 1 {
            return of(0).map(|values| self.with_values(values));
        }
        let mut values = vec![f64::NAN; self.values.len()];
        for column in 0..self.width() {
            for (row, value) in of(column)?.into_iter().enumerate() {
                values[row * self.width() + column] = value;
            }
        }
        Ok(self.with_values(values))
    }

    /// A table of the same index and columns, whose values `of` gives from this one's and those of `other`.
    pub(crate) fn joined(&self, other: &Table, of: impl Fn(f64, f64) -> f64) -> Table {
        self.with_values(self.values.iter().zip(&other.values).map(|(&left, &right)| of(left, right)).collect())
    }

    /// A table of the same index and columns; none of the old values is copied.
    fn with_values(&self, values: Vec<f64>) -> Table {
        Table {
            values,
            index_name: self.index_name.clone(),
            index: self.index.clone(),
            columns: self.columns.clone(),
            file: self.file.clone(),
            lines: self.lines.clone(),
        }
    }
}
