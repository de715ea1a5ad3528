//! Scans of the columns and rows of a matrix, on every device, against a loop over each line.

use cubefold::prelude::*;
use cubefold::{Device, Error, Feature, ScanOptions, State, Strategy};

use crate::devices::{devices, gpus, limited, observed, private, with_planes};
use crate::oracle::{assert_close, assert_same, line};
use crate::samples::{Join, MatrixProduct, floats, integers};

fn rows_of<T: State, O: Lift<T> + Lower>(items: &[T], columns: usize, op: &O, options: &ScanOptions) -> Vec<O::Output> {
    items.chunks(columns.max(1)).flat_map(|row| line(row, op, options)).collect()
}

fn columns_of<T: State, O: Lift<T> + Lower>(
    items: &[T],
    columns: usize,
    op: &O,
    options: &ScanOptions,
) -> Vec<O::Output> {
    let rows = items.len() / columns.max(1);
    let scanned: Vec<Vec<O::Output>> = (0..columns)
        .map(|column| line(&items.iter().skip(column).step_by(columns).copied().collect::<Vec<T>>(), op, options))
        .collect();
    (0..rows).flat_map(|row| scanned.iter().map(move |column| column[row])).collect()
}

/// Scans both ways and compares both.
fn check_both<O: Lift<u32> + Lower>(
    name: &str,
    device: &Device,
    (rows, columns): (usize, usize),
    op: &O,
    options: &ScanOptions,
) where
    O::Output: std::fmt::Debug,
{
    let case = format!("{name}: {rows} by {columns}, {options:?}");
    let items = integers(rows * columns, (rows * 1000 + columns) as u64);
    let matrix = Dense::new(&items, rows as u32, columns as u32).unwrap();
    let scanned = device.scan_columns_with(&matrix, op, options).unwrap().to_vec().unwrap();
    assert_same(&scanned, &columns_of(&items, columns, op, options), &format!("columns, {case}"));
    let scanned = device.scan_rows_with(&matrix, op, options).unwrap().to_vec().unwrap();
    assert_same(&scanned, &rows_of(&items, columns, op, options), &format!("rows, {case}"));
}

const SIDES: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

fn sides() -> impl Iterator<Item = ScanOptions> {
    SIDES.into_iter().map(|(exclusive, reverse)| ScanOptions { exclusive, reverse, ..ScanOptions::default() })
}

/// Rows and columns that have an edge each.
const SHAPES: [(usize, usize, &str); 22] = [
    (0, 5, "no rows"),
    (5, 0, "no columns"),
    (0, 0, "nothing"),
    (1, 1, "one element"),
    (1, 7, "one row"),
    (1, 5000, "one long row"),
    (7, 1, "one column"),
    (5000, 1, "one long column"),
    (2, 2, "one combine"),
    (15, 3, "one row less than a unit's"),
    (16, 3, "a unit's rows"),
    (17, 3, "one row more than a unit's"),
    (191, 20, "one row less than a tile's"),
    (192, 20, "a tile's rows"),
    (193, 20, "one row more than a tile's"),
    (1920, 20, "ten tiles"),
    (129, 32, "a block of columns, one row past a tile"),
    (129, 33, "one column more than a block"),
    (500, 31, "one column less than a block"),
    (9300, 21, "more than a window of tiles"),
    (40, 700, "few rows: wide tiles"),
    (3, 3001, "very few rows, long ones"),
];

#[test]
fn both_axes_give_the_oracles_bits_at_every_shape() {
    for (name, device) in devices() {
        for (rows, columns, why) in SHAPES {
            let options = ScanOptions::default();
            check_both(&format!("{name} ({why})"), device, (rows, columns), &MatrixProduct, &options);
        }
    }
}

#[test]
fn from_either_end_with_and_without_the_item_itself() {
    for (name, device) in devices() {
        for options in sides() {
            for shape in [(0, 3), (193, 20), (1000, 33), (3, 500)] {
                check_both(name, device, shape, &MatrixProduct, &options);
            }
        }
    }
}

#[test]
fn any_number_of_columns_is_scanned_whatever_its_alignment() {
    for (name, device) in devices() {
        for columns in 1..=70 {
            check_both(name, device, (131, columns), &MatrixProduct, &ScanOptions::default());
        }
    }
}

#[test]
fn columns_are_scanned_over_many_anchors_and_blocks() {
    for (name, device) in gpus() {
        for (units, rows, columns) in [(16, 3001, 5), (16, 1500, 40), (64, 4000, 65)] {
            let small = limited(device, |profile| profile.max_units = units);
            let items = integers(rows * columns, 41);
            let matrix = Dense::new(&items, rows as u32, columns as u32).unwrap();
            let scanned = small.scan_columns(&matrix, &MatrixProduct).unwrap().to_vec().unwrap();
            let expected = columns_of(&items, columns, &MatrixProduct, &ScanOptions::default());
            assert_same(&scanned, &expected, &format!("{name}, {units} units, {rows} by {columns}"));
        }
    }
}

