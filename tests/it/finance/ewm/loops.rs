//! Exponentially weighted figures against a plain loop in f64.

use cubefold::Device;
use cubefold::finance::{Decay, Ewm};
use proptest::prelude::*;

use crate::devices::devices;
use crate::finance::{assert_alike, series, tolerance};

const NA: f64 = f64::NAN;

/// The recurrence that pandas runs, one row after another, without its branch for `com=1`: mean of `x`, covariance,
/// unbiased covariance. Products of pairs of weights are added up, where pandas takes a difference that cancels.
fn recurrence(x: &[f64], y: &[f64], alpha: f64, adjust: bool, ignore_na: bool) -> Vec<[f64; 3]> {
    let (mut mean_x, mut mean_y, mut cov) = (NA, NA, 0.0);
    let (mut old, mut sum, mut pairs) = (1.0, 1.0, 0.0);
    let newest = if adjust { 1.0 } else { alpha };
    let step = |(&x, &y): (&f64, &f64)| {
        let observed = !x.is_nan() && !y.is_nan();
        if mean_x.is_nan() && observed {
            (mean_x, mean_y) = (x, y);
        } else if !mean_x.is_nan() && (observed || !ignore_na) {
            old *= 1.0 - alpha;
            sum *= 1.0 - alpha;
            pairs *= (1.0 - alpha) * (1.0 - alpha);
            if observed {
                let (before_x, before_y, total) = (mean_x, mean_y, old + newest);
                mean_x = (old * before_x + newest * x) / total;
                mean_y = (old * before_y + newest * y) / total;
                let kept = old * (cov + (before_x - mean_x) * (before_y - mean_y));
                cov = (kept + newest * (x - mean_x) * (y - mean_y)) / total;
                (pairs, sum, old) = (pairs + 2.0 * sum * newest, sum + newest, total);
                if !adjust {
                    (pairs, sum, old) = (pairs / (total * total), sum / total, 1.0);
                }
            }
        }
        let cov = if mean_x.is_nan() { NA } else { cov };
        // A weight that 1 swallows is no second value.
        [mean_x, cov, if pairs > 1e-15 * sum * sum { cov * sum * sum / pairs } else { NA }]
    };
    x.iter().zip(y).map(step).collect()
}

/// Seeded prices with a gap of every length up to a dozen.
fn with_gaps(len: usize, seed: u64) -> Vec<f64> {
    let words = crate::samples::integers(len, seed);
    let mut gap = 0;
    let price = |word: u32| {
        gap = if gap > 0 { gap - 1 } else { (word >> 8) % 13 * u32::from(word % 5 == 0) };
        if gap > 0 { NA } else { 100.0 + f64::from(word % 1009) / 64.0 }
    };
    words.into_iter().map(price).collect()
}

#[test]
fn the_loop_is_met_across_tiles() {
    let (x, y) = (with_gaps(9001, 11), with_gaps(9001, 12));
    for (name, device) in devices() {
        for (adjust, ignore_na, alpha) in [(true, false, 0.01), (true, true, 0.3), (false, false, 0.3)] {
            let ewm = Ewm { adjust, ignore_na, ..Ewm::new(Decay::Alpha(alpha)) };
            let case = format!("{name}, adjust {adjust}, ignore_na {ignore_na}, α = {alpha}");
            let expected = recurrence(&x, &x, alpha, adjust, ignore_na);
            let column = |place: usize| expected.iter().map(|row| row[place]).collect::<Vec<_>>();
            let found = ewm.mean(device, &series(&x)).unwrap().values;
            assert_alike(&found, &column(0), tolerance(device), &case);
            let found = ewm.var(device, &series(&x)).unwrap().values;
            assert_alike(&found, &column(2), tolerance(device), &case);
            let expected = recurrence(&x, &y, alpha, adjust, ignore_na);
            let expected: Vec<f64> = expected.iter().map(|row| row[2]).collect();
            let found = ewm.cov(device, &series(&x), &series(&y)).unwrap().values;
            // Both sides of some 5 about 107: products of deviations of f32 prices.
            assert_alike(&found, &expected, 10.0 * tolerance(device), &case);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_column_under_any_option_meets_the_loop(
        items in prop::collection::vec(
            prop_oneof![3 => -100.0..100.0f64, 1 => Just(NA)].prop_flat_map(|x| (Just(x), prop_oneof![4 => -9.0..9.0f64, 1 => Just(NA)])),
            0..120,
        ),
        alpha in 0.001..1.0f64,
        adjust: bool,
        ignore_na: bool,
        bias: bool,
    ) {
        let (x, y): (Vec<f64>, Vec<f64>) = items.into_iter().unzip();
        let ewm = Ewm { adjust, ignore_na, bias, ..Ewm::new(Decay::Alpha(alpha)) };
        let host = Device::host();
        let expected = recurrence(&x, &y, alpha, adjust, ignore_na);
        let cov: Vec<f64> = expected.iter().map(|row| if bias { row[1] } else { row[2] }).collect();
        let found = ewm.cov(&host, &series(&x), &series(&y)).unwrap().values;
        for (found, cov) in found.iter().zip(&cov).filter(|(_, cov)| !cov.is_nan()) {
            prop_assert!((found - cov).abs() <= 1e-6 * cov.abs().max(1.0), "{found} is not {cov}");
        }
        let mean: Vec<f64> = recurrence(&x, &x, alpha, adjust, ignore_na).iter().map(|row| row[0]).collect();
        let found = ewm.mean(&host, &series(&x)).unwrap().values;
        for (found, mean) in found.iter().zip(&mean) {
            let near = (found - mean).abs() <= 1e-9 * mean.abs().max(1.0);
            prop_assert!(near || (found.is_nan() && mean.is_nan()), "{found} is not {mean}");
        }
    }

    #[test]
    fn any_times_weigh_by_their_distance(
        rows in prop::collection::vec((0.0..9.0f64, prop_oneof![4 => -9.0..9.0f64, 1 => Just(NA)]), 1..60),
        halflife in 0.5..20.0f64,
    ) {
        let items: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let mut now = 1e6;
        let times: Vec<f64> = rows.iter().map(|row| { now += row.0; now }).collect();
        // Every observed row weighs 2^(−distance / halflife), from whatever row it is seen.
        let mean = |last: usize| {
            let weight = |row: usize| 0.5f64.powf((times[last] - times[row]) / halflife);
            let seen: Vec<usize> = (0..=last).filter(|&row| !items[row].is_nan()).collect();
            let total: f64 = seen.iter().map(|&row| weight(row)).sum();
            seen.iter().map(|&row| weight(row) * items[row]).sum::<f64>() / total
        };
        let expected: Vec<f64> = (0..items.len()).map(mean).collect();
        let ewm = Ewm { times: Some(times.clone()), ..Ewm::new(Decay::HalfLife(halflife)) };
        let found = ewm.mean(&Device::host(), &series(&items)).unwrap().values;
        for (found, mean) in found.iter().zip(&expected) {
            let near = (found - mean).abs() <= 1e-9 * mean.abs().max(1.0);
            prop_assert!(near || (found.is_nan() && mean.is_nan()), "{found} is not {mean}");
        }
    }
}
