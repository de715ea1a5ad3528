//! Scans against the oracle: every strategy, on every device.

use cubefold::prelude::*;
use cubefold::views::both;
use cubefold::{Error, ScanOptions, Strategy};

use crate::devices::{devices, gpus, limited, observed, private, with_planes};
use crate::oracle::{self, assert_close, assert_same, lengths};
use crate::samples::{Join, MatrixProduct, Summarise, floats, integers};

const STRATEGIES: [Strategy; 3] = [Strategy::HillisSteele, Strategy::Blelloch, Strategy::DecoupledLookback];

fn options(strategy: Strategy, exclusive: bool) -> ScanOptions {
    ScanOptions { strategy, exclusive, ..ScanOptions::default() }
}

#[test]
fn scan_gives_the_oracles_bits_for_every_strategy_at_every_length() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            for (len, reason) in lengths() {
                let items = integers(len, 1);
                for exclusive in [false, true] {
                    let case = format!("{name}, {strategy:?}, exclusive {exclusive}, {len} items ({reason})");
                    let options = options(strategy, exclusive);
                    let sums = device.scan_with(&items, &ops::Sum::<u32>::new(), &options).unwrap();
                    let expected = oracle::scan(&items, &ops::Sum::<u32>::new(), exclusive);
                    assert_eq!(sums.len(), len, "{case}");
                    assert_same(&sums.to_vec().unwrap(), &expected, &case);
                }
            }
        }
    }
}

#[test]
fn scan_keeps_order_for_noncommutative_operators() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            for len in [1, 2, 33, 257, 1025, 4097, 70_001] {
                let case = format!("{name}, {strategy:?}, {len} items");
                let items = integers(len, 7);
                let products = device.scan_with(&items, &MatrixProduct, &options(strategy, false)).unwrap();
                assert_same(&products.to_vec().unwrap(), &oracle::scan(&items, &MatrixProduct, false), &case);
                let prices = floats(len, 8);
                let op = Summarise { threshold: -0.5 };
                let summaries = device.scan_with(&prices, &op, &options(strategy, true)).unwrap();
                assert_same(&summaries.to_vec().unwrap(), &oracle::scan(&prices, &op, true), &case);
            }
        }
    }
}

#[test]
fn scan_never_hands_the_operator_padding_or_a_swapped_pair() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            for len in [1, 2, 31, 257, 1023, 4099, 9000] {
                let items: Vec<u32> = (0..len).collect();
                let joined = device.scan_with(&items, &Join, &options(strategy, false)).unwrap().to_vec().unwrap();
                for (index, interval) in joined.iter().enumerate() {
                    let got = (interval.start, interval.end, interval.poisoned);
                    assert_eq!(got, (0, index as u32 + 1, 0), "{name}, {strategy:?}, {len} items");
                }
            }
        }
    }
}

