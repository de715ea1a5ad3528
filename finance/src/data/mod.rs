//! Tables of prices: read, checked, and turned into returns in f64.
//!
//! | file | holds |
//! |---|---|
//! | `csv.rs` | [`Table::read_csv`], [`Table::from_reader`], [`Table::write_csv`] |
//! | `records.rs` | from bytes to records that know their line |
//! | `dates.rs` | [`Table::times`], [`duration`] |
//! | `returns.rs` | [`Returns`], [`Table::returns`] |
//! | `bundled.rs` | [`bundled_prices`] |
//! | `error.rs` | [`DataError`], [`Cell`] |

mod bundled;
mod csv;
mod dates;
mod error;
mod records;
mod returns;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

pub use bundled::bundled_prices;
pub use dates::duration;
pub use error::{Cell, DataError};
pub use returns::Returns;

/// Columns of numbers under one index of dates (or any text), row-major; NaN is a missing value.
///
/// A table that was read or made by [`Table::new`] has distinct, non-empty column names and only
/// finite or missing values. Rows are in the order of the source; nothing sorts them.
#[derive(Debug, Clone)]
pub struct Table {
    /// The header of the first column; may be empty.
    pub index_name: String,
    /// One text a row. Tables that are made of one another share them.
    pub index: Arc<Vec<String>>,
    /// One name a column, without the index.
    pub columns: Vec<String>,
    /// `rows × width` numbers, row-major; NaN = missing.
    pub values: Vec<f64>,
    /// What messages call the source.
    pub(crate) file: String,
    /// The source line of each row, from 1.
    pub(crate) lines: Arc<Vec<usize>>,
}

impl Table {
    /// A table made by hand. In messages it is called `table`, and its row `r` (from 0) is on line
    /// `r + 2`, as if it had been written to a file under its header.
    ///
    /// # Errors
    /// [`DataError::IndexOnly`] without columns, [`DataError::UnnamedColumn`],
    /// [`DataError::DuplicateColumn`], [`DataError::Shape`] unless there are `index.len() *
    /// columns.len()` values, [`DataError::NotFinite`] for an infinity.
    ///
    /// ```
    /// use cubefold_finance::Table;
    /// let index = vec!["2024-01-02".into(), "2024-01-03".into()];
    /// let table = Table::new("Date".into(), index, vec!["AAPL".into()], vec![185.6, f64::NAN])?;
    /// assert_eq!((table.rows(), table.width(), table.value(0, 0)), (2, 1, 185.6));
    /// # Ok::<(), cubefold_finance::DataError>(())
    /// ```
    pub fn new(
        index_name: String,
        index: Vec<String>,
        columns: Vec<String>,
        values: Vec<f64>,
    ) -> Result<Table, DataError> {
        let lines = Arc::new((2..index.len() + 2).collect());
        let index = Arc::new(index);
        let table = Table { index_name, index, columns, values, file: "table".into(), lines };
        table.check_names()?;
        let (rows, columns, values) = (table.rows(), table.width(), table.values.len());
        if rows.checked_mul(columns) != Some(values) {
            return Err(DataError::Shape { rows, columns, values });
        }
        if let Some(position) = table.values.iter().position(|value| value.is_infinite()) {
            let at = table.cell(position / columns, position % columns);
            return Err(DataError::NotFinite { at, text: table.values[position].to_string() });
        }
        Ok(table)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.index.len()
    }

    /// The number of columns, without the index.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// One value; NaN is missing.
    ///
    /// # Panics
    /// Outside the table.
    pub fn value(&self, row: usize, column: usize) -> f64 {
        assert!(column < self.width(), "column {column} of {}", self.width());
        self.values[row * self.width() + column]
    }

    /// A copy of one column, top to bottom.
    ///
    /// # Panics
    /// Outside the table.
    pub fn column(&self, column: usize) -> Vec<f64> {
        assert!(column < self.width(), "column {column} of {}", self.width());
        if self.width() == 1 {
            return self.values.clone();
        }
        self.values.chunks_exact(self.width()).map(|row| row[column]).collect()
    }

    /// The columns of these names, in this order, under the same index.
    ///
    /// # Errors
    /// [`DataError::UnknownColumn`] for a name that is not there, [`DataError::RepeatedColumn`]
    /// for one that is asked for twice, [`DataError::IndexOnly`] for none at all.
    pub fn select(&self, names: &[&str]) -> Result<Table, DataError> {
        let positions = names.iter().map(|&name| self.position(name)).collect::<Result<Vec<_>, _>>()?;
        if let Some(&twice) =
            names.iter().enumerate().find_map(|(place, name)| names[..place].iter().find(|n| *n == name))
        {
            return Err(DataError::RepeatedColumn { column: twice.into() });
        }
        let columns = names.iter().map(|name| name.to_string()).collect();
        let values =
            (0..self.rows()).flat_map(|row| positions.iter().map(move |&column| self.value(row, column))).collect();
        let table = Table { columns, values, ..self.clone() };
        table.check_names()?;
        Ok(table)
    }

    /// The rows without a missing value.
    pub fn complete_rows(&self) -> Table {
        self.complete().into_owned()
    }

