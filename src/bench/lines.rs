//! Sums of the rows and of the columns of a matrix whose rows lie one after another. Bytes: the elements once.

use cubefold::ops::Sum;
use cubefold::prelude::*;
use cubefold::views::Dense;

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// Elements of a row that is summed.
const ROW: u64 = 4096;

/// Columns that are summed.
const COLUMNS: u64 = 20;

/// The sums of rows and of columns; none where other lengths are asked for.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (rows, column) = match extent.scale {
        Scale::Full => (16, 24),
        Scale::Small => (8, 15),
        Scale::Tiny => (2, 7),
    };
    let rows = of("sum f32, rows of 4096", ROW << rows, |device, items| rows_of(device, items as u32 / ROW as u32));
    let columns = of("sum f32, 20 columns", COLUMNS << column, |device, items| columns_of(device, items as u32 / 20));
    if extent.given() { Vec::new() } else { vec![rows, columns] }
}

fn of(operator: &'static str, items: u64, prepare: fn(&Device, u64) -> Result<Ready, BenchError>) -> Spec {
    Spec {
        operator,
        strategy: "Lines",
        length: items,
        work: Work::Bytes(4 * items),
        prepare: Box::new(move |device| prepare(device, items)),
    }
}

fn rows_of(device: &Device, rows: u32) -> Result<Ready, BenchError> {
    let items = input::exact((u64::from(rows) * ROW) as usize);
    let expected = items.chunks(ROW as usize).map(|row| row.iter().copied().map(f64::from).sum()).collect();
    let matrix = Dense::new(device.upload(&items)?, rows, ROW as u32)?;
    let home = device.clone();
    ready(device, expected, move || home.reduce_rows(&matrix, &Sum::<f32>::new()))
}

fn columns_of(device: &Device, rows: u32) -> Result<Ready, BenchError> {
    let items = input::exact((u64::from(rows) * COLUMNS) as usize);
    let mut expected = vec![0.0; COLUMNS as usize];
    for row in items.chunks(COLUMNS as usize) {
        expected.iter_mut().zip(row).for_each(|(sum, &item)| *sum += f64::from(item));
    }
    let matrix = Dense::new(device.upload(&items)?, rows, COLUMNS as u32)?;
    let home = device.clone();
    ready(device, expected, move || home.reduce_columns(&matrix, &Sum::<f32>::new()))
}

/// Compares all sums, none of which is rounded, and hands the call out.
fn ready(
    device: &Device,
    expected: Vec<f64>,
    call: impl Fn() -> Result<Buffer<f32>, Error> + Send + Sync + 'static,
) -> Result<Ready, BenchError> {
    let (sums, first) = measure::first(device, || Ok(call()?))?;
    let compared = check::results(&sums, expected.into_iter(), 0.0)?;
    Ok(Ready::new(first, [compared, sums.len() as u64], move || {
        call()?;
        Ok(())
    }))
}
