//! Folds of a whole array: the sum, and count, mean and variance in one pass. Bytes: the items once.

use cubefold::Device;
use cubefold::ops::{Moments, Sum};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// The sum and the moments at growing lengths.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (sums, moments): (&[u32], &[u32]) = match extent.scale {
        Scale::Full => (&[10, 16, 20, 26, 28], &[26, 28]),
        Scale::Small => (&[10, 16, 20], &[20]),
        Scale::Tiny => (&[13], &[13]),
    };
    let sums = extent.powers(sums).into_iter().map(|length| spec("sum f32", length, sum));
    let moments = extent.powers(moments).into_iter().map(|length| spec("moments f32", length, self::moments));
    sums.chain(moments).collect()
}

fn spec(operator: &'static str, length: u64, prepare: fn(&Device, usize) -> Result<Ready, BenchError>) -> Spec {
    Spec {
        operator,
        strategy: "Tree",
        length,
        work: Work::Bytes(4 * length),
        prepare: Box::new(move |device| prepare(device, length as usize)),
    }
}

/// The host's sum of the same items has no rounding, and the device's has none either.
fn sum(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let expected: f64 = items.iter().copied().map(f64::from).sum();
    let buffer = device.upload(&items)?;
    let (got, first) = measure::first(device, || Ok(device.reduce(&buffer, &Sum::<f32>::new())?))?;
    check::close(0, got.get(0)?.into(), expected, 0.0)?;
    let device = device.clone();
    Ok(Ready::new(first, [1, 1], move || {
        device.reduce(&buffer, &Sum::<f32>::new())?;
        Ok(())
    }))
}

/// The count is exact; mean and variance are the host's in two passes, to 1e-5 of the standard deviation and of the
/// variance.
fn moments(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let (count, mean, variance) = moments_in_two_passes(&items);
    let buffer = device.upload(&items)?;
    let (got, first) = measure::first(device, || Ok(device.reduce(&buffer, &Moments::<f32>::new())?))?;
    let got = got.get(0)?;
    check::close(0, u64::from(got.count) as f64, count, 0.0)?;
    check::close(0, got.mean(), mean, 1e-5 * variance.sqrt())?;
    check::close(0, got.variance(0), variance, 1e-5 * variance)?;
    let device = device.clone();
    Ok(Ready::new(first, [1, 1], move || {
        device.reduce(&buffer, &Moments::<f32>::new())?;
        Ok(())
    }))
}

fn moments_in_two_passes(items: &[f32]) -> (f64, f64, f64) {
    let count = items.len() as f64;
    let values = || items.iter().copied().map(f64::from);
    let mean = values().sum::<f64>() / count;
    let squares: f64 = values().map(|value| (value - mean).powi(2)).sum();
    (count, mean, squares / count)
}
