//! Products of square f32 matrices: plus-times by every strategy, and min-plus; and of a tall matrix with itself.

use cubefold::ops::{MinPlus, PlusTimes};
use cubefold::views::Dense;
use cubefold::{Buffer, Device, Error, GemmStrategy, Precision};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// Sides up to which every row of the product is compared.
const ALL_ROWS: usize = 256;

/// Rows that are compared of larger products, from the first to the last.
const SOME_ROWS: usize = 32;

/// How far an f32 sum of products may be off, relative to the sum of their sizes. A product that is left out is
/// about 1/m of that, 2e-4 for the largest m here.
const SUM_TOLERANCE: f64 = 1e-6;

/// How far a sum of products of factors rounded to TF32 may be off, relative to the root of the sum of their squares: eight of its
/// deviations. A product that is left out is 1/√m of that root, five times as much for the largest m here.
const ROUNDED_TOLERANCE: f64 = 8.0 * 4e-4;

/// Plus-times at growing sides for every strategy, the largest for the blocks alone, and in TF32; min-plus for the largest tile and for
/// blocks; two tall matrices.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    use GemmStrategy::{RegisterBlocked, Tiled32};
    let (sides, largest, tall): (&[u32], Option<u32>, &[Tall]) = match extent.scale {
        Scale::Full => (&[256, 1024, 2048], Some(4096), &TALL),
        Scale::Small => (&[128, 256, 512], None, &TALL[..1]),
        Scale::Tiny => (&[72], None, &[]),
    };
    let (given, sides) = (extent.given(), extent.lengths(sides.iter().copied().map(u64::from)));
    let largest = largest.filter(|_| !given).map(u64::from);
    let tall = if given { &[] } else { tall };
    let mut specs = Vec::new();
    for strategy in GemmStrategy::NAMED {
        let largest = largest.filter(|_| strategy == RegisterBlocked);
        let sides = sides.iter().copied().chain(largest);
        specs.extend(sides.map(|side| spec("plus-times f32", side, strategy, plus_times)));
    }
    let largest_too = sides.iter().copied().chain(largest);
    specs.extend(largest_too.map(|side| Spec {
        strategy: "Tf32",
        prepare: Box::new(move |device| plus_times_tf32(device, side as u32)),
        ..spec("plus-times f32", side, RegisterBlocked, plus_times)
    }));
    for strategy in [Tiled32, RegisterBlocked] {
        let largest = largest.filter(|_| strategy == RegisterBlocked);
        let sides = sides.iter().copied().chain(largest);
        specs.extend(sides.map(|side| spec("min-plus f32", side, strategy, min_plus)));
    }
    specs.extend(tall.iter().map(|&tall| Spec {
        operator: tall.name,
        work: Work::Operations(2 * u64::from(tall.columns).pow(2) * u64::from(tall.rows)),
        prepare: Box::new(move |device| gram(device, tall)),
        ..spec(tall.name, tall.columns.into(), tall.strategy, plus_times)
    }));
    specs
}

/// A matrix of many observations (rows) of some variables, as a covariance multiplies it with itself.
#[derive(Debug, Clone, Copy)]
struct Tall {
    name: &'static str,
    rows: u32,
    columns: u32,
    strategy: GemmStrategy,
}

const TALL: [Tall; 2] = [
    Tall { name: "XᵀX f32, 2,520 rows", rows: 2520, columns: 500, strategy: GemmStrategy::SplitK },
    Tall { name: "XᵀX f32, 100,000 rows", rows: 100_000, columns: 2000, strategy: GemmStrategy::SplitK },
];

fn spec(
    operator: &'static str,
    side: u64,
    strategy: GemmStrategy,
    prepare: fn(&Device, u32, GemmStrategy) -> Result<Ready, BenchError>,
) -> Spec {
    Spec {
        operator,
        strategy: strategy.name(),
        length: side,
        work: Work::Operations(2 * side.pow(3)),
        prepare: Box::new(move |device| prepare(device, side as u32, strategy)),
    }
}

fn plus_times(device: &Device, side: u32, strategy: GemmStrategy) -> Result<Ready, BenchError> {
    let elements = (side * side) as usize;
    let factors = [input::centred(elements, 1), input::centred(elements, 2)];
    let op = PlusTimes::<f32>::new();
    product(device, side, factors, sums_of_products, move |device, a, b| device.tiled_gemm_with(a, b, &op, strategy))
}

fn plus_times_tf32(device: &Device, side: u32) -> Result<Ready, BenchError> {
    let elements = (side * side) as usize;
    let factors = [input::centred(elements, 1), input::centred(elements, 2)];
    let op = PlusTimes::<f32>::new();
    product(device, side, factors, rounded_sums_of_products, move |device, a, b| {
        device.tiled_gemm_rounded(a, b, &op, Precision::Tf32)
    })
}

fn min_plus(device: &Device, side: u32, strategy: GemmStrategy) -> Result<Ready, BenchError> {
    let elements = (side * side) as usize;
    let factors = [input::positive(elements, 1), input::positive(elements, 2)];
    let op = MinPlus::<f32>::new();
    product(device, side, factors, shortest_paths, move |device, a, b| device.tiled_gemm_with(a, b, &op, strategy))
}

