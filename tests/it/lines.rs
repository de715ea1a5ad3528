//! Folds of the rows and columns of a matrix, on every device, against a loop over each line.

use cubefold::ops::{Affine, Moments, Pair, Sum};
use cubefold::prelude::*;
use cubefold::views::{Batch, Dense};
use cubefold::{Counter, Device, Error};

use crate::devices::{devices, gpus, limited, observed, private, with_planes};
use crate::oracle::{self, assert_close, assert_same};
use crate::samples::{MatrixProduct, floats, integers};

/// Folds the rows of a matrix, and its columns, and compares with the folds of its elements.
fn check<M, O>(name: &str, device: &Device, matrix: &M, element: impl Fn(u32, u32) -> M::Item, op: &O)
where
    M: Matrix,
    O: Lift<M::Item> + Lower<Output: std::fmt::Debug>,
{
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let along = |line: u32| (0..columns).map(|at| element(line, at)).collect::<Vec<_>>();
    let expected: Vec<_> = (0..rows).map(|row| oracle::reduce(&along(row), op)).collect();
    let folded = device.reduce_rows(matrix, op).unwrap().to_vec().unwrap();
    assert_same(&folded, &expected, &format!("{name}, {rows} rows of {columns}"));
    let down = |line: u32| (0..rows).map(|at| element(at, line)).collect::<Vec<_>>();
    let expected: Vec<_> = (0..columns).map(|column| oracle::reduce(&down(column), op)).collect();
    let folded = device.reduce_columns(matrix, op).unwrap().to_vec().unwrap();
    assert_same(&folded, &expected, &format!("{name}, {columns} columns of {rows}"));
}

fn check_dense<O>(name: &str, device: &Device, (rows, columns): (u32, u32), op: &O)
where
    O: Lift<u32> + Lower<Output: std::fmt::Debug>,
{
    let items = integers((rows * columns) as usize, u64::from(rows * 1000 + columns));
    let matrix = Dense::new(&items, rows, columns).unwrap();
    check(name, device, &matrix, |row, column| items[(row * columns + column) as usize], op);
}

/// Rows and columns that have an edge each.
const SHAPES: [(u32, u32, &str); 20] = [
    (0, 5, "no rows"),
    (5, 0, "no columns"),
    (1, 1, "one element"),
    (1, 5000, "one row"),
    (5000, 1, "one column"),
    (1, 100_000, "one row in pieces"),
    (3, 4099, "fewer lines than a unit takes, of no whole fours"),
    (4, 4096, "as many, of whole fours"),
    (5, 64, "a line more"),
    (20, 8313, "runs that are folded again"),
    (300, 7, "short rows"),
    (300, 8, "short rows of whole fours"),
    (129, 257, "a line more than a cube has units"),
    (64, 127, "one element less than is worth a plane"),
    (64, 128, "as many"),
    (66, 1023, "one element less than is worth a cube"),
    (66, 1024, "as many"),
    (10, 1025, "one more than a part"),
    (9, 16_500, "parts, and a last one that is not full"),
    (4097, 130, "a plane a row, and one cube not full"),
];

#[test]
fn every_shape_is_folded_in_order() {
    for (name, device) in devices() {
        for (rows, columns, why) in SHAPES {
            check_dense(&format!("{name} ({why})"), device, (rows, columns), &MatrixProduct);
        }
    }
}

#[test]
fn any_width_is_folded_whatever_its_alignment() {
    for (name, device) in devices() {
        for columns in (1..=36).chain([127, 128, 129, 130, 131, 132]) {
            check_dense(name, device, (130, columns), &MatrixProduct);
            check_dense(name, device, (columns, 600), &Sum::<u32>::new());
        }
    }
}

#[test]
fn lesser_devices_fold_the_same() {
    for (name, device) in gpus() {
        let shapes = [(20, 8313), (9, 16_500), (300, 7), (4097, 130)];
        let few = limited(device, |profile| profile.max_units = 32);
        let narrow = limited(device, |profile| profile.max_cubes.0 = 7);
        let bare = limited(device, |profile| profile.plane = None);
        let short = limited(device, |profile| profile.max_loop = 5);
        let planes = with_planes(device);
        let lesser = [("32 units", few), ("rows of 7 cubes", narrow), ("no planes", bare), ("loops of 5", short)];
        for (why, device) in
            lesser.iter().map(|(why, device)| (*why, device)).chain(planes.iter().map(|d| ("planes", d)))
        {
            for shape in shapes {
                check_dense(&format!("{name}, {why}"), device, shape, &MatrixProduct);
                check_dense(&format!("{name}, {why}"), device, shape, &Sum::<u32>::new());
            }
        }
    }
}

#[test]
fn every_layout_is_read_as_it_lies() {
    let items = integers(200 * 160, 3);
    let at = |index: u32| items[index as usize];
    for (name, device) in devices() {
        let held = device.upload(&items).unwrap();
        for (stride, start) in [(160, "whole fours"), (157, "no whole fours")] {
            // A part of a larger matrix, by rows and by columns.
            let part = Dense::strided(&held, 190, 132, stride, 1).unwrap();
            let case = format!("{name}, a part whose rows start at {start}");
            check(&case, device, &part, |row, column| at(row * stride + column), &MatrixProduct);
            let turned = Dense::strided(&held, 130, 190, 1, stride).unwrap();
            let case = format!("{name}, a part whose columns start at {start}");
            check(&case, device, &turned, |row, column| at(row + column * stride), &MatrixProduct);
            check(&case, device, &turned.transposed(), |row, column| at(row * stride + column), &MatrixProduct);
        }
        let same = Dense::repeated_row(&held, 3).unwrap();
        check(&format!("{name}, one row thrice"), device, &same, |_, column| at(column), &MatrixProduct);
        let far = Dense::strided(&held, 30, 20, 3, 100).unwrap();
        check(
            &format!("{name}, no neighbours"),
            device,
            &far,
            |row, column| at(row * 3 + column * 100),
            &MatrixProduct,
        );
        let stack = Batch::strided(&held, [3, 20, 140], [7, 150, 1]).unwrap();
        let element = |row: u32, column: u32| at(row / 20 * 7 + row % 20 * 150 + column);
        check(&format!("{name}, a batch"), device, stack.matrix(), element, &MatrixProduct);
    }
}

