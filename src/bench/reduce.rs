//! Folds of a whole array: the sum, and count, mean and variance in one pass. Bytes: the items once.

use cubefold::Device;
use cubefold::ops::{Moments, Sum};

use super::{BenchError, Ready, Scale, Spec, Work, check, input};

/// The sum at growing lengths, the moments at one.
pub fn specs(scale: Scale) -> Vec<Spec> {
    let (sums, moments): (&[u32], u32) = match scale {
        Scale::Full => (&[10, 16, 20, 26, 28], 26),
        Scale::Small => (&[10, 16, 20], 20),
        Scale::Tiny => (&[13], 13),
    };
    let sums = sums.iter().map(|&bits| spec("sum f32", bits, sum));
    sums.chain([spec("moments f32", moments, self::moments)]).collect()
}

fn spec(operator: &'static str, bits: u32, prepare: fn(&Device, usize) -> Result<Ready, BenchError>) -> Spec {
    let length = 1u64 << bits;
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
    let got = device.reduce(&buffer, &Sum::<f32>::new())?.get(0)?;
    check::close(0, got.into(), expected, 0.0)?;
    let device = device.clone();
    Ok(ready(move || {
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
    let got = device.reduce(&buffer, &Moments::<f32>::new())?.get(0)?;
    check::close(0, u64::from(got.count) as f64, count, 0.0)?;
    check::close(0, got.mean(), mean, 1e-5 * variance.sqrt())?;
    check::close(0, got.variance(0), variance, 1e-5 * variance)?;
    let device = device.clone();
    Ok(ready(move || {
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

fn ready(call: impl Fn() -> Result<(), BenchError> + Send + Sync + 'static) -> Ready {
    Ready { call: Box::new(call), ends_on_host: false, compared: 1, results: 1 }
}