#[test]
fn long_matrices_have_longer_tiles_and_the_same_results() {
    let (rows, columns) = ((1 << 22) / 20 + 7, 20);
    let items = integers(rows * columns, 42);
    let matrix = Dense::new(&items, rows as u32, columns as u32).unwrap();
    let (sum, maps, options) = (ops::Sum::<u32>::new(), MatrixProduct, ScanOptions::default());
    for (name, device) in gpus() {
        let sums = device.scan_columns(&matrix, &sum).unwrap().to_vec().unwrap();
        assert_same(&sums, &columns_of(&items, columns, &sum, &options), name);
        let products = device.scan_columns(&matrix, &maps).unwrap().to_vec().unwrap();
        assert_same(&products, &columns_of(&items, columns, &maps, &options), name);
    }
}

#[test]
fn the_operator_never_sees_padding_a_swapped_pair_or_another_line() {
    for (name, device) in devices() {
        for (rows, columns) in [(1usize, 9usize), (193, 20), (700, 33), (5000, 3)] {
            for along_columns in [true, false] {
                let place = |index: usize| (if along_columns { index / columns } else { index % columns }) as u32;
                let items: Vec<u32> = (0..rows * columns).map(place).collect();
                let matrix = Dense::new(&items, rows as u32, columns as u32).unwrap();
                let joined = match along_columns {
                    true => device.scan_columns(&matrix, &Join),
                    false => device.scan_rows(&matrix, &Join),
                };
                for (index, interval) in joined.unwrap().to_vec().unwrap().into_iter().enumerate() {
                    let got = (interval.start, interval.end, interval.poisoned, interval.empty);
                    assert_eq!(got, (0, place(index) + 1, 0, 0), "{name}: item {index} of {rows} by {columns}");
                }
            }
        }
    }
}

#[test]
fn float_columns_are_close_and_have_the_same_bits_every_run() {
    let (rows, columns) = (21_000, 20);
    let prices: Vec<f32> = floats(rows * columns, 43).into_iter().map(|price| price + 2.0).collect();
    let mut exact = vec![0.0f64; columns];
    let expected: Vec<f32> = (0..rows * columns)
        .map(|index| {
            exact[index % columns] += f64::from(prices[index]);
            exact[index % columns] as f32
        })
        .collect();
    for (name, device) in devices() {
        let matrix = Dense::new(device.upload(&prices).unwrap(), rows as u32, columns as u32).unwrap();
        let first = device.scan_columns(&matrix, &ops::Sum::<f32>::new()).unwrap().to_vec().unwrap();
        assert_close(&first, &expected, 1e-5, name);
        let runs = if crate::devices::is_software(name) || device.is_host() { 10 } else { 100 };
        for _ in 1..runs {
            let again = device.scan_columns(&matrix, &ops::Sum::<f32>::new()).unwrap().to_vec().unwrap();
            assert_same(&again, &first, name);
        }
    }
}

#[test]
fn publications_withheld_in_many_columns_change_no_bit() {
    for (name, device) in gpus() {
        for (units, rows, columns, withheld) in [(1024, 12_000, 20, [1, 3]), (64, 3000, 40, [2, 7])] {
            let device = limited(device, |profile| profile.max_units = units.min(profile.max_units));
            let prices = floats(rows * columns, 44);
            let matrix = Dense::new(device.upload(&prices).unwrap(), rows as u32, columns as u32).unwrap();
            let scan = |withhold| {
                let options = ScanOptions { withhold, ..ScanOptions::default() };
                device.scan_columns_with(&matrix, &ops::Sum::<f32>::new(), &options).unwrap().to_vec().unwrap()
            };
            let undisturbed = scan(0);
            for withhold in withheld {
                assert_same(&scan(withhold), &undisturbed, &format!("{name}, {units} units, 1 in {withhold} withheld"));
            }
        }
    }
}

#[test]
fn every_strategy_scans_both_axes_and_is_the_one_that_runs() {
    for (name, device) in gpus() {
        for strategy in [Strategy::HillisSteele, Strategy::Blelloch, Strategy::DecoupledLookback] {
            let device = private(device);
            let launches = observed(&device);
            for reverse in [false, true] {
                let options = ScanOptions { strategy, reverse, ..ScanOptions::default() };
                check_both(name, &device, (1500, 7), &ops::Sum::<u32>::new(), &options);
            }
            let launches = launches.lock().unwrap();
            let scans: Vec<_> = launches.iter().filter(|(kernel, _)| kernel.starts_with("scan::")).collect();
            assert!(scans.iter().all(|(_, ran)| *ran == strategy.name()), "{name}: {launches:?}");
            let single = launches.iter().filter(|(kernel, _)| *kernel == "scan::columns").count();
            assert_eq!(single, if strategy == Strategy::DecoupledLookback { 2 } else { 0 }, "{name}: {launches:?}");
        }
    }
}

