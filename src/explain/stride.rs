//! A copy whose neighbours read neighbouring items, every second or every 32nd: what of the memory's rate is left.

use cubecl::prelude::*;
use cubefold::prelude::*;

use super::measured::{Against, Course, Measurement, Row, compared};
use super::plans::Plans;
use super::roofline::{copied, held, ramp};
use super::{Gpu, launch};
use crate::bench::{BenchError, Ready, Work};

/// Items between those that neighbours read, and the name of it.
const STRIDES: [(u32, &str); 3] = [(1, "stride 1"), (2, "stride 2"), (32, "stride 32")];

/// Units of a cube.
const UNITS: u32 = 256;

/// Unit `u` writes item `u` of the columns, one after another, of a row-major matrix of `rows × stride` items. Neighbours so read
/// items that lie `stride` apart, and every item is read and written once.
#[cube(launch_unchecked)]
pub fn copy_columns(items: &[f32], output: &mut [f32], rows: u32, stride: u32, len: u32) {
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
    let (gpu, items) = (gpu.clone(), items.clone());
    compared(expected(items.len(), stride), move || launch::copy(&gpu, &items, stride, units))
}

fn on_host(device: &Device, items: &Buffer<f32>, stride: u32) -> Result<Ready, BenchError> {
    let (len, device) = (items.len() as u64, device.clone());
    let columns = Columns { items: items.clone().into(), rows: len as u32 / stride, stride };
    compared(expected(items.len(), stride), move || Ok(device.collect(&Counter::new(len).map(columns.clone()))?))
}

/// A copy of a ramp of `len` items, read at a stride.
fn expected(len: usize, stride: u32) -> impl ExactSizeIterator<Item = f64> {
    let stride = stride as usize;
    let rows = len / stride;
    (0..len).map(move |unit| held((unit % rows * stride + unit / rows) as u64))
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
        let wrong = compared(expected(items.len(), 2), move || Ok(items.clone()));
        assert!(matches!(wrong, Err(BenchError::Wrong { index: 1, .. })));
    }
}
