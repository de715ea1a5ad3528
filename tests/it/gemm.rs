//! Products against the oracle: every strategy, on every device.

use cubefold::prelude::*;
use cubefold::{Error, Feature, GemmStrategy, Semiring};

use crate::devices::{devices, gpus, limited, observed, private};
use crate::oracle::{assert_close, assert_same};
use crate::samples::{Matrix2, MatrixProduct, floats, integers};

const STRATEGIES: [GemmStrategy; 6] = [
    GemmStrategy::Naive,
    GemmStrategy::Tiled8,
    GemmStrategy::Tiled16,
    GemmStrategy::Tiled32,
    GemmStrategy::RegisterBlocked,
    GemmStrategy::SplitK,
];

/// Shapes that have been wrong somewhere, and the edges of blocks and their steps: rows, depth, columns.
const SHAPES: [[u32; 3]; 24] = [
    [0, 3, 2],
    [2, 3, 0],
    [3, 0, 2],
    [1, 1, 1],
    [1, 7, 1],
    [1, 5, 40],
    [40, 5, 1],
    [8, 8, 8],
    [9, 7, 15],
    [16, 16, 16],
    [17, 31, 33],
    [32, 32, 32],
    [33, 65, 31],
    [100, 130, 70],
    [64, 16, 64],
    [65, 17, 63],
    [63, 15, 65],
    [64, 32, 1],
    [1, 33, 129],
    [191, 4, 130],
    [5, 255, 7],
    [5, 256, 7],
    [20, 2077, 20],
    [1, 8313, 1],
];

/// One product after another.
fn oracle(a: &[u32], b: &[u32], [rows, depth, columns]: [usize; 3]) -> Vec<u32> {
    let mut result = vec![0u32; rows * columns];
    for row in 0..rows {
        for column in 0..columns {
            for index in 0..depth {
                let product = a[row * depth + index].wrapping_mul(b[index * columns + column]);
                result[row * columns + column] = result[row * columns + column].wrapping_add(product);
            }
        }
    }
    result
}

#[test]
fn products_of_integers_have_the_oracles_bits() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            for shape in SHAPES {
                let [rows, depth, columns] = shape;
                let a = integers((rows * depth) as usize, 1);
                let b = integers((depth * columns) as usize, 2);
                let expected = oracle(&a, &b, shape.map(|side| side as usize));
                let left = Dense::new(a, rows, depth).unwrap();
                let right = Dense::new(b, depth, columns).unwrap();
                let product = device.tiled_gemm_with(&left, &right, &ops::PlusTimes::<u32>::new(), strategy).unwrap();
                assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}, {shape:?}"));
            }
        }
    }
}

#[test]
fn transposed_factors_are_read_in_place() {
    for (name, device) in devices() {
        let items = integers(50 * 23, 3);
        let matrix = Dense::new(items.clone(), 50, 23).unwrap();
        let gram = device.tiled_gemm(&(&matrix).transposed(), &matrix, &ops::PlusTimes::<u32>::new()).unwrap();
        let transposed: Vec<u32> = (0..23 * 50).map(|place| items[place % 50 * 23 + place / 50]).collect();
        assert_same(&gram.to_vec().unwrap(), &oracle(&transposed, &items, [23, 50, 23]), name);
    }
}

#[test]
fn float_products_are_close_to_the_exact_ones() {
    for (name, device) in devices() {
        for strategy in STRATEGIES {
            let (a, b): (Vec<f32>, Vec<f32>) = (floats(64 * 200, 4), floats(200 * 48, 5));
            let shifted = |items: Vec<f32>| items.into_iter().map(|item| item + 2.0).collect::<Vec<f32>>();
            let (a, b) = (shifted(a), shifted(b));
            let expected: Vec<f32> = (0..64 * 48)
                .map(|place| {
                    let (row, column) = (place / 48, place % 48);
                    let products = (0..200).map(|k| f64::from(a[row * 200 + k]) * f64::from(b[k * 48 + column]));
                    products.sum::<f64>() as f32
                })
                .collect();
            let left = Dense::new(a, 64, 200).unwrap();
            let right = Dense::new(b, 200, 48).unwrap();
            let product = device.tiled_gemm_with(&left, &right, &ops::PlusTimes::<f32>::new(), strategy).unwrap();
            assert_close(&product.to_vec().unwrap(), &expected, 1e-5, &format!("{name}, {strategy:?}"));
        }
    }
}

#[test]
fn unreachable_pairs_stay_infinite_under_min_plus() {
    for (name, device) in devices() {
        let infinity = f32::INFINITY;
        let edges = vec![0.0, 1.0, infinity, infinity, 0.0, 2.0, infinity, infinity, 0.0];
        let edges = Dense::new(edges, 3, 3).unwrap();
        let paths = device.tiled_gemm(&edges, &edges, &ops::MinPlus::<f32>::new()).unwrap().to_vec().unwrap();
        assert_eq!(paths, [0.0, 1.0, 3.0, infinity, 0.0, 2.0, infinity, infinity, 0.0], "{name}");
    }
}