/// What an element is, of its index: nothing is read.
#[derive(Debug, Clone, Operator)]
struct Mixed;

#[cube]
impl Mapping<Wide> for Mixed {
    type Output = u32;

    fn map(&self, item: Wide) -> u32 {
        (item.low ^ 0x2a5u32) % 1021u32
    }
}

#[test]
fn computed_paired_and_mapped_elements_are_folded() {
    for (name, device) in devices() {
        for (rows, columns) in [(30, 21), (7, 3000), (3000, 7), (40, 132)] {
            let computed = Dense::new(Counter::new(u64::from(rows * columns)).map(Mixed), rows, columns).unwrap();
            let element = |row: u32, column: u32| ((row * columns + column) ^ 0x2a5) % 1021;
            check(&format!("{name}, computed"), device, &computed, element, &MatrixProduct);
            let items = integers((rows * columns) as usize, 9);
            let stored = Dense::new(&items, rows, columns).unwrap();
            let paired = stored.zip_elements(computed).unwrap();
            let pair = |row: u32, column: u32| Both {
                left: items[(row * columns + column) as usize],
                right: element(row, column),
            };
            check(&format!("{name}, paired"), device, &paired, pair, &Affine::<u32>::new());
        }
    }
}

#[test]
fn wide_elements_and_states_are_folded() {
    for (name, device) in devices() {
        let items: Vec<u64> = integers(20 * 3000, 5).into_iter().map(u64::from).collect();
        for (rows, columns) in [(20, 3000), (3000, 20), (59, 1000)] {
            let wide = Dense::new(&items[..(rows * columns) as usize], rows, columns);
            let element = |row: u32, column: u32| items[(row * columns + column) as usize];
            if device.profile().is_none_or(|profile| profile.lacks::<u64>().is_none()) {
                check(name, device, &wide.unwrap(), element, &Sum::<u64>::new());
            }
            let narrow = integers((rows * columns) as usize, 6);
            let matrix = Dense::new(&narrow, rows, columns).unwrap();
            let element = |row: u32, column: u32| narrow[(row * columns + column) as usize];
            check(name, device, &matrix, element, &Pair::new(MatrixProduct, Sum::<u32>::new()));
        }
    }
}

#[test]
fn moments_of_rows_and_columns_are_those_of_a_loop() {
    for (name, device) in devices() {
        for (rows, columns) in [(20u32, 3001u32), (3001, 20), (500, 130)] {
            let items: Vec<f32> = floats((rows * columns) as usize, 8).iter().map(|item| 10.0 + item).collect();
            let matrix = Dense::new(&items, rows, columns).unwrap();
            let op = Moments::<f32>::new();
            let found = device.reduce_columns(&matrix, &op).unwrap().to_vec().unwrap();
            let of = |column: u32| (0..rows).map(move |row| row * columns + column);
            for (column, found) in (0..columns).zip(found) {
                let items: Vec<f64> = of(column).map(|index| f64::from(items[index as usize])).collect();
                let mean = items.iter().sum::<f64>() / f64::from(rows);
                let m2: f64 = items.iter().map(|item| (item - mean) * (item - mean)).sum();
                assert_eq!(u64::from(found.count), u64::from(rows), "{name}");
                assert_close(
                    &[found.mean, found.m2],
                    &[mean as f32, m2 as f32],
                    1e-4,
                    &format!("{name}, column {column}"),
                );
            }
        }
    }
}

#[test]
fn a_fold_takes_no_memory_but_its_results_and_few_launches() {
    for (name, device) in gpus() {
        let device = private(device);
        let launches = observed(&device);
        for (rows, columns, most) in [(500, 300, 2), (20, 50_000, 3), (50_000, 20, 3), (8, 200_000, 1)] {
            let matrix = Dense::new(device.upload(&integers(rows * columns, 2)).unwrap(), rows as u32, columns as u32);
            let matrix = matrix.unwrap();
            device.reduce_columns(&matrix, &Sum::<u32>::new()).unwrap();
            let (before, _) = (device.allocations(), launches.lock().unwrap().clear());
            device.reduce_columns(&matrix, &Sum::<u32>::new()).unwrap();
            assert_eq!(device.allocations() - before, 1, "{name}: {rows} rows of {columns}");
            let launches = launches.lock().unwrap().len();
            assert!(launches <= most, "{name}: {launches} launches for {rows} rows of {columns}");
        }
    }
}

#[test]
fn elements_of_another_device_are_refused() {
    let host = Device::host();
    for (_, device) in gpus() {
        let matrix = Dense::new(device.upload(&[1u32, 2]).unwrap(), 1, 2).unwrap();
        let error = host.reduce_rows(&matrix, &Sum::<u32>::new()).unwrap_err();
        assert!(matches!(error, Error::NotOnHost { .. }), "{error:?}");
    }
}
