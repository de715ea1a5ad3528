//! Rolling figures against pandas, a plain loop, and their own windows.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use cubefold::Device;
use cubefold::finance::{
    Bollinger, FinanceError, Returns, Rolling, Table, bollinger, bundled_prices, compound_return, running_maximum,
};

use super::{assert_alike, series, tolerance};
use crate::devices::{devices, is_software};

const NA: f64 = f64::NAN;

type Method = fn(&Rolling, &Device, &Table) -> Result<Table, FinanceError>;

/// Name, method, the figure of the values of a window, and whether a software device is spared its kernels.
type Figure = (&'static str, Method, fn(&[f64]) -> f64, bool);

fn figures() -> [Figure; 6] {
    [
        ("mean", Rolling::mean, |items| items.iter().sum::<f64>() / items.len() as f64, false),
        ("var", Rolling::var, variance, false),
        ("std", Rolling::std, |items| variance(items).sqrt(), false),
        ("max", Rolling::max, |items| items.iter().copied().fold(NA, f64::max), false),
        ("min", Rolling::min, |items| items.iter().copied().fold(NA, f64::min), true),
        ("sum", Rolling::sum, |items| items.iter().sum(), true),
    ]
}

fn variance(items: &[f64]) -> f64 {
    let mean = items.iter().sum::<f64>() / items.len() as f64;
    let squares = items.iter().map(|item| (item - mean) * (item - mean)).sum::<f64>();
    if items.len() < 2 { NA } else { squares / (items.len() - 1) as f64 }
}

/// The figure of what is observed in the window that ends at each row.
fn oracle(items: &[f64], window: usize, least: usize, figure: fn(&[f64]) -> f64) -> Vec<f64> {
    let at = |row: usize| {
        let inside = &items[(row + 1).saturating_sub(window)..=row];
        let observed: Vec<f64> = inside.iter().copied().filter(|item| !item.is_nan()).collect();
        if observed.len() < least { NA } else { figure(&observed) }
    };
    (0..items.len()).map(at).collect()
}

#[test]
fn pandas_answers_come_out() {
    // pandas 3.1.1: Series([3, 1, 4, 1, 5, 9, 2, 6]).rolling(3), the rows from the third on.
    let expected: [(&str, [f64; 6]); 6] = [
        ("min", [1.0, 1.0, 1.0, 1.0, 2.0, 2.0]),
        ("max", [4.0, 4.0, 5.0, 9.0, 9.0, 9.0]),
        ("sum", [8.0, 6.0, 10.0, 15.0, 16.0, 17.0]),
        ("mean", [2.6666666666666665, 2.0, 3.3333333333333335, 5.0, 5.333333333333333, 5.666666666666667]),
        ("var", [2.3333333333333335, 3.0, 4.333333333333333, 16.0, 12.333333333333332, 12.333333333333332]),
        (
            "std",
            [1.5275252316519468, 1.7320508075688772, 2.0816659994661326, 4.0, 3.511884584284246, 3.511884584284246],
        ),
    ];
    let items = series(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]);
    for (name, device) in devices() {
        for (figure, method, _, spared) in figures() {
            if spared && is_software(name) {
                continue;
            }
            let (_, expected) = expected.iter().find(|(name, _)| *name == figure).unwrap();
            let found = method(&Rolling::new(3), device, &items).unwrap().values;
            assert!(found[..2].iter().all(|value| value.is_nan()), "{name}, {figure}: {found:?}");
            assert_alike(&found[2..], expected, tolerance(device), &format!("{name}, {figure}"));
        }
    }
}

#[test]
fn missing_values_count_for_nothing_as_in_pandas() {
    // pandas 3.1.1: Series([1, 2, NaN, 4, 5, 6]).rolling(3, min_periods=…).
    let items = series(&[1.0, 2.0, NA, 4.0, 5.0, 6.0]);
    for (name, device) in devices() {
        let rolling = |needed| Rolling { min_periods: needed, ..Rolling::new(3) };
        let mean = rolling(None).mean(device, &items).unwrap().values;
        assert_alike(&mean, &[NA, NA, NA, NA, NA, 5.0], tolerance(device), name);
        let std = rolling(Some(1)).std(device, &items).unwrap().values;
        let half = FRAC_1_SQRT_2;
        assert_alike(&std, &[NA, half, half, SQRT_2, half, 1.0], tolerance(device), name);
        let max = rolling(Some(2)).max(device, &items).unwrap().values;
        assert_alike(&max, &[NA, 2.0, 2.0, 4.0, 5.0, 6.0], tolerance(device), name);
    }
    let host = Device::host();
    let all = |needed| Rolling { min_periods: Some(needed), ..Rolling::new(3) };
    let gone = series(&[NA; 4]);
    assert_eq!(all(0).sum(&host, &gone).unwrap().values, [0.0; 4]);
    assert!(all(0).max(&host, &gone).unwrap().values.iter().all(|value| value.is_nan()));
    assert!(all(0).mean(&host, &gone).unwrap().values.iter().all(|value| value.is_nan()));
}

