//! The catalogue: every operator's own source, on every device, against a plain loop over the same items.

use cubefold::ops::*;
use cubefold::prelude::*;
use cubefold::{Element, ScanOptions, Strategy, views};

use crate::devices::{devices, is_software};
use crate::oracle::{self, assert_close, assert_same};
use crate::samples::{floats, integers};

/// Nothing, one item, parts of a unit's run, of a cube and of a tile, and more than a tile.
const LENGTHS: [usize; 6] = [0, 1, 17, 300, 4097, 9000];

/// Reduces `items` on every device; results may be `tolerance` off, or not at all where it is 0.
fn check<T, O>(items: &[T], op: &O, tolerance: f64)
where
    T: State,
    O: Lift<T> + Lower<Output: std::fmt::Debug>,
{
    for (name, device) in devices() {
        for len in LENGTHS.into_iter().filter(|&len| len <= items.len()) {
            let folded = device.reduce(&items[..len], op).unwrap().to_vec().unwrap();
            let case = format!("reduce {} on {name}, {len} items", std::any::type_name::<O>());
            agree(&folded, &[oracle::reduce(&items[..len], op)], tolerance, &case);
        }
    }
}

/// The same for scans, by the strategy that lavapipe compiles fastest: all of them have tests of their own.
fn check_scan<T, O>(items: &[T], op: &O, tolerance: f64)
where
    T: State,
    O: Lift<T> + Lower<Output: std::fmt::Debug>,
{
    for (name, device) in devices() {
        for len in LENGTHS.into_iter().filter(|&len| len <= items.len()) {
            let scanned = scan(device, &items[..len], op);
            let case = format!("scan {} on {name}, {len} items", std::any::type_name::<O>());
            agree(&scanned, &oracle::scan(&items[..len], op, false), tolerance, &case);
        }
    }
}

fn scan<T: State, O: Lift<T> + Lower>(device: &Device, items: &[T], op: &O) -> Vec<O::Output> {
    let options = ScanOptions { strategy: Strategy::HillisSteele, ..ScanOptions::default() };
    device.scan_with(items, op, &options).unwrap().to_vec().unwrap()
}

fn agree<T: State + std::fmt::Debug>(got: &[T], expected: &[T], tolerance: f64, case: &str) {
    if tolerance == 0.0 {
        assert_same(got, expected, case);
    } else {
        assert_close(got, expected, tolerance, case);
    }
}

fn pairs<A: State, B: State>(left: impl IntoIterator<Item = A>, right: impl IntoIterator<Item = B>) -> Vec<Both<A, B>> {
    left.into_iter().zip(right).map(|(left, right)| Both { left, right }).collect()
}

fn indexed<T: State>(values: impl IntoIterator<Item = T>) -> Vec<Both<T, Wide>> {
    pairs(values, (0u64..).map(Wide::from))
}

/// Floats with ties and both infinities, and a NaN near the end.
fn wild(len: usize) -> Vec<f32> {
    let mut items = floats(len, 3);
    for (index, item) in items.iter_mut().enumerate() {
        match index % 101 {
            7 => *item = f32::INFINITY,
            8 => *item = f32::NEG_INFINITY,
            9 => *item = -0.5,
            _ => {}
        }
    }
    items[len - 10] = f32::NAN;
    items
}

#[test]
fn integer_operators_have_the_loops_bits() {
    let words = integers(9000, 1);
    let signed: Vec<i32> = words.iter().map(|word| word.cast_signed()).collect();
    check(&words, &Sum::<u32>::new(), 0.0);
    check(&words.iter().map(|word| word | 1).collect::<Vec<_>>(), &Product::<u32>::new(), 0.0);
    check(&signed, &Minimum::<i32>::new(), 0.0);
    check(&signed, &Maximum::<i32>::new(), 0.0);
    check(&words, &First::<u32>::new(), 0.0);
    check_scan(&words, &Last::<u32>::new(), 0.0);
    check(&pairs(words.clone(), wild(9000)), &Count, 0.0);
    check(&pairs(words.clone(), wild(9000)), &Last::new(), 0.0);
    let maps = pairs(words, integers(9000, 2));
    check(&maps, &Affine::<u32>::new(), 0.0);
    check_scan(&maps, &Affine::<u32>::new(), 0.0);
}