#[test]
fn factors_that_do_not_fit_are_refused() {
    for (name, device) in devices() {
        let left = Dense::new(vec![1u32; 6], 2, 3).unwrap();
        let error = device.tiled_gemm(&left, &left, &ops::PlusTimes::<u32>::new()).unwrap_err();
        let expected = Error::Length { what: "the right matrix's column", got: 2, expected: 3 };
        assert_eq!(error, expected, "{name}");
    }
}

#[test]
fn the_strategy_that_was_asked_for_is_the_one_that_runs() {
    for (name, device) in gpus() {
        for strategy in STRATEGIES {
            let device = private(device);
            let launches = observed(&device);
            let matrix = Dense::new(integers(100, 6), 10, 10).unwrap();
            device.tiled_gemm_with(&matrix, &matrix, &ops::PlusTimes::<u32>::new(), strategy).unwrap();
            let kernel = match strategy {
                GemmStrategy::RegisterBlocked | GemmStrategy::SplitK => "gemm::multiply_blocked",
                _ => "gemm::multiply",
            };
            assert_eq!(launches.lock().unwrap().as_slice(), [(kernel, strategy.name())], "{name}");
        }
    }
}

#[test]
fn large_products_are_right_in_blocks_of_either_size() {
    // 100 blocks of 128 by 128, the last ones not full; on a device with little shared memory in steps of 4 products.
    let [rows, depth, columns] = [1200, 21, 1160];
    let (a, b) = (integers((rows * depth) as usize, 11), integers((depth * columns) as usize, 12));
    let expected = oracle(&a, &b, [rows, depth, columns].map(|side| side as usize));
    let left = Dense::new(a, rows, depth).unwrap();
    let right = Dense::new(b, depth, columns).unwrap();
    for (name, device) in devices() {
        let op = ops::PlusTimes::<u32>::new();
        let product = device.tiled_gemm_with(&left, &right, &op, GemmStrategy::RegisterBlocked).unwrap();
        assert_same(&product.to_vec().unwrap(), &expected, name);
        if device.is_host() {
            continue;
        }
        let device = limited(device, |profile| profile.shared_bytes = 1 << 13);
        let launches = observed(&device);
        let product = device.tiled_gemm_with(&left, &right, &op, GemmStrategy::RegisterBlocked).unwrap();
        assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, little shared memory"));
        assert_eq!(launches.lock().unwrap().as_slice(), [("gemm::multiply_blocked", "RegisterBlocked")], "{name}");
    }
}

#[test]
fn products_meet_in_the_order_of_the_depth_for_an_operator_that_does_not_commute() {
    for [rows, depth, columns] in [[3, 5, 2], [33, 40, 17], [70, 33, 65], [3, 700, 4]] {
        let (a, b) = (integers((rows * depth) as usize, 13), integers((depth * columns) as usize, 14));
        let pair = |index: u32| Both { left: b[index as usize], right: b[index as usize] ^ 7 };
        let pairs: Vec<Both<u32, u32>> = (0..depth * columns).map(pair).collect();
        let cell = |place: u32| {
            let (row, column) = (place / columns, place % columns);
            (0..depth).fold(MatrixProduct.identity(), |sum, k| {
                let product = MatrixProduct.multiply(a[(row * depth + k) as usize], pair(k * columns + column));
                MatrixProduct.combine(sum, product)
            })
        };
        let expected: Vec<Matrix2> = (0..rows * columns).map(cell).collect();
        // The right factor once row after row and once column after column.
        let by_column = |place: usize| pairs[place % depth as usize * columns as usize + place / depth as usize];
        let turned: Vec<_> = (0..pairs.len()).map(by_column).collect();
        let left = Dense::new(a.clone(), rows, depth).unwrap();
        let right = Dense::new(pairs.clone(), depth, columns).unwrap();
        let turned = Dense::new(turned, columns, depth).unwrap().transposed();
        for (name, device) in devices() {
            for strategy in STRATEGIES {
                let case = format!("{name}, {strategy:?}, {rows} by {depth} by {columns}");
                let product = device.tiled_gemm_with(&left, &right, &MatrixProduct, strategy).unwrap();
                assert_same(&product.to_vec().unwrap(), &expected, &case);
                let product = device.tiled_gemm_with(&left, &turned, &MatrixProduct, strategy).unwrap();
                assert_same(&product.to_vec().unwrap(), &expected, &format!("{case}, turned"));
            }
        }
    }
}

#[test]
fn a_split_product_is_two_launches_and_its_depth_is_cut_alike_everywhere() {
    for (name, device) in gpus() {
        let device = private(device);
        let launches = observed(&device);
        let matrix = Dense::new(integers(1200 * 20, 6), 1200, 20).unwrap();
        let op = ops::PlusTimes::<u32>::new();
        let gram = device.gram_with(&matrix, &op, GemmStrategy::SplitK).unwrap();
        let expected = [("gemm::multiply_blocked", "SplitK"), ("lines::fold", "Lines")];
        assert_eq!(launches.lock().unwrap().as_slice(), expected, "{name}");
        let before = device.allocations();
        device.gram_with(&matrix, &op, GemmStrategy::SplitK).unwrap();
        // The uploaded factor, which is bound twice, and the result.
        assert_eq!(device.allocations() - before, 3, "{name}");
        assert_eq!(gram.len(), 400, "{name}");
    }
}

