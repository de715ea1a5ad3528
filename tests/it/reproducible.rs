//! Reproducible reductions: the same bits on every device, whatever its planes, its cubes and the length.

use cubefold::prelude::*;
use cubefold::{ReduceOptions, fold_pairs};

use crate::devices::{devices, gpus, limited, observed, with_planes};
use crate::oracle::{self, assert_same, lengths};
use crate::samples::{Join, MatrixProduct, floats, integers};

const OPTIONS: ReduceOptions = ReduceOptions { reproducible: true };

/// The device as it is, with planes where it hides them, and with small cubes of one level after another.
fn variants(device: &Device) -> Vec<Device> {
    let planes = with_planes(device);
    let small = limited(device, |profile| {
        profile.plane = None;
        profile.max_units = 16;
        profile.shared_bytes = 1024;
    });
    let mut variants = vec![device.clone(), small];
    if let Some(planes) = planes {
        variants.push(limited(&planes, |profile| profile.max_units = 64));
        variants.push(planes);
    }
    variants
}

#[test]
fn sums_have_the_same_bits_on_every_device_and_shape() {
    let sum = ops::Sum::<f32>::new();
    for (len, reason) in lengths() {
        let prices = floats(len, 40);
        let expected = Device::host().reduce_with(&prices, &sum, &OPTIONS).unwrap().to_vec().unwrap();
        for (name, device) in gpus() {
            for (shape, device) in variants(device).iter().enumerate() {
                let found = device.reduce_with(&prices, &sum, &OPTIONS).unwrap().to_vec().unwrap();
                assert_same(&found, &expected, &format!("{name}, shape {shape}, {len} items ({reason})"));
            }
        }
    }
}

/// Products of three factors never followed by an addition, sums and selections: the classes that have equal bits.
#[test]
fn every_class_that_promises_equal_bits_has_them() {
    for len in [1usize, 17, 4095, 4097, 20_001] {
        let prices = floats(len, 41);
        let near_one: Vec<f32> = prices.iter().map(|price| 1.0 + price / 1024.0).collect();
        let counts: Vec<u32> = integers(len, 42);
        let pair = ops::Pair::new(ops::Sum::<f32>::new(), ops::Minimum::<f32>::new());
        let host = Device::host();
        let sums = host.reduce_with(&prices, &pair, &OPTIONS).unwrap().to_vec().unwrap();
        let products = host.reduce_with(&near_one, &ops::Product::<f32>::new(), &OPTIONS).unwrap().to_vec().unwrap();
        for (name, device) in gpus() {
            // With planes where there are some to be had: kernels of four operators take long to compile.
            for (shape, device) in variants(device).iter().rev().step_by(3).enumerate() {
                let case = format!("{name}, shape {shape}, {len} items");
                assert_same(&device.reduce_with(&prices, &pair, &OPTIONS).unwrap().to_vec().unwrap(), &sums, &case);
                let found = device.reduce_with(&near_one, &ops::Product::<f32>::new(), &OPTIONS).unwrap();
                assert_same(&found.to_vec().unwrap(), &products, &case);
                // Four words of state, and an order that shows.
                let matrices = device.reduce_with(&counts, &MatrixProduct, &OPTIONS).unwrap().to_vec().unwrap();
                assert_same(&matrices, &[oracle::reduce(&counts, &MatrixProduct)], &case);
            }
        }
    }
}

#[test]
fn a_reproducible_reduce_gives_the_oracles_results_and_never_sees_padding() {
    for (name, device) in devices() {
        for (len, reason) in lengths() {
            let case = format!("{name}, {len} items ({reason})");
            let items = integers(len, 43);
            let sum = device.reduce_with(&items, &ops::Sum::<u32>::new(), &OPTIONS).unwrap().to_vec().unwrap();
            assert_same(&sum, &[oracle::reduce(&items, &ops::Sum::<u32>::new())], &case);
            if len > 0 && len < 20_000 {
                let joined = device.reduce_with(&(0..len as u32).collect::<Vec<_>>(), &Join, &OPTIONS).unwrap();
                let joined = joined.get(0).unwrap();
                assert_eq!((joined.start, joined.end, joined.poisoned), (0, len as u32, 0), "{case}");
            }
            // Nothing is read for a computed item.
            let last = device.reduce_with(&Counter::new(len as u64), &ops::Last::<Wide>::new(), &OPTIONS).unwrap();
            assert_eq!(last.get(0).unwrap().get().map(u64::from), (len as u64).checked_sub(1), "{case}");
        }
    }
}

