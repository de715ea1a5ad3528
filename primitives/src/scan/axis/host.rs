//! The host's scans along an axis.

use rayon::prelude::*;

use crate::views::{HostMatrix, Matrix};
use crate::{Error, Lift, Lower};

/// Items of a chunk of rows. Fixed, so that the grouping and with it the bits do not depend on the number of threads.
const CHUNK: u32 = 1 << 14;

/// Rows of a chunk at least: what a chunk starts from costs a row.
const SHORTEST: u32 = 64;

/// Scans every column in the order of the rows, or from the last row to the first.
pub fn columns<M, O>(matrix: &M, op: &O, exclusive: bool, reverse: bool) -> Result<Vec<O::Output>, Error>
where
    M: Matrix,
    O: Lift<M::Item> + Lower,
{
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let view = matrix.on_host()?;
    let height = (CHUNK / columns.max(1)).max(SHORTEST);
    let chunks = rows.div_ceil(height);
    let item = |row: u32, column: u32| {
        let row = if reverse { rows - 1 - row } else { row };
        view.element(row, column)
    };
    let bounds = |chunk: u32| chunk * height..rows.min((chunk + 1).saturating_mul(height));
    // The columns of every chunk but the last are folded first,
    let totals: Vec<Vec<O::State>> = (0..chunks.saturating_sub(1))
        .into_par_iter()
        .map(|chunk| {
            let mut folds = vec![op.identity(); columns as usize];
            for row in bounds(chunk) {
                (0..columns).zip(&mut folds).for_each(|(column, fold)| *fold = op.push(*fold, item(row, column)));
            }
            folds
        })
        .collect();
    // the totals are scanned,
    let mut before = vec![vec![op.identity(); columns as usize]];
    for total in totals {
        let last = before.last().expect("there is a first");
        before.push(last.iter().zip(total).map(|(&fold, total)| op.combine(fold, total)).collect());
    }
    // and each chunk goes on from its prefixes.
    let mut results: Vec<Vec<O::Output>> = (0..chunks)
        .into_par_iter()
        .zip(before)
        .flat_map_iter(|(chunk, mut running)| {
            bounds(chunk).map(move |row| {
                let step = |(column, running): (u32, &mut O::State)| {
                    let next = op.push(*running, item(row, column));
                    let result = op.lower(if exclusive { *running } else { next });
                    *running = next;
                    result
                };
                (0..columns).zip(&mut running).map(step).collect()
            })
        })
        .collect();
    if reverse {
        results.reverse();
    }
    Ok(results.concat())
}

/// Scans every row from left to right, or from right to left.
pub fn rows<M, O>(matrix: &M, op: &O, exclusive: bool, reverse: bool) -> Result<Vec<O::Output>, Error>
where
    M: Matrix,
    O: Lift<M::Item> + Lower,
{
    let columns = matrix.columns();
    let view = matrix.on_host()?;
    let scan_row = |row: u32| {
        let mut running = op.identity();
        let step = |column: u32| {
            let column = if reverse { columns - 1 - column } else { column };
            let next = op.push(running, view.element(row, column));
            let result = op.lower(if exclusive { running } else { next });
            running = next;
            result
        };
        let mut results: Vec<O::Output> = (0..columns).map(step).collect();
        if reverse {
            results.reverse();
        }
        results
    };
    Ok((0..matrix.rows()).into_par_iter().flat_map_iter(scan_row).collect())
}
