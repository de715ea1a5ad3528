//! Scans and reductions of segments on every device, against a loop over each segment.

use cubefold::prelude::*;
use cubefold::{Device, Error, ScanOptions, State, Strategy};

use crate::devices::{devices, gpus, limited, with_planes};
use crate::oracle::{assert_close, assert_same, line, reduce};
use crate::samples::{Join, MatrixProduct, floats, integers};

/// The segments scanned one by one.
fn expected<T: State, O: Lift<T> + Lower>(
    items: &[T],
    offsets: &[u32],
    op: &O,
    options: &ScanOptions,
) -> Vec<O::Output> {
    offsets.windows(2).flat_map(|pair| line(&items[pair[0] as usize..pair[1] as usize], op, options)).collect()
}

/// Offsets of segments with lengths from 0 to `longest`, the number of items last.
fn offsets(len: usize, longest: u32, seed: u64) -> Vec<u32> {
    let (mut offsets, mut end) = (vec![0], 0);
    for word in integers(len + 1, seed) {
        if end >= len as u32 {
            break;
        }
        end = (end + word % (longest + 1)).min(len as u32);
        offsets.push(end);
    }
    offsets.push(len as u32);
    offsets
}

/// A flag an item; and a key an item, which differs from the one before it at heads.
fn flags_and_keys(len: usize, offsets: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut flags = vec![0u32; len];
    for &offset in offsets.iter().filter(|&&offset| (offset as usize) < len) {
        flags[offset as usize] = 1 + offset % 5;
    }
    let mut key = 0;
    let keys = flags.iter().map(|&flag| {
        key += flag.min(1);
        key % 3
    });
    (flags.clone(), keys.collect())
}

fn sides() -> impl Iterator<Item = ScanOptions> {
    [(false, false), (true, false), (false, true), (true, true)].into_iter().map(|(exclusive, reverse)| ScanOptions {
        exclusive,
        reverse,
        ..ScanOptions::default()
    })
}

/// Lengths, and the longest segment.
const LENGTHS: [(usize, u32, &str); 9] = [
    (0, 3, "nothing"),
    (1, 1, "one item"),
    (33, 2, "more than a word of heads"),
    (257, 1, "single items and empty segments"),
    (4095, 40, "one item less than a tile"),
    (4096, 64, "a tile"),
    (4097, 9, "one item more than a tile"),
    (9001, 5000, "segments over tiles"),
    (40_001, 300, "many tiles"),
];

#[test]
fn segments_give_the_oracles_bits_from_either_end_with_and_without_the_item_itself() {
    for (name, device) in devices() {
        for options in sides() {
            for (len, longest, why) in LENGTHS {
                let (items, offsets) = (integers(len, 51), offsets(len, longest, 52));
                let scanned = device.scan_segments(&items, &offsets, &MatrixProduct, &options).unwrap();
                let expected = expected(&items, &offsets, &MatrixProduct, &options);
                assert_same(&scanned.to_vec().unwrap(), &expected, &format!("{name}, {why}, {options:?}"));
            }
        }
    }
}

#[test]
fn keys_and_flags_mark_the_same_segments() {
    let one_side = ScanOptions { exclusive: true, reverse: true, ..ScanOptions::default() };
    for (name, device) in devices() {
        for options in [ScanOptions::default(), one_side] {
            for (len, longest, why) in LENGTHS {
                let case = format!("{name}, {why}, {options:?}");
                let (items, offsets) = (integers(len, 53), offsets(len, longest, 54));
                let expected = expected(&items, &offsets, &MatrixProduct, &options);
                let (flags, keys) = flags_and_keys(len, &offsets);
                let by_key = device.scan_by_key(&keys, &items, &MatrixProduct, &options).unwrap();
                assert_same(&by_key.to_vec().unwrap(), &expected, &format!("keys, {case}"));
                let by_heads = device.scan_by_heads(&flags, &items, &MatrixProduct, &options).unwrap();
                assert_same(&by_heads.to_vec().unwrap(), &expected, &format!("flags, {case}"));
            }
        }
    }
}

#[test]
fn keys_are_equal_where_all_their_words_are() {
    for (name, device) in devices() {
        let floats = [0.0f32, -0.0, f32::NAN, f32::NAN, 1.0];
        let keys: Vec<_> = (0..5000usize).map(|index| (index / 700, floats[index / 300 % 5])).collect();
        let keys: Vec<_> = keys.iter().map(|&(left, right)| Both { left: left as u32, right }).collect();
        let words = |key: &Both<u32, f32>| (key.left, key.right.to_bits());
        let starts = (0..5000usize).filter(|&index| index == 0 || words(&keys[index]) != words(&keys[index - 1]));
        let offsets: Vec<u32> = starts.map(|start| start as u32).chain([5000]).collect();
        let (items, options) = (integers(5000, 55), ScanOptions::default());
        let scanned = device.scan_by_key(&keys, &items, &MatrixProduct, &options).unwrap().to_vec().unwrap();
        assert_same(&scanned, &expected(&items, &offsets, &MatrixProduct, &options), name);
    }
}

