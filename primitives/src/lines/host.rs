//! The host's line folds: lines on rayon.

use rayon::prelude::*;

use crate::views::{HostMatrix, Matrix};
use crate::{Error, Lift, Lower};

/// Folds every row in order.
pub fn fold<M: Matrix, O: Lift<M::Item> + Lower>(matrix: &M, op: &O) -> Result<Vec<O::Output>, Error> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let view = matrix.on_host()?;
    let fold_row = |row: u32| {
        let items = (0..columns).map(|column| view.element(row, column));
        op.lower(items.fold(op.identity(), |folded, item| op.push(folded, item)))
    };
    Ok((0..rows).into_par_iter().map(fold_row).collect())
}
