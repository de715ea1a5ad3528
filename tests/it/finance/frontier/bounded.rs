//! Bounds and shorts: held by every portfolio that is reported, and its best found within them.

use cubefold::finance::frontier::{Bound, exact};
use cubefold::finance::{FinanceError, Frontier, FrontierOptions, Portfolio, frontier};

use super::{returns, run};
use crate::devices::devices;
use crate::finance::tolerance;
use crate::oracle::assert_close;

/// The same bounds for every asset.
fn alike(lower: f64, upper: f64) -> Vec<Bound> {
    returns().columns.into_iter().map(|asset| Bound { asset, lower, upper }).collect()
}

fn reported(found: &Frontier) -> impl Iterator<Item = &Portfolio> {
    [&found.min_volatility, &found.max_sharpe].into_iter().chain(&found.edge)
}

fn assert_within(found: &Frontier, lower: f64, upper: f64, name: &str) {
    for portfolio in reported(found) {
        let sum: f64 = portfolio.weights.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "{name}: the weights sum to {sum}");
        let within = portfolio.weights.iter().all(|weight| (lower - 1e-12..=upper + 1e-12).contains(weight));
        assert!(within, "{name}: {:?}", portfolio.weights);
    }
}

#[test]
fn bounds_hold_and_the_best_within_them_is_found() {
    let (least, largest) = (0.1814886851558814, 1.0284337635728513);
    let options = FrontierOptions { portfolios: 10_000, bounds: alike(0.02, 0.1), ..FrontierOptions::default() };
    for (name, device) in devices() {
        let (found, _) = run(device, &returns(), &options);
        assert_within(&found, 0.02, 0.1, name);
        let exact = exact(&found, &options).unwrap();
        let expected = [exact.min_volatility.point.volatility, exact.max_sharpe.as_ref().unwrap().point.sharpe];
        assert_close(&expected, &[least, largest], tolerance(device), name);
        let distance = exact.distance;
        assert!(distance.min_volatility < 0.002 && distance.max_sharpe < 0.002, "{name}: {distance:?}");
        let rounding = tolerance(device);
        assert!(found.cloud.iter().all(|point| point.volatility >= least * (1.0 - rounding)), "{name}");
        assert!(found.cloud.iter().all(|point| point.sharpe <= largest * (1.0 + rounding)), "{name}");
    }
}

#[test]
fn shorts_are_owed_within_their_bounds() {
    let cases =
        [(-0.1, 0.3, 0.16728875969219126, 1.4216663498064552), (-1.0, 1.0, 0.1671932475275411, 1.592076752652241)];
    for (name, device) in devices() {
        for (lower, upper, least, largest) in cases {
            // Those of the flag alone are from −1 to 1.
            let bounds = if lower == -1.0 { Vec::new() } else { alike(lower, upper) };
            let options = FrontierOptions { portfolios: 20_000, short: true, bounds, ..FrontierOptions::default() };
            let (found, _) = run(device, &returns(), &options);
            let case = format!("{name}, {lower} to {upper}");
            assert_within(&found, lower, upper, &case);
            assert!(found.max_sharpe.weights.iter().any(|weight| *weight < -0.01), "{case}");
            let exact = exact(&found, &options).unwrap();
            let expected = [exact.min_volatility.point.volatility, exact.max_sharpe.as_ref().unwrap().point.sharpe];
            assert_close(&expected, &[least, largest], tolerance(device), &case);
            let distance = exact.distance;
            assert!(distance.min_volatility < 0.005 && distance.max_sharpe < 0.01, "{case}: {distance:?}");
        }
    }
}

#[test]
fn bounds_without_a_choice_are_the_portfolio() {
    let returns = returns().select(&["XOM", "KO"]).unwrap();
    let fixed = |asset: &str, weight| Bound { asset: asset.to_owned(), lower: weight, upper: weight };
    let bounds = vec![fixed("KO", 0.25), fixed("XOM", 0.75)];
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 100, bounds: bounds.clone(), ..FrontierOptions::default() };
        let (found, estimate) = run(device, &returns, &options);
        for portfolio in reported(&found) {
            assert_close(&portfolio.weights, &[0.75, 0.25], 1e-12, name);
        }
        let variance = 0.5625 * estimate.at(0, 0) + 0.375 * estimate.at(0, 1) + 0.0625 * estimate.at(1, 1);
        let cloud: Vec<f64> = found.cloud.iter().map(|point| point.volatility).collect();
        assert_close(&cloud, &[variance.sqrt(); 100], tolerance(device), name);
    }
}

#[test]
fn bounds_that_cannot_be_are_refused() {
    let bound = |asset: &str, lower, upper| Bound { asset: asset.to_owned(), lower, upper };
    for (name, device) in devices() {
        let refused = |bounds: Vec<Bound>, short| {
            let options = FrontierOptions { portfolios: 10, bounds, short, ..FrontierOptions::default() };
            frontier(device, &returns(), &options).map(|found| found.portfolios)
        };
        assert!(refused(alike(0.05, 0.05), false).is_ok(), "{name}: a sum of 1 by rounding");
        assert!(matches!(refused(alike(0.051, 0.1), false), Err(FinanceError::BoundSum { .. })), "{name}");
        assert!(matches!(refused(alike(0.0, 0.049), false), Err(FinanceError::BoundSum { .. })), "{name}");
        let unknown = refused(vec![bound("GOLD", 0.0, 1.0)], false);
        assert!(matches!(unknown, Err(FinanceError::BoundUnknown { .. })), "{name}");
        assert!(matches!(refused(vec![bound("KO", 0.2, 0.1)], false), Err(FinanceError::BoundOrder { .. })), "{name}");
        assert!(matches!(refused(vec![bound("KO", -0.2, 0.1)], false), Err(FinanceError::BoundShort { .. })), "{name}");
        assert!(refused(vec![bound("KO", -0.2, 0.1)], true).is_ok(), "{name}");
    }
}
