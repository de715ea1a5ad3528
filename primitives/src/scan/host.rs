//! The host's scan: fixed chunks on rayon.

use std::array::from_fn;

use super::blueprint::Kind;
use crate::collect::host::filled;
use crate::reduce::host::{ABREAST, CHUNK, abreast, fold_chunks};
use crate::views::HostView;
use crate::{Error, Lift, Lower};

/// The length of a result that the host's memory can address.
pub fn addressable(len: u64) -> Result<u64, Error> {
    let limit = isize::MAX as u64;
    if len > limit { Err(Error::TooLong { what: "the host's memory", len, limit }) } else { Ok(len) }
}

/// Scans all `len` items of `view`.
pub fn scan<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, op: &O, kind: Kind) -> Vec<O::Output> {
    let chunks = len.div_ceil(CHUNK);
    // Every chunk but the last is folded first,
    let totals = fold_chunks(view, len, chunks.saturating_sub(1), op);
    // the totals are scanned,
    let mut before = Vec::with_capacity(chunks as usize);
    let mut running = op.identity();
    before.push(running);
    for total in totals {
        running = op.combine(running, total);
        before.push(running);
    }
    // and each chunk goes on from its prefix.
    let chunk = CHUNK as usize;
    let blank = op.lower(op.identity());
    let mut results = filled(len as usize, chunk * abreast(chunks) as usize, blank, |start, results| {
        let before = &before[start / chunk..];
        if results.len() == ABREAST * chunk {
            return scan_abreast::<V, O, ABREAST>(view, start, before, results, op, kind);
        }
        for ((place, results), &before) in results.chunks_mut(chunk).enumerate().zip(before) {
            scan_abreast::<V, O, 1>(view, start + place * chunk, &[before], results, op, kind);
        }
    });
    if kind == Kind::Offsets {
        let first = chunks.saturating_sub(1);
        let total =
            (first * CHUNK..len).fold(before[first as usize], |running, index| op.push(running, view.read(index)));
        results.push(op.lower(total));
    }
    results
}

/// Scans `N` neighbouring chunks of equal length from item `start` on, each on from its prefix, item by item in turn.
fn scan_abreast<V: HostView, O: Lift<V::Item> + Lower, const N: usize>(
    view: &V,
    start: usize,
    before: &[O::State],
    results: &mut [O::Output],
    op: &O,
    kind: Kind,
) {
    let chunk = results.len() / N;
    let mut running: [O::State; N] = from_fn(|lane| before[lane]);
    for offset in 0..chunk {
        for (lane, running) in running.iter_mut().enumerate() {
            let next = op.push(*running, view.read((start + lane * chunk + offset) as u64));
            results[lane * chunk + offset] = op.lower(if kind == Kind::Inclusive { next } else { *running });
            *running = next;
        }
    }
}
