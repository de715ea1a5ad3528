//! Drawdowns against a plain loop and pandas' figures of real prices.

use cubefold::Device;
use cubefold::finance::{DataError, Drawdown, FinanceError, bundled_prices, drawdown};

use super::{assert_alike, series, table, tolerance};
use crate::devices::devices;

const NA: f64 = f64::NAN;

/// One price after another: the depths, and the deepest fall.
fn oracle(prices: &[f64]) -> (Vec<f64>, Option<Drawdown>) {
    let (mut peak, mut start, mut deepest) = (NA, 0, None);
    let mut depths = Vec::new();
    for (row, &price) in prices.iter().enumerate() {
        if peak.is_nan() || price >= peak {
            (peak, start) = (price, row);
        }
        let depth = price / peak - 1.0;
        depths.push(depth);
        if !price.is_nan() && deepest.is_none_or(|found: Drawdown| depth < found.depth) {
            deepest = Some(Drawdown { depth, start, trough: row, recovery: None });
        }
    }
    let deepest = deepest.map(|found| {
        let back = |row: &usize| prices[*row] >= prices[found.start];
        let recovery = if found.depth < 0.0 { (found.trough + 1..prices.len()).find(back) } else { None };
        Drawdown { recovery, ..found }
    });
    (depths, deepest)
}

fn check(device: &Device, prices: &[f64], case: &str) -> Option<Drawdown> {
    let found = drawdown(device, &series(prices)).unwrap();
    let (depths, expected) = oracle(prices);
    assert_alike(&found.depths.values, &depths, tolerance(device), case);
    let rows = |fall: &Option<Drawdown>| fall.map(|fall| (fall.start, fall.trough, fall.recovery));
    assert_eq!(rows(&found.deepest[0]), rows(&expected), "{case}");
    let depth = |fall: &Option<Drawdown>| fall.map_or(NA, |fall| fall.depth);
    assert_alike(&[depth(&found.deepest[0])], &[depth(&expected)], tolerance(device), case);
    found.deepest[0]
}

#[test]
fn falls_of_every_shape_are_found() {
    let fall = |depth, start, trough, recovery| Some(Drawdown { depth, start, trough, recovery });
    let cases: [(&str, &[f64], Option<Drawdown>); 12] = [
        ("one that is recovered", &[8.0, 10.0, 5.0, 7.0, 11.0], fall(-0.5, 1, 2, Some(4))),
        ("one that is not", &[8.0, 4.0, 7.0], fall(-0.5, 0, 1, None)),
        ("back at the peak itself", &[8.0, 4.0, 8.0, 2.0, 1.0], fall(-0.875, 2, 4, None)),
        ("the last of equal peaks", &[8.0, 8.0, 4.0, 8.0], fall(-0.5, 1, 2, Some(3))),
        ("the first of equal troughs", &[8.0, 4.0, 6.0, 4.0, 9.0], fall(-0.5, 0, 1, Some(4))),
        ("not the largest difference", &[1.0, 0.25, 100.0, 90.0, 101.0], fall(-0.75, 0, 1, Some(2))),
        ("none", &[1.0, 1.0, 2.0], fall(0.0, 0, 0, None)),
        ("a single price", &[7.0], fall(0.0, 0, 0, None)),
        ("gaps at every place", &[NA, 8.0, NA, 4.0, NA, NA, 8.0, NA], fall(-0.5, 1, 3, Some(6))),
        ("all is lost", &[8.0, 0.0, 0.0], fall(-1.0, 0, 1, None)),
        ("from nothing", &[0.0, 0.0, 4.0, 1.0], fall(-0.75, 2, 3, None)),
        ("no price at all", &[NA, NA], None),
    ];
    for (name, device) in devices() {
        for (what, prices, expected) in cases {
            let found = drawdown(device, &series(prices)).unwrap();
            assert_eq!(found.deepest, [expected], "{name}: {what}");
        }
    }
}

#[test]
fn prices_of_many_tiles_meet_the_loop() {
    // Quarters, which f32 holds: ties are ties on every device.
    let mut prices: Vec<f64> = Vec::new();
    let mut price = 4000.0f64;
    for word in crate::samples::integers(9001, 3) {
        price = (price + f64::from(word % 41) - 20.0).max(1.0);
        prices.push(if word % 7 == 0 { NA } else { price / 4.0 });
    }
    for (name, device) in devices() {
        assert!(check(device, &prices, name).unwrap().depth < -0.1, "{name}");
        let rising: Vec<f64> = (1..=9001).map(f64::from).collect();
        check(device, &rising, name);
        let falling: Vec<f64> = rising.iter().map(|price| 9002.0 - price).collect();
        assert_eq!(check(device, &falling, name).unwrap().trough, 9000, "{name}");
    }
}

#[test]
fn real_prices_fall_as_pandas_says() {
    let prices = bundled_prices();
    let table = prices.select(&["AAPL", "XOM", "GE", "LLY"]).unwrap();
    // expected.json "drawdown AAPL"; the other rows by `p / p.cummax() - 1` of pandas 3.1.1.
    let expected = [
        (-0.3851545650611071, "2018-10-03", "2019-01-03", Some("2019-10-10"), -0.30349047297072607),
        (-0.6100681077879775, "2018-09-24", "2020-03-23", Some("2022-01-14"), -0.05079540295371798),
        (-0.6897566611042855, "2018-01-11", "2020-05-15", None, -0.41427209212770244),
        (-0.22487946594140196, "2020-07-08", "2020-10-30", Some("2020-12-16"), -0.025454799211985457),
    ];
    for (name, device) in devices() {
        let found = drawdown(device, &table).unwrap();
        for (column, (depth, start, trough, recovery, last)) in expected.into_iter().enumerate() {
            let fall = found.deepest[column].unwrap();
            let ends = [fall.depth, found.depths.value(table.rows() - 1, column)];
            assert_alike(&ends, &[depth, last], tolerance(device), name);
            let date = |row: usize| table.index[row].as_str();
            assert_eq!((date(fall.start), date(fall.trough)), (start, trough), "{name}");
            assert_eq!(fall.recovery.map(date), recovery, "{name}");
        }
        assert_eq!(found.depths.index, table.index, "{name}");
    }
}

#[test]
fn a_negative_price_is_refused_with_its_line() {
    let prices = table(["A", "B"], &[[1.0, 2.0], [0.0, -0.0], [1.0, -f64::MIN_POSITIVE]]);
    let refused = drawdown(&Device::host(), &prices).unwrap_err();
    let FinanceError::Data(DataError::PriceNegative { at, .. }) = refused else { panic!("{refused}") };
    assert_eq!((at.line, at.header.as_str()), (4, "B"));
}