#[test]
fn scan_covers_more_than_65535_tiles() {
    for (name, device) in gpus() {
        for (strategy, len) in [
            (Strategy::HillisSteele, 16 * 65_536 + 5),
            (Strategy::Blelloch, 16 * 65_536 + 5),
            (Strategy::DecoupledLookback, 256 * 65_536 + 5),
        ] {
            let small = limited(device, |profile| {
                profile.max_units = 16;
                profile.plane = None;
            });
            let items = integers(len, 9);
            let sums = small.scan_with(&items, &ops::Sum::<u32>::new(), &options(strategy, false)).unwrap();
            let expected = oracle::scan(&items, &ops::Sum::<u32>::new(), false);
            assert_same(&sums.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
        }
    }
}

#[test]
fn long_scans_have_longer_tiles_and_the_same_results() {
    for (name, device) in devices() {
        for len in [(1 << 22) - 1, 1 << 22, (1 << 22) + 3, (1 << 22) + 16_385] {
            let items = integers(len, 15);
            let sums = device.scan(&items, &ops::Sum::<u32>::new()).unwrap();
            let expected = oracle::scan(&items, &ops::Sum::<u32>::new(), false);
            assert_same(&sums.to_vec().unwrap(), &expected, &format!("{name}, {len} items"));
        }
        let items = integers((1 << 22) + 5, 16);
        let products = device.scan_exclusive(&items, &MatrixProduct).unwrap();
        assert_same(&products.to_vec().unwrap(), &oracle::scan(&items, &MatrixProduct, true), name);
    }
}

#[test]
fn sums_wrap_past_the_words_and_halves_of_a_descriptor() {
    for (name, device) in devices() {
        for step in [1u32 << 13, 1 << 14, 1 << 15, 1 << 16, 0x7fff_ffff] {
            let items = vec![step; 300_000];
            let sums = device.scan(&items, &ops::Sum::<u32>::new()).unwrap().to_vec().unwrap();
            let expected: Vec<u32> = (1..=300_000u32).map(|count| count.wrapping_mul(step)).collect();
            assert_same(&sums, &expected, &format!("{name}, steps of {step}"));
        }
    }
}

#[test]
fn a_slice_at_any_offset_is_scanned() {
    for (name, device) in devices() {
        let items = integers(20_000, 10);
        let stored = device.upload(&items).unwrap();
        for offset in 1..=7 {
            let slice = (&stored).slice(offset, 19_000).unwrap();
            let sums = device.scan(&slice, &ops::Sum::<u32>::new()).unwrap().to_vec().unwrap();
            let expected = &items[offset as usize..][..19_000];
            assert_same(&sums, &oracle::scan(expected, &ops::Sum::<u32>::new(), false), name);
        }
        let backwards = device.scan(&(&stored).reversed(), &MatrixProduct).unwrap().to_vec().unwrap();
        let reversed: Vec<u32> = items.iter().rev().copied().collect();
        assert_same(&backwards, &oracle::scan(&reversed, &MatrixProduct, false), name);
    }
}

#[test]
fn withheld_publications_change_no_bit() {
    for (name, device) in gpus() {
        let sum = ops::Sum::<f32>::new();
        // Short tiles, then long ones.
        for len in [300_003, (1 << 22) + 3] {
            let prices = floats(len, 11);
            let undisturbed = device.scan_with(&prices, &sum, &options(Strategy::DecoupledLookback, false)).unwrap();
            let undisturbed = undisturbed.to_vec().unwrap();
            for withhold in [2, 3, 7] {
                let options = ScanOptions { withhold, ..options(Strategy::DecoupledLookback, false) };
                let disturbed = device.scan_with(&prices, &sum, &options).unwrap().to_vec().unwrap();
                assert_same(&disturbed, &undisturbed, &format!("{name}, {len} items, one in {withhold} withheld"));
            }
        }
    }
}

#[test]
fn a_float_scan_has_the_same_bits_every_run() {
    for (name, device) in devices() {
        let runs = if crate::devices::is_software(name) || device.is_host() { 10 } else { 100 };
        let prices = device.upload(&floats(1 << 19, 12)).unwrap();
        let first = device.scan(&prices, &ops::Sum::<f32>::new()).unwrap().to_vec().unwrap();
        for _ in 1..runs {
            let again = device.scan(&prices, &ops::Sum::<f32>::new()).unwrap().to_vec().unwrap();
            assert_same(&again, &first, name);
        }
    }
}

#[test]
fn the_strategy_that_was_asked_for_is_the_one_that_runs() {
    for (name, device) in gpus() {
        for strategy in STRATEGIES {
            let device = private(device);
            let launches = observed(&device);
            device.scan_with(&integers(50_000, 13), &ops::Sum::<u32>::new(), &options(strategy, false)).unwrap();
            let launches = launches.lock().unwrap();
            let kernel = match strategy {
                Strategy::HillisSteele => "scan::tiles by doubling",
                Strategy::Blelloch => "scan::tiles by sweeps",
                _ => "scan::lookback",
            };
            assert!(launches.iter().any(|launch| launch == &(kernel, strategy.name())), "{name}: {launches:?}");
            assert!(launches.iter().all(|(kernel, _)| *kernel != "host"), "{name}: {launches:?}");
        }
    }
}

#[test]
fn float_sums_are_close_to_the_exact_ones() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            let prices: Vec<f32> = floats(200_000, 14).into_iter().map(|price| price + 2.0).collect();
            let sums = device.scan_with(&prices, &ops::Sum::<f32>::new(), &options(strategy, false)).unwrap();
            let mut exact = 0.0f64;
            let expected: Vec<f32> = prices
                .iter()
                .map(|&price| {
                    exact += f64::from(price);
                    exact as f32
                })
                .collect();
            assert_close(&sums.to_vec().unwrap(), &expected, 1e-5, &format!("{name}, {strategy:?}"));
        }
    }
}

