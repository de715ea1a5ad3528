//! Rounds around the best: they reach the exact frontier, where a plain cloud does not.

use cubefold::finance::frontier::{Evaluator, TwoFund, exact};
use cubefold::finance::{
    Covariance, CovarianceOptions, FinanceError, FrontierOptions, Objective, Point, Sampler, Table, Target, covariance,
    frontier,
};
use cubefold::views::Dense;

use super::{assert_recomputes, returns, run};
use crate::devices::devices;
use crate::finance::{assert_near, rejects, table, tolerance};
use crate::oracle::assert_close;

/// "minimum variance, long-only" and "maximum Sharpe, long-only, rf 0.02".
const LEAST: [f64; 2] = [0.16965031044216378, 0.1371199244106645];
const LARGEST: f64 = 1.2930593778425923;

/// How far the best that are found may be from the exact ones.
const NEAR: f64 = 0.002;

#[test]
fn the_best_portfolios_are_the_exact_ones_of_numpy() {
    let returns = returns();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 10_000, ..FrontierOptions::default() };
        let (found, _) = run(device, &returns, &options);
        let (least, best) = (found.min_volatility.point, found.max_sharpe.point);
        assert!(least.volatility < LEAST[0] * (1.0 + NEAR), "{name}: {least:?}");
        assert!(best.sharpe > LARGEST * (1.0 - NEAR), "{name}: {best:?}");
        let exact = exact(&found, &options).unwrap();
        let point = exact.min_volatility.point;
        assert_close(&[point.volatility, point.ret], &LEAST, tolerance(device), name);
        let best = exact.max_sharpe.as_ref().unwrap();
        assert_close(&[best.point.sharpe], &[LARGEST], tolerance(device), name);
        let weight = |asset: &str| best.weights[found.assets.iter().position(|name| name == asset).unwrap()];
        // "AAPL weight" and "LLY weight".
        let weights = [weight("AAPL"), weight("LLY")];
        assert_near(&weights, &[0.049574562252318426, 0.5604597774606082], 5e-4, name);
        let distance = exact.distance;
        assert!(distance.min_volatility.abs() < NEAR && distance.max_sharpe.abs() < NEAR, "{name}: {distance:?}");
        assert!(distance.edge.abs() < NEAR, "{name}: {distance:?}");
    }
}

#[test]
fn a_plain_cloud_does_not_reach_the_edge() {
    // So that nearness says something.
    let returns = returns();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 10_000, rounds: 1, ..FrontierOptions::default() };
        let (found, _) = run(device, &returns, &options);
        assert_eq!(found.rounds, 1, "{name}");
        assert!(found.min_volatility.point.volatility > LEAST[0] * (1.0 + NEAR), "{name}");
        assert!(found.max_sharpe.point.sharpe < LARGEST * (1.0 - NEAR), "{name}");
    }
}

#[test]
fn the_closed_forms_are_numpys() {
    // "global minimum variance, unconstrained" and "tangency, unconstrained, rf 0.02".
    let returns = returns();
    for (name, device) in devices() {
        let estimate = covariance(device, &returns, &CovarianceOptions::default()).unwrap();
        let found = TwoFund::new(&estimate, 0.02).unwrap();
        let calm = &found.min_volatility;
        let weight = |asset: &str| calm.weights[estimate.assets.iter().position(|name| name == asset).unwrap()];
        let got = [calm.point.volatility, calm.point.ret];
        assert_close(&got, &[0.1671932475275412, 0.13271233631097665], tolerance(device), name);
        assert_near(&[weight("AAPL"), weight("JNJ")], &[0.008562423884056886, 0.2163259070878803], 1e-4, name);
        let best = found.max_sharpe.as_ref().unwrap().point;
        let expected = [0.39484806669883615, 0.6486284278208986, 1.592076752652241];
        assert_close(&[best.volatility, best.ret, best.sharpe], &expected, 1e-3f64.min(tolerance(device) * 10.0), name);
        assert_close(&[found.volatility(best.ret)], &[best.volatility], 1e-9, name);
        assert!(rejects(|| assert_close(&got, &[0.168, 0.1327], 1e-3, name)));
    }
}

#[test]
fn the_edge_is_efficient_and_has_weights() {
    let returns = returns();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 4000, points: 12, ..FrontierOptions::default() };
        let (found, estimate) = run(device, &returns, &options);
        assert!((9..=12).contains(&found.edge.len()), "{name}: {} points", found.edge.len());
        let least = found.min_volatility.point;
        assert_close(&[found.edge[0].point.volatility], &[least.volatility], 1e-6, name);
        for pair in found.edge.windows(2) {
            let (below, above) = (pair[0].point, pair[1].point);
            assert!(below.ret < above.ret && below.volatility < above.volatility, "{name}: {below:?}, {above:?}");
        }
        let rounding = if device.is_host() { 1e-12 } else { 1e-5 };
        for portfolio in &found.edge {
            assert_recomputes(portfolio, &estimate, 0.02, &format!("{name}, edge"));
            let point = portfolio.point;
            let better =
                |other: &&Point| other.ret >= point.ret && other.volatility < point.volatility * (1.0 - rounding);
            let beaten = found.cloud.iter().find(better);
            assert!(beaten.is_none(), "{name}: {point:?} is beaten by {beaten:?}");
        }
    }
}

