//! The frontier: nothing beyond it, the best of it found and refined, bounds held, the riskless flagged.
//!
//! Portfolios within bounds and at targets are those of SciPy 1.17's SLSQP on the covariance of pandas.

mod bounded;
mod refined;

use cubefold::Device;
use cubefold::finance::{
    Covariance, FinanceError, Frontier, FrontierOptions, Objective, Portfolio, Returns, Table, bundled_prices,
    covariance, frontier,
};

use super::{assert_near, rejects, table, tolerance};
use crate::devices::devices;
use crate::oracle::assert_close;

fn returns() -> Table {
    bundled_prices().returns(Returns::Simple).unwrap()
}

fn run(device: &Device, returns: &Table, options: &FrontierOptions) -> (Frontier, Covariance) {
    (frontier(device, returns, options).unwrap(), covariance(device, returns, &options.covariance()).unwrap())
}

/// Return, volatility and Sharpe ratio by their formulas.
fn evaluate(weights: &[f64], estimate: &Covariance, rf: f64) -> [f64; 3] {
    let ret: f64 = weights.iter().zip(&estimate.mean).map(|(weight, mean)| weight * mean).sum();
    let mut variance = 0.0;
    for (row, left) in weights.iter().enumerate() {
        variance +=
            weights.iter().enumerate().map(|(column, right)| left * right * estimate.at(row, column)).sum::<f64>();
    }
    let volatility = variance.max(0.0).sqrt();
    [ret, volatility, (ret - rf) / volatility]
}

fn assert_recomputes(portfolio: &Portfolio, estimate: &Covariance, rf: f64, case: &str) {
    let sum: f64 = portfolio.weights.iter().sum();
    assert!((sum - 1.0).abs() <= 1e-12, "{case}: the weights sum to {sum}");
    assert!(portfolio.weights.iter().all(|weight| *weight >= 0.0), "{case}: {:?}", portfolio.weights);
    let point = portfolio.point;
    let expected = evaluate(&portfolio.weights, estimate, rf);
    assert_close(&[point.ret, point.volatility, point.sharpe], &expected, 1e-9, case);
}

#[test]
fn named_portfolios_are_what_their_weights_give() {
    let returns = returns();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 20_000, ..FrontierOptions::default() };
        let (found, estimate) = run(device, &returns, &options);
        assert_eq!((found.portfolios, found.cloud.len(), found.singles.len()), (20_000, 20_000, 20), "{name}");
        assert_eq!((&found.assets, found.rf), (&estimate.assets, 0.02), "{name}");
        for (which, portfolio) in [("least volatility", &found.min_volatility), ("largest ratio", &found.max_sharpe)] {
            assert_recomputes(portfolio, &estimate, 0.02, &format!("{name}, {which}"));
            assert!(!portfolio.riskless, "{name}, {which}");
        }
        for (asset, single) in found.singles.iter().enumerate() {
            let mut alone = [0.0; 20];
            alone[asset] = 1.0;
            let expected = evaluate(&alone, &estimate, 0.02);
            let got = [single.ret, single.volatility, single.sharpe];
            assert_close(&got, &expected, 1e-9, &format!("{name}, asset {asset} alone"));
        }
    }
}

#[test]
fn no_portfolio_lies_beyond_the_long_only_frontier() {
    // "minimum variance, long-only" and "maximum Sharpe, long-only, rf 0.02": no cloud reaches past them.
    let (least, largest) = (0.16965031044216378, 1.2930593778425923);
    let returns = returns();
    for (name, device) in devices() {
        let (found, _) = run(device, &returns, &FrontierOptions { portfolios: 20_000, ..FrontierOptions::default() });
        let rounding = tolerance(device);
        for point in &found.cloud {
            assert!(point.volatility >= least * (1.0 - rounding), "{name}: {point:?}");
            assert!(point.sharpe <= largest * (1.0 + rounding), "{name}: {point:?}");
        }
        // And it comes near: 20 uniform weights reach within a tenth of the least volatility.
        assert!(found.min_volatility.point.volatility < least * 1.1, "{name}: {:?}", found.min_volatility.point);
    }
}

#[test]
fn the_best_portfolios_are_the_extremes_of_the_cloud() {
    let returns = returns();
    for (name, device) in devices() {
        for (portfolios, seed) in [(1, 1), (2, 9), (257, 3), (10_001, 5)] {
            let options = FrontierOptions { portfolios, seed, ..FrontierOptions::default() };
            let (found, _) = run(device, &returns, &options);
            let lowest = found.cloud.iter().fold(f64::INFINITY, |lowest, point| lowest.min(point.volatility));
            let highest = found.cloud.iter().fold(f64::NEG_INFINITY, |highest, point| highest.max(point.sharpe));
            let best = [found.min_volatility.point.volatility, found.max_sharpe.point.sharpe];
            // The cloud is evaluated in the device's arithmetic, the named portfolios in f64.
            let rounding = if device.is_host() { 1e-12 } else { 1e-5 };
            assert_close(&best, &[lowest, highest], rounding, &format!("{name}, {portfolios} portfolios"));
        }
    }
}

#[test]
fn the_cloud_is_the_same_on_every_device_and_for_every_size() {
    let returns = returns();
    let cloud = |device: &Device, portfolios| {
        // Plain: rounds around the best depend on how many portfolios the best is of.
        let options = FrontierOptions { portfolios, seed: 4, rounds: 1, ..FrontierOptions::default() };
        let cloud = run(device, &returns, &options).0.cloud;
        cloud.iter().flat_map(|point| [point.ret, point.volatility]).collect::<Vec<f64>>()
    };
    let host = cloud(&Device::host(), 3000);
    for (name, device) in devices() {
        let found = cloud(device, 3000);
        assert_close(&found, &host, 1e-4, name);
        // A larger cloud begins with the smaller one.
        assert_near(&cloud(device, 5000)[..6000], &found, 1e-6, name);
    }
}

