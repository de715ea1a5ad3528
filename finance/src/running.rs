//! Figures of everything up to a row: compound return and running maximum; the primitive is `scan`.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::Maximum;
use cubefold_primitives::{Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real};

use crate::columns::{narrow, wide};
use crate::data::Table;
use crate::error::FinanceError;
use crate::observed::Observed;

/// The return from the start: `Π (1 + r) − 1` over simple returns.
///
/// A missing return (NaN) is none; before the first one the result is missing. Small returns keep their digits, since no
/// 1 is added to them: `a ∘ b = a + b + a b`. Work `n`, span `log n`, each value read and written once. The host computes
/// in f64, devices in f32.
///
/// # Errors
/// What goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Returns, Table, compound_return};
/// use cubefold_primitives::Device;
///
/// let prices = Table::from_reader("example", "day,A\n1,100\n2,110\n3,121\n".as_bytes())?;
/// let returns = prices.returns(Returns::Simple)?;
/// let compound = compound_return(&Device::host(), &returns)?;
/// assert!((compound.value(1, 0) - 0.21).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compound_return(device: &Device, returns: &Table) -> Result<Table, FinanceError> {
    returns.with_columns(|column| match device.is_host() {
        true => scan_column::<f64, _>(device, returns.column(column), Compound::new()),
        false => scan_column::<f32, _>(device, returns.column(column), Compound::new()),
    })
}

/// The largest price so far. A missing price (NaN) is none; before the first one the result is missing.
///
/// Work, span and precision as [`compound_return`].
///
/// # Errors
/// What goes wrong on the device.
pub fn running_maximum(device: &Device, prices: &Table) -> Result<Table, FinanceError> {
    prices.with_columns(|column| match device.is_host() {
        true => scan_column::<f64, _>(device, prices.column(column), Maximum::new()),
        false => scan_column::<f32, _>(device, prices.column(column), Maximum::new()),
    })
}

/// Scans what is not missing; missing before the first value.
fn scan_column<T: Real, O: Lift<T> + Lower<Output = T>>(
    device: &Device,
    values: Vec<f64>,
    op: O,
) -> Result<Vec<f64>, FinanceError> {
    let before = values.iter().position(|value| !value.is_nan()).unwrap_or(values.len());
    let mut found = wide(device.scan(&narrow::<T>(values)?, &Observed::new(op))?)?;
    found[..before].fill(f64::NAN);
    Ok(found)
}

/// `a ∘ b = a + b + a b`, the return over two spans from the returns over each. The identity is 0; commutative.
#[derive(Debug, Clone, Operator)]
struct Compound<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Compound<T> {
    fn new() -> Self {
        Compound { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Monoid for Compound<T> {
    type State = T;

    fn identity(&self) -> T {
        T::whole(0)
    }

    fn combine(&self, left: T, right: T) -> T {
        left + (right + left * right)
    }
}

#[cube]
impl<T: Real> Lift<T> for Compound<T> {
    fn lift(&self, item: T) -> T {
        item
    }
}

#[cube]
impl<T: Real> Lower for Compound<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        check_laws(&Compound::<f32>::new(), &[0.0, 0.5, -0.25, 1e-6, 3.0]).unwrap();
        check_laws(&Compound::<f64>::new(), &[0.0, -1.0, 1e-12]).unwrap();
    }
}
