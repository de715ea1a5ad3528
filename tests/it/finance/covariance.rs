//! Mean and covariance against numpy and pandas.

use cubefold::Device;
use cubefold::finance::{
    Covariance, CovarianceOptions, Deletion, FinanceError, Returns, RowWeights, Shrinkage, Table, bundled_prices,
    condition_number, covariance, is_indefinite, weighted_covariance,
};

use super::{assert_near, rejects, series, table, tolerance};
use crate::devices::devices;
use crate::oracle::assert_close;

fn estimate(device: &Device, returns: &Table, ddof: u32, periods_per_year: f64) -> Covariance {
    covariance(device, returns, &CovarianceOptions { ddof, periods_per_year, ..CovarianceOptions::default() }).unwrap()
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
        // Thirty eigenvalues or more are 0 but for rounding, which makes no matrix indefinite.
        let eigenvalues = found.eigenvalues();
        assert!(eigenvalues[30].abs() < 1e-5 * eigenvalues[49] && !is_indefinite(&eigenvalues), "{name}");
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
        let options = CovarianceOptions { ddof: 2, periods_per_year: 1.0, ..CovarianceOptions::default() };
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

#[test]
fn one_observation_has_no_sample_variance_and_a_population_variance_of_zero() {
    // B7: never infinite, never a scalar.
    let once = table(["x", "y", "z"], &[[0.1, -0.2, 0.3]]);
    for (name, device) in devices() {
        let population = estimate(device, &once, 0, 252.0);
        assert_eq!((population.covariance.as_slice(), population.periods), (&[0.0; 9][..], 1), "{name}");
        let sample = covariance(device, &once, &plain());
        assert!(matches!(sample, Err(FinanceError::DdofTooLarge { ddof: 1, periods: 1 })), "{name}: {sample:?}");
    }
}

#[test]
fn means_and_covariances_are_of_one_scale_and_shrinkage_keeps_what_is_beside_the_diagonal() {
    // B15: a daily mean beside a yearly covariance, and a shrunk matrix that is diagonal, are what users met.
    let returns = simple_returns();
    for (name, device) in devices() {
        let (daily, yearly) = (estimate(device, &returns, 1, 1.0), estimate(device, &returns, 1, 252.0));
        let scaled = |values: &[f64]| values.iter().map(|value| value * 252.0).collect::<Vec<f64>>();
        assert_close(&yearly.mean, &scaled(&daily.mean), 1e-12, name);
        assert_close(&yearly.covariance, &scaled(&daily.covariance), 1e-12, name);
        let options = CovarianceOptions { shrinkage: Shrinkage::LedoitWolf, ..CovarianceOptions::default() };
        let shrunk = covariance(device, &returns, &options).unwrap();
        assert!(shrunk.shrinkage > 0.0, "{name}");
        let expected: Vec<f64> = (1..20).map(|asset| yearly.at(0, asset) * (1.0 - shrunk.shrinkage)).collect();
        let beside: Vec<f64> = (1..20).map(|asset| shrunk.at(0, asset)).collect();
        assert_close(&beside, &expected, 1e-12, name);
    }
}

/// Options for figures as they are, of the sample.
fn plain() -> CovarianceOptions {
    CovarianceOptions { periods_per_year: 1.0, ..CovarianceOptions::default() }
}

#[test]
fn weights_are_numpys() {
    // O20: m = 0..9, frequencies 2 m, analytic weights m².
    let values: Vec<f64> = (0..10).map(f64::from).collect();
    let frequency = Some((0..10).map(|value| 2 * value).collect::<Vec<u32>>());
    let analytic = |scale: f64| Some(values.iter().map(|value| scale * value * value).collect::<Vec<f64>>());
    let none = RowWeights::default;
    let cases = [
        (RowWeights { frequency: frequency.clone(), analytic: analytic(1.0) }, 1, 2.368_621_949),
        (RowWeights { frequency: frequency.clone(), ..none() }, 1, 4.943_820_22),
        (RowWeights { analytic: analytic(1.0), ..none() }, 1, 4.086_687_307),
        // On any scale, past what f32 holds too.
        (RowWeights { analytic: analytic(1e300), ..none() }, 1, 4.086_687_307),
        (RowWeights { frequency: frequency.clone(), analytic: analytic(1.0) }, 0, 2.333_726_2),
        (RowWeights { frequency, analytic: analytic(1.0) }, 2, 2.404_577_11),
        (none(), 1, 55.0 / 6.0),
    ];
    for (name, device) in devices() {
        for (weights, ddof, expected) in &cases {
            let options = CovarianceOptions { ddof: *ddof, ..plain() };
            let found = weighted_covariance(device, &series(&values), weights, &options).unwrap();
            assert_close(&found.covariance, &[*expected], tolerance(device).max(1e-8), &format!("{name}, {weights:?}"));
        }
    }
}

#[test]
fn a_row_of_frequency_two_is_two_rows() {
    let once = table(["x", "y"], &[[-2.1, 3.0], [-1.0, 1.1], [f64::NAN, 7.0], [4.3, 0.12]]);
    let twice = table(["x", "y"], &[[-2.1, 3.0], [-2.1, 3.0], [-1.0, 1.1], [4.3, 0.12]]);
    for (name, device) in devices() {
        // The row with a hole takes its weight along.
        let weights = RowWeights { frequency: Some(vec![2, 1, 9, 1]), analytic: None };
        let found = weighted_covariance(device, &once, &weights, &plain()).unwrap();
        let expected = covariance(device, &twice, &plain()).unwrap();
        assert_close(&found.covariance, &expected.covariance, 1e-6, name);
        assert_close(&found.mean, &expected.mean, 1e-6, name);
    }
}

#[test]
fn weights_that_leave_nothing_are_refused() {
    let returns = series(&[0.1, 0.2, 0.4]);
    for (name, device) in devices() {
        let refused = |weights: RowWeights| weighted_covariance(device, &returns, &weights, &plain()).unwrap_err();
        let frequency = |counts: &[u32]| RowWeights { frequency: Some(counts.to_vec()), analytic: None };
        for nothing in [&[0, 0, 0], &[0, 1, 0]] {
            assert!(matches!(refused(frequency(nothing)), FinanceError::WeightsTooSmall { ddof: 1 }), "{name}");
        }
        assert!(matches!(refused(frequency(&[1])), FinanceError::WeightCount { weights: 1, rows: 3 }), "{name}");
        let analytic = RowWeights { frequency: None, analytic: Some(vec![0.0, 5.0, 0.0]) };
        assert!(matches!(refused(analytic), FinanceError::WeightsTooSmall { .. }), "{name}");
    }
}

#[test]
fn a_half_life_is_pandas() {
    // `returns.ewm(halflife=60).cov()`, its last 20 rows times 252 (pandas 3.1.1).
    let returns = simple_returns();
    for (name, device) in devices() {
        let options = CovarianceOptions { half_life: Some(60.0), ..CovarianceOptions::default() };
        let found = covariance(device, &returns, &options).unwrap();
        let (apple, microsoft) = (place(&found, "AAPL"), place(&found, "MSFT"));
        let trace: f64 = (0..20).map(|asset| found.at(asset, asset)).sum();
        let entries = [found.at(apple, apple), found.at(apple, microsoft), trace, found.mean[apple]];
        let expected = [0.13400801657918385, 0.10748287238453703, 2.1861070256456934, -0.4093224485863461];
        assert_close(&entries, &expected, tolerance(device), name);
        assert_is_symmetric(&found, name);
    }
}

#[test]
fn shrinkage_is_scikit_learns() {
    // `LedoitWolf().fit(X)` and `OAS().fit(X)` of scikit-learn 1.9.1, whose divisor is n; covariances times 252.
    let every = simple_returns();
    let first = |rows: usize| {
        let values = every.values[..rows * 20].to_vec();
        Table::new("day".to_owned(), every.index[..rows].to_vec(), every.columns.clone(), values).unwrap()
    };
    let cases = [
        (1256, Shrinkage::LedoitWolf, [0.021560280762353338, 0.11231679017456214, 0.10436994694257604]),
        (1256, Shrinkage::Oas, [0.0056529050361509865, 0.11213073577833237, 0.10606678316855525]),
        (60, Shrinkage::LedoitWolf, [0.12823827920974767, 0.07334788946756128, 0.03797267413491006]),
        (60, Shrinkage::Oas, [0.09443467460150538, 0.07292681614922596, 0.039445110044587915]),
    ];
    for (name, device) in devices() {
        for (rows, shrinkage, expected) in cases {
            let options = CovarianceOptions { ddof: 0, shrinkage, ..CovarianceOptions::default() };
            let found = covariance(device, &first(rows), &options).unwrap();
            let entries = [found.shrinkage, found.at(0, 0), found.at(0, 1)];
            assert_close(&entries, &expected, tolerance(device), &format!("{name}, {rows} rows, {shrinkage:?}"));
            let plain = CovarianceOptions { shrinkage: Shrinkage::None, ..options };
            let plain = covariance(device, &first(rows), &plain).unwrap();
            let smallest = |estimate: &Covariance| estimate.eigenvalues()[0];
            assert!(smallest(&found) > smallest(&plain), "{name}: {shrinkage:?} raises the smallest eigenvalue");
        }
        // One asset is its own target, and one without variance is not divided by.
        for column in [&[0.1, 0.2, 0.4], &[0.7; 3]] {
            for shrinkage in [Shrinkage::LedoitWolf, Shrinkage::Oas] {
                let options = CovarianceOptions { shrinkage, ..plain() };
                let found = covariance(device, &series(column), &options).unwrap().covariance;
                let expected = covariance(device, &series(column), &plain()).unwrap().covariance;
                assert_close(&found, &expected, 1e-6, name);
            }
        }
    }
}

#[test]
fn pairwise_rows_are_pandas() {
    let pairwise = CovarianceOptions { missing: Deletion::Pairwise, ..plain() };
    // O21, with a mean over two rows and one over three.
    let nan = f64::NAN;
    let small = table(["a", "b"], &[[1.0, 2.0], [2.0, nan], [nan, 6.0], [4.0, 8.0]]);
    // Holes in real returns: `returns.mask(k % 7 == 3).mask(k % 11 == 5).cov()`, k counted row by row (pandas 3.1.1).
    let mut holes = simple_returns();
    for (place, value) in holes.values.iter_mut().enumerate() {
        if place % 7 == 3 || place % 11 == 5 {
            *value = nan;
        }
    }
    for (name, device) in devices() {
        let found = covariance(device, &small, &pairwise).unwrap();
        assert_close(&found.covariance, &[7.0 / 3.0, 9.0, 9.0, 28.0 / 3.0], tolerance(device), name);
        assert_close(&found.mean, &[7.0 / 3.0, 16.0 / 3.0], tolerance(device), name);
        assert_eq!(found.periods, 4, "{name}");
        let yearly = CovarianceOptions { periods_per_year: 252.0, ..pairwise };
        let found = covariance(device, &holes, &yearly).unwrap();
        let trace: f64 = (0..20).map(|asset| found.at(asset, asset)).sum();
        let frobenius = found.covariance.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        let (apple, microsoft) = (place(&found, "AAPL"), place(&found, "MSFT"));
        let entries = [found.at(apple, apple), found.at(apple, microsoft), trace, frobenius, found.mean[apple]];
        let expected =
            [0.10888494129603807, 0.08614487249256467, 2.470411813917445, 1.1878026259494032, 0.4462443733019013];
        assert_close(&entries, &expected, tolerance(device), name);
        assert_is_symmetric(&found, name);
        // Without holes it is the other way's estimate.
        let whole = covariance(device, &simple_returns(), &yearly).unwrap();
        let complete = covariance(device, &simple_returns(), &CovarianceOptions::default()).unwrap();
        assert_close(&whole.covariance, &complete.covariance, tolerance(device), name);
    }
}

#[test]
fn pairwise_rows_may_give_no_covariance_at_all() {
    // B10: each pair agrees on other rows, so that no three variables could have these covariances.
    let nan = f64::NAN;
    let rows = [
        [1.0, 1.0, nan],
        [2.0, 2.0, nan],
        [3.0, 3.0, nan],
        [nan, 1.0, 1.0],
        [nan, 2.0, 2.0],
        [nan, 3.0, 3.0],
        [1.0, nan, 3.0],
        [2.0, nan, 2.0],
        [3.0, nan, 1.0],
    ];
    for (name, device) in devices() {
        let pairwise = CovarianceOptions { missing: Deletion::Pairwise, ..plain() };
        let found = covariance(device, &table(["x", "y", "z"], &rows), &pairwise).unwrap();
        assert_close(&found.covariance, &[0.8, 1.0, -1.0, 1.0, 0.8, 1.0, -1.0, 1.0, 0.8], 1e-6, name);
        let eigenvalues = found.eigenvalues();
        assert_close(&eigenvalues, &[-1.2, 1.8, 1.8], 1e-6, name);
        assert_eq!(condition_number(&eigenvalues), f64::INFINITY, "{name}");
        // A pair without a row in common has none, and then the matrix has no eigenvalues to speak of.
        let apart = table(["x", "y"], &[[1.0, nan], [2.0, nan], [nan, 3.0], [nan, 7.0]]);
        let found = covariance(device, &apart, &pairwise).unwrap();
        assert_close(&[found.at(0, 0), found.at(1, 1)], &[0.5, 8.0], 1e-6, name);
        assert!(found.at(0, 1).is_nan() && found.eigenvalues().is_empty(), "{name}");
        // A constant column is exactly 0 here too.
        let rows: Vec<[f64; 2]> = (0..5000).map(|row| [0.7, if row % 3 == 0 { nan } else { f64::from(row) }]).collect();
        let found = covariance(device, &table(["constant", "line"], &rows), &pairwise).unwrap();
        assert_eq!(found.covariance[..3], [0.0; 3], "{name}");
    }
}

#[test]
fn the_spectrum_is_numpys() {
    // `numpy.linalg.eigvalsh` of the covariance: its ends, and one by the other.
    for (name, device) in devices() {
        let eigenvalues = estimate(device, &simple_returns(), 1, 252.0).eigenvalues();
        let found = [eigenvalues[0], eigenvalues[19], condition_number(&eigenvalues)];
        let expected = [0.0075330411911613306, 1.0396300062684043, 138.00933512592806];
        assert_close(&found, &expected, tolerance(device), name);
    }
}
