//! The moving average of a table of prices, end to end: from the host's table to the host's table. Only the host's clock can
//! time that. Bytes: each price read and each average written once, in f64.

use cubefold::Device;
use cubefold::finance::{Decay, Init, Table, ema};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// Series side by side.
const COLUMNS: usize = 20;

/// How the averages forget.
const SPAN: f64 = 50.0;

/// How far an average may be off, relatively: sums of f32 on devices.
const TOLERANCE: f64 = 1e-5;

/// Growing numbers of rows of 20 columns.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let rows: &[u32] = match extent.scale {
        Scale::Full => &[10, 14, 18, 20],
        Scale::Small => &[10, 14],
        Scale::Tiny => &[6],
    };
    extent.powers(rows).into_iter().map(|rows| spec(rows as usize)).collect()
}

fn spec(rows: usize) -> Spec {
    Spec {
        operator: "EMA of 20 columns",
        strategy: "Auto",
        length: rows as u64,
        work: Work::Bytes((2 * 8 * rows * COLUMNS) as u64),
        prepare: Box::new(move |device| prepare(device, rows)),
    }
}

/// Every average is that of the recurrence in f64.
fn prepare(device: &Device, rows: usize) -> Result<Ready, BenchError> {
    let prices = input::table(rows, COLUMNS, 100.0)?;
    let (averages, first) = measure::first(device, || average(device, &prices))?;
    let alpha = 2.0 / (SPAN + 1.0);
    for column in 0..COLUMNS {
        let mut expected = prices.value(0, column);
        for row in 0..rows {
            expected += alpha * (prices.value(row, column) - expected);
            let got = averages.value(row, column);
            check::close(row * COLUMNS + column, got, expected, TOLERANCE * expected)?;
        }
    }
    let device = device.clone();
    let results = (rows * COLUMNS) as u64;
    Ok(Ready::on_host(first, [results; 2], move || average(&device, &prices).map(|_| ())))
}

fn average(device: &Device, prices: &Table) -> Result<Table, BenchError> {
    Ok(ema(device, prices, Decay::Span(SPAN), Init::First)?)
}
