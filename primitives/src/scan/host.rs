//! The host's scan: fixed chunks on rayon.

use rayon::prelude::*;

use super::blueprint::Kind;
use crate::reduce::host::fold_run;
use crate::views::HostView;
use crate::{Error, Lift, Lower};

/// Items of a chunk. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
const CHUNK: u64 = 1 << 14;

/// The length of a result that the host's memory can address.
pub fn addressable(len: u64) -> Result<u64, Error> {
    let limit = isize::MAX as u64;
    if len > limit { Err(Error::TooLong { what: "the host's memory", len, limit }) } else { Ok(len) }
}

/// Scans all `len` items of `view`.
pub fn scan<V: HostView, O: Lift<V::Item> + Lower>(view: &V, len: u64, op: &O, kind: Kind) -> Vec<O::Output> {
    let chunks = len.div_ceil(CHUNK);
    let bounds = |chunk: u64| (chunk * CHUNK, len.min((chunk + 1) * CHUNK));
    // Every chunk but the last is folded first,
    let totals: Vec<O::State> = (0..chunks.saturating_sub(1))
        .into_par_iter()
        .map(|chunk| fold_run(view, bounds(chunk).0, bounds(chunk).1, op))
        .collect();
    // the totals are scanned,
    let mut before = Vec::with_capacity(chunks as usize);
    let mut running = op.identity();
    before.push(running);
    for total in totals {
        running = op.combine(running, total);
        before.push(running);
    }
    // and each chunk goes on from its prefix.
    let mut results: Vec<O::Output> = (0..chunks)
        .into_par_iter()
        .flat_map_iter(|chunk| {
            let (start, end) = bounds(chunk);
            let mut running = before[chunk as usize];
            (start..end).map(move |index| {
                let next = op.combine(running, op.lift(view.read(index)));
                let result = op.lower(if kind == Kind::Inclusive { next } else { running });
                running = next;
                result
            })
        })
        .collect();
    if kind == Kind::Offsets {
        let last = chunks.saturating_sub(1);
        let mut running = before[last as usize];
        for index in bounds(last).0..len {
            running = op.combine(running, op.lift(view.read(index)));
        }
        results.push(op.lower(running));
    }
    results
}
