//! What is made of the primitives beside them: items kept by a condition, and items counted by bin.

use cubefold::prelude::*;
use cubefold::{Error, Outside};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// Bins of the histogram.
const BINS: u32 = 256;

/// Whether an item lies above 0, as every second one does.
#[derive(Debug, Clone, Operator)]
struct Positive;

#[cube]
impl Mapping<f32> for Positive {
    type Output = u32;

    fn map(&self, item: f32) -> u32 {
        select(item > 0.0f32, 1u32, 0u32)
    }
}

/// The bin of an item in [−1/2, 1/2).
#[derive(Debug, Clone, Operator)]
struct Bin;

#[cube]
impl Mapping<f32> for Bin {
    type Output = u32;

    fn map(&self, item: f32) -> u32 {
        ((item + 0.5f32) * 256.0f32) as u32
    }
}

/// Half of the items kept; all of them counted. Bytes: the items once, and those kept once more.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let usual: &[u32] = match extent.scale {
        Scale::Full => &[26],
        Scale::Small => &[20],
        Scale::Tiny => &[13],
    };
    let lengths = extent.powers(usual);
    let of = |operator, strategy, bytes: u64, prepare: fn(&Device, usize) -> Result<Ready, BenchError>| {
        lengths.iter().map(move |&length| Spec {
            operator,
            strategy,
            length,
            work: Work::Bytes(bytes * length),
            prepare: Box::new(move |device| prepare(device, length as usize)),
        })
    };
    of("select f32, one in two", "Select", 6, kept)
        .chain(of("histogram f32, 256 bins", "Histogram", 4, counted))
        .collect()
}

fn kept(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let source = device.upload(&items)?;
    let (found, first) = measure::first(device, || Ok(device.select(&source, &Positive)?))?;
    let expected: Vec<f64> = items.iter().filter(|item| **item > 0.0).copied().map(f64::from).collect();
    let compared = check::results(&found.into_buffer()?, expected.into_iter(), 0.0)?;
    let home = device.clone();
    Ok(Ready::new(first, [compared; 2], move || {
        home.select(&source, &Positive)?;
        Ok(())
    }))
}

fn counted(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::centred(len, 0);
    let source = device.upload(&items)?;
    let home = device.clone();
    let call = move || -> Result<Buffer<Wide>, Error> { home.histogram(&source, &Bin, BINS, Outside::Ignore) };
    let (counts, first) = measure::first(device, || Ok(call()?))?;
    let mut expected = vec![0u64; BINS as usize];
    for item in items {
        expected[((item + 0.5) * BINS as f32) as usize] += 1;
    }
    for (bin, (found, expected)) in counts.to_vec()?.into_iter().zip(expected).enumerate() {
        check::close(bin, u64::from(found) as f64, expected as f64, 0.0)?;
    }
    Ok(Ready::new(first, [u64::from(BINS); 2], move || {
        call()?;
        Ok(())
    }))
}
