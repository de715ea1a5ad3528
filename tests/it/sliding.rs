//! Sliding folds on every device, against a loop over each window.

use cubefold::prelude::*;
use cubefold::{Device, State};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert_eq, proptest};

use crate::devices::{devices, gpus, observed, private};
use crate::oracle::{self, assert_same};
use crate::samples::{Join, MatrixProduct, integers};

/// The fold of each window alone.
fn windows<T: State, O: Lift<T> + Lower>(items: &[T], window: usize, op: &O) -> Vec<O::Output> {
    (0..items.len()).map(|row| oracle::reduce(&items[(row + 1).saturating_sub(window)..=row], op)).collect()
}

fn sliding<T: State, O: Lift<T> + Lower>(device: &Device, items: &[T], window: u64, op: &O) -> Vec<O::Output> {
    device.sliding(items, window, op).unwrap().to_vec().unwrap()
}

/// Lengths and windows that have an edge each.
const EDGES: [(usize, u64, &str); 14] = [
    (0, 3, "nothing"),
    (1, 1, "one item"),
    (1, 9, "one item in a longer window"),
    (100, 1, "every item alone"),
    (100, 2, "blocks of two"),
    (100, 3, "a last block of one"),
    (99, 3, "a last block that is full"),
    (101, 3, "a last block less than full by one"),
    (300, 299, "a second block of one"),
    (300, 300, "one block"),
    (300, 301, "a window longer than the items"),
    (300, u64::MAX, "a window longer than memory"),
    (4097, 64, "more than a tile"),
    (9000, 4500, "two blocks over tiles"),
];

#[test]
fn windows_keep_order_for_noncommutative_operators_at_every_edge() {
    for (name, device) in devices() {
        for (len, window, why) in EDGES {
            let items = integers(len, 31);
            let shown = window.min(1 << 20) as usize;
            let expected = windows(&items, shown, &MatrixProduct);
            assert_same(&sliding(device, &items, window, &MatrixProduct), &expected, &format!("{name}: {why}"));
        }
    }
}

#[test]
fn only_neighbours_are_combined() {
    // Joined intervals are poisoned by any pair that does not touch.
    for (name, device) in devices() {
        for (len, window) in [(300usize, 7u64), (4097, 1000)] {
            let items: Vec<u32> = (0..len as u32).collect();
            for (row, joined) in sliding(device, &items, window, &Join).into_iter().enumerate() {
                let start = (row as u32 + 1).saturating_sub(window as u32);
                let found = (joined.start, joined.end, joined.poisoned, joined.empty);
                assert_eq!(found, (start, row as u32 + 1, 0, 0), "{name}: row {row}");
            }
        }
    }
}

#[test]
fn the_oracle_rejects_a_window_that_is_one_off() {
    let items = integers(100, 32);
    let expected = windows(&items, 5, &MatrixProduct);
    for window in [4, 6] {
        assert_ne!(sliding(&Device::host(), &items, window, &MatrixProduct), expected);
    }
}

#[test]
fn buffers_stay_on_the_device_and_the_same_call_gives_the_same_bits() {
    for (name, device) in gpus() {
        let device = private(device);
        let items = device.upload(&integers(5000, 33)).unwrap();
        let launches = observed(&device);
        let first = device.sliding(&items, 100, &MatrixProduct).unwrap();
        assert!(launches.lock().unwrap().iter().all(|(kernel, _)| *kernel != "host"), "{name}");
        let second = device.sliding(&items, 100, &MatrixProduct).unwrap();
        assert_same(&first.to_vec().unwrap(), &second.to_vec().unwrap(), name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_items_under_any_window_meet_the_loop(
        items in prop::collection::vec(any::<u32>(), 0..200),
        window in 1..220usize,
    ) {
        let found = sliding(&Device::host(), &items, window as u64, &MatrixProduct);
        prop_assert_eq!(found, windows(&items, window, &MatrixProduct));
    }
}