#[test]
fn a_matrix_times_its_transpose_is_symmetric_to_the_bit() {
    for (rows, columns) in [(0, 3), (3, 0), (1, 1), (7, 5), (33, 64), (40, 65), (90, 200), (1500, 70), (5, 700)] {
        let items = integers((rows * columns) as usize, 15);
        let turned: Vec<u32> = (0..columns * rows)
            .map(|place| items[(place % rows.max(1) * columns + place / rows.max(1)) as usize])
            .collect();
        let expected = oracle(&turned, &items, [columns as usize, rows as usize, columns as usize]);
        // Far from 0, so that nothing cancels.
        let reals: Vec<f32> = floats((rows * columns) as usize, 16).into_iter().map(|item| item + 2.0).collect();
        let strategies = [GemmStrategy::Auto, GemmStrategy::RegisterBlocked, GemmStrategy::SplitK];
        for ((name, device), strategy) in devices().iter().flat_map(|device| strategies.map(|each| (device, each))) {
            let case = format!("{name}, {strategy:?}, {rows} rows of {columns}");
            let matrix = Dense::new(items.clone(), rows, columns).unwrap();
            let gram = device.gram_with(&matrix, &ops::PlusTimes::<u32>::new(), strategy).unwrap().to_vec().unwrap();
            assert_same(&gram, &expected, &case);
            let matrix = Dense::new(reals.clone(), rows, columns).unwrap();
            let gram = device.gram_with(&matrix, &ops::PlusTimes::<f32>::new(), strategy).unwrap().to_vec().unwrap();
            let turned = |place: usize| gram[place % columns as usize * columns as usize + place / columns as usize];
            assert!((0..gram.len()).all(|place| gram[place].to_bits() == turned(place).to_bits()), "{case}");
            let full = device.tiled_gemm(&(&matrix).transposed(), &matrix, &ops::PlusTimes::<f32>::new()).unwrap();
            assert_close(&gram, &full.to_vec().unwrap(), 1e-5, &case);
        }
    }
}

#[test]
fn blocks_for_which_there_is_no_room_are_refused() {
    for (name, device) in gpus() {
        let bare = limited(device, |profile| profile.max_units = 128);
        let matrix = Dense::new(integers(4, 1), 2, 2).unwrap();
        let product = ops::PlusTimes::<u32>::new();
        let error = bare.tiled_gemm_with(&matrix, &matrix, &product, GemmStrategy::RegisterBlocked).unwrap_err();
        assert_eq!(error, Error::Unsupported { device: bare.label(), feature: Feature::Units(256) }, "{name}");
    }
}

#[test]
fn rows_and_columns_are_folded_in_order() {
    use crate::oracle;
    for (name, device) in devices() {
        for (rows, columns) in [(1u32, 1u32), (1, 5000), (5000, 1), (20, 8313), (300, 7), (129, 257)] {
            let items = integers((rows * columns) as usize, 7);
            let matrix = Dense::new(items.clone(), rows, columns).unwrap();
            let row = |row: u32| &items[(row * columns) as usize..][..columns as usize];
            let expected: Vec<_> = (0..rows).map(|index| oracle::reduce(row(index), &MatrixProduct)).collect();
            let folded = device.reduce_rows(&matrix, &MatrixProduct).unwrap().to_vec().unwrap();
            assert_same(&folded, &expected, &format!("{name}, {rows} rows of {columns}"));
            let column = |index: u32| -> Vec<u32> { (0..rows).map(|at| row(at)[index as usize]).collect() };
            let expected: Vec<_> = (0..columns).map(|index| oracle::reduce(&column(index), &MatrixProduct)).collect();
            let folded = device.reduce_columns(&matrix, &MatrixProduct).unwrap().to_vec().unwrap();
            assert_same(&folded, &expected, &format!("{name}, {columns} columns of {rows}"));
        }
    }
}

#[test]
fn products_of_more_than_65535_tiles_have_a_second_row_of_cubes() {
    // 65,537 tiles of 8 by 8, one below the other; no more of the others.
    let rows = 8 * 65_536 + 1;
    let column: Vec<u32> = integers(rows as usize, 5);
    let expected: Vec<u32> = column.iter().map(|word| word.wrapping_mul(3)).collect();
    for (name, device) in devices() {
        for strategy in [GemmStrategy::Tiled8, GemmStrategy::Naive] {
            let left = Dense::new(column.clone(), rows, 1).unwrap();
            let right = Dense::new(vec![3u32], 1, 1).unwrap();
            let product = device.tiled_gemm_with(&left, &right, &ops::PlusTimes::<u32>::new(), strategy).unwrap();
            assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
        }
    }
}