#[test]
fn a_scan_in_reverse_folds_suffixes_in_their_order() {
    for (name, device) in devices() {
        for len in [0, 1, 5, 4099, 20_001] {
            let items = integers(len, 17);
            for exclusive in [false, true] {
                let options = ScanOptions { reverse: true, exclusive, ..ScanOptions::default() };
                let products = device.scan_with(&items, &MatrixProduct, &options).unwrap().to_vec().unwrap();
                let mut running = MatrixProduct.identity();
                let mut expected = Vec::with_capacity(len);
                for &item in items.iter().rev() {
                    let next = MatrixProduct.combine(MatrixProduct.lift(item), running);
                    expected.push(MatrixProduct.lower(if exclusive { running } else { next }));
                    running = next;
                }
                expected.reverse();
                assert_same(&products, &expected, &format!("{name}, {len} items, exclusive {exclusive}"));
            }
        }
        let items = integers(1000, 18);
        let options = ScanOptions { reverse: true, ..ScanOptions::default() };
        let mut pairs = device.upload(&[0u32; 2000]).unwrap();
        let mut even = pairs.strided(0, 2, 1000).unwrap();
        device.scan_into(&items, &ops::Sum::<u32>::new(), &mut even, &options).unwrap();
        let sums = device.scan_with(&items, &ops::Sum::<u32>::new(), &options).unwrap().to_vec().unwrap();
        let expected: Vec<u32> = sums.into_iter().flat_map(|sum| [sum, 0]).collect();
        assert_same(&pairs.to_vec().unwrap(), &expected, name);
    }
}

#[test]
fn a_scan_goes_on_from_a_state_that_comes_in_once() {
    for (name, device) in devices() {
        let items = integers(50_001, 19);
        let (before, after) = items.split_at(20_000);
        for strategy in STRATEGIES {
            for exclusive in [false, true] {
                let known = before.iter().fold(MatrixProduct.identity(), |state, &item| {
                    MatrixProduct.combine(state, MatrixProduct.lift(item))
                });
                let op = ops::Continued::new(MatrixProduct, known);
                let products = device.scan_with(after, &op, &options(strategy, exclusive)).unwrap().to_vec().unwrap();
                let expected = &oracle::scan(&items, &MatrixProduct, exclusive)[20_000..];
                assert_same(&products, expected, &format!("{name}, {strategy:?}, exclusive {exclusive}"));
            }
        }
    }
}

#[test]
fn every_publication_withheld_changes_no_bit_and_no_order() {
    for (name, device) in gpus() {
        let items = integers(70_001, 20);
        let options = ScanOptions { withhold: 1, ..options(Strategy::DecoupledLookback, false) };
        let products = device.scan_with(&items, &MatrixProduct, &options).unwrap().to_vec().unwrap();
        assert_same(&products, &oracle::scan(&items, &MatrixProduct, false), name);
    }
}

#[test]
fn eight_threads_scan_on_one_device() {
    for (name, device) in devices() {
        std::thread::scope(|scope| {
            for seed in 0..8 {
                scope.spawn(move || {
                    let items = integers(40_000 + seed, 30 + seed as u64);
                    let expected = oracle::scan(&items, &MatrixProduct, false);
                    for _ in 0..5 {
                        let products = device.scan(&items, &MatrixProduct).unwrap().to_vec().unwrap();
                        assert_same(&products, &expected, name);
                    }
                });
            }
        });
    }
}

