//! Plain products on matrix units, which round factors to TF32; and the refusal of devices without.

use cubefold::ops::PlusTimes;
use cubefold::prelude::*;
use cubefold::{Error, Feature, GemmPlan, GemmStrategy, PlainProducts, Precision, Semiring, SemiringExpand};

use crate::devices::{devices, gpus, limited, observed, private};
use crate::gemm::SHAPES;
use crate::oracle::assert_same;
use crate::samples::{floats, integers};

/// The devices under test that have such units.
fn with_units() -> impl Iterator<Item = &'static (String, Device)> {
    gpus().filter(|(_, device)| device.profile().is_some_and(|profile| profile.tf32))
}

/// `a · b` in f64, and the sums of the terms' sizes.
fn exact(a: &[f32], b: &[f32], [rows, depth, columns]: [usize; 3]) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); rows * columns];
    for row in 0..rows {
        for index in 0..depth {
            for column in 0..columns {
                let term = f64::from(a[row * depth + index]) * f64::from(b[index * columns + column]);
                let (sum, size) = sums[row * columns + column];
                sums[row * columns + column] = (sum + term, size + term.abs());
            }
        }
    }
    sums
}

/// Whole numbers of few digits, which TF32 has as they are: their sums are exact in every order.
fn small(len: usize, seed: u64) -> Vec<f32> {
    integers(len, seed).into_iter().map(|word| (word >> 26) as f32 - 32.0).collect()
}

fn transposed(items: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|place| items[place % rows * columns + place / rows]).collect()
}

#[test]
fn devices_without_matrix_units_say_so() {
    for (name, device) in devices() {
        let matrix = Dense::new(floats(12, 1), 4, 3).unwrap();
        let left = (&matrix).transposed();
        let poor = if device.is_host() { Device::host() } else { limited(device, |profile| profile.tf32 = false) };
        let refused = poor.tiled_gemm_rounded(&left, &matrix, &PlusTimes::new(), Precision::Tf32).unwrap_err();
        assert_eq!(refused, Error::Unsupported { device: poor.label(), feature: Feature::Tf32 }, "{name}");
        let error = device.tiled_gemm_rounded(&matrix, &matrix, &PlusTimes::new(), Precision::default()).unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{name}: {error}");
    }
    for (name, device) in with_units() {
        let matrix = Dense::new(floats(12, 1), 4, 3).unwrap();
        let error = device.tiled_gemm_rounded(&matrix, &matrix, &PlusTimes::new(), Precision::Tf32).unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{name}: {error}");
        let small = limited(device, |profile| profile.shared_bytes = 1 << 10);
        let left = (&matrix).transposed();
        let error = small.tiled_gemm_rounded(&left, &matrix, &PlusTimes::new(), Precision::Tf32).unwrap_err();
        assert!(matches!(error, Error::Unsupported { feature: Feature::SharedMemory(_), .. }), "{name}: {error}");
    }
}

#[test]
fn what_is_explained_is_what_runs_or_is_refused() {
    let matrix = |side: u32| Dense::new(floats((side * side) as usize, 14), side, side).unwrap();
    for (name, device) in devices() {
        let (small, op) = (matrix(40), PlusTimes::new());
        let plain = device.explain_gemm(&small, &small, &op, GemmStrategy::Auto).unwrap();
        assert_eq!(device.explain_gemm_rounded(&small, &small, &op, Precision::F32).unwrap(), plain, "{name}");
        let poor = if device.is_host() { Device::host() } else { limited(device, |profile| profile.tf32 = false) };
        let refused = poor.explain_gemm_rounded(&small, &small, &op, Precision::Tf32).unwrap_err();
        assert_eq!(refused, Error::Unsupported { device: poor.label(), feature: Feature::Tf32 }, "{name}");
        let odd = Dense::new(floats(12, 1), 4, 3).unwrap();
        let error = device.tiled_gemm_rounded(&odd, &odd, &op, Precision::Tf32).unwrap_err();
        assert!(matches!(error, Error::Length { .. }), "{name}: {error}");
    }
    // A plan is made without the units.
    for (name, device) in gpus() {
        let able = limited(device, |profile| {
            (profile.tf32, profile.plane, profile.shared_bytes, profile.max_units) = (true, Some(32), 1 << 16, 1024);
        });
        let plan = able.explain_gemm_rounded(&matrix(600), &matrix(600), &PlusTimes::new(), Precision::Tf32).unwrap();
        assert_eq!(
            plan.to_string(),
            "SplitK: 50 cubes of 128 × 128 results, each of 256 units with 64 × 1 of them and 45056 bytes of shared memory, the \
             depth in 2 slices of 304; Auto splits the depth of 600, as 100 blocks of 64 × 64 results leave a GPU idle",
            "{name}"
        );
    }
    for (name, device) in with_units() {
        let device = private(device);
        for side in [100, 600] {
            let launches = observed(&device);
            let (matrix, op) = (matrix(side), PlusTimes::new());
            let plan = device.explain_gemm_rounded(&matrix, &matrix, &op, Precision::Tf32).unwrap();
            device.tiled_gemm_rounded(&matrix, &matrix, &op, Precision::Tf32).unwrap();
            let GemmPlan::Device(plan) = plan else { panic!("{name}: a device has a plan of its own") };
            let first = launches.lock().unwrap()[0];
            assert_eq!(first, ("gemm::multiply_fragments", plan.strategy.name()), "{name}, side {side}");
        }
    }
}