#[test]
fn transposed_and_strided_matrices_are_scanned_as_they_read() {
    for (name, device) in devices() {
        let items = integers(300 * 35, 45);
        let options = ScanOptions::default();
        let stored = Dense::new(device.upload(&items).unwrap(), 35, 300).unwrap();
        let turned: Vec<u32> = (0..items.len()).map(|index| items[index % 35 * 300 + index / 35]).collect();
        let columns = device.scan_columns(&(&stored).transposed(), &MatrixProduct).unwrap().to_vec().unwrap();
        assert_same(&columns, &columns_of(&turned, 35, &MatrixProduct, &options), name);
        let rows = device.scan_rows(&(&stored).transposed(), &MatrixProduct).unwrap().to_vec().unwrap();
        assert_same(&rows, &rows_of(&turned, 35, &MatrixProduct, &options), name);
        let part = Dense::strided(&items, 150, 10, 70, 3).unwrap();
        let inside: Vec<u32> = (0..1500).map(|index| items[index / 10 * 70 + index % 10 * 3]).collect();
        let columns = device.scan_columns(&part, &MatrixProduct).unwrap().to_vec().unwrap();
        assert_same(&columns, &columns_of(&inside, 10, &MatrixProduct, &options), name);
    }
}

#[test]
fn four_threads_scan_columns_on_one_device() {
    for (name, device) in devices() {
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                scope.spawn(move || {
                    for round in 0..5 {
                        check_both(name, device, (900 + round, 19 + thread), &MatrixProduct, &ScanOptions::default());
                    }
                });
            }
        });
    }
}

#[test]
fn planes_change_no_line() {
    for (name, device) in gpus() {
        let Some(device) = with_planes(device) else { continue };
        for shape in [(193, 20), (1000, 33), (3, 5000)] {
            check_both(name, &device, shape, &MatrixProduct, &ScanOptions::default());
        }
    }
}

#[test]
fn without_atomics_look_back_is_refused_and_auto_goes_another_way() {
    for (name, device) in gpus() {
        let bare = limited(device, |profile| profile.atomic_u32 = false);
        let items = integers(60, 46);
        let matrix = Dense::new(&items, 12, 5).unwrap();
        let options = ScanOptions { strategy: Strategy::DecoupledLookback, ..ScanOptions::default() };
        let refused = bare.scan_columns_with(&matrix, &ops::Sum::<u32>::new(), &options).unwrap_err();
        assert_eq!(refused, Error::Unsupported { device: bare.label(), feature: Feature::Atomic32 });
        check_both(name, &bare, (12, 5), &ops::Sum::<u32>::new(), &ScanOptions::default());
    }
}

#[test]
fn lines_that_start_one_off_are_rejected() {
    let items = integers(60 * 7, 47);
    let options = ScanOptions::default();
    for (name, device) in devices() {
        let matrix = Dense::new(&items, 60, 7).unwrap();
        let scanned = device.scan_rows(&matrix, &MatrixProduct).unwrap().to_vec().unwrap();
        // The same items in rows that begin one later.
        let mut expected = line(&items[..1], &MatrixProduct, &options);
        expected.extend(rows_of(&items[1..], 7, &MatrixProduct, &options));
        let rejected = std::panic::catch_unwind(|| assert_same(&scanned, &expected, name)).is_err();
        assert!(rejected, "{name}");
    }
}

#[test]
fn options_that_lines_do_not_have_are_refused() {
    let matrix = Dense::new(vec![1u32, 2, 3, 4], 2, 2).unwrap();
    let totals = ScanOptions { exclusive: true, total: true, ..ScanOptions::default() };
    let reproducible = ScanOptions { reproducible: true, ..ScanOptions::default() };
    for (name, device) in devices() {
        for (options, option) in [(totals, "followed by totals"), (reproducible, "reproducible")] {
            let columns = device.scan_columns_with(&matrix, &ops::Sum::<u32>::new(), &options).unwrap_err();
            assert_eq!(columns, Error::NoOption { what: "a scan of columns", option }, "{name}");
            let rows = device.scan_rows_with(&matrix, &ops::Sum::<u32>::new(), &options).unwrap_err();
            assert_eq!(rows, Error::NoOption { what: "a scan of rows", option }, "{name}");
        }
    }
}