#[test]
fn blocks_folded_apart_combine_to_the_bits_of_the_whole() {
    let sum = ops::Sum::<f32>::new();
    for (name, device) in devices() {
        for (len, blocks) in
            [(100usize, &[16u64, 64][..]), (70_003, &[4096, 1 << 14, 1 << 16]), (16_384, &[1024, 8192])]
        {
            let prices = floats(len, 44);
            let stored = device.upload(&prices).unwrap();
            let whole = device.reduce_with(&stored, &sum, &OPTIONS).unwrap().to_vec().unwrap();
            for &block in blocks {
                let starts = (0..len as u64).step_by(block as usize);
                let fold = |start: u64| {
                    let part = (&stored).slice(start, block.min(len as u64 - start)).unwrap();
                    device.reduce_with(&part, &sum, &OPTIONS).unwrap().get(0).unwrap()
                };
                let combined = fold_pairs(&sum, starts.map(fold).collect());
                assert_same(&[combined], &whole, &format!("{name}, {len} items in blocks of {block}"));
            }
        }
    }
}

#[test]
fn blocks_of_one_call_are_the_folds_of_their_items() {
    let sum = ops::Sum::<f32>::new();
    for (name, device) in devices() {
        let shapes = if name == "host" { vec![device.clone()] } else { variants(device) };
        for (shape, device) in shapes.iter().enumerate() {
            for (len, block) in
                [(0usize, 16u64), (1, 1 << 20), (15, 16), (17, 16), (100, 64), (70_003, 1 << 14), (300_001, 1 << 17)]
            {
                let case = format!("{name}, shape {shape}, {len} items in blocks of {block}");
                let prices = floats(len, 46);
                let fold = |part: &[f32]| Device::host().reduce_with(part, &sum, &OPTIONS).unwrap().get(0).unwrap();
                let expected: Vec<f32> = prices.chunks(block as usize).map(fold).collect();
                let found = device.reduce_blocks(&prices, block, &sum).unwrap().to_vec().unwrap();
                assert_same(&found, &expected, &case);
                if len > 0 {
                    // A block that is one off would be noticed.
                    let late = device.reduce_blocks(&prices[1..], block, &sum);
                    assert_ne!(late.unwrap().to_vec().unwrap(), expected, "{case}");
                }
                let last = device.reduce_blocks(&Counter::new(len as u64), block, &ops::Last::<Wide>::new()).unwrap();
                let ends = (1..=expected.len() as u64).map(|index| Some((index * block).min(len as u64) - 1));
                let last: Vec<Option<u64>> =
                    last.to_vec().unwrap().iter().map(|last| last.get().map(u64::from)).collect();
                assert_eq!(last, ends.collect::<Vec<_>>(), "{case}");
            }
        }
    }
}

/// Computed items past which a unit has several runs: 2^25.
#[test]
fn many_computed_items_are_folded_in_blocks() {
    for (name, device) in gpus() {
        let counts = device.reduce_blocks(&Counter::new((1 << 25) + 5), 1 << 20, &ops::Count).unwrap();
        let counts: Vec<u64> = counts.to_vec().unwrap().into_iter().map(u64::from).collect();
        assert_eq!(counts[..32], [1 << 20; 32], "{name}");
        assert_eq!(counts[32..], [5], "{name}");
    }
}

#[test]
fn blocks_that_fit_no_tree_are_refused() {
    for block in [0, 1, 8, 15, 17, 48, u64::MAX] {
        let error = Device::host().reduce_blocks(&vec![1u32], block, &ops::Sum::<u32>::new()).unwrap_err();
        assert_eq!(error, Error::Block { len: block, least: 16 });
    }
}

#[test]
fn without_the_option_bits_differ_so_that_the_comparison_can_fail() {
    let (prices, sum) = (floats(70_001, 45), ops::Sum::<f32>::new());
    let host = Device::host();
    let plain = host.reduce(&prices, &sum).unwrap().get(0).unwrap();
    let reproducible = host.reduce_with(&prices, &sum, &OPTIONS).unwrap().get(0).unwrap();
    assert_ne!(plain.to_bits(), reproducible.to_bits());
    // Blocks that are no power of two are not aligned with the tree.
    let blocks = prices.chunks(5000).map(|block| host.reduce_with(block, &sum, &OPTIONS).unwrap().get(0).unwrap());
    assert_ne!(fold_pairs(&sum, blocks.collect()).to_bits(), reproducible.to_bits());
}

#[test]
fn a_reproducible_reduce_takes_a_launch_a_level() {
    for (name, device) in gpus() {
        // Cubes of 64 units with four leaves each: 256 runs of 16 items, then 256 states.
        for (len, launches) in [(4096, 1), (4097, 2), (1 << 20, 2), ((1 << 20) + 1, 3)] {
            let device = limited(device, |profile| {
                profile.plane = None;
                profile.max_units = 64;
            });
            let seen = observed(&device);
            let items = integers(len, 46);
            let sum = device.reduce_with(&items, &ops::Sum::<u32>::new(), &OPTIONS).unwrap().to_vec().unwrap();
            assert_same(&sum, &[oracle::reduce(&items, &ops::Sum::<u32>::new())], name);
            let seen = seen.lock().unwrap();
            assert_eq!(seen.as_slice(), &vec![("reduce::fold_tree", "Reproducible"); launches], "{name}, {len} items");
        }
    }
}
