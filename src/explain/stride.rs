//! A copy whose neighbours read neighbouring items, every second or every 32nd: what of the memory's rate is left.

use std::time::Duration;

use cubecl::prelude::*;
use cubefold::prelude::*;

use super::measured::{Against, Course, Measurement, Row};
use super::plans::Plans;
use super::roofline::{copied, held, ramp};
use super::{Gpu, argument};
use crate::bench::{BenchError, Ready, Work, check};

/// Items between those that neighbours read, and the name of it.
const STRIDES: [(u32, &str); 3] = [(1, "stride 1"), (2, "stride 2"), (32, "stride 32")];

/// Units of a cube.
const UNITS: u32 = 256;

/// Unit `u` writes item `u` of the columns, one after another, of a row-major matrix of `rows × stride` items. Neighbours so read
/// items that lie `stride` apart, and every item is read and written once.
#[cube(launch_unchecked)]
fn copy_columns(items: &[f32], output: &mut [f32], rows: u32, stride: u32, len: u32) {
    let unit = CUBE_POS as u32 * CUBE_DIM + UNIT_POS;
    if unit < len {
        let column = unit / rows;
        let row = unit - column * rows;
        output[unit as usize] = items[(row * stride + column) as usize];
    }
}

/// The same through the library: an item for each index.
#[derive(Debug, Clone, Operator)]
struct Columns {
    items: Captured<f32>,
    rows: u32,
    stride: u32,
}

#[cube]
impl Mapping<Wide> for Columns {
    type Output = f32;

    fn map(&self, item: Wide) -> f32 {
        let column = item.low / self.rows;
        let row = item.low - column * self.rows;
        self.items[(row * self.stride + column) as usize]
    }
}

/// The copy at every stride, against that at stride 1.
pub(super) fn measure(course: &Course, plans: &Plans) -> Result<Measurement, BenchError> {
    let len = copied(course.scale, course.device.profile()) as u32;
    let items = ramp(course.device, len.into())?;
    let gpu = Gpu::of(course.device);
    let mut rows = Vec::new();
    for (stride, setting) in STRIDES {
        let ready = match &gpu {
            None => on_host(course.device, &items, stride)?,
            Some(gpu) => on_gpu(gpu, &items, stride, gpu.units(UNITS))?,
        };
        rows.push(course.time(setting, &ready, Work::Bytes(8 * u64::from(len)))?);
    }
    Ok(Measurement::new("stride", rows, Against::First, |rows| meaning(rows, plans)))
}

fn meaning(rows: &[Row], plans: &Plans) -> String {
    let left = rows.last().map_or(f64::NAN, |row| 100.0 * row.fraction);
    let run = match &plans.scan {
        None => "what is read together should lie together".to_owned(),
        Some(plan) => {
            format!("a unit of a scan takes {} neighbouring items at once, next to its neighbour's", plan.run)
        }
    };
    format!("neighbours that read 32 items apart move {left:.0} % of the bytes of stride 1: {run}")
}

/// The copy by cubes of so many units, compared and handed out.
pub(super) fn on_gpu(gpu: &Gpu, items: &Buffer<f32>, stride: u32, units: u32) -> Result<Ready, BenchError> {
    compare(&launch(gpu, items, stride, units)?, stride).map(|compared| {
        let (gpu, items, results) = (gpu.clone(), items.clone(), items.len() as u64);
        let call = Box::new(move || launch(&gpu, &items, stride, units).map(drop));
        Ready::new(Duration::ZERO, [compared, results], call)
    })
}

fn on_host(device: &Device, items: &Buffer<f32>, stride: u32) -> Result<Ready, BenchError> {
    let (len, device) = (items.len() as u64, device.clone());
    let columns = Columns { items: items.clone().into(), rows: len as u32 / stride, stride };
    let copy = move || device.collect(&Counter::new(len).map(columns.clone()));
    let compared = compare(&copy()?, stride)?;
    Ok(Ready::on_host(Duration::ZERO, [compared, len], move || {
        copy()?;
        Ok(())
    }))
}

/// Compares a copy with the ramp that it is of, read at a stride.
fn compare(results: &Buffer<f32>, stride: u32) -> Result<u64, BenchError> {
    let rows = results.len() / stride as usize;
    let expected = (0..results.len()).map(|unit| held((unit % rows * stride as usize + unit / rows) as u64));
    check::results(results, expected, 0.0)
}

fn launch(gpu: &Gpu, items: &Buffer<f32>, stride: u32, units: u32) -> Result<Buffer<f32>, BenchError> {
    let len = items.len() as u32;
    let output = gpu.results(len)?;
    // SAFETY: a unit below `len` reads an item of the `len / stride` rows of `stride` items, whose product is `len`, as both are
    // powers of two; and writes a result of as many.
    unsafe {
        copy_columns::launch_unchecked(
            &gpu.client,
            gpu.grid(len.div_ceil(units)),
            CubeDim::new_1d(units),
            argument(items),
            argument(&output),
            len / stride,
            stride,
            len,
        );
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stride_is_right_on_the_host_and_a_wrong_one_is_seen() {
        let device = Device::host();
        let items = ramp(&device, 1 << 10).expect("the host has room");
        for (stride, _) in STRIDES {
            assert!(on_host(&device, &items, stride).is_ok_and(|ready| ready.compared == 1 << 10));
        }
        assert!(matches!(compare(&items, 2), Err(BenchError::Wrong { index: 1, .. })));
    }
}
