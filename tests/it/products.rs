//! Products in batches, of 16-bit floats, and explained.

use cubefold::ops::{PlusTimes, Sum};
use cubefold::prelude::*;
use cubefold::views::{Batch, Half, Halves};
use cubefold::{Error, GemmPlan, GemmStrategy, Semiring};

use crate::devices::{devices, gpus, limited, observed, private};
use crate::gemm::oracle;
use crate::oracle::{assert_close, assert_same};
use crate::samples::{Matrix2, MatrixProduct, floats, integers};

#[test]
fn a_batch_has_the_bits_of_its_products_one_by_one() {
    for (count, [rows, depth, columns]) in [
        (0, [3, 4, 5]),
        (1, [5, 6, 7]),
        (3, [0, 4, 2]),
        (3, [2, 0, 3]),
        (5, [9, 33, 17]),
        (3, [70, 300, 65]),
        (70_001, [1, 2, 1]),
    ] {
        let a = integers((count * rows * depth) as usize, 31);
        let b: Vec<Both<u32, u32>> = integers((count * depth * columns) as usize, 32)
            .into_iter()
            .map(|word| Both { left: word, right: word ^ 7 })
            .collect();
        let cell = |place: u32| {
            let (product, row, column) = (place / (rows * columns), place / columns % rows, place % columns);
            (0..depth).fold(MatrixProduct.identity(), |sum, at| {
                let left = a[((product * rows + row) * depth + at) as usize];
                let right = b[((product * depth + at) * columns + column) as usize];
                MatrixProduct.combine(sum, MatrixProduct.multiply(left, right))
            })
        };
        let expected: Vec<Matrix2> = (0..count * rows * columns).map(cell).collect();
        for (name, device) in devices() {
            // A small product many times over: the grid has a second row of cubes, and more of them than have work.
            let strategies = if count > 1000 { &GemmStrategy::NAMED[..2] } else { &GemmStrategy::NAMED[..] };
            for &strategy in strategies {
                let case = format!("{name}, {strategy:?}, {count} of {rows} by {depth} by {columns}");
                let device = private(device);
                let launches = observed(&device);
                let left = Batch::new(Dense::new(a.clone(), count * rows, depth).unwrap(), count).unwrap();
                let right = Batch::new(Dense::new(b.clone(), count * depth, columns).unwrap(), count).unwrap();
                let products = device.tiled_gemm_batched_with(&left, &right, &MatrixProduct, strategy).unwrap();
                assert_same(&products.to_vec().unwrap(), &expected, &case);
                let launches: Vec<_> = launches.lock().unwrap().iter().map(|launch| launch.0).collect();
                assert!(
                    launches.len() <= 1 || launches == ["gemm::multiply_blocked", "lines::fold_across"],
                    "{case}: {launches:?}"
                );
            }
        }
    }
}

