//! Running folds: the sum by every strategy, three operators for one moving average, one of them down many columns, a state of 16
//! bytes, the sum of segments, a sliding maximum, and a plain copy, which moves as many bytes as a scan must and is the
//! roofline.

mod operators;
mod segments;

use std::collections::VecDeque;

use cubefold::ops::{Affine, Ewma, Maximum, Start, Sum};
use cubefold::prelude::*;
use cubefold::{Lift, Lower, ScanOptions, Strategy};

use operators::{Candles, PowerAverage, Step};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// The weight of the newest item in the moving averages.
const ALPHA: f32 = 0.2;

/// How far a moving average of items in ±1/2 may be off: some hundred roundings of f32.
const AVERAGE_TOLERANCE: f64 = 1e-5;

/// Items of a sliding window.
const WINDOW: usize = 64;

/// Columns of the matrix that is scanned from top to bottom.
const COLUMNS: usize = 20;

const STRATEGIES: [Strategy; 3] = [Strategy::HillisSteele, Strategy::Blelloch, Strategy::DecoupledLookback];

/// The sum at growing lengths, by look-back also at the longest; moving averages at two lengths, the others at one.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (longest, once, rows) = match extent.scale {
        Scale::Full => (Some(28), 26, 22),
        Scale::Small => (None, 20, 15),
        Scale::Tiny => (None, 13, 9),
    };
    let lookback = Strategy::DecoupledLookback;
    let longest = longest.filter(|_| !extent.given()).map(|bits: u32| 1 << bits);
    let (sums, once, rows) = (extent.powers(sums(extent.scale)), extent.powers(&[once]), extent.powers(&[rows]));
    let mut specs = Vec::new();
    for strategy in STRATEGIES {
        let longest = longest.filter(|_| strategy == lookback);
        specs.extend(sums.iter().copied().chain(longest).map(|length| spec("sum f32", strategy, length, sum)));
    }
    for length in once.iter().copied().chain(longest) {
        specs.push(spec("sum f32, reproducible", lookback, length, reproducible));
        specs.push(spec("EMA f32 (Ewma)", lookback, length, ewma));
        specs.push(spec("EMA f32 (Affine)", lookback, length, affine));
        let copy = spec("copy f32", lookback, length, |device, len, _| copy(device, len));
        specs.push(Spec { strategy: "Collect", ..copy });
    }
    for &length in &once {
        specs.push(spec("EMA f32 (power)", lookback, length, power));
        specs.push(spec("candle of four f32", lookback, length, candles));
        specs.extend(segments::specs(length));
        let slide = spec("maximum of 64 f32", lookback, length, |device, len, _| slide(device, len));
        specs.push(Spec { strategy: "Sliding", ..slide });
    }
    for &rows in rows.iter().filter(|_| !extent.given()) {
        let length = COLUMNS as u64 * rows;
        let down = spec("EMA f32 (Affine), 20 columns", lookback, rows, |device, rows, _| columns(device, rows));
        specs.push(Spec { length, work: Work::Bytes(8 * length), ..down });
    }
    specs
}

/// Powers of two at which sums are timed.
fn sums(scale: Scale) -> &'static [u32] {
    match scale {
        Scale::Full => &[10, 16, 20, 24, 26],
        Scale::Small => &[10, 16, 20],
        Scale::Tiny => &[13],
    }
}

/// The sum by a loop on one processor: what a scan on many has to beat.
pub fn sequential(extent: &Extent) -> Vec<Spec> {
    let of = |length| spec("sum f32", Strategy::Auto, length, |device, len, _| one_after_another(device, len));
    extent.powers(sums(extent.scale)).into_iter().map(|length| Spec { strategy: "Sequential", ..of(length) }).collect()
}

fn one_after_another(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let loop_over = move || {
        let mut running = 0.0f32;
        let sums = items.iter().map(|&item| {
            running += item;
            running
        });
        sums.collect::<Vec<f32>>()
    };
    let (sums, first) = measure::first(device, || Ok(loop_over()))?;
    let mut running = 0.0;
    for (index, item) in input::exact(len).into_iter().enumerate() {
        running += f64::from(item);
        check::close(index, sums[index].into(), running, 0.0)?;
    }
    Ok(Ready::new(first, [len as u64; 2], move || {
        std::hint::black_box(loop_over());
        Ok(())
    }))
}

fn spec(
    operator: &'static str,
    strategy: Strategy,
    length: u64,
    prepare: fn(&Device, usize, Strategy) -> Result<Ready, BenchError>,
) -> Spec {
    Spec {
        operator,
        strategy: strategy.name(),
        length,
        work: Work::Bytes(8 * length),
        prepare: Box::new(move |device| prepare(device, length as usize, strategy)),
    }
}

fn sum(device: &Device, len: usize, strategy: Strategy) -> Result<Ready, BenchError> {
    running_sum(device, len, ScanOptions { strategy, ..ScanOptions::default() })
}

/// The same with one combine tree on every device.
fn reproducible(device: &Device, len: usize, strategy: Strategy) -> Result<Ready, BenchError> {
    running_sum(device, len, ScanOptions { strategy, reproducible: true, ..ScanOptions::default() })
}

/// The host's running sum has no rounding, and the device's has none either.
fn running_sum(device: &Device, len: usize, options: ScanOptions) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let mut running = 0.0;
    let expected = items.iter().map(|&item| {
        running += f64::from(item);
        running
    });
    let source = device.upload(&items)?;
    scan_with(device, source, Sum::<f32>::new(), options, expected, 0.0)
}