#[test]
fn selections_of_floats_have_the_loops_bits() {
    let items = wild(9000);
    check(&items, &Minimum::<f32>::new(), 0.0);
    check(&items, &Maximum::<f32>::new(), 0.0);
    check(&indexed(items.clone()), &ArgMinimum::<f32>::new(), 0.0);
    check(&indexed(items.clone()), &ArgMaximum::<f32>::new(), 0.0);
    check(&indexed(integers(9000, 4).iter().map(|word| word % 50)), &ArgMinimum::<u32>::new(), 0.0);
    check(&indexed(vec![f32::INFINITY; 300]), &ArgMinimum::<f32>::new(), 0.0);
    check(&indexed(vec![f32::NEG_INFINITY; 300]), &ArgMaximum::<f32>::new(), 0.0);
    check(&items, &First::<f32>::new(), 0.0);
}

/// Of f32 items, against f64 in two passes over the same items.
fn moments_are_close(items: &[f32]) {
    let count = items.len() as f64;
    let mean = items.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let variance = items.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    for (name, device) in devices() {
        let found = device.reduce(&items.to_vec(), &Moments::<f32>::new()).unwrap().get(0).unwrap();
        assert_eq!(u64::from(found.count), items.len() as u64, "{name}");
        for (found, expected) in [(found.mean(), mean), (found.variance(0), variance)] {
            let near = approx::relative_eq!(found, expected, max_relative = 1e-5);
            assert!(near, "{name}: {found} is not {expected}");
        }
    }
}

#[test]
fn sums_and_means_are_close_to_the_loops() {
    let items: Vec<f32> = floats(9000, 5).iter().map(|x| x + 3.0).collect();
    check(&items, &Sum::<f32>::new(), 1e-5);
    check(&items[..17].iter().map(|x| x / 3.0).collect::<Vec<_>>(), &Product::<f32>::new(), 1e-5);
    check(&items, &CompensatedSum::<f32>::new(), 1e-6);
    check(&items, &LogSumExp::<f32>::new(), 1e-5);
    moments_are_close(&items);
    check(&items[..300], &Moments4::<f32>::new(), 1e-3);
    check(&pairs(items.iter().map(|x| x / 5.0), items.clone()), &Affine::<f32>::new(), 1e-5);
    for start in [Start::First, Start::Zero, Start::Adjusted] {
        check(&items, &Ewma::new(0.05f32, start), 1e-5);
        check_scan(&items, &Ewma::new(0.05f32, start), 1e-5);
    }
}

#[test]
fn wide_floats_are_folded_where_the_device_has_them() {
    let items: Vec<f64> = floats(9000, 6).iter().map(|&x| f64::from(x) + 3.0).collect();
    for (name, device) in devices() {
        let wide = device.profile().is_none_or(|profile| profile.wide.f64);
        let folded = device.reduce(&items, &Moments::new());
        assert_eq!(folded.is_ok(), wide, "{name}");
        if let Ok(folded) = folded {
            let expected = oracle::reduce(&items, &Moments::<f64>::new());
            assert_close(&folded.to_vec().unwrap(), &[expected], 1e-11, name);
        }
    }
}

#[test]
fn adaptors_are_their_parts() {
    let words = integers(9000, 7);
    let sums_and_ends = Pair::new(Sum::<u32>::new(), Pair::new(First::<u32>::new(), Last::<u32>::new()));
    check(&words, &sums_and_ends, 0.0);
    let heads = words.iter().map(|word| u32::from(word % 37 == 0) * 5).collect::<Vec<_>>();
    check_scan(&pairs(heads.clone(), words.clone()), &Segmented::new(Sum::<u32>::new()), 0.0);
    check(&pairs(heads, indexed(wild(9000))), &Segmented::new(ArgMaximum::<f32>::new()), 0.0);
    let maps = pairs(words.iter().map(|word| word | 1), integers(9000, 8));
    check(&maps, &Opposite::new(Affine::<u32>::new()), 0.0);
}

