//! The finance jobs against closed forms and published figures, on every device.
//!
//! Figures of real prices are those of numpy 2.4.6 and pandas 3.1.1 in f64, on the prices of 2018 to 2022 that the finance crate
//! bundles. O1, O2, … number the oracles: published figures and closed forms.
#![allow(clippy::unwrap_used, reason = "these are tests, and what they are written with")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use cubefold::Device;
use cubefold::finance::{
    self, CovarianceOptions, Decay, European, FrontierOptions, Init, MarketOptions, MonteCarlo, Returns, Table,
    bundled_prices,
};

use crate::devices::{gpus, observed, private};

mod covariance;
mod csv;
mod drawdown;
mod ema;
mod ewm;
mod frontier;
mod indicators;
mod long_window;
mod market;
mod markets;
mod options;
mod price;
mod recurrence;
mod rolling;

/// How far a figure may be off, relatively: the host computes in f64, devices in f32.
fn tolerance(device: &Device) -> f64 {
    if device.is_host() { 1e-6 } else { 1e-4 }
}

/// Panics at the first value that is further off than `tolerance`, absolutely.
fn assert_near(got: &[f64], expected: &[f64], tolerance: f64, case: &str) {
    assert_eq!(got.len(), expected.len(), "{case}: length");
    for (index, (left, right)) in got.iter().zip(expected).enumerate() {
        let gap = (left - right).abs();
        assert!(gap <= tolerance, "{case}: item {index} is {left}, not {right} (off by {gap:e})");
    }
}

/// Equal where both are missing, else no further off than `tolerance`, relatively, or absolutely below 1.
fn assert_alike(got: &[f64], expected: &[f64], tolerance: f64, case: &str) {
    assert_eq!(got.len(), expected.len(), "{case}: length");
    for (row, (left, right)) in got.iter().zip(expected).enumerate() {
        let near = (left - right).abs() <= tolerance * right.abs().max(1.0);
        assert!(near || (left.is_nan() && right.is_nan()), "{case}: value {row} is {left}, not {right}");
    }
}

/// Whether an assertion fails, as it must on a result that is wrong.
fn rejects(assertion: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(assertion)).is_err()
}

/// A table of numbered rows; NaN is a missing value.
fn table<const WIDTH: usize>(columns: [&str; WIDTH], rows: &[[f64; WIDTH]]) -> Table {
    let index = (0..rows.len()).map(|row| row.to_string()).collect();
    let columns = columns.map(str::to_owned).to_vec();
    Table::new("row".to_owned(), index, columns, rows.concat()).unwrap()
}

/// A table of one column.
fn series(values: &[f64]) -> Table {
    let rows: Vec<[f64; 1]> = values.iter().map(|&value| [value]).collect();
    table(["x"], &rows)
}

#[test]
fn every_job_runs_on_the_device_that_it_was_given() {
    for (name, device) in gpus() {
        let device = private(device);
        let launches = observed(&device);
        let prices = bundled_prices();
        let returns = prices.returns(Returns::Simple).unwrap();
        let apple = prices.select(&["AAPL"]).unwrap();
        let jobs: [(&str, &dyn Fn()); 8] = [
            ("price", &|| {
                finance::price(
                    &device,
                    &European::default(),
                    &MonteCarlo { paths: 4096, seed: 1, ..Default::default() },
                )
                .unwrap();
            }),
            ("ema", &|| {
                finance::ema(&device, &prices, Decay::Alpha(0.1), Init::First).unwrap();
            }),
            ("ewm", &|| {
                finance::Ewm::new(Decay::Alpha(0.1)).var(&device, &apple).unwrap();
            }),
            ("rolling", &|| {
                finance::Rolling::new(20).mean(&device, &apple).unwrap();
            }),
            ("drawdown", &|| {
                finance::drawdown(&device, &apple).unwrap();
            }),
            ("covariance", &|| {
                finance::covariance(&device, &returns, &CovarianceOptions::default()).unwrap();
            }),
            ("frontier", &|| {
                finance::frontier(&device, &returns, &FrontierOptions { portfolios: 100, ..Default::default() })
                    .unwrap();
            }),
            ("market", &|| {
                finance::market(&device, &MarketOptions { agents: 100, steps: 3, ..Default::default() }).unwrap();
            }),
        ];
        for (job, run) in jobs {
            launches.lock().unwrap().clear();
            run();
            let launches = launches.lock().unwrap();
            assert!(!launches.is_empty(), "{name}: {job} launched nothing");
            assert!(launches.iter().all(|(kernel, _)| *kernel != "host"), "{name}, {job}: {launches:?}");
        }
    }
}