#[test]
fn targets_are_found_and_what_nobody_reaches_is_none() {
    let returns = returns();
    let targets = [0.2, 0.3, 0.9].map(Target::Return).into_iter();
    let risks = [0.1783195317568402, 0.2214055507223282, 0.01].map(Target::Volatility);
    let targets: Vec<Target> = targets.chain(risks).collect();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 10_000, targets: targets.clone(), ..FrontierOptions::default() };
        let (found, estimate) = run(device, &returns, &options);
        let [first, second, never, calm, bold, nowhere] = &found.targets[..] else { panic!("one each") };
        assert!(never.is_none() && nowhere.is_none(), "{name}: {never:?}, {nowhere:?}");
        for (portfolio, ret, volatility) in [(first, 0.2, 0.1783195317568402), (second, 0.3, 0.2214055507223282)] {
            let portfolio = portfolio.as_ref().unwrap();
            assert!(portfolio.point.ret >= ret * (1.0 - 1e-5), "{name}: {:?}", portfolio.point);
            assert_close(&[portfolio.point.volatility], &[volatility], NEAR, name);
            assert_recomputes(portfolio, &estimate, 0.02, name);
        }
        for (portfolio, ret, volatility) in [(calm, 0.2, 0.1783195317568402), (bold, 0.3, 0.2214055507223282)] {
            let portfolio = portfolio.as_ref().unwrap();
            assert!(portfolio.point.volatility <= volatility * (1.0 + 1e-5), "{name}: {:?}", portfolio.point);
            assert_close(&[portfolio.point.ret], &[ret], 2.0 * NEAR, name);
        }
    }
}

#[test]
fn the_same_call_gives_the_same_bits() {
    let returns = returns();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 1500, ..FrontierOptions::default() };
        assert_eq!(run(device, &returns, &options).0, run(device, &returns, &options).0, "{name}");
    }
}

#[test]
fn a_search_that_stands_still_draws_what_is_left_plainly() {
    let returns = returns().select(&["XOM", "KO"]).unwrap();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 5000, rounds: 100, points: 2, ..FrontierOptions::default() };
        let (found, _) = run(device, &returns, &options);
        assert!(found.rounds < 60, "{name}: {} rounds", found.rounds);
        assert_eq!((found.portfolios, found.cloud.len()), (5000, 5000), "{name}");
        assert!(found.cloud.iter().all(|point| point.volatility > 0.0), "{name}: a portfolio was not evaluated");
    }
}

/// Returns of assets with a common factor, numbered days.
fn synthetic(days: usize, assets: usize) -> Table {
    let noise = |place: usize| {
        let mixed = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let value = |place: usize| {
        let (day, asset) = (place / assets, place % assets);
        let beta = 0.5 + noise(asset + 7) + 0.5;
        0.0004 + 0.0006 * noise(asset + 91) + 0.01 * beta * noise(day + 1_000_003) + 0.03 * noise(place + 5_000_011)
    };
    let index = (0..days).map(|day| day.to_string()).collect();
    let columns = (0..assets).map(|asset| format!("a{asset}")).collect();
    Table::new("day".to_owned(), index, columns, (0..days * assets).map(value).collect()).unwrap()
}

#[test]
fn many_assets_are_refined_too_and_small_alphas_hold_few() {
    // B14: a uniform cloud of 120 assets is bunched in its middle.
    let returns = synthetic(400, 120);
    for (name, device) in devices() {
        let with = |alpha, rounds| {
            let sampler = Sampler::Dirichlet { alpha };
            FrontierOptions { portfolios: 3000, sampler, rounds, points: 5, ..FrontierOptions::default() }
        };
        let best = |options: &FrontierOptions| frontier(device, &returns, options).unwrap();
        let (plain, refined) = (best(&with(0.5, 1)), best(&with(0.5, 8)));
        let distance = exact(&refined, &with(0.5, 8)).unwrap().distance;
        assert!(distance.min_volatility < 0.01 && distance.max_sharpe < 0.02, "{name}: {distance:?}");
        let exact = exact(&plain, &with(0.5, 1)).unwrap().distance;
        assert!(exact.min_volatility > 0.05 && exact.max_sharpe > 0.1, "{name}: {exact:?}");
        let spread = |alpha| {
            let cloud = best(&with(alpha, 1)).cloud;
            let plain = cloud.iter().enumerate().filter(|(number, _)| number % 8 != 3 && number % 8 != 7);
            plain.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], (_, point)| {
                [low.min(point.volatility), high.max(point.volatility)]
            })
        };
        let ([_, few], [_, many]) = (spread(0.02), spread(50.0));
        assert!(few > 1.5 * many, "{name}: {few} and {many}");
    }
}

