//! The sum within segments of random lengths: by offsets, by keys and by head flags, all of which lie on the device.

use cubefold::ops::Sum;
use cubefold::prelude::*;
use cubefold::{Error, ScanOptions, Strategy};

use super::super::{BenchError, Ready, Spec, check, input, measure};
use super::spec;

/// The mean length of segments; they are between 1 and twice as long.
const SEGMENT: usize = 1000;

/// The three ways to say where segments begin. Bytes: those of items and results alone.
pub fn specs(length: u64) -> [Spec; 3] {
    let lookback = Strategy::DecoupledLookback;
    [
        spec("sum f32, segments of 1000", lookback, length, |device, len, _| by_offsets(device, len)),
        spec("sum f32, segments of 1000 by keys", lookback, length, |device, len, _| by_keys(device, len)),
        spec("sum f32, segments of 1000 by heads", lookback, length, |device, len, _| by_heads(device, len)),
    ]
}

fn by_offsets(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let (source, marks) = (device.upload(&items)?, device.upload(&offsets(len))?);
    let home = device.clone();
    ready(device, items, move || home.scan_segments(&source, &marks, &Sum::<f32>::new(), &ScanOptions::default()))
}

fn by_keys(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let mut keys = vec![0u32; len];
    for (key, ends) in offsets(len).windows(2).enumerate() {
        keys[ends[0] as usize..ends[1] as usize].fill(key as u32);
    }
    let last = offsets(len).last().map_or(0, |&start| start as usize);
    keys[last..].fill(u32::MAX);
    let (source, marks) = (device.upload(&items)?, device.upload(&keys)?);
    let home = device.clone();
    ready(device, items, move || home.scan_by_key(&marks, &source, &Sum::<f32>::new(), &ScanOptions::default()))
}

fn by_heads(device: &Device, len: usize) -> Result<Ready, BenchError> {
    let items = input::exact(len);
    let mut heads = vec![0u32; len];
    for start in offsets(len) {
        heads[start as usize] = 1;
    }
    let (source, marks) = (device.upload(&items)?, device.upload(&heads)?);
    let home = device.clone();
    ready(device, items, move || home.scan_by_heads(&marks, &source, &Sum::<f32>::new(), &ScanOptions::default()))
}

/// Compares the results of `call` with a loop over `items`, and hands the call out.
fn ready(
    device: &Device,
    items: Vec<f32>,
    call: impl Fn() -> Result<Buffer<f32>, Error> + Send + Sync + 'static,
) -> Result<Ready, BenchError> {
    let offsets = offsets(items.len());
    let (mut running, mut segment) = (0.0, 0);
    let expected = items.iter().enumerate().map(|(index, &item)| {
        if offsets.get(segment).is_some_and(|&offset| offset as usize == index) {
            (running, segment) = (0.0, segment + 1);
        }
        running += f64::from(item);
        running
    });
    let (results, first) = measure::first(device, || Ok(call()?))?;
    let compared = check::results(&results, expected, 0.0)?;
    Ok(Ready::new(first, [compared, results.len() as u64], move || {
        call()?;
        Ok(())
    }))
}

/// Where segments begin, from 0 on.
fn offsets(len: usize) -> Vec<u32> {
    let lengths = input::positive(len.div_ceil(SEGMENT) * 2, 1);
    let mut start = 0;
    let starts = lengths.into_iter().map(|part| {
        let begin = start;
        start += 1 + (part * (2 * SEGMENT - 1) as f32) as u32;
        begin
    });
    starts.take_while(|&start| (start as usize) < len).collect()
}
