//! The moving average against the seed's numbers, pandas' numbers and its own recurrence.

use cubefold::finance::{Decay, FinanceError, Init, Table, bundled_prices, ema};
use cubefold::ops::{Ewma, Start};

use super::{assert_near, rejects, series, table, tolerance};
use crate::devices::{devices, is_software};
use crate::oracle::assert_close;

const SEED: [f64; 8] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];

const NA: f64 = f64::NAN;

/// `s <- (1 − α) s + α x`, one row after another. A missing value leaves `s` as it is; from a start at the first value
/// its weight fades all the same (pandas' `ignore_na=False`).
fn recurrence(items: &[f64], alpha: f64, init: Init) -> Vec<f64> {
    let (mut smooth, mut weight) = (if init == Init::Zero { 0.0 } else { NA }, 1.0);
    let step = |&item: &f64| {
        weight *= if item.is_nan() && init == Init::Zero { 1.0 } else { 1.0 - alpha };
        if !item.is_nan() {
            smooth = if smooth.is_nan() { item } else { (weight * smooth + alpha * item) / (weight + alpha) };
            weight = 1.0;
        }
        smooth
    };
    items.iter().map(step).collect()
}

#[test]
fn the_seeds_numbers_come_out_from_a_start_at_zero() {
    // O13.
    let expected = [0.6, 0.68, 1.344, 1.2752, 2.02016, 3.416128, 3.1329024, 3.70632192];
    for (name, device) in devices() {
        let smooth = ema(device, &series(&SEED), Decay::Alpha(0.2), Init::Zero).unwrap();
        assert_close(&smooth.values, &expected, 1e-6, name);
    }
}

#[test]
fn pandas_numbers_come_out_from_a_start_at_the_first_value() {
    // O14, adjust=False; O15, adjust=False.
    let seed = [3.0, 2.6, 2.88, 2.504, 3.0032, 4.20256, 3.762048, 4.2096384];
    for (name, device) in devices() {
        for decay in [Decay::Alpha(0.2), Decay::Span(9.0), Decay::Com(4.0)] {
            let smooth = ema(device, &series(&SEED), decay, Init::First).unwrap();
            assert_close(&smooth.values, &seed, 1e-6, &format!("{name}, {decay:?}"));
        }
        let smooth = ema(device, &series(&[1.0, 2.0, 4.0, 8.0]), Decay::Com(2.0), Init::First).unwrap();
        assert_close(&smooth.values, &[1.0, 4.0 / 3.0, 20.0 / 9.0, 112.0 / 27.0], 1e-6, name);
    }
}

#[test]
fn real_prices_are_smoothed_as_pandas_does() {
    let prices = bundled_prices();
    for (name, device) in devices() {
        let smooth = ema(device, &prices, Decay::Alpha(0.1), Init::First).unwrap();
        // "AAPL alpha=0.1 adjust=False last".
        assert_close(&[smooth.value(prices.rows() - 1, 0)], &[136.47488311868238], tolerance(device), name);
        for column in 0..prices.width() {
            let expected = recurrence(&prices.column(column), 0.1, Init::First);
            assert_close(&smooth.column(column), &expected, tolerance(device), &format!("{name}, column {column}"));
        }
        assert_eq!((&smooth.index, &smooth.columns), (&prices.index, &prices.columns), "{name}");
    }
}

#[test]
fn the_recurrence_is_met_from_both_starts_across_tiles() {
    let items: Vec<f64> = (0..20_011).map(|row| 100.0 + f64::from(row * 7919 % 1009) / 64.0).collect();
    for (name, device) in devices() {
        for (alpha, init) in [(0.3, Init::First), (0.3, Init::Zero), (1e-4, Init::First), (1e-4, Init::Zero)] {
            let smooth = ema(device, &series(&items), Decay::Alpha(alpha), init).unwrap();
            let expected = recurrence(&items, alpha, init);
            assert_close(&smooth.values, &expected, tolerance(device), &format!("{name}, α = {alpha}, {init:?}"));
        }
    }
}

#[test]
fn a_series_rises_from_zero_by_its_closed_form_however_small_alpha_is() {
    // 1 − (1 − α)^(t + 1): with 1 − α held in f32, a constant series tends to 0.99864 of itself at α = 1e-5.
    for (name, device) in devices() {
        for alpha in [1e-3, 1e-5, 1e-7] {
            let smooth = ema(device, &series(&[1.0; 5000]), Decay::Alpha(alpha), Init::Zero).unwrap();
            let expected: Vec<f64> = (1..=5000).map(|rows| -(f64::from(rows) * (-alpha).ln_1p()).exp_m1()).collect();
            assert_close(&smooth.values, &expected, tolerance(device), &format!("{name}, α = {alpha}"));
        }
    }
}

