//! How exact sums and moments are: NIST's data sets, and reports of what others got wrong.

use cubefold::ops::{Moments, Moments4, Sum};
use cubefold::prelude::*;
use cubefold::wrapping_mul;

use crate::devices::devices;
use crate::oracle::assert_same;

/// NIST's data sets for the accuracy of univariate statistics: NumAcc1 to NumAcc4.
/// <https://www.itl.nist.gov/div898/strd/univ/homepage.html>
fn nist() -> Vec<(&'static str, Vec<f64>)> {
    let about = |base: f64| {
        let pairs = (0..500).flat_map(|_| [base + 0.1, base + 0.3]);
        std::iter::once(base + 0.2).chain(pairs).collect()
    };
    vec![
        ("NumAcc1", vec![10_000_001.0, 10_000_003.0, 10_000_002.0]),
        ("NumAcc2", about(1.0)),
        ("NumAcc3", about(1e6)),
        ("NumAcc4", about(1e7)),
    ]
}

/// Mean and deviation by two passes.
fn two_passes(items: &[f64]) -> (f64, f64) {
    let mean = items.iter().sum::<f64>() / items.len() as f64;
    let squares: f64 = items.iter().map(|item| (item - mean).powi(2)).sum();
    (mean, (squares / (items.len() as f64 - 1.0)).sqrt())
}

#[test]
fn nists_certified_values_come_out_in_f64() {
    let certified = [(10_000_002.0, 1.0), (1.2, 0.1), (1_000_000.2, 0.1), (10_000_000.2, 0.1)];
    for (name, device) in devices() {
        if device.profile().is_some_and(|profile| profile.lacks::<f64>().is_some()) {
            eprintln!("{name} has no f64: left out");
            continue;
        }
        for ((set, items), (mean, std)) in nist().into_iter().zip(certified) {
            let moments = device.reduce(&items, &Moments::<f64>::new()).unwrap().get(0).unwrap();
            assert!((moments.mean() - mean).abs() < 1e-15 * mean, "{name}, {set}: mean {}", moments.mean());
            // Items near 10^7 are rounded to 2^-29: their deviation is that of the exact ones to 1e-8, and no closer.
            assert!((moments.std(1) / std - 1.0).abs() < 2e-8, "{name}, {set}: std {}", moments.std(1));
        }
    }
}

#[test]
fn nists_data_rounded_to_f32_have_the_moments_of_what_was_rounded() {
    for (name, device) in devices() {
        for (set, items) in nist() {
            let rounded: Vec<f32> = items.iter().map(|&item| item as f32).collect();
            let (mean, std) = two_passes(&rounded.iter().map(|&item| f64::from(item)).collect::<Vec<_>>());
            let moments = device.reduce(&rounded, &Moments::<f32>::new()).unwrap().get(0).unwrap();
            // A mean is kept as f32, and every merge rounds it by half a place: 3 places are six merges the same way. Parts
            // whose means are off by half a place each move the variance by at most its square. Items that are all alike have
            // no deviation, exactly.
            let place = (mean.log2().floor() - 23.0).exp2();
            assert!((moments.mean() - mean).abs() <= 3.0 * place, "{name}, {set}: mean {}, not {mean}", moments.mean());
            let room = if std == 0.0 { 0.0 } else { 1e-6 * std + (place / 2.0).powi(2) / (2.0 * std) };
            assert!((moments.std(1) - std).abs() <= room, "{name}, {set}: std {}, not {std}", moments.std(1));
        }
    }
}

/// QuantLib's sample, test-suite/stats.cpp, with its corrections for the number of items.
#[test]
fn quantlibs_statistics_come_out() {
    let items = [3.0f32, 4.0, 5.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 7.0];
    let n = items.len() as f64;
    for (name, device) in devices() {
        let moments = device.reduce(&items[..], &Moments4::<f32>::new()).unwrap().get(0).unwrap();
        let skewness = moments.skewness() * (n * (n - 1.0)).sqrt() / (n - 2.0);
        let kurtosis = (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * moments.excess_kurtosis() + 6.0);
        let found = [moments.mean(), moments.variance(1), moments.std(1), skewness, kurtosis];
        let expected = [4.3, 2.233_333_333_33, 1.494_434_118_1, 0.359_543_071_407, -0.151_799_637_209];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 2e-6, "{name}: {found} is not {expected}");
        }
    }
}

/// One for every index.
#[derive(Debug, Clone, Operator)]
struct One;

#[cube]
impl Mapping<Wide> for One {
    type Output = f32;

    fn map(&self, _index: Wide) -> f32 {
        1.0f32.runtime()
    }
}

#[test]
fn ones_have_the_mean_1_past_what_an_f32_counts_to() {
    for (name, device) in devices() {
        for len in [20_000_000, 1 << 25] {
            let ones = Counter::new(len).map(One);
            let moments = device.reduce(&ones, &Moments::<f32>::new()).unwrap().get(0).unwrap();
            assert_eq!((moments.mean(), moments.variance(1)), (1.0, 0.0), "{name}, {len} computed ones");
            assert_eq!(u64::from(moments.count), len, "{name}");
            let sum = device.reduce(&ones, &Sum::<f32>::new()).unwrap().get(0).unwrap();
            assert_eq!(f64::from(sum), len as f64, "{name}, {len} computed ones");
        }
        let stored = device.upload(&vec![1.0f32; 20_000_000]).unwrap();
        let moments = device.reduce(&stored, &Moments::<f32>::new()).unwrap().get(0).unwrap();
        assert_eq!((moments.mean(), moments.variance(1)), (1.0, 0.0), "{name}, stored ones");
        let hundreds = device.upload(&vec![100.0f32; 1_000_000]).unwrap();
        assert_eq!(device.reduce(&hundreds, &Sum::<f32>::new()).unwrap().to_vec().unwrap(), [1e8], "{name}");
    }
}

/// A hash of an index.
#[derive(Debug, Clone, Operator)]
struct Hashed;

#[cube]
impl Mapping<Wide> for Hashed {
    type Output = u32;

    fn map(&self, index: Wide) -> u32 {
        wrapping_mul(index.low, 0x9e37_79b1u32) ^ (index.low >> 7u32)
    }
}

/// More than 65,535 groups of 64, none of a whole number of them, and the lengths about one.
#[test]
fn lengths_past_65_535_groups_are_reduced_and_scanned() {
    for (name, device) in devices() {
        for len in [0u64, 1, 63, 65, 4_194_241, 20_000_000] {
            let items = Counter::new(len).map(Hashed);
            let mut running = 0u32;
            let hash = |index: u64| (index as u32).wrapping_mul(0x9e37_79b1) ^ (index as u32 >> 7);
            let expected: Vec<u32> = (0..len)
                .map(|index| {
                    running = running.wrapping_add(hash(index));
                    running
                })
                .collect();
            let case = format!("{name}, {len} items");
            let sum = device.reduce(&items, &Sum::<u32>::new()).unwrap().to_vec().unwrap();
            assert_eq!(sum, [running], "{case}");
            let sums = device.scan(&items, &Sum::<u32>::new()).unwrap().to_vec().unwrap();
            assert!(sums == expected, "{case}");
            if len < 5_000_000 {
                let stored = device.collect(&items).unwrap();
                let sum = device.reduce(&stored, &Sum::<u32>::new()).unwrap().to_vec().unwrap();
                assert_same(&sum, &[running], &case);
            }
        }
    }
}