#[test]
fn a_larger_seed_word_draws_another_cloud() {
    let returns = returns();
    for (name, device) in devices() {
        let first = |seed| {
            let options = FrontierOptions { portfolios: 3, seed, ..FrontierOptions::default() };
            run(device, &returns, &options).0.cloud[0]
        };
        assert_eq!(first(1), first(1), "{name}");
        assert_ne!(first(1), first(2), "{name}");
        assert_ne!(first(1), first(1 + (1 << 32)), "{name}");
    }
}

/// One asset that always returns `rate`, and two that lose.
fn with_riskless(rate: f64) -> Table {
    let rows: Vec<[f64; 3]> = (0..250)
        .map(|row| {
            let wave = f64::from(row * 7919 % 101) / 5000.0 - 0.01;
            [rate, wave - 0.001, -0.5 * wave - 0.002 + f64::from(row % 7) / 4000.0]
        })
        .collect();
    table(["cash", "A", "B"], &rows)
}

#[test]
fn a_riskless_asset_has_no_sharpe_ratio_and_is_never_the_best() {
    // With a constant rate below rf every ratio is negative, and a ratio of 0 would win.
    for (name, device) in devices() {
        for (rf, objective) in [(0.02, Objective::Both), (0.5, Objective::MinVolatility)] {
            let returns = with_riskless(0.0001);
            let options = FrontierOptions { portfolios: 2000, rf, objective, ..FrontierOptions::default() };
            let (found, estimate) = run(device, &returns, &options);
            let case = format!("{name}, rf {rf}");
            let cash = found.singles[0];
            assert!(cash.sharpe.is_nan() && cash.volatility == 0.0, "{case}: {cash:?}");
            assert_close(&[cash.ret], &[0.0252], 1e-6, &case);
            let best = &found.max_sharpe;
            assert!(!best.riskless && best.point.sharpe.is_finite(), "{case}: {best:?}");
            assert_recomputes(best, &estimate, rf, &case);
            let least = &found.min_volatility;
            assert_eq!(least.riskless, least.point.sharpe.is_nan(), "{case}: {least:?}");
            assert!(found.cloud.iter().all(|point| point.sharpe != 0.0), "{case}: a ratio of 0");
            if rf == 0.5 {
                assert!(best.point.sharpe < 0.0, "{case}: {best:?}");
            }
        }
    }
}

#[test]
fn where_nothing_has_risk_everything_is_flagged() {
    let rows = vec![[0.0001, 0.0002]; 30];
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 100, ..FrontierOptions::default() };
        let (found, _) = run(device, &table(["cash", "bill"], &rows), &options);
        for portfolio in [&found.min_volatility, &found.max_sharpe] {
            assert!(portfolio.riskless && portfolio.point.sharpe.is_nan(), "{name}: {portfolio:?}");
            assert_eq!(portfolio.point.volatility, 0.0, "{name}");
            let sum: f64 = portfolio.weights.iter().sum();
            assert!((sum - 1.0).abs() <= 1e-12, "{name}: the weights sum to {sum}");
        }
        assert!(found.cloud.iter().chain(&found.singles).all(|point| point.sharpe.is_nan()), "{name}");
    }
}

#[test]
fn one_asset_alone_is_the_whole_portfolio() {
    let returns = returns().select(&["XOM"]).unwrap();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 10, ..FrontierOptions::default() };
        let (found, estimate) = run(device, &returns, &options);
        assert_eq!(found.min_volatility.weights, [1.0], "{name}");
        assert_recomputes(&found.max_sharpe, &estimate, 0.02, name);
        let volatility = estimate.at(0, 0).sqrt();
        let cloud: Vec<f64> = found.cloud.iter().map(|point| point.volatility).collect();
        assert_close(&cloud, &[volatility; 10], tolerance(device), name);
    }
}

#[test]
fn the_recomputation_rejects_a_swapped_pair_of_weights() {
    let returns = returns();
    for (name, device) in devices() {
        let (found, estimate) = run(device, &returns, &FrontierOptions { portfolios: 50, ..Default::default() });
        let mut wrong = found.max_sharpe.clone();
        wrong.weights.swap(3, 4);
        assert!(rejects(|| assert_recomputes(&wrong, &estimate, 0.02, name)), "{name}: a swapped pair");
        let mut wrong = found.max_sharpe.clone();
        wrong.weights[3] = 0.0;
        assert!(rejects(|| assert_recomputes(&wrong, &estimate, 0.02, name)), "{name}: a dropped weight");
    }
}

#[test]
fn returns_whose_covariance_overflows_are_refused() {
    let scaled = |scale: f64| table(["x", "y"], &[[scale, 0.1], [-scale, 0.2], [scale / 10.0, -0.1]]);
    for (name, device) in devices() {
        let refused =
            |scale: f64| frontier(device, &scaled(scale), &FrontierOptions::default()).map(|found| found.assets);
        // Squares that overflow, in f64 on the host and in f32 elsewhere; and values that no device holds.
        let (squares, values) = if device.is_host() { (1e308, None) } else { (1e30, Some(1e308)) };
        assert!(matches!(refused(squares), Err(FinanceError::NotFinite { .. })), "{name}: {:?}", refused(squares));
        if let Some(values) = values {
            assert!(matches!(refused(values), Err(FinanceError::TooLarge { .. })), "{name}: {:?}", refused(values));
        }
    }
}