#[test]
fn a_constant_series_stays_exactly_constant() {
    for (name, device) in devices() {
        for alpha in [1e-5, 1e-7, 0.1, 1.0] {
            for value in [30_000.0, 0.7, -1e-3] {
                let held = if device.is_host() { value } else { f64::from(value as f32) };
                let smooth = ema(device, &series(&[value; 5000]), Decay::Alpha(alpha), Init::First).unwrap();
                let wrong = smooth.values.iter().position(|&smooth| smooth != held);
                assert_eq!(wrong, None, "{name}, α = {alpha}: {:?}", wrong.map(|row| smooth.values[row]));
            }
        }
    }
}

#[test]
fn the_smallest_alpha_leaves_the_first_value_where_it_is() {
    for (name, device) in devices() {
        for alpha in [1e-300, f64::from_bits(1)] {
            for items in [[2.0, 3.0, 5.0], [2.0, NA, 5.0]] {
                let smooth = ema(device, &series(&items), Decay::Alpha(alpha), Init::First).unwrap();
                assert_close(&smooth.values, &[2.0; 3], 1e-6, &format!("{name}, α = {alpha:e}"));
            }
        }
    }
}

#[test]
fn a_constant_series_of_16_million_values_stays_exactly_constant() {
    for (name, device) in devices() {
        // A software device, or the host without optimisation, takes minutes for 2^24 values.
        let slow = is_software(name) || (device.is_host() && cfg!(debug_assertions));
        let len = if slow { 1 << 20 } else { 1 << 24 };
        let items = device.upload(&vec![30_000.1f32; len]).unwrap();
        for alpha in [1e-5, 1e-7] {
            let smooth = device.scan(&items, &Ewma::new(alpha, Start::First)).unwrap().to_vec().unwrap();
            let wrong = smooth.iter().position(|&smooth| smooth != 30_000.1);
            assert_eq!(wrong, None, "{name}, α = {alpha}: {:?}", wrong.map(|row| smooth[row]));
        }
    }
}

/// Equal where both are missing.
fn same(got: &Table, expected: &[f64], tolerance: f64, case: &str) {
    assert_eq!(got.values.len(), expected.len(), "{case}: length");
    for (row, (left, right)) in got.values.iter().zip(expected).enumerate() {
        let equal = (left.is_nan() && right.is_nan()) || (left - right).abs() <= tolerance * right.abs();
        assert!(equal, "{case}: value {row} is {left}, not {right}");
    }
}

#[test]
fn a_missing_value_repeats_the_last_result() {
    let prices = table(["A", "B"], &[[1.0, NA], [NA, 4.0], [NA, NA], [3.0, 8.0], [NA, NA]]);
    for (name, device) in devices() {
        let smooth = ema(device, &prices, Decay::Alpha(0.5), Init::First).unwrap();
        // The first value fades over the missing rows: to 1/8 of its weight against 1/2, and to 1/4.
        let expected = [1.0, NA, 1.0, 4.0, 1.0, 4.0, 2.6, 20.0 / 3.0, 2.6, 20.0 / 3.0];
        same(&smooth, &expected, 1e-6, &format!("{name}, from the first value"));
        let smooth = ema(device, &prices, Decay::Alpha(0.5), Init::Zero).unwrap();
        let expected = [0.5, 0.0, 0.5, 2.0, 0.5, 2.0, 1.75, 5.0, 1.75, 5.0];
        same(&smooth, &expected, 1e-6, &format!("{name}, from zero"));
    }
}

#[test]
fn a_value_after_missing_ones_counts_as_in_pandas() {
    for (name, device) in devices() {
        // O16, adjust=False and ignore_na=False.
        let smooth = ema(device, &series(&[0.0, 1.0, 2.0, NA, 4.0]), Decay::Com(0.5), Init::First).unwrap();
        same(&smooth, &[0.0, 2.0 / 3.0, 14.0 / 9.0, 14.0 / 9.0, 3.6507936507936507], 1e-6, name);
        // pandas 3.1.1: Series([1, NaN, 3, NaN, NaN, 5, 9]).ewm(alpha=0.3, adjust=False).mean().
        let expected = [1.0, 1.0, 1.759493670886076, 1.759493670886076, 1.759493670886076, 3.2713939799594467];
        let items = series(&[1.0, NA, 3.0, NA, NA, 5.0, 9.0]);
        let smooth = ema(device, &items, Decay::Alpha(0.3), Init::First).unwrap();
        same(&smooth, &[&expected[..], &[4.9899757859716125]].concat(), 1e-6, name);
        // α = 1 repeats the newest value.
        let smooth = ema(device, &items, Decay::Alpha(1.0), Init::First).unwrap();
        same(&smooth, &[1.0, 1.0, 3.0, 3.0, 3.0, 5.0, 9.0], 0.0, name);
        // B1: continuous where pandas has a special case for com=1.
        for com in [1.0, 1.0 + 1e-7] {
            let smooth = ema(device, &series(&[1.0, NA, 5.0]), Decay::Com(com), Init::First).unwrap();
            same(&smooth, &[1.0, 1.0, 11.0 / 3.0], 1e-6, &format!("{name}, com={com}"));
        }
    }
}