#[test]
fn f32_is_what_no_precision_is() {
    for (name, device) in devices() {
        let (a, b) = (floats(70 * 90, 2), floats(90 * 50, 3));
        let (a, b) = (Dense::new(a, 70, 90).unwrap(), Dense::new(b, 90, 50).unwrap());
        let plain = device.tiled_gemm(&a, &b, &PlusTimes::new()).unwrap().to_vec().unwrap();
        let asked = device.tiled_gemm_rounded(&a, &b, &PlusTimes::new(), Precision::F32).unwrap();
        assert_same(&asked.to_vec().unwrap(), &plain, name);
    }
}

/// `|item|`, computed where it is read.
#[derive(Clone, Debug, Operator)]
struct Size;

#[cube]
impl Mapping<f32> for Size {
    type Output = f32;

    fn map(&self, item: f32) -> f32 {
        item.abs()
    }
}

#[test]
fn whole_numbers_are_exact_from_every_source() {
    let larger = [[128, 32, 128], [129, 40, 257], [300, 1000, 260], [4, 100_000, 8], [1300, 24, 2100]];
    for (name, device) in with_units() {
        for shape in SHAPES.into_iter().chain(larger) {
            let [rows, depth, columns] = shape;
            let sides = shape.map(|side| side as usize);
            let a = small(sides[0] * sides[1], 4);
            let b = small(sides[1] * sides[2], 5);
            let expected: Vec<f32> = exact(&a, &b, sides).into_iter().map(|(sum, _)| sum as f32).collect();
            let left = Dense::new(a.clone(), rows, depth).unwrap();
            let right = Dense::new(b.clone(), depth, columns).unwrap();
            let turned_left = Dense::new(transposed(&a, sides[0], sides[1]), depth, rows).unwrap().transposed();
            let turned_right = Dense::new(transposed(&b, sides[1], sides[2]), columns, depth).unwrap().transposed();
            let op = PlusTimes::new();
            let results = [
                ("rows", device.tiled_gemm_rounded(&left, &right, &op, Precision::Tf32)),
                ("columns", device.tiled_gemm_rounded(&turned_left, &turned_right, &op, Precision::Tf32)),
                ("rows and columns", device.tiled_gemm_rounded(&left, &turned_right, &op, Precision::Tf32)),
            ];
            for (source, result) in results {
                assert_same(&result.unwrap().to_vec().unwrap(), &expected, &format!("{name}, {source}, {shape:?}"));
            }
            let sizes: Vec<f32> = a.iter().map(|item| item.abs()).collect();
            let expected: Vec<f32> = exact(&sizes, &b, sides).into_iter().map(|(sum, _)| sum as f32).collect();
            let computed = device.tiled_gemm_rounded(&left.map_elements(Size), &right, &op, Precision::Tf32).unwrap();
            assert_same(&computed.to_vec().unwrap(), &expected, &format!("{name}, computed, {shape:?}"));
        }
        // A part of a larger matrix: rows further apart than they are long.
        let items = small(20 * 33, 6);
        let part = Dense::strided(items.clone(), 20, 19, 33, 1).unwrap();
        let cut: Vec<f32> = (0..20 * 19).map(|place| items[place / 19 * 33 + place % 19]).collect();
        let right = small(19 * 11, 7);
        let expected: Vec<f32> = exact(&cut, &right, [20, 19, 11]).into_iter().map(|(sum, _)| sum as f32).collect();
        let right = Dense::new(right, 19, 11).unwrap();
        let product = device.tiled_gemm_rounded(&part, &right, &PlusTimes::new(), Precision::Tf32).unwrap();
        assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, strided"));
    }
}

