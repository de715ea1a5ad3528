//! Products against the oracle: every strategy, on every device.

use cubefold::prelude::*;
use cubefold::{Error, Feature, GemmStrategy, Semiring};

use crate::devices::{devices, gpus, is_software, limited, observed, private};
use crate::oracle::{assert_close, assert_same};
use crate::samples::{Matrix2, MatrixProduct, floats, integers};

/// Shapes that have been wrong somewhere, and the edges of blocks and their steps: rows, depth, columns.
pub const SHAPES: [[u32; 3]; 28] = [
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
    [97, 101, 103],
    [1009, 1, 1],
    [1, 1, 1009],
    [1, 1009, 7],
];

/// One product after another.
pub fn oracle(a: &[u32], b: &[u32], [rows, depth, columns]: [usize; 3]) -> Vec<u32> {
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
        for strategy in GemmStrategy::NAMED {
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
        for strategy in GemmStrategy::NAMED {
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
        for strategy in GemmStrategy::NAMED {
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
            for strategy in GemmStrategy::NAMED {
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
        let expected = [("gemm::multiply_blocked", "SplitK"), ("lines::fold_across", "Lines")];
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

/// The products of the first `depth` columns and rows of two matrices of 40 by 40, for every depth.
fn prefixes<T: Copy>(zero: T, more: impl Fn(T, usize, usize, usize) -> T) -> Vec<Vec<T>> {
    let mut sums = vec![zero; SIDE * SIDE];
    let mut all = vec![sums.clone()];
    for depth in 0..SIDE {
        for (place, sum) in sums.iter_mut().enumerate() {
            *sum = more(*sum, place / SIDE, depth, place % SIDE);
        }
        all.push(sums.clone());
    }
    all
}

const SIDE: usize = 40;

/// Sides of the shapes that a software device multiplies: the edges of its tiles.
const EDGES: [u32; 10] = [0, 1, 2, 7, 8, 9, 17, 31, 32, 39];

#[test]
fn every_shape_up_to_forty_has_the_oracles_bits() {
    let (words, more_words) = (integers(SIDE * SIDE, 21), integers(SIDE * SIDE, 22));
    // Far from 0, so that nothing cancels.
    let away = |items: Vec<f32>| items.into_iter().map(|item| item + 2.0).collect::<Vec<f32>>();
    let (reals, more_reals) = (away(floats(SIDE * SIDE, 23)), away(floats(SIDE * SIDE, 24)));
    let product = |sum: u32, row: usize, at: usize, column: usize| {
        sum.wrapping_add(words[row * SIDE + at].wrapping_mul(more_words[at * SIDE + column]))
    };
    let whole = prefixes(0u32, product);
    let exact = prefixes(0f64, |sum, row, at, column| {
        sum + f64::from(reals[row * SIDE + at]) * f64::from(more_reals[at * SIDE + column])
    });
    for (name, device) in devices() {
        let (words, more_words) = (device.upload(&words).unwrap(), device.upload(&more_words).unwrap());
        let (reals, more_reals) = (device.upload(&reals).unwrap(), device.upload(&more_reals).unwrap());
        let sides: Vec<u32> = if is_software(name) { EDGES.to_vec() } else { (0..SIDE as u32).collect() };
        let sides = || sides.iter().copied();
        let shapes =
            sides().flat_map(|rows| sides().flat_map(move |depth| sides().map(move |columns| [rows, depth, columns])));
        for (index, [rows, depth, columns]) in shapes.enumerate() {
            let strategy = GemmStrategy::NAMED[index % GemmStrategy::NAMED.len()];
            let case = format!("{name}, {strategy:?}, {rows} by {depth} by {columns}");
            let places =
                || (0..rows as usize * columns as usize).map(|at| at / columns as usize * SIDE + at % columns as usize);
            let part = |rows, columns| (rows, columns, SIDE as u32, 1);
            let strided =
                |buffer, (rows, columns, down, across)| Dense::strided(buffer, rows, columns, down, across).unwrap();
            let (a, b) = (strided(&words, part(rows, depth)), strided(&more_words, part(depth, columns)));
            let got =
                device.tiled_gemm_with(&a, &b, &ops::PlusTimes::<u32>::new(), strategy).unwrap().to_vec().unwrap();
            let expected: Vec<u32> = places().map(|place| whole[depth as usize][place]).collect();
            assert_same(&got, &expected, &case);
            let strided =
                |buffer, (rows, columns, down, across)| Dense::strided(buffer, rows, columns, down, across).unwrap();
            let (a, b) = (strided(&reals, part(rows, depth)), strided(&more_reals, part(depth, columns)));
            let got =
                device.tiled_gemm_with(&a, &b, &ops::PlusTimes::<f32>::new(), strategy).unwrap().to_vec().unwrap();
            let expected: Vec<f32> = places().map(|place| exact[depth as usize][place] as f32).collect();
            assert_close(&got, &expected, 1e-5, &case);
        }
    }
}

#[test]
fn a_depth_of_a_million_is_multiplied_or_refused_with_its_limit() {
    let depth = 1_000_000u32;
    let (a, b) = (integers(2 * depth as usize, 25), integers(3 * depth as usize, 26));
    let expected = oracle(&a, &b, [2, depth as usize, 3]);
    for (name, device) in devices() {
        let left = Dense::new(device.upload(&a).unwrap(), 2, depth).unwrap();
        let right = Dense::new(device.upload(&b).unwrap(), depth, 3).unwrap();
        let op = ops::PlusTimes::<u32>::new();
        for strategy in [GemmStrategy::Auto, GemmStrategy::SplitK] {
            let product = device.tiled_gemm_with(&left, &right, &op, strategy).unwrap();
            assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
        }
        let product = device.tiled_gemm_with(&left, &right, &op, GemmStrategy::Tiled16);
        match device.profile().map_or(u32::MAX, |profile| profile.max_loop) {
            limit if limit < depth => {
                let limit = limit.into();
                let expected = Error::TooLong { what: "a product on this device", len: depth.into(), limit };
                assert_eq!(product.unwrap_err(), expected, "{name}");
            }
            _ => assert_same(&product.unwrap().to_vec().unwrap(), &expected, name),
        }
    }
}

#[test]
fn elements_of_every_scalar_type_are_multiplied() {
    let [rows, depth, columns] = [19, 45, 34];
    let (a, b) = (integers(rows * depth, 27), integers(depth * columns, 28));
    let signed = |words: &[u32]| words.iter().map(|word| word.cast_signed()).collect::<Vec<i32>>();
    let real = |words: &[u32]| words.iter().map(|&word| 1.0 + f64::from(word) / 4294967296.0).collect::<Vec<f64>>();
    let expected = signed(&oracle(&a, &b, [rows, depth, columns]));
    let cell = |place: usize| {
        (0..depth).map(|at| real(&a)[place / columns * depth + at] * real(&b)[at * columns + place % columns]).sum()
    };
    let exact: Vec<f64> = (0..rows * columns).map(cell).collect();
    for ((name, device), strategy) in devices().iter().flat_map(|device| GemmStrategy::NAMED.map(|each| (device, each)))
    {
        let case = format!("{name}, {strategy:?}");
        let left = Dense::new(signed(&a), rows as u32, depth as u32).unwrap();
        let right = Dense::new(signed(&b), depth as u32, columns as u32).unwrap();
        let product = device.tiled_gemm_with(&left, &right, &ops::PlusTimes::<i32>::new(), strategy).unwrap();
        assert_same(&product.to_vec().unwrap(), &expected, &case);
        let left = Dense::new(real(&a), rows as u32, depth as u32).unwrap();
        let right = Dense::new(real(&b), depth as u32, columns as u32).unwrap();
        let product = device.tiled_gemm_with(&left, &right, &ops::PlusTimes::<f64>::new(), strategy);
        match device.profile().and_then(|profile| profile.lacks::<f64>()) {
            Some(feature) => {
                assert_eq!(product.unwrap_err(), Error::Unsupported { device: device.label(), feature }, "{case}");
            }
            None => assert_close(&product.unwrap().to_vec().unwrap(), &exact, 1e-13, &case),
        }
    }
}

#[test]
fn infinite_elements_come_out_right_by_every_strategy() {
    const FAR: f32 = f32::INFINITY;
    let [rows, depth, columns] = [70, 150, 33];
    // Three of four edges are missing, the first rows and columns have none.
    let edges = |len: usize, seed: u64, across: usize| -> Vec<f32> {
        let words = integers(len, seed);
        let edge = |(place, word): (usize, &u32)| match word % 4 {
            0 if place / across > 2 && place % across > 1 => (word >> 12) as f32,
            _ => FAR,
        };
        words.iter().enumerate().map(edge).collect()
    };
    let (a, b) = (edges(rows * depth, 29, depth), edges(depth * columns, 30, columns));
    let cell = |place: usize| {
        let sums = (0..depth).map(|at| a[place / columns * depth + at] + b[at * columns + place % columns]);
        sums.fold(FAR, f32::min)
    };
    let expected: Vec<f32> = (0..rows * columns).map(cell).collect();
    assert!(expected[..columns].iter().all(|&path| path == FAR) && expected.iter().any(|&path| path < FAR));
    let opposite = |items: &[f32]| items.iter().map(|item| -item).collect::<Vec<f32>>();
    for ((name, device), strategy) in devices().iter().flat_map(|device| GemmStrategy::NAMED.map(|each| (device, each)))
    {
        let case = format!("{name}, {strategy:?}");
        let dense =
            |items: Vec<f32>, rows: usize, columns: usize| Dense::new(items, rows as u32, columns as u32).unwrap();
        let (left, right) = (dense(a.clone(), rows, depth), dense(b.clone(), depth, columns));
        let paths = device.tiled_gemm_with(&left, &right, &ops::MinPlus::<f32>::new(), strategy).unwrap();
        assert_same(&paths.to_vec().unwrap(), &expected, &case);
        let (left, right) = (dense(opposite(&a), rows, depth), dense(opposite(&b), depth, columns));
        let paths = device.tiled_gemm_with(&left, &right, &ops::MaxPlus::<f32>::new(), strategy).unwrap();
        assert_same(&paths.to_vec().unwrap(), &opposite(&expected), &case);
        let nowhere = Dense::strided(vec![FAR], 40, 40, 0, 0).unwrap();
        let paths = device.tiled_gemm_with(&nowhere, &nowhere, &ops::MinPlus::<f32>::new(), strategy).unwrap();
        assert_same(&paths.to_vec().unwrap(), &[FAR; 1600], &case);
    }
}
