//! Mean and covariance against numpy and pandas.

use cubefold::Device;
use cubefold::finance::{Covariance, CovarianceOptions, FinanceError, Returns, Table, bundled_prices, covariance};

use super::{assert_near, rejects, series, table, tolerance};
use crate::devices::devices;
use crate::oracle::assert_close;

fn estimate(device: &Device, returns: &Table, ddof: u32, periods_per_year: f64) -> Covariance {
    covariance(device, returns, &CovarianceOptions { ddof, periods_per_year }).unwrap()
}

/// Covariance by its definition, two passes over each pair of columns.
fn definition(returns: &Table, ddof: u32) -> Vec<f64> {
    let (rows, width) = (returns.rows() as f64, returns.width());
    let columns: Vec<Vec<f64>> = (0..width).map(|column| returns.column(column)).collect();
    let means: Vec<f64> = columns.iter().map(|column| column.iter().sum::<f64>() / rows).collect();
    let entry = |place: usize| {
        let (left, right) = (place / width, place % width);
        let products = columns[left].iter().zip(&columns[right]).map(|(x, y)| (x - means[left]) * (y - means[right]));
        products.sum::<f64>() / (rows - f64::from(ddof))
    };
    (0..width * width).map(entry).collect()
}

fn simple_returns() -> Table {
    bundled_prices().returns(Returns::Simple).unwrap()
}

fn place(estimate: &Covariance, asset: &str) -> usize {
    estimate.assets.iter().position(|name| name == asset).unwrap()
}

fn assert_is_symmetric(estimate: &Covariance, case: &str) {
    let assets = estimate.assets.len();
    for place in 0..assets * assets {
        let (row, column) = (place / assets, place % assets);
        assert_eq!(estimate.at(row, column).to_bits(), estimate.at(column, row).to_bits(), "{case}: {row}, {column}");
    }
}

#[test]
fn the_covariance_of_real_returns_is_numpys() {
    // "annualised simple-return covariance (ddof 1, x252)".
    let entries = [
        ("AAPL", "AAPL", 0.1121539133033052),
        ("AAPL", "MSFT", 0.08030659434376344),
        ("XOM", "CVX", 0.10266032448957858),
        ("KO", "PEP", 0.0360060247388718),
    ];
    let returns = simple_returns();
    let definition = definition(&returns, 1);
    for (name, device) in devices() {
        let (found, tolerance) = (estimate(device, &returns, 1, 252.0), tolerance(device));
        assert_eq!((found.periods, found.ddof, found.assets.len()), (1256, 1, 20), "{name}");
        for (left, right, expected) in entries {
            let entry = found.at(place(&found, left), place(&found, right));
            assert_close(&[entry], &[expected], tolerance, &format!("{name}, {left} and {right}"));
        }
        let trace: f64 = (0..20).map(|asset| found.at(asset, asset)).sum();
        let frobenius = found.covariance.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        assert_close(&[trace, frobenius], &[2.477186832997106, 1.1670952540203672], tolerance, name);
        let every_day: Vec<f64> = definition.iter().map(|entry| entry * 252.0).collect();
        assert_close(&found.covariance, &every_day, tolerance, name);
        assert_is_symmetric(&found, name);
    }
}

#[test]
fn the_mean_of_real_returns_is_numpys() {
    // "annualised mean simple return". GE's is what is left of gains and losses 3,000 times as large.
    let returns = simple_returns();
    for (name, device) in devices() {
        let found = estimate(device, &returns, 1, 252.0);
        let means = ["AAPL", "GE"].map(|asset| found.mean[place(&found, asset)]);
        assert_close(&means, &[0.2817383401787791, -0.0007804293468885699], tolerance(device), name);
    }
}

#[test]
fn log_returns_and_correlation_are_numpys() {
    let log = bundled_prices().returns(Returns::Log).unwrap();
    let simple = simple_returns();
    for (name, device) in devices() {
        let found = estimate(device, &log, 1, 252.0);
        let (apple, microsoft) = (place(&found, "AAPL"), place(&found, "MSFT"));
        // "annualised log-return covariance (ddof 1, x252)".
        assert_close(&[found.at(apple, microsoft)], &[0.08061415620342685], tolerance(device), name);
        // "correlation AAPL,MSFT", of simple returns.
        let correlation = estimate(device, &simple, 1, 252.0).correlation();
        assert_close(&[correlation[apple * 20 + microsoft]], &[0.7726871185282643], tolerance(device), name);
        assert!((0..20).all(|asset| correlation[asset * 21] == 1.0), "{name}: the diagonal");
    }
}