#[test]
fn offsets_may_leave_out_the_end_stand_in_thousands_at_one_item_and_live_on_the_device() {
    let (items, options) = (integers(10_000, 56), ScanOptions::default());
    let crowded = [vec![0; 100_000], vec![4096; 100_000], vec![4097, 10_000, 10_000]].concat();
    for (name, device) in devices() {
        for offsets in [vec![0], vec![0, 10_000], (0..=10_000).collect(), crowded.clone(), vec![0, 31, 32, 33, 64]] {
            let closed: Vec<u32> = offsets.iter().copied().chain([10_000]).collect();
            let expected = expected(&items, &closed, &MatrixProduct, &options);
            let scanned = device.scan_segments(&items, &offsets, &MatrixProduct, &options).unwrap();
            assert_same(&scanned.to_vec().unwrap(), &expected, name);
            let stored = device.upload(&offsets).unwrap();
            let scanned = device.scan_segments(&items, &stored, &MatrixProduct, &options).unwrap();
            assert_same(&scanned.to_vec().unwrap(), &expected, name);
        }
    }
}

#[test]
fn only_neighbours_of_one_segment_are_combined() {
    for (name, device) in devices() {
        let offsets = offsets(30_000, 700, 57);
        let items: Vec<u32> = offsets.windows(2).flat_map(|pair| 0..pair[1] - pair[0]).collect();
        for exclusive in [false, true] {
            let options = ScanOptions { exclusive, ..ScanOptions::default() };
            let joined = device.scan_segments(&items, &offsets, &Join, &options).unwrap().to_vec().unwrap();
            for (index, interval) in joined.into_iter().enumerate() {
                let end = items[index] + u32::from(!exclusive);
                let got = (interval.start, interval.end, interval.poisoned, interval.empty);
                assert_eq!(got, (0, end, 0, u32::from(end == 0)), "{name}: item {index}, exclusive {exclusive}");
            }
        }
    }
}

