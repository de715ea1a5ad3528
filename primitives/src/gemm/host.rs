//! The host's product.

use std::any::Any;

use rayon::prelude::*;

use super::launch_floats::{dgemm, sgemm};
use crate::ops::PlusTimes;
use crate::views::{HostMatrix, Matrix};
use crate::{Error, Lower, Semiring};

/// Multiplies `a` by `b`, row after row.
pub fn multiply<A: Matrix, B: Matrix, O: Semiring<A::Item, B::Item> + Lower>(
    a: &A,
    b: &B,
    op: &O,
) -> Result<Vec<O::Output>, Error> {
    let (left, right) = (a.on_host()?, b.on_host()?);
    let (rows, depth, columns) = (a.rows() as usize, a.columns() as usize, b.columns() as usize);
    let any: &dyn Any = op;
    let left = elements(&left, rows, depth);
    let right = elements(&right, depth, columns);
    if any.is::<PlusTimes<f32>>() {
        return Ok(floats::<_, _, _, f32>(left, right, [rows, depth, columns], sgemm));
    }
    if any.is::<PlusTimes<f64>>() {
        return Ok(floats::<_, _, _, f64>(left, right, [rows, depth, columns], dgemm));
    }
    let results = (0..rows).into_par_iter().flat_map_iter(|row| {
        let mut sums = vec![op.identity(); columns];
        // Row by row of the right factor, so that memory is read in order; products still meet in the order of k.
        for index in 0..depth {
            let from_left = left[row * depth + index];
            for (sum, &from_right) in sums.iter_mut().zip(&right[index * columns..]) {
                *sum = op.combine(*sum, op.multiply(from_left, from_right));
            }
        }
        sums.into_iter().map(|sum| op.lower(sum))
    });
    Ok(results.collect())
}

/// A square matrix whose lower half is its upper one: sums of two orders may have been rounded apart.
pub fn mirrored<T: Copy>(mut results: Vec<T>, side: usize) -> Vec<T> {
    for row in 1..side {
        for column in 0..row {
            results[row * side + column] = results[column * side + row];
        }
    }
    results
}

fn elements<M: HostMatrix>(matrix: &M, rows: usize, columns: usize) -> Vec<M::Item> {
    (0..rows)
        .into_par_iter()
        .flat_map_iter(|row| (0..columns).map(move |column| matrix.element(row as u32, column as u32)))
        .collect()
}

/// A product of plain floats, whose types the caller has found out at run time.
fn floats<A: 'static, B: 'static, C: 'static, F: Copy + 'static>(
    left: Vec<A>,
    right: Vec<B>,
    shape: [usize; 3],
    gemm: impl Fn(&[F], &[F], [usize; 3]) -> Vec<F>,
) -> Vec<C> {
    let left: Vec<F> = same(left);
    let right: Vec<F> = same(right);
    same(gemm(&left, &right, shape))
}

fn same<A: 'static, B: 'static>(values: Vec<A>) -> Vec<B> {
    let values: Box<dyn Any> = Box::new(values);
    *values.downcast().expect("plus-times multiplies and gives scalars of its own type")
}