#[test]
fn errors_stay_below_what_precision_promises_and_are_those_of_tf32() {
    for (name, device) in with_units() {
        for (shape, sliced) in [([200u32, 700, 150], true), ([64, 33, 2000], false), ([3, 5000, 5], true)] {
            let [rows, depth, columns] = shape;
            let sides = shape.map(|side| side as usize);
            let (a, b) = (floats(sides[0] * sides[1], 8), floats(sides[1] * sides[2], 9));
            // More digits than TF32 has, and signs alike: errors of rounding do not cancel.
            let more = |items: Vec<f32>| items.into_iter().map(|item| item.abs() + 1.0 / 3.0).collect::<Vec<f32>>();
            let (a, b) = (more(a), more(b));
            let exact = exact(&a, &b, sides);
            let left = Dense::new(a, rows, depth).unwrap();
            let right = Dense::new(b, depth, columns).unwrap();
            let device = private(device);
            let launches = observed(&device);
            let product = |precision| {
                let product = device.tiled_gemm_rounded(&left, &right, &PlusTimes::new(), precision);
                product.unwrap().to_vec().unwrap()
            };
            let results = product(Precision::Tf32);
            let kernels = launches.lock().unwrap().iter().map(|launch| launch.0).collect::<Vec<_>>();
            assert_eq!(kernels[0], "gemm::multiply_fragments", "{name}, {shape:?}");
            assert_eq!(
                kernels.len(),
                if sliced { 2 } else { 1 },
                "{name}, {shape:?}: slices are folded by a second launch"
            );
            let largest = |results: &[f32]| {
                let gaps = results.iter().zip(&exact).map(|(&got, &(sum, size))| (f64::from(got) - sum).abs() / size);
                gaps.fold(0.0, f64::max)
            };
            let bound = |bits: i32| f64::from(depth) * 2f64.powi(bits);
            let (rounded, plain) = (largest(&results), largest(&product(Precision::F32)));
            assert!(rounded <= 2f64.powi(-10) + bound(-22), "{name}, {shape:?}: {rounded:e}");
            assert!(plain <= bound(-23), "{name}, {shape:?}: {plain:e}");
            // The errors of many factors cancel.
            let apart = if depth < 1000 { rounded > 4.0 * plain } else { rounded != plain };
            assert!(apart, "{name}, {shape:?}: {rounded:e} is no TF32, f32 has {plain:e}");
            assert_same(&product(Precision::Tf32), &results, &format!("{name}, {shape:?}, again"));
        }
    }
}

#[test]
fn infinities_and_nan_stay_in_their_rows_and_columns() {
    for (name, device) in with_units() {
        // The last row and column are brought again past the end, and lines past the depth are zeros.
        let (rows, depth, columns) = (37, 21, 45);
        let mut a = small(37 * 21, 10);
        a[36 * 21 + 20] = f32::INFINITY;
        a[3 * 21 + 2] = f32::NAN;
        let b: Vec<f32> = small(21 * 45, 11).into_iter().map(|item| item.abs() + 1.0).collect();
        let a = Dense::new(a, rows, depth).unwrap();
        let b = Dense::new(b, depth, columns).unwrap();
        let results = device.tiled_gemm_rounded(&a, &b, &PlusTimes::new(), Precision::Tf32).unwrap().to_vec().unwrap();
        for (place, result) in results.into_iter().enumerate() {
            match place / 45 {
                36 => assert_eq!(result, f32::INFINITY, "{name}, {place}"),
                3 => assert!(result.is_nan(), "{name}, {place}: {result}"),
                _ => assert!(result.is_finite(), "{name}, {place}: {result}"),
            }
        }
    }
}

/// A result's half, and whether the whole is high.
#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Found {
    half: f32,
    high: u32,
}

/// A product with an epilogue of two words.
#[derive(Clone, Debug, Operator)]
struct Judged {
    lowest: f32,
}

#[cube]
impl Monoid for Judged {
    type State = f32;

    fn identity(&self) -> f32 {
        0.0f32.runtime()
    }

    fn combine(&self, left: f32, right: f32) -> f32 {
        left + right
    }
}

#[cube]
impl Semiring<f32, f32> for Judged {
    fn multiply(&self, left: f32, right: f32) -> f32 {
        left * right
    }
}

#[cube]
impl Lower for Judged {
    type Output = Found;

    fn lower(&self, state: f32) -> Found {
        Found { half: state / 2.0f32, high: u32::cast_from(state >= self.lowest) }
    }
}

impl PlainProducts for Judged {}

#[test]
fn results_are_lowered_by_the_operator_whole_and_in_slices() {
    for (name, device) in with_units() {
        for [rows, depth, columns] in [[20u32, 0, 30], [50, 20, 70], [50, 3000, 70]] {
            let sides = [rows, depth, columns].map(|side| side as usize);
            let (a, b) = (small(sides[0] * sides[1], 12), small(sides[1] * sides[2], 13));
            let lower = |(sum, _): (f64, f64)| Found { half: sum as f32 / 2.0, high: u32::from(sum >= 3.0) };
            let expected: Vec<Found> = exact(&a, &b, sides).into_iter().map(lower).collect();
            let (a, b) = (Dense::new(a, rows, depth).unwrap(), Dense::new(b, depth, columns).unwrap());
            let product = device.tiled_gemm_rounded(&a, &b, &Judged { lowest: 3.0 }, Precision::Tf32).unwrap();
            assert_same(&product.to_vec().unwrap(), &expected, &format!("{name}, depth {depth}"));
        }
    }
}