#[test]
fn every_strategy_scans_segments_and_withheld_publications_change_no_bit() {
    let (items, offsets) = (integers(70_001, 58), offsets(70_001, 2000, 59));
    let prices = floats(70_001, 60);
    let sum = ops::Sum::<f32>::new();
    for (name, device) in gpus() {
        for strategy in [Strategy::HillisSteele, Strategy::Blelloch] {
            let options = ScanOptions { strategy, ..ScanOptions::default() };
            let scanned = device.scan_segments(&items, &offsets, &ops::Sum::<u32>::new(), &options).unwrap();
            let expected = expected(&items, &offsets, &ops::Sum::<u32>::new(), &options);
            assert_same(&scanned.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
        }
        let scan = |withhold| {
            let options = ScanOptions { withhold, ..ScanOptions::default() };
            device.scan_segments(&prices, &offsets, &sum, &options).unwrap().to_vec().unwrap()
        };
        let undisturbed = scan(0);
        for withhold in [1, 3] {
            assert_same(&scan(withhold), &undisturbed, &format!("{name}, one in {withhold} withheld"));
        }
    }
}

#[test]
fn float_segments_are_close_and_have_the_same_bits_every_run() {
    let (len, offsets) = (200_000, offsets(200_000, 2000, 61));
    let prices: Vec<f32> = floats(len, 62).into_iter().map(|price| price + 2.0).collect();
    let (sum, options) = (ops::Sum::<f32>::new(), ScanOptions::default());
    let exact: Vec<f64> = prices.iter().map(|&price| f64::from(price)).collect();
    let exact = expected(&exact, &offsets, &ops::Sum::<f64>::new(), &options);
    let exact: Vec<f32> = exact.into_iter().map(|sum| sum as f32).collect();
    for (name, device) in devices() {
        let stored = device.upload(&prices).unwrap();
        let first = device.scan_segments(&stored, &offsets, &sum, &options).unwrap().to_vec().unwrap();
        assert_close(&first, &exact, 1e-5, name);
        for _ in 0..5 {
            let again = device.scan_segments(&stored, &offsets, &sum, &options).unwrap().to_vec().unwrap();
            assert_same(&again, &first, name);
        }
    }
}

#[test]
fn reduced_segments_are_their_folds_and_the_identity_where_empty() {
    for (name, device) in devices() {
        for (len, longest, why) in LENGTHS {
            let (items, offsets) = (integers(len, 63), offsets(len, longest, 64));
            let segments = offsets.windows(2).map(|pair| &items[pair[0] as usize..pair[1] as usize]);
            let expected: Vec<_> = segments.map(|segment| reduce(segment, &MatrixProduct)).collect();
            let folds = device.reduce_segments(&items, &offsets, &MatrixProduct).unwrap().to_vec().unwrap();
            assert_same(&folds, &expected, &format!("{name}, {why}"));
        }
    }
}

#[test]
fn offsets_that_do_not_cut_the_items_are_refused() {
    let (items, sum, options) = (vec![1u32; 10], ops::Sum::<u32>::new(), ScanOptions::default());
    for (name, device) in devices() {
        let scan = |offsets: &[u32]| device.scan_segments(&items, offsets, &sum, &options).map(|sums| sums.len());
        assert_eq!(scan(&[0, 4, 10]), Ok(10), "{name}");
        let refused = |index, offset, low, high| Err(Error::Offset { index, offset, low, high });
        assert_eq!(scan(&[1, 4, 10]), refused(0, 1, 0, 0), "{name}");
        assert_eq!(scan(&[0, 4, 3, 10]), refused(2, 3, 4, 10), "{name}");
        assert_eq!(scan(&[0, 4, 11]), refused(2, 11, 4, 10), "{name}");
        let reduce = |offsets: &[u32]| device.reduce_segments(&items, offsets, &sum).map(|sums| sums.len());
        assert_eq!(reduce(&[0, 4, 10]), Ok(2), "{name}");
        assert_eq!(reduce(&[0, 4, 9]), refused(2, 9, 10, 10), "{name}");
        assert_eq!(reduce(&[]), Err(Error::Length { what: "the list of offsets", got: 0, expected: 1 }), "{name}");
        let short = device.scan_by_key(&vec![1u32; 9], &items, &sum, &options).map(|sums| sums.len());
        assert_eq!(short, Err(Error::Length { what: "the keys", got: 9, expected: 10 }), "{name}");
        let short = device.scan_by_heads(&vec![1u32; 11], &items, &sum, &options).map(|sums| sums.len());
        assert_eq!(short, Err(Error::Length { what: "the head flags", got: 11, expected: 10 }), "{name}");
    }
}

#[test]
fn offsets_on_a_device_that_are_wrong_do_no_harm() {
    let (items, options) = (vec![1u32; 5000], ScanOptions::default());
    for (name, device) in gpus() {
        let wrong = device.upload(&[7u32, 3, 3, 9000, 2, u32::MAX, 40, 0, u32::MAX]).unwrap();
        let sums = device.scan_segments(&items, &wrong, &ops::Sum::<u32>::new(), &options).unwrap().to_vec().unwrap();
        assert!(sums.iter().enumerate().all(|(index, &sum)| sum >= 1 && sum <= index as u32 + 1), "{name}");
        let folds = device.reduce_segments(&items, &wrong, &ops::Sum::<u32>::new()).unwrap();
        assert_eq!(folds.to_vec().unwrap().len(), 8, "{name}");
    }
}

fn check(name: &str, device: &Device, sides: impl Iterator<Item = ScanOptions>) {
    for options in sides {
        let (items, offsets) = (integers(9001, 65), offsets(9001, 100, 66));
        let scanned = device.scan_segments(&items, &offsets, &MatrixProduct, &options).unwrap().to_vec().unwrap();
        assert_same(&scanned, &expected(&items, &offsets, &MatrixProduct, &options), name);
    }
}

#[test]
fn planes_and_small_cubes_change_no_segment() {
    for (name, device) in gpus() {
        if let Some(device) = with_planes(device) {
            check(&format!("{name} with planes"), &device, sides().step_by(3));
        }
        let small = limited(device, |profile| profile.max_units = 16);
        check(&format!("{name} with 16 units"), &small, sides().take(1));
    }
}

#[test]
fn segments_that_start_one_off_are_rejected() {
    let (items, options) = (integers(5000, 67), ScanOptions::default());
    for (name, device) in devices() {
        let offsets = offsets(5000, 50, 68);
        let scanned = device.scan_segments(&items, &offsets, &MatrixProduct, &options).unwrap().to_vec().unwrap();
        for wrong in 1..offsets.len() - 1 {
            let mut moved = offsets.clone();
            moved[wrong] += 1;
            if moved[wrong] > moved[wrong + 1] {
                continue;
            }
            let expected = expected(&items, &moved, &MatrixProduct, &options);
            let rejected = std::panic::catch_unwind(|| assert_same(&scanned, &expected, name)).is_err();
            assert!(rejected, "{name}: offset {wrong}");
            break;
        }
    }
}

#[test]
fn segments_have_no_totals_and_reproducible_bits() {
    let (prices, offsets) = (floats(70_001, 61), [0u32, 5, 5, 4100, 40_000]);
    let totals = ScanOptions { exclusive: true, total: true, ..ScanOptions::default() };
    let reproducible = ScanOptions { reproducible: true, ..ScanOptions::default() };
    let sum = ops::Sum::<f32>::new();
    let host = Device::host().scan_segments(&prices, &offsets[..], &sum, &reproducible).unwrap().to_vec().unwrap();
    for (name, device) in devices() {
        let refused = device.scan_segments(&prices, &offsets[..], &sum, &totals).unwrap_err();
        assert_eq!(refused, Error::NoOption { what: "a scan of segments", option: "followed by totals" }, "{name}");
        let sums = device.scan_segments(&prices, &offsets[..], &sum, &reproducible).unwrap().to_vec().unwrap();
        assert_same(&sums, &host, name);
    }
}