/// `XᵀX`, of which some rows are compared with sums in f64, to a few times what f32 rounds in so long a sum.
fn gram(device: &Device, tall: Tall) -> Result<Ready, BenchError> {
    let (rows, columns) = (tall.rows as usize, tall.columns as usize);
    let tolerance = 4.0 * f64::from(f32::EPSILON) / 2.0 * f64::from(tall.rows).sqrt();
    let items = input::centred(rows * columns, 3);
    let matrix = Dense::new(device.upload(&items)?, tall.rows, tall.columns)?;
    let op = PlusTimes::<f32>::new();
    let (found, first) = measure::first(device, || Ok(device.gram_with(&matrix, &op, tall.strategy)?))?;
    let results = found.to_vec()?;
    for row in [0, columns / 2, columns - 1] {
        let mut sums = vec![(0.0, 0.0); columns];
        for line in items.chunks_exact(columns) {
            for (sum, &item) in sums.iter_mut().zip(line) {
                let term = f64::from(line[row]) * f64::from(item);
                *sum = (sum.0 + term, sum.1 + term.abs() * tolerance);
            }
        }
        for (column, (expected, tolerance)) in sums.into_iter().enumerate() {
            let index = row * columns + column;
            check::close(index, results[index].into(), expected, tolerance)?;
        }
    }
    let device = device.clone();
    Ok(Ready::new(first, [3 * columns as u64, results.len() as u64], move || {
        device.gram_with(&matrix, &op, tall.strategy)?;
        Ok(())
    }))
}

/// What a row of the product must be, each with its tolerance: from a row of the left factor and all of the right one.
type Oracle = fn(&[f32], &[f32]) -> Vec<(f64, f64)>;

/// In f64.
fn sums_of_products(left: &[f32], right: &[f32]) -> Vec<(f64, f64)> {
    sums(left, right, |term| term.abs() * SUM_TOLERANCE)
}

/// In f64, of factors that were rounded.
fn rounded_sums_of_products(left: &[f32], right: &[f32]) -> Vec<(f64, f64)> {
    let squares = sums(left, right, |term| term * term);
    squares.into_iter().map(|(sum, squares)| (sum, squares.sqrt() * ROUNDED_TOLERANCE)).collect()
}

/// The sums of a row's products, each with the sum of what `size` makes of them.
fn sums(left: &[f32], right: &[f32], size: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); left.len()];
    for (&a, row) in left.iter().zip(right.chunks_exact(left.len())) {
        for ((sum, sizes), &b) in sums.iter_mut().zip(row) {
            let term = f64::from(a) * f64::from(b);
            *sum += term;
            *sizes += size(term);
        }
    }
    sums
}

/// In f32, whose rounding of the one addition every device has too.
fn shortest_paths(left: &[f32], right: &[f32]) -> Vec<(f64, f64)> {
    let mut shortest = vec![f32::INFINITY; left.len()];
    for (&a, row) in left.iter().zip(right.chunks_exact(left.len())) {
        for (path, &b) in shortest.iter_mut().zip(row) {
            *path = path.min(a + b);
        }
    }
    shortest.into_iter().map(|path| (path.into(), 0.0)).collect()
}

/// A factor on a device.
type Factor = Dense<Buffer<f32>>;

/// Multiplies once, compares rows, and hands out the same call.
fn product(
    device: &Device,
    side: u32,
    [left, right]: [Vec<f32>; 2],
    oracle: Oracle,
    multiply: impl Fn(&Device, &Factor, &Factor) -> Result<Buffer<f32>, Error> + Send + Sync + 'static,
) -> Result<Ready, BenchError> {
    let a = Dense::new(device.upload(&left)?, side, side)?;
    let b = Dense::new(device.upload(&right)?, side, side)?;
    let (found, first) = measure::first(device, || Ok(multiply(device, &a, &b)?))?;
    let results = found.to_vec()?;
    let side = side as usize;
    let rows = compared_rows(side);
    for &row in &rows {
        let expected = oracle(&left[row * side..][..side], &right);
        for (column, (expected, tolerance)) in expected.into_iter().enumerate() {
            let index = row * side + column;
            check::close(index, results[index].into(), expected, tolerance)?;
        }
    }
    let device = device.clone();
    Ok(Ready::new(first, [(rows.len() * side) as u64, results.len() as u64], move || {
        multiply(&device, &a, &b)?;
        Ok(())
    }))
}

fn compared_rows(side: usize) -> Vec<usize> {
    if side <= ALL_ROWS {
        (0..side).collect()
    } else {
        (0..SOME_ROWS).map(|row| row * (side - 1) / (SOME_ROWS - 1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_row_are_compared() {
        assert_eq!(compared_rows(3), [0, 1, 2]);
        let rows = compared_rows(2048);
        assert_eq!((rows.len(), rows[0], rows[31]), (32, 0, 2047));
    }

    #[test]
    fn the_oracles_are_right_by_hand_and_see_a_term_that_is_left_out() {
        let right = [5.0, 6.0, 7.0, 8.0];
        let sums = sums_of_products(&[1.0, 2.0], &right);
        assert_eq!(sums.iter().map(|sum| sum.0).collect::<Vec<_>>(), [19.0, 22.0]);
        assert!(sums.iter().all(|sum| sum.1 < 1e-4));
        let rounded = rounded_sums_of_products(&[1.0, 2.0], &right);
        assert_eq!(rounded[1].0, 22.0);
        assert!((rounded[1].1 - ROUNDED_TOLERANCE * 292f64.sqrt()).abs() < 1e-12, "6² + 16²");
        assert!(ROUNDED_TOLERANCE * 4096f64.sqrt() < 0.25, "a term of the usual size is more than what is let pass");
        let paths = shortest_paths(&[4.0, 1.0], &right);
        assert_eq!(paths, [(8.0, 0.0), (9.0, 0.0)]);
    }
}