#[test]
fn planes_change_no_result() {
    for (name, device) in gpus() {
        let Some(device) = with_planes(device) else { continue };
        for len in [1, 31, 4095, 4096, 4097, 70_001] {
            let items = integers(len, 21);
            for exclusive in [false, true] {
                let options = options(Strategy::DecoupledLookback, exclusive);
                let products = device.scan_with(&items, &MatrixProduct, &options).unwrap().to_vec().unwrap();
                assert_same(
                    &products,
                    &oracle::scan(&items, &MatrixProduct, exclusive),
                    &format!("{name}, {len} items"),
                );
            }
            let total = device.reduce(&items, &MatrixProduct).unwrap().to_vec().unwrap();
            assert_same(&total, &[oracle::reduce(&items, &MatrixProduct)], &format!("{name}, {len} items"));
        }
    }
}

#[test]
fn publications_withheld_in_many_windows_change_no_bit() {
    for (name, device) in gpus() {
        // Planes of 8 make windows of 8 long tiles.
        let Some(device) = with_planes(device) else { continue };
        let prices = floats((1 << 22) + 3, 22);
        let scan = |withhold| {
            let options = ScanOptions { withhold, ..options(Strategy::DecoupledLookback, false) };
            device.scan_with(&prices, &ops::Sum::<f32>::new(), &options).unwrap().to_vec().unwrap()
        };
        let undisturbed = scan(0);
        for withhold in [2, 7, 8] {
            assert_same(&scan(withhold), &undisturbed, &format!("{name}, one in {withhold} withheld"));
        }
    }
}

#[test]
fn the_total_follows_an_exclusive_scan_and_leads_one_in_reverse() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            for len in [0, 1, 2, 255, 4096, 4099, 70_001] {
                let items = integers(len, 23);
                let case = format!("{name}, {strategy:?}, {len} items");
                let forward = ScanOptions { total: true, ..options(strategy, true) };
                let mut expected = oracle::scan(&items, &MatrixProduct, true);
                expected.push(oracle::reduce(&items, &MatrixProduct));
                let offsets = device.scan_with(&items, &MatrixProduct, &forward).unwrap();
                assert_same(&offsets.to_vec().unwrap(), &expected, &case);

                let back = ScanOptions { reverse: true, ..forward };
                let exclusive = ScanOptions { total: false, ..back };
                let mut expected = vec![oracle::reduce(&items, &MatrixProduct)];
                expected.extend(device.scan_with(&items, &MatrixProduct, &exclusive).unwrap().to_vec().unwrap());
                let offsets = device.scan_with(&items, &MatrixProduct, &back).unwrap();
                assert_same(&offsets.to_vec().unwrap(), &expected, &case);

                // One word a result, which share vectors of four.
                let mut expected = oracle::scan(&items, &ops::Sum::<u32>::new(), true);
                expected.push(items.iter().fold(0, |sum, item| item.wrapping_add(sum)));
                let offsets = device.scan_with(&items, &ops::Sum::<u32>::new(), &forward).unwrap();
                assert_same(&offsets.to_vec().unwrap(), &expected, &case);

                let inclusive = ScanOptions { exclusive: false, ..forward };
                assert_eq!(device.scan_with(&items, &MatrixProduct, &inclusive).unwrap().len(), len, "{case}");
            }
        }
        // A sink has one place more.
        let lengths = [3u32, 0, 2];
        let options = ScanOptions { exclusive: true, total: true, ..ScanOptions::default() };
        let mut places = device.upload(&[9u32; 6]).unwrap();
        let mut sink = places.strided(1, 1, 4).unwrap();
        device.scan_into(&lengths[..], &ops::Sum::<u32>::new(), &mut sink, &options).unwrap();
        assert_eq!(places.to_vec().unwrap(), [9, 0, 3, 3, 5, 9], "{name}");
        let mut short = places.strided(0, 1, 3).unwrap();
        let refused = device.scan_into(&lengths[..], &ops::Sum::<u32>::new(), &mut short, &options).unwrap_err();
        assert_eq!(refused, Error::Length { what: "the sink", got: 3, expected: 4 }, "{name}");
    }
}