#[test]
fn logarithms_of_nothing_are_minus_infinity_everywhere() {
    const NOTHING: f32 = f32::NEG_INFINITY;
    for (name, device) in devices() {
        let scan = |items: &[f32]| scan(device, items, &LogSumExp::new());
        let last = (2f32.exp() + 1f32.exp()).ln();
        assert_close(&scan(&[2.0, NOTHING, NOTHING, 1.0, NOTHING]), &[2.0, 2.0, 2.0, last, last], 1e-6, name);
        assert_same(&scan(&[NOTHING; 300]), &[NOTHING; 300], name);
        assert_same(&device.reduce::<[f32], _>(&[], &LogSumExp::new()).unwrap().to_vec().unwrap(), &[NOTHING], name);
    }
}

/// `item · b + c`, rounded twice.
#[derive(Clone, Operator)]
struct Line {
    b: f32,
    c: f32,
    hidden_zero: u32,
}

#[cube]
impl Mapping<f32> for Line {
    type Output = f32;

    fn map(&self, item: f32) -> f32 {
        multiply_then_add::<f32>(item, self.b, self.c, self.hidden_zero)
    }
}

#[test]
fn corrections_of_rounding_do_not_vanish() {
    let mut items = vec![0.1f32; 9000];
    items[0] = 1e8;
    items[8999] = -1e8;
    let exact = (f64::from(0.1f32) * 8998.0) as f32;
    for (name, device) in devices() {
        let sum = device.reduce(&items, &CompensatedSum::new()).unwrap().get(0).unwrap();
        assert!((sum - exact).abs() < 2e-3, "{name}: the correction of a sum vanished: {sum} is not {exact}");
        let plain = device.reduce(&items, &Sum::new()).unwrap().get(0).unwrap();
        assert!((plain - exact).abs() > 0.5, "{name}: a plain sum would do");
        let (a, b) = (1.0e8f32 / 3.0, 0.7f32);
        let line = Line { b, c: -(a * b), hidden_zero: 0 };
        let rest = device.reduce(&vec![a].map(line), &Sum::new()).unwrap().get(0).unwrap();
        assert_eq!(rest, 0.0, "{name}: a product was fused with the addition after it");
    }
}

#[test]
fn a_smoothed_constant_stays_exactly_constant() {
    for (name, device) in devices() {
        let long = if is_software(name) { 1 << 20 } else { 1 << 24 };
        for alpha in [1e-7f32, 1e-5] {
            for len in [5000, long] {
                let items = vec![0.1f32; len];
                let smoothed = device.scan(&items, &Ewma::new(alpha, Start::First)).unwrap().to_vec().unwrap();
                assert_same(&smoothed, &items, &format!("{name}, alpha {alpha}"));
            }
        }
    }
}

#[test]
fn missing_items_carry_the_last_mean() {
    let gaps = [f32::NAN, f32::NAN, 4.0, f32::NAN, 2.0, f32::NAN];
    for (name, device) in devices() {
        let rows = |start| device.scan(&gaps[..], &Ewma::new(0.5, start)).unwrap().to_vec().unwrap();
        assert_same(&rows(Start::First), &[f32::NAN, f32::NAN, 4.0, 4.0, 3.0, 3.0], name);
        assert_same(&rows(Start::Zero), &[0.0, 0.0, 2.0, 2.0, 2.0, 2.0], name);
        let mean = 8.0 / 3.0;
        assert_close(&rows(Start::Adjusted), &[f32::NAN, f32::NAN, 4.0, 4.0, mean, mean], 1e-6, name);
    }
}

