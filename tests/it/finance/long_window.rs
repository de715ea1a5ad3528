//! Figures of 33 years of prices against numpy and pandas: `expected.json`, section "full".
//!
//! `tests/data/README.md` has the provenance of the prices. They grow by factors of hundreds, and weigh 8,312 returns
//! where the bundled window has 1,256.

use cubefold::Device;
use cubefold::finance::frontier::{TwoFund, exact};
use cubefold::finance::{
    Covariance, CovarianceOptions, Decay, Ewm, FrontierOptions, Init, Returns, Table, covariance, drawdown, ema,
    frontier,
};
use cubefold::ops::Moments4;
use flate2::read::GzDecoder;

use super::{assert_near, rejects, tolerance};
use crate::devices::devices;
use crate::oracle::assert_close;

const PRICES: &[u8] = include_bytes!("../../data/sp500_20_daily.csv.gz");

fn prices() -> Table {
    Table::from_reader("sp500_20_daily.csv.gz", GzDecoder::new(PRICES)).unwrap()
}

fn estimate(device: &Device, returns: &Table) -> Covariance {
    covariance(device, returns, &CovarianceOptions::default()).unwrap()
}

fn entry(estimate: &Covariance, left: &str, right: &str) -> f64 {
    let place = |asset: &str| estimate.assets.iter().position(|name| name == asset).unwrap();
    estimate.at(place(left), place(right))
}

#[test]
fn the_long_window_is_the_one_that_its_readme_names() {
    let prices = prices();
    assert_eq!((prices.rows(), prices.width()), (8313, 20));
    assert_eq!((prices.index[0].as_str(), prices.index[8312].as_str()), ("1990-01-02", "2022-12-28"));
    assert_eq!(prices.complete_rows(), prices);
}

#[test]
fn covariance_mean_and_correlation_of_33_years_are_numpys() {
    // "annualised simple-return covariance (ddof 1, x252)".
    let entries = [
        ("AAPL", "AAPL", 0.18848863737735755),
        ("AAPL", "MSFT", 0.05645725302032257),
        ("XOM", "CVX", 0.05234066197784421),
        ("KO", "PEP", 0.028624425409725186),
    ];
    let (simple, log) = (prices().returns(Returns::Simple).unwrap(), prices().returns(Returns::Log).unwrap());
    for (name, device) in devices() {
        let (found, tolerance) = (estimate(device, &simple), tolerance(device));
        assert_eq!((found.periods, found.assets.len()), (8312, 20), "{name}");
        for (left, right, expected) in entries {
            let case = format!("{name}, {left} and {right}");
            assert_close(&[entry(&found, left, right)], &[expected], tolerance, &case);
        }
        let trace: f64 = (0..20).map(|asset| found.at(asset, asset)).sum();
        let frobenius = found.covariance.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        assert_close(&[trace, frobenius], &[2.5494732197692462, 0.9816691774050794], tolerance, name);
        // "annualised mean simple return" of AAPL and GE, and "correlation AAPL,MSFT".
        let asset = |asset: &str| found.assets.iter().position(|name| name == asset).unwrap();
        let means = [found.mean[asset("AAPL")], found.mean[asset("GE")]];
        assert_close(&means, &[0.28308607918674034, 0.09231757655503486], tolerance, name);
        let correlation = found.correlation()[asset("AAPL") * 20 + asset("MSFT")];
        assert_close(&[correlation], &[0.4073486057299613], tolerance, name);
        // "equal weights": return and volatility.
        let ret = found.mean.iter().sum::<f64>() / 20.0;
        let volatility = (found.covariance.iter().sum::<f64>() / 400.0).sqrt();
        assert_close(&[ret, volatility], &[0.18518190271696347, 0.18934707267648082], tolerance, name);
        // "annualised log-return covariance (ddof 1, x252)".
        let log = estimate(device, &log);
        assert_close(&[entry(&log, "AAPL", "MSFT")], &[0.05664177442531756], tolerance, name);
    }
}

#[test]
fn no_portfolio_of_33_years_lies_beyond_the_long_only_frontier() {
    // "minimum variance, long-only" and "maximum Sharpe, long-only, rf 0.02".
    let (least, largest) = (0.15980382948291025, 1.053050249369772);
    let returns = prices().returns(Returns::Simple).unwrap();
    for (name, device) in devices() {
        let options = FrontierOptions { portfolios: 4000, ..FrontierOptions::default() };
        let found = frontier(device, &returns, &options).unwrap();
        let rounding = tolerance(device);
        for point in &found.cloud {
            assert!(point.volatility >= least * (1.0 - rounding), "{name}: {point:?}");
            assert!(point.sharpe <= largest * (1.0 + rounding), "{name}: {point:?}");
        }
        // And the best of it is within 0.2 % of the exact ones, which are numpy's.
        let (calm, best) = (found.min_volatility.point, found.max_sharpe.point);
        assert!(calm.volatility < least * 1.002 && best.sharpe > largest * 0.998, "{name}: {calm:?}, {best:?}");
        let exact = exact(&found, &options).unwrap();
        let point = exact.min_volatility.point;
        assert_close(&[point.volatility, point.ret], &[least, 0.1465039723615392], rounding, name);
        let best = exact.max_sharpe.as_ref().unwrap();
        assert_close(&[best.point.sharpe], &[largest], rounding, name);
        let weight = |asset: &str| best.weights[found.assets.iter().position(|name| name == asset).unwrap()];
        assert_near(&[weight("AAPL"), weight("LLY")], &[0.11028266257953132, 0.03617514218501508], 5e-4, name);
        let distance = exact.distance;
        assert!(distance.edge.abs() < 0.002, "{name}: {distance:?}");
    }
}