#[test]
fn missing_values_anywhere_meet_the_recurrence_across_tiles() {
    let mut items: Vec<f64> = (0..9001).map(|row| 100.0 + f64::from(row * 7919 % 1009) / 64.0).collect();
    items.iter_mut().step_by(3).for_each(|item| *item = NA);
    items[4000..4700].fill(NA);
    for (name, device) in devices() {
        for (alpha, init) in [(0.3, Init::First), (0.01, Init::First), (0.01, Init::Zero), (1e-5, Init::First)] {
            let smooth = ema(device, &series(&items), Decay::Alpha(alpha), init).unwrap();
            let expected = recurrence(&items, alpha, init);
            same(&smooth, &expected, tolerance(device), &format!("{name}, α = {alpha}, {init:?}"));
        }
        let constant: Vec<f64> = items.iter().map(|item| if item.is_nan() { NA } else { 30_000.5 }).collect();
        let smooth = ema(device, &series(&constant), Decay::Alpha(1e-5), Init::First).unwrap();
        assert!(smooth.values[1..].iter().all(|&value| value == 30_000.5), "{name}: a constant with gaps");
    }
}

#[test]
fn leading_missing_values_stay_missing_and_poison_nothing() {
    // B4: NaN, 1, NaN, 1, 1 with com=3 is NaN, 1, 1, 1, 1.
    for (name, device) in devices() {
        let smooth = ema(device, &series(&[NA, 1.0, NA, 1.0, 1.0]), Decay::Com(3.0), Init::First).unwrap();
        same(&smooth, &[NA, 1.0, 1.0, 1.0, 1.0], 0.0, name);
        let mut items = vec![NA; 5000];
        items.extend(SEED);
        let smooth = ema(device, &series(&items), Decay::Alpha(0.2), Init::First).unwrap();
        same(&smooth, &recurrence(&items, 0.2, Init::First), 1e-6, name);
        let smooth = ema(device, &series(&[NA; 300]), Decay::Alpha(0.2), Init::First).unwrap();
        same(&smooth, &[NA; 300], 0.0, name);
    }
}

#[test]
fn the_comparison_with_the_recurrence_rejects_a_swapped_pair_and_a_dropped_tile() {
    let prices = bundled_prices().select(&["AAPL"]).unwrap();
    let items = prices.values.clone();
    let expected = recurrence(&items, 0.1, Init::First);
    let change = |row: usize| (items[row] / items[row - 1]).ln().abs();
    let largest_move = (1..items.len()).max_by(|&left, &right| change(left).total_cmp(&change(right))).unwrap();
    for (name, device) in devices() {
        let smooth = |items: &[f64]| ema(device, &series(items), Decay::Alpha(0.1), Init::First).unwrap().values;
        let tolerance = tolerance(device);
        let rejected = |wrong: &[f64]| rejects(|| assert_close(wrong, &expected, tolerance, name));
        assert!(!rejected(&smooth(&items)), "{name}: the result itself");
        // Two days of March 2020, a tenth apart.
        let mut swapped = items.clone();
        swapped.swap(largest_move - 1, largest_move);
        assert!(rejected(&smooth(&swapped)), "{name}: a swapped pair");
        let without = smooth(&[&items[..256], &items[512..]].concat());
        assert!(rejected(&[&expected[..512], &without[256..]].concat()), "{name}: a dropped tile");
        assert!(rejects(|| assert_near(&smooth(&swapped), &expected, 1e-3, name)), "{name}: absolutely");
    }
}

#[test]
fn values_past_what_a_device_holds_are_refused() {
    let huge = series(&[1.0, 1e39, 2.0]);
    for (name, device) in devices() {
        let smoothed = ema(device, &huge, Decay::Alpha(0.5), Init::First);
        match device.is_host() {
            true => assert!(smoothed.is_ok(), "{name}"),
            false => {
                assert!(matches!(smoothed, Err(FinanceError::TooLarge { value: 1e39, .. })), "{name}: {smoothed:?}")
            }
        }
    }
}