/// The candle of all prices so far.
fn candles(device: &Device, len: usize, strategy: Strategy) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let open = items.first().copied().map_or(0.0, f64::from);
    let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
    let expected = items.iter().map(|&item| {
        let close = f64::from(item);
        (high, low) = (high.max(close), low.min(close));
        if high > low { (close - open) / (high - low) } else { 0.0 }
    });
    let source = device.upload(&items)?;
    scan(device, source, Candles, strategy, expected, 1e-6)
}

/// `y <- (1 − α) y + α x` from the first item.
fn ewma(device: &Device, len: usize, strategy: Strategy) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let first = items.first().copied().map_or(0.0, f64::from);
    let expected = average(&items, first);
    let op = Ewma::new(ALPHA, Start::First);
    let source = device.upload(&items)?;
    scan(device, source, op, strategy, expected, AVERAGE_TOLERANCE)
}

/// The same from zero, over pairs that are made as the items are read.
fn affine(device: &Device, len: usize, strategy: Strategy) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let expected = average(&items, 0.0);
    let source = device.upload(&items)?.map(Step { alpha: ALPHA });
    let op = Affine::<f32>::new();
    scan(device, source, op, strategy, expected, AVERAGE_TOLERANCE)
}

/// The same over pairs of value and length, with a power in every combine.
fn power(device: &Device, len: usize, strategy: Strategy) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let expected = average(&items, 0.0);
    let source = device.upload(&items)?;
    scan(device, source, PowerAverage { alpha: ALPHA }, strategy, expected, AVERAGE_TOLERANCE)
}

/// The same down every column of a row-major matrix.
fn columns(device: &Device, rows: usize) -> Result<Ready, BenchError> {
    let items = input::centred(rows * COLUMNS, 0);
    let source = device.upload(&items)?.map(Step { alpha: ALPHA });
    let matrix = Dense::new(source, rows as u32, COLUMNS as u32)?;
    let mut averages = [0.0; COLUMNS];
    let expected = items.iter().enumerate().map(|(index, &item)| {
        let value = &mut averages[index % COLUMNS];
        *value += f64::from(ALPHA) * (f64::from(item) - *value);
        *value
    });
    let (results, first) = measure::first(device, || Ok(device.scan_columns(&matrix, &Affine::<f32>::new())?))?;
    let compared = check::results(&results, expected, AVERAGE_TOLERANCE)?;
    let device = device.clone();
    Ok(Ready::new(first, [compared, results.len() as u64], move || {
        device.scan_columns(&matrix, &Affine::<f32>::new())?;
        Ok(())
    }))
}

/// The recurrence, one item after another, in f64 with the device's α.
fn average(items: &[f32], start: f64) -> impl ExactSizeIterator<Item = f64> {
    let (alpha, mut value) = (f64::from(ALPHA), start);
    items.iter().map(move |&item| {
        value += alpha * (f64::from(item) - value);
        value
    })
}

/// Scans once, compares, and hands out the same call.
fn scan<S, O>(
    device: &Device,
    source: S,
    op: O,
    strategy: Strategy,
    expected: impl ExactSizeIterator<Item = f64>,
    tolerance: f64,
) -> Result<Ready, BenchError>
where
    S: Source + Send + Sync + 'static,
    O: Lift<S::Item> + Lower<Output = f32>,
{
    scan_with(device, source, op, ScanOptions { strategy, ..ScanOptions::default() }, expected, tolerance)
}

fn scan_with<S, O>(
    device: &Device,
    source: S,
    op: O,
    options: ScanOptions,
    expected: impl ExactSizeIterator<Item = f64>,
    tolerance: f64,
) -> Result<Ready, BenchError>
where
    S: Source + Send + Sync + 'static,
    O: Lift<S::Item> + Lower<Output = f32>,
{
    let plan = device.explain_scan::<S, O>(source.len(), &options)?;
    let (results, first) = measure::first(device, || Ok(device.scan_with(&source, &op, &options)?))?;
    let compared = check::results(&results, expected, tolerance)?;
    let device = device.clone();
    let ready = Ready::new(first, [compared, results.len() as u64], move || {
        device.scan_with(&source, &op, &options)?;
        Ok(())
    });
    Ok(Ready { cost: plan.map(|plan| [plan.combines, plan.steps]), ..ready })
}

/// The largest of every window.
fn slide(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let source = device.upload(&items)?;
    let (results, first) =
        measure::first(device, || Ok(device.sliding(&source, WINDOW as u64, &Maximum::<f32>::new())?))?;
    let compared = check::results(&results, largest(&items), 0.0)?;
    let device = device.clone();
    Ok(Ready::new(first, [compared, results.len() as u64], move || {
        device.sliding(&source, WINDOW as u64, &Maximum::<f32>::new())?;
        Ok(())
    }))
}

/// The largest of every window, by a queue of those that are still to be one.
fn largest(items: &[f32]) -> impl ExactSizeIterator<Item = f64> {
    let mut queue: VecDeque<usize> = VecDeque::new();
    (0..items.len()).map(move |row| {
        while queue.back().is_some_and(|&last| items[last] <= items[row]) {
            queue.pop_back();
        }
        queue.push_back(row);
        if queue[0] + WINDOW <= row {
            queue.pop_front();
        }
        f64::from(items[queue[0]])
    })
}

/// Every item read and written once.
fn copy(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let buffer = device.upload(&items)?;
    let expected = items.iter().copied().map(f64::from);
    let (results, first) = measure::first(device, || Ok(device.collect(&buffer)?))?;
    let compared = check::results(&results, expected, 0.0)?;
    let device = device.clone();
    Ok(Ready::new(first, [compared, len as u64], move || {
        device.collect(&buffer)?;
        Ok(())
    }))
}