#[test]
fn more_assets_than_days_are_clamped_and_no_volatility_is_missing() {
    // 500 assets and 250 days: half of the eigenvalues are 0, or a little below by rounding.
    let returns = synthetic(250, 500);
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 600, rounds: 3, points: 2, ..FrontierOptions::default() };
        let (found, estimate) = run(device, &returns, &options);
        assert!(found.cloud.iter().all(|point| point.volatility >= 0.0 && point.ret.is_finite()), "{name}");
        assert!(found.clamped <= 600 && TwoFund::new(&estimate, 0.02).is_none(), "{name}: {}", found.clamped);
        // The eigenvector of an eigenvalue that rounding has put below 0 has no variance, and says so.
        let eigenvalues = estimate.eigenvalues();
        assert!(eigenvalues[0].abs() < 1e-5 * eigenvalues[499], "{name}: {}", eigenvalues[0]);
        assert_recomputes(&found.min_volatility, &estimate, 0.02, name);
    }
}

#[test]
fn two_equal_assets_share_one_place() {
    let once = returns().select(&["XOM", "KO"]).unwrap();
    let rows: Vec<[f64; 3]> =
        (0..once.rows()).map(|row| [once.value(row, 0), once.value(row, 1), once.value(row, 1)]).collect();
    let twice = table(["XOM", "KO", "KO again"], &rows);
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 2000, points: 3, ..FrontierOptions::default() };
        let (alone, _) = run(device, &once, &options);
        let (found, estimate) = run(device, &twice, &options);
        let both = [found.min_volatility.point.volatility, found.max_sharpe.point.sharpe];
        let expected = [alone.min_volatility.point.volatility, alone.max_sharpe.point.sharpe];
        assert_close(&both, &expected, 1e-4, name);
        assert!(TwoFund::new(&estimate, 0.02).is_none(), "{name}: singular");
        let exact = exact(&found, &options).unwrap();
        assert_close(&[exact.min_volatility.point.volatility], &expected[..1], 1e-4, name);
    }
}

#[test]
fn an_asset_without_variance_is_evaluated_and_flagged() {
    // B13: means 0, 6 and 10 %, volatilities 0, 8 and 15 %, no correlation.
    let estimate = Covariance {
        assets: ["cash", "bond", "stock"].map(str::to_owned).to_vec(),
        periods: 250,
        ddof: 1,
        mean: vec![0.0, 0.06, 0.10],
        covariance: vec![0.0, 0.0, 0.0, 0.0, 0.0064, 0.0, 0.0, 0.0, 0.0225],
        shrinkage: 0.0,
    };
    let weights = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.5, 0.2, 0.3, 0.5f64];
    for (name, device) in devices() {
        let points: Vec<_> = if device.is_host() {
            let weights = device.upload(&weights).unwrap();
            let evaluator = Evaluator::<f64>::new(device, &estimate, 0.02).unwrap();
            let points = evaluator.points(device, &Dense::new(&weights, 4, 3).unwrap()).unwrap().to_vec().unwrap();
            points.into_iter().map(|point| (point.point(), point.is_riskless())).collect()
        } else {
            let weights = device.upload(&weights.map(|weight| weight as f32)).unwrap();
            let evaluator = Evaluator::<f32>::new(device, &estimate, 0.02).unwrap();
            let points = evaluator.points(device, &Dense::new(&weights, 4, 3).unwrap()).unwrap().to_vec().unwrap();
            points.into_iter().map(|point| (point.point(), point.is_riskless())).collect()
        };
        assert_eq!(points.iter().map(|(_, riskless)| *riskless).collect::<Vec<_>>(), [true, false, false, false]);
        assert!(points[0].0.sharpe.is_nan() && points[0].0.volatility == 0.0, "{name}");
        let got: Vec<f64> =
            points[1..].iter().flat_map(|(point, _)| [point.ret, point.volatility, point.sharpe]).collect();
        let mixed = f64::sqrt(0.09 * 0.0064 + 0.25 * 0.0225);
        let expected = [0.06, 0.08, 0.5, 0.05, 0.075, 0.4, 0.068, mixed, 0.048 / mixed];
        assert_close(&got, &expected, 1e-6, name);
    }
}

#[test]
fn a_rate_above_every_mean_is_refused_and_the_least_volatility_is_offered() {
    let returns = returns();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 2000, rf: 0.6, points: 2, ..FrontierOptions::default() };
        let refused = frontier(device, &returns, &options).map(|found| found.portfolios);
        let Err(error @ FinanceError::NothingAboveRate { .. }) = refused else { panic!("{name}: {refused:?}") };
        let message = error.to_string();
        assert!(message.contains("0.6") && message.contains("least volatility"), "{message}");
        let calm = FrontierOptions { objective: Objective::MinVolatility, ..options };
        let (found, _) = run(device, &returns, &calm);
        assert!(found.min_volatility.point.volatility < LEAST[0] * (1.0 + NEAR), "{name}");
        assert!(found.max_sharpe.point.sharpe < 0.0, "{name}: {:?}", found.max_sharpe.point);
        assert!(exact(&found, &calm).unwrap().max_sharpe.is_none(), "{name}");
    }
}