/// Multiplies two matrices over `op` on every device, against three nested loops.
fn check_product<T, O>(left: &[T], right: &[T], [rows, depth, columns]: [u32; 3], op: &O, tolerance: f64)
where
    T: Element,
    O: Semiring<T, T> + Lower<Output: std::fmt::Debug>,
{
    let cell = |row: u32, column: u32| {
        let products =
            (0..depth).map(|k| op.multiply(left[(row * depth + k) as usize], right[(k * columns + column) as usize]));
        op.lower(products.fold(op.identity(), |sum, product| op.combine(sum, product)))
    };
    let expected: Vec<_> = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    let expected: Vec<_> = expected.into_iter().map(|(row, column)| cell(row, column)).collect();
    let a = views::Dense::new(left.to_vec(), rows, depth).unwrap();
    let b = views::Dense::new(right.to_vec(), depth, columns).unwrap();
    for (name, device) in devices() {
        let product = device.tiled_gemm(&a, &b, op).unwrap().to_vec().unwrap();
        assert_close(&product, &expected, tolerance, &format!("{} on {name}", std::any::type_name::<O>()));
    }
}

#[test]
fn semirings_multiply_as_three_loops_do() {
    let shape = [37, 21, 18];
    let (left, right) = (integers(37 * 21, 9), integers(21 * 18, 10));
    let unit = |words: &[u32]| words.iter().map(|word| (word >> 8) as f32 / (1 << 24) as f32).collect::<Vec<_>>();
    let (units, more_units) = (unit(&left), unit(&right));
    check_product(&left, &right, shape, &OrAnd, 0.0);
    check_product(&left, &right, shape, &PlusTimes::<u32>::new(), 0.0);
    check_product(&units, &more_units, shape, &PlusTimes::<f32>::new(), 1e-5);
    check_product(&units, &more_units, shape, &MaxTimes::<f32>::new(), 0.0);
    // Every fifth edge is missing.
    let holes = |items: &[f32], missing: f32| -> Vec<f32> {
        items.iter().enumerate().map(|(index, &x)| if index % 5 == 0 { missing } else { x - 0.5 }).collect()
    };
    let lengths = |missing| (holes(&units, missing), holes(&more_units, missing));
    let (a, b) = lengths(f32::INFINITY);
    check_product(&a, &b, shape, &MinPlus::<f32>::new(), 0.0);
    let (a, b) = lengths(f32::NEG_INFINITY);
    check_product(&a, &b, shape, &MaxPlus::<f32>::new(), 0.0);
    check_product(&a, &b, shape, &LogProb::<f32>::new(), 1e-5);
    let whole = |words: &[u32], missing: i32| -> Vec<i32> {
        words.iter().map(|&word| if word % 5 == 0 { missing } else { (word >> 8) as i32 - (1 << 23) }).collect()
    };
    check_product(&whole(&left, i32::MAX), &whole(&right, i32::MAX), shape, &MinPlus::<i32>::new(), 0.0);
    check_product(&whole(&left, i32::MIN), &whole(&right, i32::MIN), shape, &MaxPlus::<i32>::new(), 0.0);
}

#[test]
fn a_pair_that_no_path_joins_is_infinitely_far() {
    const FAR: f32 = f32::INFINITY;
    for (name, device) in devices() {
        let distance = |a: Vec<f32>, b: Vec<f32>| {
            let depth = a.len() as u32;
            let (a, b) = (views::Dense::new(a, 1, depth).unwrap(), views::Dense::new(b, depth, 1).unwrap());
            device.tiled_gemm(&a, &b, &MinPlus::new()).unwrap().get(0).unwrap()
        };
        assert_eq!(distance(vec![FAR, 3.0], vec![-2.0, FAR]), FAR, "{name}");
        assert_eq!(distance(vec![FAR; 40], vec![FAR; 40]), FAR, "{name}");
        // Opposite infinities: still no path.
        assert_eq!(distance(vec![FAR, FAR], vec![-FAR, -FAR]), FAR, "{name}");
        assert_eq!(distance(vec![FAR, 1.0], vec![-FAR, 1.0]), 2.0, "{name}");
    }
}
