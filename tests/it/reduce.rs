//! Reductions against the oracle, on every device.

use cubefold::ReduceOptions;
use cubefold::prelude::*;

use crate::devices::{devices, gpus, limited, observed, private, with_planes};
use crate::oracle::{self, assert_same, lengths};
use crate::samples::{Join, MatrixProduct, Summarise, floats, integers};

#[test]
fn reduce_gives_the_oracles_bits_at_every_length() {
    for (name, device) in devices() {
        for (len, reason) in lengths() {
            let case = format!("{name}, {len} items ({reason})");
            let items = integers(len, 1);
            let sum = device.reduce(&items, &ops::Sum::<u32>::new()).unwrap().to_vec().unwrap();
            assert_same(&sum, &[oracle::reduce(&items, &ops::Sum::<u32>::new())], &case);
            let product = device.reduce(&items, &MatrixProduct).unwrap().to_vec().unwrap();
            assert_same(&product, &[oracle::reduce(&items, &MatrixProduct)], &case);
            let prices = floats(len, 2);
            let op = Summarise { threshold: 0.25 };
            let summary = device.reduce(&prices, &op).unwrap().to_vec().unwrap();
            assert_same(&summary, &[oracle::reduce(&prices, &op)], &case);
        }
    }
}

#[test]
fn reduce_never_hands_the_operator_padding_or_a_swapped_pair() {
    for (name, device) in devices() {
        for len in [1, 2, 3, 31, 33, 255, 257, 1000, 4097, 5000] {
            let items: Vec<u32> = (0..len).collect();
            let joined = device.reduce(&items, &Join).unwrap().get(0).unwrap();
            assert_eq!((joined.start, joined.end, joined.poisoned), (0, len, 0), "{name}, {len} items");
        }
    }
}

#[test]
fn reduce_is_right_without_planes_and_with_little_shared_memory() {
    for (name, device) in gpus() {
        let bare = limited(device, |profile| {
            profile.plane = None;
            profile.shared_bytes = 2048;
            profile.max_units = 64;
        });
        let items = integers(10_007, 3);
        let product = bare.reduce(&items, &MatrixProduct).unwrap().to_vec().unwrap();
        assert_same(&product, &[oracle::reduce(&items, &MatrixProduct)], name);
    }
}

#[test]
fn a_cube_of_planes_folds_many_tiles_in_order() {
    for (name, device) in gpus() {
        // Three cubes, with planes where the device hides them.
        let device = with_planes(device).unwrap_or_else(|| private(device));
        let few = limited(&device, |profile| profile.max_cubes = (3, 3, 1));
        for len in [4096 * 3, 4096 * 7 + 1, 4096 * 60 + 5] {
            let joined = few.reduce(&(0..len).collect::<Vec<u32>>(), &Join).unwrap().get(0).unwrap();
            assert_eq!((joined.start, joined.end, joined.poisoned), (0, len, 0), "{name}, {len} items");
            let items = integers(len as usize, 8);
            let product = few.reduce(&items, &MatrixProduct).unwrap().to_vec().unwrap();
            assert_same(&product, &[oracle::reduce(&items, &MatrixProduct)], &format!("{name}, {len} items"));
            let last = few.reduce(&Counter::new(u64::from(len)), &ops::Last::<Wide>::new()).unwrap().get(0).unwrap();
            assert_eq!(u64::from(last.value), u64::from(len) - 1, "{name}, {len} items");
        }
    }
}

#[test]
fn a_counter_of_2_to_33_items_is_counted() {
    for (name, device) in devices() {
        if crate::devices::is_software(name) || device.is_host() {
            // The same count in tiles that a software device has time for; 2^33 indices need both words there too.
            let tail = Counter::new(1 << 33).slice((1 << 33) - 70_000, 70_000).unwrap();
            let last = device.reduce(&tail, &ops::Last::<Wide>::new()).unwrap().get(0).unwrap();
            assert_eq!(u64::from(last.value), (1 << 33) - 1, "{name}");
        } else {
            let count = device.reduce(&Counter::new(1 << 33), &ops::Count).unwrap().get(0).unwrap();
            assert_eq!(u64::from(count), 8_589_934_592, "{name}");
        }
    }
}

#[test]
fn results_stay_on_the_device_and_chain() {
    for (name, device) in devices() {
        let items = integers(5000, 4);
        let scanned = device.scan(&items, &ops::Sum::<u32>::new()).unwrap();
        let total = device.reduce(&scanned, &ops::Sum::<u32>::new()).unwrap();
        assert_eq!(total.handle().is_some(), !device.is_host(), "{name}");
        let scanned = oracle::scan(&items, &ops::Sum::<u32>::new(), false);
        assert_same(&total.to_vec().unwrap(), &[oracle::reduce(&scanned, &ops::Sum::<u32>::new())], name);
    }
}

#[test]
fn a_reproducible_result_in_a_slot_is_that_of_its_own() {
    let items: Vec<f32> = integers(100_003, 7).into_iter().map(|item| item as f32 * 1e-3).collect();
    let (sum, options) = (ops::Sum::<f32>::new(), ReduceOptions { reproducible: true });
    let expected = Device::host().reduce_with(&items, &sum, &options).unwrap().get(0).unwrap();
    for (name, device) in devices() {
        let mut output = device.upload(&[1.0f32, 2.0, 3.0]).unwrap();
        device.reduce_into_with(&items, &sum, &mut output, 1, &options).unwrap();
        assert_eq!(output.to_vec().unwrap(), [1.0, expected, 3.0], "{name}");
        let beyond = device.reduce_into_with(&items, &sum, &mut output, 3, &options);
        assert!(matches!(beyond, Err(Error::OutOfBounds { index: 3, len: 3 })), "{name}: {beyond:?}");
    }
}

#[test]
fn nothing_but_the_result_is_allocated_after_the_first_call() {
    for (name, device) in gpus() {
        let device = private(device);
        let items = device.upload(&integers(100_000, 5)).unwrap();
        let sum = ops::Sum::<u32>::new();
        let mut output = device.reduce(&items, &sum).unwrap();
        device.scan(&items, &sum).unwrap();
        let before = device.allocations();
        for _ in 0..5 {
            device.reduce_into(&items, &sum, &mut output, 0).unwrap();
        }
        assert_eq!(device.allocations(), before, "{name}: reduce_into");
        device.scan(&items, &sum).unwrap();
        assert_eq!(device.allocations(), before + 1, "{name}: scan allocates its result");
    }
}

#[test]
fn observers_see_what_ran() {
    for (name, device) in devices() {
        let device = private(device);
        let launches = observed(&device);
        device.reduce(&integers(100_000, 6), &ops::Sum::<u32>::new()).unwrap();
        let expected: &[_] = match device.profile() {
            None => &[("host", "Tree")],
            Some(profile) if profile.memory_scope => &[("reduce::fold_once", "Tree")],
            Some(_) => &[("reduce::fold", "Tree"), ("reduce::fold", "Tree")],
        };
        assert_eq!(launches.lock().unwrap().as_slice(), expected, "{name}");
    }
}

#[test]
fn eight_threads_share_a_device() {
    for (name, device) in devices() {
        std::thread::scope(|scope| {
            for thread in 0..8u64 {
                scope.spawn(move || {
                    for round in 0..4 {
                        let items = integers(10_000 - 1200 * thread as usize, thread * 10 + round);
                        let sum = device.reduce(&items, &MatrixProduct).unwrap().to_vec().unwrap();
                        assert_same(&sum, &[oracle::reduce(&items, &MatrixProduct)], name);
                    }
                });
            }
        });
    }
}
