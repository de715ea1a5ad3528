//! The host's line folds: lines on rayon.

use rayon::prelude::*;

use crate::views::{HostMatrix, Matrix};
use crate::{Error, Lift, Lower};

/// Folds every row in order.
pub fn fold<M: Matrix, O: Lift<M::Item> + Lower>(matrix: &M, op: &O) -> Result<Vec<O::Output>, Error> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let view = matrix.on_host()?;
    let fold_row = |row: u32| {
        let lifted = (0..columns).map(|column| op.lift(view.element(row, column)));
        op.lower(lifted.fold(op.identity(), |left, right| op.combine(left, right)))
    };
    Ok((0..rows).into_par_iter().map(fold_row).collect())
}