#[test]
fn windows_meet_the_loop_across_blocks_and_tiles() {
    let mut items: Vec<f64> = (0..5000).map(|row| 100.0 + f64::from(row * 7919 % 1009) / 64.0).collect();
    items.iter_mut().skip(3).step_by(11).for_each(|item| *item = NA);
    for (name, device) in devices() {
        for (window, least) in [(1, 1), (2, 1), (3, 2), (64, 64), (1000, 1), (5000, 1), (6000, 1)] {
            let rolling = Rolling { min_periods: Some(least), ..Rolling::new(window) };
            for (figure, method, of, spared) in figures() {
                if spared && is_software(name) {
                    continue;
                }
                let found = method(&rolling, device, &series(&items)).unwrap().values;
                let expected = oracle(&items, window, least, of);
                assert_alike(&found, &expected, tolerance(device), &format!("{name}, {figure} of {window}"));
            }
        }
    }
}

#[test]
fn a_constant_window_has_a_deviation_of_exactly_zero() {
    // A subtracting window keeps the rounding of the huge value for ever.
    let mut items = vec![0.1; 400];
    (items[7], items[8]) = (1e15, -3e14);
    for (name, device) in devices() {
        let found = Rolling::new(20).std(device, &series(&items)).unwrap().values;
        assert!(found[28..].iter().all(|&deviation| deviation == 0.0), "{name}");
        let bands = bollinger(device, &series(&items), &Bollinger::default()).unwrap();
        assert_eq!(bands.lower.values[28..], bands.upper.values[28..], "{name}");
    }
}

#[test]
fn real_prices_have_pandas_bands_and_extremes() {
    let prices = bundled_prices().select(&["AAPL", "XOM"]).unwrap();
    let last = prices.rows() - 1;
    for (name, device) in devices() {
        let bands = bollinger(device, &prices, &Bollinger::default()).unwrap();
        let found = [&bands.lower, &bands.middle, &bands.upper].map(|band| band.value(last, 0));
        assert_alike(&found, &[125.35060238835904, 138.7908, 152.23099761164093], tolerance(device), name);
        assert!(bands.middle.value(18, 0).is_nan() && !bands.middle.value(19, 0).is_nan(), "{name}");
        let rolling = Rolling::new(20);
        let found = [Rolling::mean, Rolling::std, Rolling::var, Rolling::max]
            .map(|figure| figure(&rolling, device, &prices).unwrap().value(last, 1));
        let expected = [105.13805, 2.3707758551294527, 5.620578155264788, 109.539];
        assert_alike(&found, &expected, tolerance(device), name);
    }
    let host = Device::host();
    let rolling = Rolling::new(20);
    assert_eq!(rolling.min(&host, &prices).unwrap().value(last, 1), 101.865);
    assert_alike(&[rolling.sum(&host, &prices).unwrap().value(last, 1)], &[2102.761], 1e-9, "sum");
}

#[test]
fn running_figures_carry_over_missing_values() {
    let items = series(&[NA, 0.5, NA, -0.5, 1.0]);
    for (name, device) in devices() {
        let compound = compound_return(device, &items).unwrap().values;
        assert_alike(&compound, &[NA, 0.5, 0.5, -0.25, 0.5], tolerance(device), name);
        let highest = running_maximum(device, &series(&[NA, -3.0, -5.0, NA, -1.0, -2.0])).unwrap().values;
        assert_alike(&highest, &[NA, -3.0, -3.0, -3.0, -1.0, -1.0], 0.0, name);
    }
}

#[test]
fn the_compound_return_is_that_of_the_last_price_on_the_first() {
    let prices = bundled_prices();
    let returns = prices.returns(Returns::Simple).unwrap();
    for (name, device) in devices() {
        let compound = compound_return(device, &returns).unwrap();
        for column in 0..prices.width() {
            let expected: Vec<f64> =
                (1..prices.rows()).map(|row| prices.value(row, column) / prices.value(0, column) - 1.0).collect();
            assert_alike(&compound.column(column), &expected, tolerance(device), &format!("{name}, {column}"));
        }
    }
}

#[test]
fn a_window_of_no_rows_and_more_periods_than_rows_are_refused() {
    let (host, items) = (Device::host(), series(&[1.0]));
    assert!(matches!(Rolling::new(0).mean(&host, &items).unwrap_err(), FinanceError::Zero { .. }));
    let wrong = Rolling { min_periods: Some(4), ..Rolling::new(3) };
    assert!(matches!(wrong.max(&host, &items).unwrap_err(), FinanceError::OutOfRange { .. }));
    let options = Bollinger { width: -1.0, ..Bollinger::default() };
    assert!(matches!(bollinger(&host, &items, &options).unwrap_err(), FinanceError::Negative { .. }));
}