#[test]
fn batches_may_be_transposed_apart_or_one_for_all() {
    let [count, rows, depth, columns] = [4u32, 6, 10, 3];
    // Matrices of the left factor lie column after column with a gap between them; the right factor is one for all.
    let (apart, b) = (rows * depth + 5, integers((depth * columns) as usize, 34));
    let a = integers((count * apart) as usize, 33);
    let mut expected = Vec::new();
    for product in 0..count {
        let element = |place: u32| a[(product * apart + place % depth * rows + place / depth) as usize];
        let left: Vec<u32> = (0..rows * depth).map(element).collect();
        expected.extend(oracle(&left, &b, [rows, depth, columns].map(|side| side as usize)));
    }
    for ((name, device), strategy) in devices().iter().flat_map(|device| GemmStrategy::NAMED.map(|each| (device, each)))
    {
        let left = Batch::strided(&a, [count, rows, depth], [apart, 1, rows]).unwrap();
        let right = Batch::strided(&b, [count, depth, columns], [0, columns, 1]).unwrap();
        let products = device.tiled_gemm_batched_with(&left, &right, &PlusTimes::<u32>::new(), strategy).unwrap();
        assert_same(&products.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
    }
}

#[test]
fn plain_floats_in_batches_are_those_of_their_products() {
    let [count, rows, depth, columns] = [3usize, 5, 8, 6];
    let (a, b) = (floats(count * rows * depth, 35), floats(count * depth * columns, 36));
    let cell = |place: usize| {
        let (product, row, column) = (place / (rows * columns), place / columns % rows, place % columns);
        let term = |at: usize| a[(product * rows + row) * depth + at] * b[(product * depth + at) * columns + column];
        (0..depth).map(term).sum::<f32>() + 10.0
    };
    let expected: Vec<f32> = (0..count * rows * columns).map(cell).collect();
    for (name, device) in devices() {
        let left =
            Batch::new(Dense::new(a.clone(), (count * rows) as u32, depth as u32).unwrap(), count as u32).unwrap();
        let shape = [count, depth, columns].map(|side| side as u32);
        let right = Batch::strided(&b, shape, [(depth * columns) as u32, columns as u32, 1]).unwrap();
        let products = device.tiled_gemm_batched(&left, &right, &PlusTimes::<f32>::new()).unwrap();
        let products: Vec<f32> = products.to_vec().unwrap().into_iter().map(|product| product + 10.0).collect();
        assert_close(&products, &expected, 1e-5, name);
    }
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    for (name, device) in devices() {
        let batch = |count| Batch::new(Dense::new(vec![1u32; 12], 6, 2).unwrap(), count).unwrap();
        let op = PlusTimes::<u32>::new();
        let error = device.tiled_gemm_batched(&batch(3), &batch(2), &op).unwrap_err();
        assert_eq!(error, Error::Length { what: "the right batch", got: 2, expected: 3 }, "{name}");
        let error = device.tiled_gemm_batched(&batch(2), &batch(2), &op).unwrap_err();
        assert_eq!(error, Error::Length { what: "the right matrix's column", got: 3, expected: 2 }, "{name}");
        assert_eq!(device.tiled_gemm_batched(&batch(3), &batch(3), &op).unwrap().to_vec().unwrap(), [2; 12], "{name}");
    }
}

#[test]
fn what_is_explained_is_what_runs() {
    let matrix = Dense::new(integers(90 * 90, 37), 90, 90).unwrap();
    let op = PlusTimes::<u32>::new();
    for (name, device) in gpus() {
        for strategy in GemmStrategy::NAMED.into_iter().chain([GemmStrategy::Auto]) {
            let device = private(device);
            let launches = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
            let seen = launches.clone();
            device.observe(move |launch| seen.lock().unwrap().push(*launch));
            let GemmPlan::Device(plan) = device.explain_gemm(&matrix, &matrix, &op, strategy).unwrap() else {
                panic!("{name} is not the host")
            };
            assert!(launches.lock().unwrap().is_empty(), "{name}: nothing runs");
            device.tiled_gemm_with(&matrix, &matrix, &op, strategy).unwrap();
            let launch = launches.lock().unwrap()[0];
            let expected = (plan.strategy.name(), plan.cubes, plan.units);
            assert_eq!((launch.strategy, launch.cubes, launch.units), expected, "{name}: {plan}");
            assert_eq!(u64::from(plan.slices.0 > 1), launches.lock().unwrap().len() as u64 - 1, "{name}: {plan}");
        }
        let bare = limited(device, |profile| profile.max_units = 64);
        let plan = bare.explain_gemm(&matrix, &matrix, &op, GemmStrategy::Auto).unwrap().to_string();
        assert!(plan.starts_with("Tiled8: 144 cubes of 8 × 8 results") && plan.contains("Tiled16 needs"), "{plan}");
        let plan = device.explain_gram(&matrix, &op, GemmStrategy::RegisterBlocked).unwrap().to_string();
        assert!(plan.ends_with("the caller named this strategy"), "{plan}");
    }
    let plan = Device::host().explain_gemm(&matrix, &matrix, &op, GemmStrategy::Auto).unwrap().to_string();
    assert!(plan.starts_with("the host's tiles of 4 × 8 results"), "{plan}");
}

#[test]
fn depths_that_kernels_cannot_step_past_are_refused() {
    let op = PlusTimes::<u32>::new();
    for (name, device) in gpus() {
        let endless = limited(device, |profile| profile.max_loop = u32::MAX);
        let explained = |depth| {
            let row = Dense::strided(vec![1u32], 1, depth, 0, 0).unwrap();
            let column = Dense::strided(vec![1u32], depth, 1, 0, 0).unwrap();
            endless.explain_gemm(&row, &column, &op, GemmStrategy::Naive)
        };
        let limit = u32::MAX - 1024;
        assert!(explained(limit).is_ok(), "{name}");
        let len = u64::from(limit) + 1;
        let expected = Error::TooLong { what: "a product on this device", len, limit: limit.into() };
        assert_eq!(explained(limit + 1).unwrap_err(), expected, "{name}");
    }
}

/// A 16-bit float by its definition.
fn defined(bits: u16, exponent_bits: u32) -> f32 {
    let mantissa_bits = 15 - exponent_bits;
    let exponent = i32::from(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    let fraction = f64::from(bits & ((1 << mantissa_bits) - 1)) / f64::from(1 << mantissa_bits);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(1 - bias),
        last if last == (1 << exponent_bits) - 1 => {
            if fraction == 0.0 {
                f64::INFINITY
            } else {
                f64::NAN
            }
        }
        _ => (1.0 + fraction) * 2f64.powi(exponent - bias),
    };
    (if bits >> 15 == 1 { -magnitude } else { magnitude }) as f32
}

#[test]
fn every_16_bit_float_is_what_its_bits_say() {
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for (name, device) in devices() {
        let words = device.upload(&Halves::packed(&all)).unwrap();
        for (format, exponent_bits) in [(Half::F16, 5), (Half::BF16, 8)] {
            let got = device.collect(&Halves::new(&words, 1 << 16, format).unwrap()).unwrap().to_vec().unwrap();
            let expected: Vec<f32> = all.iter().map(|&bits| defined(bits, exponent_bits)).collect();
            for (bits, (got, expected)) in all.iter().zip(got.iter().zip(&expected)) {
                // Devices may flush subnormal f32, of which bfloat16 has some.
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(
                    same || expected.is_subnormal() && *got == 0.0,
                    "{name}, {format:?}, {bits:04x}: {got}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn products_and_folds_of_16_bit_floats_are_those_of_their_values() {
    let [rows, depth, columns] = [21usize, 37, 19];
    // From 1 to 2 in steps of 1/32, so that sums of products are exact.
    let bits =
        |len, seed| integers(len, seed).into_iter().map(|word| 0x3c00 | (word >> 27 << 5) as u16).collect::<Vec<u16>>();
    let (a, b) = (bits(rows * depth, 38), bits(depth * columns, 39));
    let value = |bits: &[u16]| bits.iter().map(|&bits| defined(bits, 5)).collect::<Vec<f32>>();
    let cell = |place: usize| -> f32 {
        (0..depth).map(|at| value(&a)[place / columns * depth + at] * value(&b)[at * columns + place % columns]).sum()
    };
    let expected: Vec<f32> = (0..rows * columns).map(cell).collect();
    let halves = |bits: &[u16]| Halves::new(Halves::packed(bits), bits.len() as u64, Half::F16).unwrap();
    for ((name, device), strategy) in devices().iter().flat_map(|device| GemmStrategy::NAMED.map(|each| (device, each)))
    {
        let left = Dense::new(halves(&a), rows as u32, depth as u32).unwrap();
        let right = Dense::new(halves(&b), depth as u32, columns as u32).unwrap();
        let product = device.tiled_gemm_with(&left, &right, &PlusTimes::<f32>::new(), strategy).unwrap();
        assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, {strategy:?}"));
    }
    let sum: f32 = value(&a).iter().sum();
    for (name, device) in devices() {
        assert_eq!(device.reduce(&halves(&a), &Sum::new()).unwrap().get(0).unwrap(), sum, "{name}");
    }
}
