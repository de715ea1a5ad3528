//! From prices to returns, in f64.

use std::borrow::Cow;
use std::sync::Arc;

use super::{DataError, Table};

/// How a return is formed from the price `p` of one complete row and `q` of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Returns {
    /// `q / p − 1`; adds up over assets, so a portfolio's return is `wᵀr`.
    #[default]
    Simple,
    /// `ln(q / p)`; adds up over time.
    Log,
    /// The rows are returns already and are taken as they are.
    None,
}

impl Table {
    /// Returns of consecutive complete rows.
    ///
    /// Rows with a missing value are dropped first, whole; each return then spans the gap to the
    /// row that is left before it and carries the later row's index. So `n` complete rows give `n −
    /// 1` returns, and fewer than two give none; [`Returns::None`] gives all `n`. Near `q = p` both
    /// kinds are formed from `q − p`, which is exact there.
    ///
    /// # Errors
    /// [`DataError::NoCompleteRow`] where there are rows but each misses a value. Among the
    /// complete rows, [`DataError::PriceNotPositive`] for a price ≤ 0 under [`Returns::Log`],
    /// [`DataError::PriceZero`] for a price of 0 under [`Returns::Simple`],
    /// [`DataError::ReturnNotFinite`] where a return overflows; each says the source line.
    ///
    /// ```
    /// use cubefold_finance::{Returns, Table};
    /// let prices = Table::from_reader("example", "Date,A\nMon,100\nTue,NA\nWed,110\n".as_bytes())?;
    /// let returns = prices.returns(Returns::Simple)?;
    /// assert_eq!((returns.index[0].as_str(), returns.value(0, 0)), ("Wed", 0.1));
    /// # Ok::<(), cubefold_finance::DataError>(())
    /// ```
    pub fn returns(&self, kind: Returns) -> Result<Table, DataError> {
        let prices = self.complete();
        if prices.rows() == 0 && self.rows() > 0 {
            return Err(self.no_complete_row());
        }
        between_rows(prices, kind)
    }

    /// Returns of neighbouring rows, each column for itself: NaN where either row misses the column's price, as pandas'
    /// `pct_change(fill_method=None)`. For covariances of pairwise rows.
    ///
    /// # Errors
    /// As [`returns`](Self::returns), but for rows that miss a value.
    ///
    /// ```
    /// use cubefold_finance::{Returns, Table};
    /// let prices = Table::from_reader("example", "Date,A,B\nMon,100,1\nTue,110,NA\nWed,NA,2\n".as_bytes())?;
    /// let returns = prices.returns_with_gaps(Returns::Simple)?;
    /// assert_eq!(returns.value(0, 0), 0.1);
    /// assert!(returns.value(0, 1).is_nan() && returns.value(1, 0).is_nan() && returns.value(1, 1).is_nan());
    /// # Ok::<(), cubefold_finance::DataError>(())
    /// ```
    pub fn returns_with_gaps(&self, kind: Returns) -> Result<Table, DataError> {
        between_rows(Cow::Borrowed(self), kind)
    }

