//! Negative controls: what the harness must reject.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cubefold::prelude::*;
use cubefold::{ScanOptions, Strategy};

use crate::devices::{devices, gpus, observed, private};
use crate::oracle::{self, assert_same};
use crate::samples::{MatrixProduct, integers};

fn rejected(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[test]
fn a_dropped_tile_is_rejected() {
    for (name, device) in devices() {
        let items = integers(3 * 4096, 1);
        let expected = oracle::scan(&items, &MatrixProduct, false);
        let mut without = items.clone();
        without[4096..8192].fill(0);
        let dropped = device.scan(&without, &MatrixProduct).unwrap().to_vec().unwrap();
        assert!(rejected(|| assert_same(&dropped, &expected, name)), "{name}");
    }
}

#[test]
fn a_swapped_pair_is_rejected() {
    for (name, device) in devices() {
        let items = integers(5000, 2);
        let expected = oracle::reduce(&items, &MatrixProduct);
        let mut swapped = items;
        swapped.swap(2047, 2048);
        let result = device.reduce(&swapped, &MatrixProduct).unwrap().to_vec().unwrap();
        assert!(rejected(|| assert_same(&result, &[expected], name)), "{name}");
        let backwards = device.reduce(&swapped, &ops::Opposite::new(MatrixProduct)).unwrap().to_vec().unwrap();
        assert!(rejected(|| assert_same(&backwards, &[expected], name)), "{name}");
    }
}

/// A maximum that starts at 0: wrong for items that are all negative.
#[derive(Clone, Debug, Operator)]
struct MaximumFromZero;

#[cube]
impl Monoid for MaximumFromZero {
    type State = i32;

    fn identity(&self) -> i32 {
        0i32.runtime()
    }

    fn combine(&self, left: i32, right: i32) -> i32 {
        max(left, right)
    }
}

#[cube]
impl Lift<i32> for MaximumFromZero {
    fn lift(&self, item: i32) -> i32 {
        item
    }
}

#[cube]
impl Lower for MaximumFromZero {
    type Output = i32;

    fn lower(&self, state: i32) -> i32 {
        state
    }
}

#[test]
fn a_wrong_identity_is_rejected() {
    assert!(check_laws(&MaximumFromZero, &[-3, -2]).is_err());
    for (name, device) in devices() {
        let items: Vec<i32> = (0..5000).map(|item| -1 - item % 977).collect();
        let right = device.reduce(&items, &ops::Maximum::<i32>::new()).unwrap().to_vec().unwrap();
        assert_same(&right, &[-1], name);
        // Whoever folds from the identity shows it; padding with it would show it too.
        let wrong = device.scan_exclusive(&items, &MaximumFromZero).unwrap().to_vec().unwrap();
        let expected = oracle::scan(&items, &ops::Maximum::<i32>::new(), true);
        assert!(rejected(|| assert_same(&wrong, &expected, name)), "{name}");
    }
}

#[test]
fn another_strategy_is_noticed() {
    for (name, device) in gpus() {
        let device = private(device);
        let launches = observed(&device);
        let options = ScanOptions { strategy: Strategy::Blelloch, ..ScanOptions::default() };
        device.scan_with(&integers(5000, 3), &ops::Sum::<u32>::new(), &options).unwrap();
        let launches = launches.lock().unwrap();
        // Two folds of tiles, whose kernel both recursive strategies share; the scans are those of the one alone.
        let scans: Vec<_> = launches.iter().filter(|(kernel, _)| kernel.starts_with("scan")).collect();
        assert!(!scans.is_empty(), "{name}: {launches:?}");
        for other in [("scan::lookback", "DecoupledLookback"), ("scan::tiles by doubling", "HillisSteele")] {
            assert!(!scans.contains(&&other), "{name}: {other:?}");
        }
        assert!(scans.iter().all(|&&scan| scan == ("scan::tiles by sweeps", "Blelloch")), "{name}: {scans:?}");
    }
}
