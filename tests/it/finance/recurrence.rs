//! Recurrences against the loops that they replace.

use cubefold::Device;
use cubefold::finance::recurrence::{Ar1, Garch, Lcg, SecondOrder, ar1, garch, second_order};
use cubefold::finance::{FinanceError, Returns, bundled_prices};

use super::{assert_alike, series, tolerance};
use crate::devices::devices;
use crate::oracle;
use crate::samples::floats;

const NA: f64 = f64::NAN;

/// Seeded innovations, some of them missing.
fn shocks(len: usize) -> Vec<f64> {
    let mut shocks: Vec<f64> = floats(len, 21).into_iter().map(f64::from).collect();
    shocks.iter_mut().skip(5).step_by(17).for_each(|shock| *shock = NA);
    shocks
}

fn or_zero(shock: f64) -> f64 {
    if shock.is_nan() { 0.0 } else { shock }
}

#[test]
fn the_first_order_filter_is_its_loop() {
    let shocks = shocks(9001);
    for (name, device) in devices() {
        for (phi, constant, start) in [(0.9, 0.5, 20.0), (-0.5, 0.0, 1.0), (0.0, 1.0, 7.0), (1.0, 0.0, 0.0)] {
            let found = ar1(device, &series(&shocks), &Ar1 { phi, constant, start }).unwrap().values;
            let mut y = start;
            let step = |&shock: &f64| {
                y = constant + phi * y + or_zero(shock);
                y
            };
            let expected: Vec<f64> = shocks.iter().map(step).collect();
            assert_alike(&found, &expected, tolerance(device), &format!("{name}, phi = {phi}"));
        }
    }
    let refused = ar1(&Device::host(), &series(&[1.0]), &Ar1 { phi: NA, ..Ar1::default() }).unwrap_err();
    assert!(matches!(refused, FinanceError::NotFinite { name: "phi", .. }));
}

#[test]
fn the_variance_filter_is_its_loop() {
    let returns = bundled_prices().select(&["AAPL"]).unwrap().returns(Returns::Simple).unwrap();
    let model = Garch { omega: 2e-6, alpha: 0.08, beta: 0.9, start: None };
    for (name, device) in devices() {
        let found = garch(device, &returns, &model).unwrap().values;
        // By a plain loop in f64 over pandas' returns.
        let ends = [found[0], found[1], found[found.len() - 1]].map(|variance| variance * 1e4);
        let expected = [0.9999999999999991, 0.9200307092107971, 3.453670853575749];
        assert_alike(&ends, &expected, tolerance(device), name);
        // A missing return is what was expected of it.
        let gaps = garch(device, &series(&[0.1, NA, 0.2]), &Garch { start: Some(0.04), ..model }).unwrap().values;
        let second = 2e-6 + 0.08 * 0.01 + 0.9 * 0.04;
        assert_alike(&gaps, &[0.04, second, 2e-6 + 0.98 * second], tolerance(device) * 0.1, name);
    }
}

#[test]
fn the_second_order_filter_is_its_loop() {
    let shocks = shocks(5001);
    for (name, device) in devices() {
        for (near, far) in [(0.5, 0.3), (1.6, -0.9), (0.0, 0.5)] {
            let recurrence = SecondOrder { near, far, last: 2.0, before: -3.0 };
            let found = second_order(device, &series(&shocks), &recurrence).unwrap().values;
            let (mut last, mut before) = (2.0, -3.0);
            let step = |&shock: &f64| {
                (last, before) = (near * last + far * before + or_zero(shock), last);
                last
            };
            let expected: Vec<f64> = shocks.iter().map(step).collect();
            assert_alike(&found, &expected, tolerance(device), &format!("{name}, {near}, {far}"));
        }
    }
}

#[test]
fn fibonacci_numbers_wrap_as_a_loop_does() {
    let fibonacci = SecondOrder { near: 1u32, far: 1, last: 1, before: 0 };
    let found = Device::host().scan(&vec![0u32; 40_000], &fibonacci).unwrap().to_vec().unwrap();
    assert_eq!(found, oracle::scan(&vec![0u32; 40_000], &fibonacci, false));
    let (mut last, mut before) = (1u32, 0u32);
    for (row, &number) in found.iter().enumerate() {
        (last, before) = (last.wrapping_add(before), last);
        assert_eq!(number, last, "row {row}");
    }
}

#[test]
fn a_jump_ahead_is_as_many_steps() {
    let lcg = Lcg::NUMERICAL_RECIPES;
    // Press and others, "Numerical Recipes in C", second edition, section 7.1.
    let published = [0x3c6e_f35f, 0x4750_2932, 0xd1cc_f6e9, 0xaaf9_5334, 0x6252_e503, 0x9f2e_c686, 0x57fe_6c2d];
    for (name, device) in devices() {
        let sequence = lcg.sequence(device, 0, 9001).unwrap().to_vec().unwrap();
        assert_eq!(sequence[..7], published, "{name}");
        for row in [0usize, 1, 2, 255, 256, 4096, 9000] {
            assert_eq!(lcg.jump(0, row as u64 + 1), sequence[row], "{name}: row {row}");
        }
    }
    assert_eq!(lcg.jump(5, 0), 5);
    assert_eq!(lcg.jump(lcg.jump(5, 1 << 40), 12345), lcg.jump(5, (1 << 40) + 12345));
}