#[test]
fn the_closed_forms_of_33_years_are_numpys() {
    let returns = prices().returns(Returns::Simple).unwrap();
    for (name, device) in devices() {
        let found = TwoFund::new(&estimate(device, &returns), 0.02).unwrap();
        let (calm, best) = (found.min_volatility.point, found.max_sharpe.as_ref().unwrap().point);
        // "global minimum variance, unconstrained" and "tangency, unconstrained, rf 0.02".
        let got = [calm.volatility, calm.ret];
        assert_close(&got, &[0.1590497001368641, 0.14810562431820487], tolerance(device), name);
        let expected = [0.22484785421654963, 0.27602358980290387, 1.1386525821871045];
        assert_close(&[best.volatility, best.ret, best.sharpe], &expected, 1e-3, name);
        let place = |asset: &str| returns.columns.iter().position(|name| name == asset).unwrap();
        let weights = [place("AAPL"), place("JNJ")].map(|asset| found.min_volatility.weights[asset]);
        assert_near(&weights, &[0.0305261393321788, 0.19482204229029096], 1e-4, name);
    }
}

#[test]
fn averages_of_33_years_are_pandas() {
    let prices = prices();
    let (apple, exxon) = (prices.select(&["AAPL"]).unwrap(), prices.select(&["XOM"]).unwrap());
    let last = prices.rows() - 1;
    for (name, device) in devices() {
        let tolerance = tolerance(device);
        let close = |figure: &Table, row, expected: f64| {
            assert_close(&[figure.value(row, 0)], &[expected], tolerance, &format!("{name}, row {row}"));
        };
        // "AAPL alpha=0.1 adjust=False last", then the rows of adjusted weights.
        close(&ema(device, &apple, Decay::Alpha(0.1), Init::First).unwrap(), last, 136.47488311868238);
        close(&Ewm::new(Decay::Span(20.0)).mean(device, &apple).unwrap(), last, 136.76833528599346);
        close(&Ewm::new(Decay::HalfLife(10.0)).mean(device, &exxon).unwrap(), 100, 3.8903209369884975);
        let com = Ewm::new(Decay::Com(9.0));
        close(&com.var(device, &exxon).unwrap(), last, 7.329636723465491);
        close(&com.std(device, &exxon).unwrap(), last, 2.707330183680131);
        // Every row of every column by the recurrence.
        let smooth = ema(device, &prices, Decay::Alpha(0.1), Init::First).unwrap();
        for column in 0..prices.width() {
            let mut running = prices.value(0, column);
            let step = |price: f64| {
                running += 0.1 * (price - running);
                running
            };
            let expected: Vec<f64> = prices.column(column).into_iter().map(step).collect();
            assert_close(&smooth.column(column), &expected, tolerance, &format!("{name}, column {column}"));
        }
    }
}

#[test]
fn the_fall_and_the_moments_of_33_years_are_pandas() {
    let apple = prices().select(&["AAPL"]).unwrap();
    // "price moments AAPL": mean, var, skew, kurt.
    let expected = [20.027421267893658, 1449.4313631187104, 2.553931980209729, 5.794863107061202];
    for (name, device) in devices() {
        // "drawdown AAPL".
        let found = drawdown(device, &apple).unwrap();
        let fall = found.deepest[0].unwrap();
        let depths = [fall.depth, found.depths.value(apple.rows() - 1, 0)];
        assert_close(&depths, &[-0.8180987202925045, -0.30349047297072607], tolerance(device), name);
        assert_eq!(apple.index[fall.trough], "2003-04-17", "{name}");
        let moments = moments(device, &apple.column(0));
        assert_close(&moments, &expected, tolerance(device), name);
        assert!(rejects(|| assert_close(&moments, &expected.map(|figure| figure * 1.001), tolerance(device), name)));
    }
}

/// In f64 on the host and in f32 on a device, as finance computes.
fn moments(device: &Device, values: &[f64]) -> [f64; 4] {
    if device.is_host() {
        let state = device.reduce(values, &Moments4::<f64>::new()).unwrap().get(0).unwrap();
        [state.mean(), state.variance(1), state.skewness(), state.excess_kurtosis()]
    } else {
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let state = device.reduce(&values, &Moments4::<f32>::new()).unwrap().get(0).unwrap();
        [state.mean(), state.variance(1), state.skewness(), state.excess_kurtosis()]
    }
}