    /// Refuses the first price that has no return of this kind.
    fn check_prices(&self, kind: Returns) -> Result<(), DataError> {
        for (position, &value) in self.values.iter().enumerate() {
            let at = || self.cell(position / self.width(), position % self.width());
            match kind {
                Returns::Simple if value == 0.0 => return Err(DataError::PriceZero { at: at() }),
                Returns::Log if value <= 0.0 => {
                    return Err(DataError::PriceNotPositive { at: at(), value });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Names the column that misses most.
    fn no_complete_row(&self) -> DataError {
        let missing = |column: usize| self.column(column).iter().filter(|value| value.is_nan()).count();
        let counts = (0..self.width()).map(|column| (missing(column), &self.columns[column]));
        let (missing, header) = counts.max_by_key(|&(missing, _)| missing).expect("a table has columns");
        DataError::NoCompleteRow { file: self.file.clone(), rows: self.rows(), header: header.clone(), missing }
    }
}

/// Returns from each row to the next; NaN where a price is.
fn between_rows(prices: Cow<'_, Table>, kind: Returns) -> Result<Table, DataError> {
    let of: fn(f64, f64) -> f64 = match kind {
        Returns::Simple => simple,
        Returns::Log => log,
        Returns::None => return Ok(prices.into_owned()),
    };
    prices.check_prices(kind)?;
    let width = prices.width();
    let pairs = || prices.values.iter().zip(prices.values.iter().skip(width));
    let values: Vec<f64> = pairs().map(|(&from, &to)| of(from, to)).collect();
    let overflows = |(value, (from, to)): (&f64, (&f64, &f64))| !value.is_finite() && !from.is_nan() && !to.is_nan();
    if let Some(position) = values.iter().zip(pairs()).position(overflows) {
        let at = prices.cell(position / width + 1, position % width);
        let (from, to) = (prices.values[position], prices.values[position + width]);
        return Err(DataError::ReturnNotFinite { at, from, to });
    }
    let later = 1.min(prices.rows());
    Ok(Table {
        index_name: prices.index_name.clone(),
        index: Arc::new(prices.index[later..].to_vec()),
        columns: prices.columns.clone(),
        values,
        file: prices.file.clone(),
        lines: Arc::new(prices.lines[later..].to_vec()),
    })
}

fn simple(from: f64, to: f64) -> f64 {
    (to - from) / from
}

/// Both prices are positive. The difference of logarithms cannot overflow, but loses digits where
/// they are close.
fn log(from: f64, to: f64) -> f64 {
    match to / from {
        0.5..2.0 => ((to - from) / from).ln_1p(),
        _ => to.ln() - from.ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NA: f64 = f64::NAN;

    fn prices(values: &[f64]) -> Table {
        let index = (1..=values.len()).map(|day| format!("d{day}")).collect();
        Table::new("Date".into(), index, vec!["A".into()], values.to_vec()).expect("a valid table")
    }

    fn returns(values: &[f64], kind: Returns) -> Result<Vec<f64>, DataError> {
        prices(values).returns(kind).map(|table| table.values)
    }

    #[test]
    fn simple_and_log_returns_are_their_formulas() {
        assert_eq!(returns(&[100.0, 110.0, 99.0], Returns::Simple).unwrap(), [0.1, -0.1]);
        let table = [(100.0, 110.0), (100.0, 100.0 + 1e-9), (3.0, 1.0), (1.0, 2.0), (1e-300, 1e300)];
        for (from, to) in table {
            let expected = f64::ln(to) - f64::ln(from);
            let found = returns(&[from, to], Returns::Log).unwrap()[0];
            assert!((found - expected).abs() <= 1e-15 * f64::max(1.0, expected.abs()), "{from} to {to}: {found}");
        }
    }

    #[test]
    fn tiny_returns_keep_their_digits() {
        let to = 1.0f64.next_up();
        assert_eq!(returns(&[1.0, to], Returns::Simple).unwrap(), [f64::EPSILON]);
        let log = returns(&[1.0, to], Returns::Log).unwrap()[0];
        assert!((log / f64::EPSILON - 1.0).abs() < 1e-15, "{log}");
    }

    #[test]
    fn a_constant_price_has_returns_of_exactly_zero() {
        for kind in [Returns::Simple, Returns::Log] {
            assert_eq!(returns(&[0.7; 4], kind).unwrap(), [0.0; 3]);
        }
    }

    #[test]
    fn returns_span_the_rows_that_miss_a_value() {
        let table = prices(&[NA, 100.0, NA, NA, 50.0, 75.0]).returns(Returns::Simple).unwrap();
        assert_eq!((table.values.as_slice(), table.index.join(" ").as_str()), ([-0.5, 0.5].as_slice(), "d5 d6"));
        assert_eq!(table.line(0), 6);
    }

    #[test]
    fn none_takes_the_complete_rows_as_they_are() {
        assert_eq!(returns(&[0.1, NA, 0.0, -0.2], Returns::None).unwrap(), [0.1, 0.0, -0.2]);
    }

    #[test]
    fn fewer_than_two_prices_have_no_return() {
        for kind in [Returns::Simple, Returns::Log] {
            assert_eq!(returns(&[100.0], kind).unwrap(), [0.0; 0]);
            assert_eq!(returns(&[], kind).unwrap(), [0.0; 0]);
        }
    }

    #[test]
    fn several_columns_do_not_mix() {
        let columns = vec!["A".into(), "B".into()];
        let index = vec!["d1".into(), "d2".into()];
        let table = Table::new("Date".into(), index, columns, vec![1.0, 10.0, 2.0, 5.0]).unwrap();
        assert_eq!(table.returns(Returns::Simple).unwrap().values, [1.0, -0.5]);
    }

    #[test]
    fn log_returns_refuse_a_price_of_zero_or_less_with_its_line() {
        assert!(returns(&[f64::MIN_POSITIVE, 1.0], Returns::Log).is_ok());
        for value in [0.0, -0.0, -1.5] {
            let error = returns(&[1.0, NA, value], Returns::Log).unwrap_err();
            let DataError::PriceNotPositive { at, value: found } = error else { panic!("{error}") };
            assert_eq!((at.line, at.column, at.header.as_str(), found), (4, 2, "A", value));
        }
    }

    #[test]
    fn simple_returns_refuse_a_price_of_zero_only() {
        assert_eq!(returns(&[-2.0, -3.0], Returns::Simple).unwrap(), [0.5]);
        let error = returns(&[1.0, 0.0, 2.0], Returns::Simple).unwrap_err();
        assert!(matches!(error, DataError::PriceZero { ref at } if (at.line, at.column) == (3, 2)), "{error}");
    }

    #[test]
    fn a_return_that_overflows_is_refused() {
        let error = returns(&[1e-300, 1e300], Returns::Simple).unwrap_err();
        assert!(matches!(error, DataError::ReturnNotFinite { from: 1e-300, to: 1e300, .. }), "{error}");
    }

    #[test]
    fn no_complete_row_names_the_column_that_misses_most() {
        let columns = vec!["A".into(), "B".into()];
        let index = vec!["d1".into(), "d2".into()];
        let table = Table::new("Date".into(), index, columns, vec![1.0, NA, NA, NA]).unwrap();
        let error = table.returns(Returns::None).unwrap_err();
        let expected = DataError::NoCompleteRow { file: "table".into(), rows: 2, header: "B".into(), missing: 2 };
        assert_eq!(error, expected);
    }
}
