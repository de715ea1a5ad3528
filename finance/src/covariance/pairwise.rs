//! Covariance over the rows that two columns share: one product of the returns with themselves, whose multiply starts a count of
//! a pair of values and whose combine merges such counts.
//!
//! ```text
//! n = n₁ + n₂,  x = x₁ + (n₂/n)(x₂ − x₁),  y likewise,  C = C₁ + C₂ + (x₂ − x₁)(y₂ − y₁) n₁ n₂ / n
//! ```
//!
//! Chan, Golub and LeVeque (1983), for two columns. No element stands for a sum, so that products distribute over nothing;
//! `tiled_gemm` asks for no more than the order of the rows.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::choose;
use cubefold_primitives::views::Matrix;
use cubefold_primitives::{
    Device, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, Semiring, SemiringExpand, State, Wide, wide_add,
};

use super::products::on_device;
use crate::data::Table;
use crate::error::FinanceError;

/// Column means, and the covariance of every pair of columns over the rows that both have; NaN where those are no more than
/// `ddof`.
pub fn pairwise<T: Real>(device: &Device, returns: &Table, ddof: u32) -> Result<(Vec<f64>, Vec<f64>), FinanceError> {
    let matrix = on_device::<T>(device, returns)?;
    let pairs = device.tiled_gemm(&(&matrix).transposed(), &matrix, &Paired::<T>::new())?.to_vec()?;
    let assets = returns.width();
    let mean = |asset: usize| match pairs[asset * (assets + 1)] {
        pair if pair.rows.low > 0 => pair.left.widen(),
        _ => f64::NAN,
    };
    let covariance = |pair: &Pair<T>| match pair.rows.low {
        rows if rows > ddof => pair.products.widen() / (f64::from(rows) - f64::from(ddof)),
        _ => f64::NAN,
    };
    Ok(((0..assets).map(mean).collect(), pairs.iter().map(covariance).collect()))
}

/// Rows that two columns share, the means over them, and the sum of products of what is over the means.
#[derive(Debug, Clone, Copy, PartialEq, State)]
struct Pair<T: Real> {
    rows: Wide,
    left: T,
    right: T,
    products: T,
}

/// Pairs of values, of which one that is NaN is missing. A matrix has fewer than 2^32 rows: the low word counts them.
#[derive(Debug, Clone, Operator)]
struct Paired<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Paired<T> {
    fn new() -> Self {
        Paired { element: PhantomData }
    }
}

#[cube]
fn is_none(rows: Wide) -> bool {
    rows.low == 0u32
}

#[cube]
fn no_rows() -> Wide {
    Wide { low: 0u32.runtime(), high: 0u32.runtime() }
}

/// One row, or none where either value is missing.
#[cube]
fn row_of(left_missing: bool, right_missing: bool) -> Wide {
    Wide { low: select(left_missing, 0u32, 1u32) & select(right_missing, 0u32, 1u32), high: 0u32.runtime() }
}

#[cube]
impl<T: Real> Monoid for Paired<T> {
    type State = Pair<T>;

    fn identity(&self) -> Pair<T> {
        Pair::<T> { rows: no_rows(), left: T::whole(0), right: T::whole(0), products: T::whole(0) }
    }

    fn combine(&self, left: Pair<T>, right: Pair<T>) -> Pair<T> {
        let rows = wide_add(left.rows, right.rows);
        // Of no rows at all it is no number, and not taken.
        let share = T::of_wide(right.rows) / T::of_wide(rows);
        let apart_left = right.left - left.left;
        let apart_right = right.right - left.right;
        let merged = Pair::<T> {
            rows,
            left: left.left + share * apart_left,
            right: left.right + share * apart_right,
            // The product of both distances first: the same for the pair turned round.
            products: (left.products + right.products) + (apart_left * apart_right) * (T::of_wide(left.rows) * share),
        };
        let from_left = choose::<Pair<T>>(is_none(right.rows), left, merged);
        choose::<Pair<T>>(is_none(left.rows), right, from_left)
    }
}

#[cube]
impl<T: Real> Semiring<T, T> for Paired<T> {
    fn multiply(&self, left: T, right: T) -> Pair<T> {
        let rows = row_of(T::not_a_number(left), T::not_a_number(right));
        Pair::<T> {
            rows,
            left: select(is_none(rows), T::whole(0), left),
            right: select(is_none(rows), T::whole(0), right),
            products: T::whole(0),
        }
    }
}

#[cube]
impl<T: Real> Lower for Paired<T> {
    type Output = Pair<T>;

    fn lower(&self, state: Pair<T>) -> Pair<T> {
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        let op = Paired::<f64>::new();
        let pair = |left, right| op.multiply(left, right);
        let three = op.combine(pair(1.0, 5.0), op.combine(pair(2.0, -3.0), pair(0.5, 4.0)));
        check_laws(&op, &[op.identity(), pair(0.25, 8.0), pair(f64::NAN, 2.0), pair(-3.0, 1.0), three]).unwrap();
    }
}