/// Lengths at the edges of tiles and windows: 256 units fold 16 items each, then 64; 128 tiles to a window, then 32.
const REPRODUCIBLE: [usize; 9] =
    [0, 1, 129, 4095, 4097, 70_001, 129 * 4096 + 1, (1 << 22) + 3, 34 * 16_384 + (1 << 22)];

#[test]
fn reproducible_scans_have_the_same_bits_everywhere() {
    let inclusive = ScanOptions { reproducible: true, ..ScanOptions::default() };
    for len in REPRODUCIBLE {
        let (prices, factors) = (floats(len, 24), integers(len, 25));
        for options in [inclusive, ScanOptions { exclusive: true, total: true, ..inclusive }] {
            let sums = Device::host().scan_with(&prices, &ops::Sum::<f32>::new(), &options).unwrap().to_vec().unwrap();
            for (name, device) in gpus() {
                // With the device's planes, and with forced ones of another size.
                for device in [Some(device.clone()), with_planes(device)].into_iter().flatten() {
                    let case = format!("{name}, {len} items, {options:?}");
                    let got = device.scan_with(&prices, &ops::Sum::<f32>::new(), &options).unwrap();
                    assert_same(&got.to_vec().unwrap(), &sums, &case);
                }
            }
        }
        if len < 100_000 {
            for (name, device) in devices() {
                let got = device.scan_with(&factors, &MatrixProduct, &inclusive).unwrap().to_vec().unwrap();
                let expected = oracle::scan(&factors, &MatrixProduct, false);
                assert_same(&got, &expected, &format!("{name}, {len} items"));
            }
        }
    }
}

#[test]
fn reproducible_bits_survive_withheld_publications_and_reversal() {
    let prices = floats(200_003, 26);
    let op = ops::Pair::new(ops::Sum::<f32>::new(), ops::Minimum::<f32>::new());
    for reverse in [false, true] {
        let options = ScanOptions { reproducible: true, reverse, ..ScanOptions::default() };
        let host = Device::host().scan_with(&prices, &op, &options).unwrap().to_vec().unwrap();
        for (name, device) in gpus() {
            for withhold in [0, 2, 7] {
                let options = ScanOptions { withhold, ..options };
                let got = device.scan_with(&prices, &op, &options).unwrap().to_vec().unwrap();
                assert_same(&got, &host, &format!("{name}, one in {withhold} withheld, reverse {reverse}"));
            }
        }
    }
}

#[test]
fn without_the_option_groupings_differ_so_that_the_comparison_can_fail() {
    let prices = floats(70_001, 24);
    let sums = |options: &ScanOptions| {
        Device::host().scan_with(&prices, &ops::Sum::<f32>::new(), options).unwrap().to_vec().unwrap()
    };
    let reproducible = sums(&ScanOptions { reproducible: true, ..ScanOptions::default() });
    assert_ne!(sums(&ScanOptions::default()), reproducible);
}

#[test]
fn strategies_that_group_by_the_device_are_not_reproducible() {
    for (name, device) in devices() {
        for strategy in [Strategy::HillisSteele, Strategy::Blelloch] {
            let options = ScanOptions { reproducible: true, ..options(strategy, false) };
            let refused = device.scan_with(&[1u32, 2][..], &ops::Sum::<u32>::new(), &options).unwrap_err();
            assert_eq!(refused, Error::NotReproducible { strategy: strategy.name() }, "{name}");
        }
    }
}

#[test]
#[ignore = "a thousand long scans: minutes"]
fn a_thousand_float_scans_have_equal_bits() {
    for (name, device) in devices() {
        let software = crate::devices::is_software(name) || device.is_host();
        let (runs, len) = if software { (20, 1 << 20) } else { (1000, 1 << 22) };
        let maps: Vec<_> = floats(len, 23).into_iter().map(|x| both(0.75 + x / 8.0, x)).collect();
        let maps = device.upload(&maps).unwrap();
        let scan = || device.scan(&maps, &ops::Affine::<f32>::new()).unwrap().to_vec().unwrap();
        let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<u32>>();
        let first = bits(scan());
        for run in 1..runs {
            assert!(bits(scan()) == first, "{name}: run {run} differs from the first");
        }
        println!("{name}: {runs} runs over {len} items, equal bits");
    }
}