    /// The same without a copy where no row misses one.
    pub(crate) fn complete(&self) -> Cow<'_, Table> {
        if self.complete_places().count() == self.rows() {
            return Cow::Borrowed(self);
        }
        let complete: Vec<usize> = self.complete_places().collect();
        Cow::Owned(Table {
            index: Arc::new(complete.iter().map(|&row| self.index[row].clone()).collect()),
            values: complete.iter().flat_map(|&row| self.row(row)).copied().collect(),
            lines: Arc::new(complete.iter().map(|&row| self.line(row)).collect()),
            index_name: self.index_name.clone(),
            columns: self.columns.clone(),
            file: self.file.clone(),
        })
    }

    /// Which rows have every value.
    pub(crate) fn complete_places(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.rows()).filter(|&row| !self.row(row).iter().any(|x| x.is_nan()))
    }

    /// How many rows have a value.
    pub(crate) fn rows_with_any(&self) -> usize {
        (0..self.rows()).filter(|&row| self.row(row).iter().any(|x| !x.is_nan())).count()
    }

    /// The line of the source that a row stands on, from 1.
    pub fn line(&self, row: usize) -> usize {
        self.lines.get(row).copied().unwrap_or(row + 2)
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width()..][..self.width()]
    }

    fn position(&self, name: &str) -> Result<usize, DataError> {
        let found = self.columns.iter().position(|column| column == name);
        found.ok_or_else(|| DataError::UnknownColumn { column: name.into(), known: self.columns.clone() })
    }

    pub(crate) fn cell(&self, row: usize, column: usize) -> Cell {
        let header = self.columns[column].clone();
        Cell { file: self.file.clone(), line: self.line(row), column: column + 2, header }
    }

    /// Every column has a name of its own, which is not the index's either.
    fn check_names(&self) -> Result<(), DataError> {
        let file = || self.file.clone();
        if self.columns.is_empty() {
            return Err(DataError::IndexOnly { file: file(), header: self.index_name.clone() });
        }
        let mut seen = HashMap::from([(self.index_name.as_str(), 1)]);
        for (name, second) in self.columns.iter().zip(2..) {
            if name.is_empty() {
                return Err(DataError::UnnamedColumn { file: file(), column: second });
            }
            if let Some(first) = seen.insert(name.as_str(), second) {
                return Err(DataError::DuplicateColumn { file: file(), header: name.clone(), first, second });
            }
        }
        Ok(())
    }
}

/// Equal index, names and values, where missing equals missing; where the tables came from does not
/// count.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        let same = |(left, right): (&f64, &f64)| left == right || (left.is_nan() && right.is_nan());
        self.index_name == other.index_name
            && self.index == other.index
            && self.columns == other.columns
            && self.values.len() == other.values.len()
            && self.values.iter().zip(&other.values).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NA: f64 = f64::NAN;

    fn texts(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    fn table() -> Table {
        let values = vec![1.0, 2.0, 3.0, NA, 5.0, 6.0];
        Table::new("Date".into(), texts(&["d1", "d2", "d3"]), texts(&["A", "B"]), values).expect("a valid table")
    }

    #[test]
    fn values_are_row_major() {
        let table = table();
        assert_eq!((table.rows(), table.width()), (3, 2));
        assert_eq!((table.value(0, 1), table.value(2, 0)), (2.0, 5.0));
        assert_eq!(table.column(0), [1.0, 3.0, 5.0]);
    }

    #[test]
    fn missing_equals_missing_and_nothing_else() {
        assert_eq!(table(), table());
        let mut other = table();
        other.values[3] = 4.0;
        assert_ne!(table(), other);
    }

    #[test]
    fn complete_rows_keep_their_source_lines() {
        let complete = table().complete_rows();
        assert_eq!(*complete.index, ["d1", "d3"]);
        assert_eq!(complete.values, [1.0, 2.0, 5.0, 6.0]);
        assert_eq!((complete.line(0), complete.line(1)), (2, 4));
    }

    #[test]
    fn select_takes_columns_in_the_order_asked_for() {
        let picked = table().select(&["B", "A"]).expect("both are there");
        assert_eq!(picked.columns, ["B", "A"]);
        assert_eq!(picked.value(2, 0), 6.0);
        assert_eq!(picked.value(2, 1), 5.0);
    }

    #[test]
    fn select_names_the_unknown_column_and_those_there_are() {
        let error = table().select(&["A", "C"]).unwrap_err();
        assert_eq!(error, DataError::UnknownColumn { column: "C".into(), known: texts(&["A", "B"]) });
    }

    #[test]
    fn select_refuses_nothing_and_twice_the_same() {
        assert!(matches!(table().select(&[]), Err(DataError::IndexOnly { .. })));
        assert!(matches!(table().select(&["A", "A"]), Err(DataError::RepeatedColumn { column }) if column == "A"));
    }

    #[test]
    fn tables_made_by_hand_are_checked() {
        let make = |index: &[&str], columns: &[&str], values: &[f64]| {
            Table::new("Date".into(), texts(index), texts(columns), values.to_vec())
        };
        assert!(make(&[], &["A"], &[]).is_ok(), "no rows is a table");
        assert_eq!(make(&["d"], &["A"], &[]), Err(DataError::Shape { rows: 1, columns: 1, values: 0 }));
        assert!(matches!(make(&["d"], &[], &[]), Err(DataError::IndexOnly { .. })));
        assert!(matches!(make(&["d"], &["A", ""], &[1.0, 2.0]), Err(DataError::UnnamedColumn { column: 3, .. })));
        assert!(matches!(make(&["d"], &["Date"], &[1.0]), Err(DataError::DuplicateColumn { first: 1, second: 2, .. })));
        let error = make(&["d", "e"], &["A"], &[1.0, f64::INFINITY]).unwrap_err();
        assert!(matches!(error, DataError::NotFinite { ref at, .. } if (at.line, at.column) == (3, 2)), "{error}");
    }
}
