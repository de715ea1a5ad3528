//! Indicators against published figures and pandas.

use cubefold::Device;
use cubefold::finance::{FinanceError, Init, Macd, bundled_prices, macd, rsi};

use super::{assert_alike, series, tolerance};
use crate::devices::devices;

const NA: f64 = f64::NAN;

/// The closes of StockCharts' worked example of the index.
const CLOSES: [f64; 33] = [
    44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931, 46.0328,
    45.6140, 46.2820, 46.2820, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439, 46.2122, 46.2521, 45.7137, 46.4515,
    45.7835, 45.3548, 44.0288, 44.1783, 44.2181, 44.5672, 43.4205, 42.6628, 43.1314,
];

#[test]
fn the_strength_index_is_wilders() {
    // As published, to two digits; the further ones by a plain loop in f64.
    let expected = [
        70.5328, 66.3186, 66.5498, 69.4063, 66.3552, 57.9749, 62.9296, 63.2571, 56.0593, 62.3771, 54.7076, 50.4228,
        39.9898, 41.4605, 41.8689, 45.4632, 37.304, 33.0795, 37.773,
    ];
    for (name, device) in devices() {
        let found = rsi(device, &series(&CLOSES), 14).unwrap().values;
        assert!(found[..14].iter().all(|value| value.is_nan()), "{name}: {found:?}");
        assert_alike(&found[14..], &expected, tolerance(device).max(1e-5), name);
        // A missing close takes no time and repeats the last figure.
        let mut gaps = CLOSES.to_vec();
        gaps.insert(20, NA);
        let found = rsi(device, &series(&gaps), 14).unwrap().values;
        assert_alike(&found[20..21], &found[19..20], tolerance(device).min(1e-6), name);
        assert_alike(&found[21..], &expected[6..], tolerance(device).max(1e-5), name);
    }
    let apple = bundled_prices().select(&["AAPL"]).unwrap();
    let found = rsi(&Device::host(), &apple, 14).unwrap().values;
    let found = [found[14], found[15], found[found.len() - 1]];
    assert_alike(&found, &[68.99094870935298, 55.56963339910682, 29.727145338857], 1e-9, "AAPL");
}

#[test]
fn the_strength_index_knows_its_ends() {
    let host = Device::host();
    let of = |prices: &[f64]| *rsi(&host, &series(prices), 2).unwrap().values.last().unwrap();
    assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]), 100.0);
    assert_eq!(of(&[4.0, 3.0, 2.0, 1.0]), 0.0);
    assert_eq!(of(&[4.0, 4.0, 4.0, 4.0]), 50.0);
    assert!(of(&[4.0, 4.0]).is_nan());
    assert!(matches!(rsi(&host, &series(&[1.0]), 0).unwrap_err(), FinanceError::Zero { .. }));
}

#[test]
fn macd_is_the_difference_of_two_averages_and_the_average_of_that() {
    let apple = bundled_prices().select(&["AAPL"]).unwrap();
    let last = apple.rows() - 1;
    for (name, device) in devices() {
        let lines = macd(device, &apple, &Macd::default()).unwrap();
        let found = [&lines.macd, &lines.signal, &lines.histogram].map(|line| line.value(last, 0));
        // pandas 3.1.1, ewm(adjust=False). Differences of prices of some 140: a digit or two less.
        let expected = [-4.3911932329350805, -3.129883604271762, -1.2613096286633185];
        assert_alike(&found, &expected, tolerance(device), name);
        let found = [lines.macd.value(100, 0), lines.signal.value(100, 0)];
        assert_alike(&found, &[0.9931369524808247, 1.0025763006711257], tolerance(device), name);
    }
    let host = Device::host();
    let seeded = macd(&host, &apple, &Macd { init: Init::Sma, ..Macd::default() }).unwrap();
    let first = |values: &[f64]| values.iter().position(|value| !value.is_nan());
    assert_eq!((first(&seeded.macd.values), first(&seeded.signal.values)), (Some(25), Some(33)));
    assert!(matches!(
        macd(&host, &apple, &Macd { fast: 0.5, ..Macd::default() }),
        Err(FinanceError::OutOfRange { name: "span", .. })
    ));
}
