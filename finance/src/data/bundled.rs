//! Real prices that travel with the crate; `finance/data/README.md` has their provenance.

use flate2::read::GzDecoder;

use super::Table;

const PRICES: &[u8] = include_bytes!("../../data/sp500_20_2018_2022.csv.gz");

/// Adjusted daily closes of 20 constituents of the S&P 500, 2018-01-02 to 2022-12-28: 1,257
/// complete rows.
///
/// From the data set that skfolio 1.12 ships (BSD-3-Clause) for testing and examples; stale, not
/// for investment. Unpacked and parsed anew in each call, some milliseconds.
pub fn bundled_prices() -> Table {
    Table::from_reader("bundled prices", GzDecoder::new(PRICES)).expect("the bundled prices are a valid table")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Returns;

    /// Sample covariance (ddof 1) of two columns, per year of 252 days.
    fn covariance(returns: &Table, left: &str, right: &str) -> f64 {
        let pair = returns.select(&[left]).and_then(|left| Ok((left, returns.select(&[right])?)));
        let (left, right) = pair.map(|(left, right)| (left.column(0), right.column(0))).expect("both are there");
        let (mean_left, mean_right) = (mean(&left), mean(&right));
        let products = left.iter().zip(&right).map(|(x, y)| (x - mean_left) * (y - mean_right));
        products.sum::<f64>() / (left.len() - 1) as f64 * 252.0
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn assert_close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found} is not {expected}");
    }

    #[test]
    fn the_bundle_is_the_window_its_readme_names() {
        let prices = bundled_prices();
        assert_eq!((prices.rows(), prices.width()), (1257, 20));
        assert_eq!((prices.index[0].as_str(), prices.index[1256].as_str()), ("2018-01-02", "2022-12-28"));
        assert_eq!((prices.columns[0].as_str(), prices.columns[19].as_str()), ("AAPL", "XOM"));
        assert_eq!((prices.value(1256, 0), prices.value(1256, 19)), (125.674, 106.627));
        assert_eq!(prices.complete_rows(), prices);
    }

    /// Figures of pandas 3.1.1 on the same window (the years 2018 to 2022).
    #[test]
    fn returns_of_the_bundle_agree_with_pandas() {
        let simple = bundled_prices().returns(Returns::Simple).expect("prices are positive");
        assert_eq!(simple.rows(), 1256);
        assert_close(mean(&simple.column(0)) * 252.0, 0.2817383401787791);
        assert_close(covariance(&simple, "AAPL", "AAPL"), 0.1121539133033052);
        assert_close(covariance(&simple, "AAPL", "MSFT"), 0.08030659434376344);
        assert_close(covariance(&simple, "XOM", "CVX"), 0.10266032448957858);
        let log = bundled_prices().returns(Returns::Log).expect("prices are positive");
        assert_close(covariance(&log, "AAPL", "MSFT"), 0.08061415620342685);
    }
}