#[test]
fn the_examples_of_numpy_and_pandas_come_out() {
    // O19, numpy's documentation; O21, pandas'.
    let numpy = table(["x", "y"], &[[-2.1, 3.0], [-1.0, 1.1], [4.3, 0.12]]);
    let pandas = table(["dogs", "cats"], &[[1.0, 2.0], [0.0, 3.0], [2.0, 0.0], [1.0, 1.0]]);
    for (name, device) in devices() {
        let found = estimate(device, &numpy, 1, 1.0);
        assert_close(&found.covariance, &[11.71, -4.286, -4.286, 6.4324 / 3.0], 1e-6, name);
        let found = estimate(device, &pandas, 1, 1.0);
        assert_close(&found.covariance, &[2.0 / 3.0, -1.0, -1.0, 5.0 / 3.0], 1e-6, name);
        let population = estimate(device, &pandas, 0, 1.0);
        assert_close(&population.covariance, &[0.5, -0.75, -0.75, 1.25], 1e-6, name);
        assert_close(&estimate(device, &pandas, 1, 12.0).mean, &[12.0, 18.0], 1e-6, name);
    }
}

#[test]
fn a_constant_column_has_a_covariance_of_exactly_zero() {
    // B8, and long enough to take many tiles.
    let noise = [0.01, -0.02, 0.03, -0.01, 0.02];
    for (name, device) in devices() {
        for rows in [5, 5000] {
            let rows: Vec<[f64; 2]> = (0..rows).map(|row| [0.7, noise[row % 5]]).collect();
            let found = estimate(device, &table(["constant", "noise"], &rows), 1, 252.0);
            assert_eq!(found.covariance[..3], [0.0; 3], "{name}, {} rows", rows.len());
            assert!(found.covariance[3] > 0.0, "{name}");
            let correlation = found.correlation();
            assert!(correlation[..3].iter().all(|entry| entry.is_nan()), "{name}: {correlation:?}");
        }
    }
}

#[test]
fn more_assets_than_periods_give_a_symmetric_matrix() {
    // B11: 20 periods of 50 assets.
    let index = (0..20).map(|row| row.to_string()).collect();
    let columns = (0..50).map(|asset| format!("a{asset}")).collect();
    let values = (0..1000).map(|place| f64::from(place * 7919 % 1009) / 1e4 - 0.05).collect();
    let returns = Table::new("row".to_owned(), index, columns, values).unwrap();
    let expected = definition(&returns, 1);
    let largest = expected.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
    for (name, device) in devices() {
        let found = estimate(device, &returns, 1, 1.0);
        assert_near(&found.covariance, &expected, largest * tolerance(device), name);
        assert_is_symmetric(&found, name);
    }
}

#[test]
fn rows_with_a_missing_value_do_not_count() {
    let whole = table(["x", "y"], &[[-2.1, 3.0], [-1.0, 1.1], [4.3, 0.12]]);
    let holes = table(["x", "y"], &[[f64::NAN, 9.0], [-2.1, 3.0], [7.0, f64::NAN], [-1.0, 1.1], [4.3, 0.12]]);
    for (name, device) in devices() {
        assert_eq!(estimate(device, &holes, 1, 1.0), estimate(device, &whole, 1, 1.0), "{name}");
    }
}

#[test]
fn as_many_degrees_of_freedom_as_periods_are_refused() {
    let returns = series(&[0.1, 0.2]);
    for (name, device) in devices() {
        assert_close(&estimate(device, &returns, 1, 1.0).covariance, &[0.005], tolerance(device), name);
        let options = CovarianceOptions { ddof: 2, periods_per_year: 1.0 };
        let refused = covariance(device, &returns, &options);
        assert!(matches!(refused, Err(FinanceError::DdofTooLarge { ddof: 2, periods: 2 })), "{name}: {refused:?}");
    }
}

#[test]
fn the_comparison_with_the_definition_rejects_a_swapped_pair_and_a_dropped_tile() {
    let returns = simple_returns();
    let expected = definition(&returns, 1);
    for (name, device) in devices() {
        let rejected = |wrong: &Table| {
            let found = estimate(device, wrong, 1, 1.0).covariance;
            rejects(|| assert_close(&found, &expected, tolerance(device), name))
        };
        assert!(!rejected(&returns), "{name}: the result itself");
        // One value of one asset on the day of another.
        let mut swapped = returns.clone();
        swapped.values.swap(600 * 20, 601 * 20);
        assert!(rejected(&swapped), "{name}: a swapped pair");
        let mut dropped = returns.clone();
        dropped.values[512 * 20..528 * 20].fill(f64::NAN);
        assert!(rejected(&dropped), "{name}: a dropped tile of 16 rows");
        let mut transposed = estimate(device, &returns, 1, 1.0);
        transposed.covariance.swap(1, 2);
        assert!(rejects(|| assert_is_symmetric(&transposed, name)), "{name}: entries of two pairs");
    }
}
