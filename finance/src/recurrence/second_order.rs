//! Linear recurrences of order 2: `y_t = near y_(t−1) + far y_(t−2) + e_t`.
//!
//! The pair `(y_t, y_(t−1))` moves by the matrix `[near far; 1 0]` and the vector `(e_t, 0)`. Six scalars hold the
//! composition of any number of such steps:
//!
//! ```text
//! M = M₂ M₁,   v = M₂ v₁ + v₂        identity: the unit matrix and zeros
//! ```
//!
//! Not commutative. Integers wrap and are exact; for floats compilers may fuse products and additions.

use cubecl::prelude::*;
use cubefold_primitives::{
    Device, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, State,
};

use crate::columns::{narrow, wide};
use crate::data::Table;
use crate::error::{FinanceError, finite};

/// An affine map of the plane: `(y, z) -> (a y + b z + e, c y + d z + f)`.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct StepMap<T: Element> {
    /// From the last value to the new one.
    pub a: T,
    /// From the value before it to the new one.
    pub b: T,
    /// From the last value to the one that is kept beside the new one.
    pub c: T,
    /// From the value before it to the one that is kept.
    pub d: T,
    /// Added to the new one.
    pub e: T,
    /// Added to the one that is kept.
    pub f: T,
}

/// The recurrence over items `e`, from the two values before the first.
///
/// # Examples
///
/// ```
/// use cubefold_finance::recurrence::SecondOrder;
/// use cubefold_primitives::Device;
///
/// let fibonacci = SecondOrder { near: 1u32, far: 1, last: 1, before: 0 };
/// assert_eq!(Device::host().scan(&vec![0u32; 6], &fibonacci)?.to_vec()?, [1, 2, 3, 5, 8, 13]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Operator)]
pub struct SecondOrder<T: Element> {
    /// The factor of the last value.
    pub near: T,
    /// The factor of the value before it.
    pub far: T,
    /// The value before the first row.
    pub last: T,
    /// The value before that.
    pub before: T,
}

/// `x p + y q`.
#[cube]
fn dot<T: Element>(x: T, p: T, y: T, q: T) -> T {
    T::plus(T::times(x, p), T::times(y, q))
}

#[cube]
impl<T: Element> Monoid for SecondOrder<T> {
    type State = StepMap<T>;

    fn identity(&self) -> StepMap<T> {
        StepMap::<T> { a: T::whole(1), b: T::whole(0), c: T::whole(0), d: T::whole(1), e: T::whole(0), f: T::whole(0) }
    }

    fn combine(&self, left: StepMap<T>, right: StepMap<T>) -> StepMap<T> {
        StepMap::<T> {
            a: dot::<T>(right.a, left.a, right.b, left.c),
            b: dot::<T>(right.a, left.b, right.b, left.d),
            c: dot::<T>(right.c, left.a, right.d, left.c),
            d: dot::<T>(right.c, left.b, right.d, left.d),
            e: T::plus(dot::<T>(right.a, left.e, right.b, left.f), right.e),
            f: T::plus(dot::<T>(right.c, left.e, right.d, left.f), right.f),
        }
    }
}

#[cube]
impl<T: Element> Lift<T> for SecondOrder<T> {
    fn lift(&self, item: T) -> StepMap<T> {
        StepMap::<T> {
            a: self.near,
            b: self.far,
            c: T::whole(1),
            d: T::whole(0),
            e: select(T::not_a_number(item), T::whole(0), item),
            f: T::whole(0),
        }
    }
}

#[cube]
impl<T: Element> Lower for SecondOrder<T> {
    type Output = T;

    fn lower(&self, state: StepMap<T>) -> T {
        T::plus(dot::<T>(state.a, self.last, state.b, self.before), state.e)
    }
}

/// Filters every column of innovations through the recurrence; one scan a column. A missing innovation (NaN) is none.
///
/// Work `n`, span `log n`, each value read and written once. The host computes in f64, devices in f32.
///
/// # Errors
/// [`FinanceError::NotFinite`] for a factor or a start that is not, and what goes wrong on the device.
pub fn second_order(
    device: &Device,
    innovations: &Table,
    recurrence: &SecondOrder<f64>,
) -> Result<Table, FinanceError> {
    let SecondOrder { near, far, last, before } = *recurrence;
    for (name, value) in [("near", near), ("far", far), ("last", last), ("before", before)] {
        finite(name, value)?;
    }
    innovations.with_columns(|column| {
        let values = innovations.column(column);
        if device.is_host() {
            return wide(device.scan(&narrow::<f64>(values)?, recurrence)?);
        }
        let [near, far, last, before] = [near, far, last, before].map(|value| value as f32);
        wide(device.scan(&narrow::<f32>(values)?, &SecondOrder { near, far, last, before })?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        let op = SecondOrder { near: 3u32, far: u32::MAX, last: 5, before: 7 };
        let steps = op.combine(op.lift(9), op.lift(4));
        check_laws(&op, &[op.identity(), op.lift(1), op.lift(u32::MAX), steps]).unwrap();
    }
}
