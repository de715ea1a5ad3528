//! The host's counts: a table for each thread.

use rayon::prelude::*;

use crate::Wide;
use crate::views::{HostView, Mapping};

/// Items of a task at least, so that its table is worth its while.
const LEAST: u64 = 1 << 16;

/// How many of `len` items have each of `slots` bins.
pub fn counts<V: HostView, B: Mapping<V::Item, Output = u32>>(
    view: &V,
    len: u64,
    binned: &B,
    slots: usize,
) -> Vec<Wide> {
    let tasks = (len / LEAST.max(slots as u64)).clamp(1, rayon::current_num_threads() as u64);
    let tables: Vec<Vec<u64>> = (0..tasks)
        .into_par_iter()
        .map(|task| {
            let bound = |task: u64| (u128::from(len) * u128::from(task) / u128::from(tasks)) as u64;
            let mut table = vec![0u64; slots];
            for index in bound(task)..bound(task + 1) {
                table[binned.map(view.read(index)) as usize] += 1;
            }
            table
        })
        .collect();
    (0..slots).map(|slot| Wide::from(tables.iter().map(|table| table[slot]).sum::<u64>())).collect()
}
