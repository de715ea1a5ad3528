//! The variance of GARCH(1,1) (Bollerslev, "Generalized Autoregressive Conditional Heteroskedasticity", 1986).

use cubecl::prelude::*;
use cubefold_primitives::ops::{Affine, AffineMap};
use cubefold_primitives::{Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real};

use crate::columns::{narrow, wide};
use crate::data::Table;
use crate::error::{FinanceError, not_negative, positive};

/// `h_t = omega + alpha r_(t−1)² + beta h_(t−1)` from a first variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Garch {
    /// What is added in every row; above 0.
    pub omega: f64,
    /// The share of the last squared return; 0 or more.
    pub alpha: f64,
    /// The share of the last variance; 0 or more.
    pub beta: f64,
    /// The variance of the first row; `omega / (1 − alpha − beta)`, that of the long run, if none is given.
    pub start: Option<f64>,
}

impl Garch {
    /// The variance of the first row.
    ///
    /// # Errors
    /// [`FinanceError::Negative`], [`FinanceError::NotFinite`] or [`FinanceError::OutOfRange`] outside the ranges above,
    /// and for a long run without a variance: `alpha + beta` must be below 1 where no first variance is given.
    pub fn first_variance(&self) -> Result<f64, FinanceError> {
        positive("omega", self.omega)?;
        not_negative("alpha", self.alpha)?;
        not_negative("beta", self.beta)?;
        if let Some(start) = self.start {
            not_negative("the first variance", start)?;
            return Ok(start);
        }
        match self.alpha + self.beta {
            persistence if persistence < 1.0 => Ok(self.omega / (1.0 - persistence)),
            value => Err(FinanceError::OutOfRange {
                name: "alpha + beta",
                value,
                range: "below 1, or the first variance must be given",
            }),
        }
    }
}

/// The variance of every row, seen from the row before; one exclusive scan over affine maps a column.
///
/// A missing return (NaN) is taken for its expectation, `r² = h`. Work `n`, span `log n`, each value read and written
/// once. The host computes in f64, devices in f32.
///
/// # Errors
/// What [`Garch::first_variance`] refuses, and what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Table, recurrence::{Garch, garch}};
/// use cubefold_primitives::Device;
///
/// let returns = Table::from_reader("example", "day,A\n1,2\n2,0\n3,1\n".as_bytes())?;
/// let model = Garch { omega: 0.5, alpha: 0.25, beta: 0.5, start: None };
/// let variances = garch(&Device::host(), &returns, &model)?;
/// assert_eq!(variances.column(0), [2.0, 2.5, 1.75]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn garch(device: &Device, returns: &Table, model: &Garch) -> Result<Table, FinanceError> {
    let start = model.first_variance()?;
    returns.with_columns(|column| {
        let values = returns.column(column);
        match device.is_host() {
            true => wide(device.scan_exclusive(&narrow::<f64>(values)?, &Filter::new(model, start))?),
            false => wide(device.scan_exclusive(&narrow::<f32>(values)?, &Filter::new(model, start))?),
        }
    })
}

/// Affine maps of returns, applied to the first variance.
#[derive(Debug, Clone, Operator)]
struct Filter<T: Real> {
    affine: Affine<T>,
    omega: T,
    alpha: T,
    beta: T,
    start: T,
}

impl<T: Real> Filter<T> {
    fn new(model: &Garch, start: f64) -> Self {
        let [omega, alpha, beta, start] = [model.omega, model.alpha, model.beta, start].map(T::constant);
        Filter { affine: Affine::new(), omega, alpha, beta, start }
    }
}

#[cube]
impl<T: Real> Monoid for Filter<T> {
    type State = AffineMap<T>;

    fn identity(&self) -> AffineMap<T> {
        self.affine.identity()
    }

    fn combine(&self, left: AffineMap<T>, right: AffineMap<T>) -> AffineMap<T> {
        self.affine.combine(left, right)
    }
}

#[cube]
impl<T: Real> Lift<T> for Filter<T> {
    fn lift(&self, item: T) -> AffineMap<T> {
        let missing = T::not_a_number(item);
        let known = select(missing, T::whole(0), item);
        let expected = select(missing, self.alpha, T::whole(0));
        AffineMap::<T> { scale: self.beta + expected, shift: self.omega + self.alpha * known * known }
    }
}

#[cube]
impl<T: Real> Lower for Filter<T> {
    type Output = T;

    fn lower(&self, state: AffineMap<T>) -> T {
        state.scale * self.start + state.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_without_a_variance_needs_a_first_one() {
        let model = Garch { omega: 1.0, alpha: 0.25, beta: 0.5, start: None };
        assert_eq!(model.first_variance().unwrap(), 4.0);
        let explosive = Garch { beta: 0.75, ..model };
        assert!(matches!(explosive.first_variance(), Err(FinanceError::OutOfRange { value: 1.0, .. })));
        assert_eq!(Garch { start: Some(0.0), ..explosive }.first_variance().unwrap(), 0.0);
        for wrong in [
            Garch { omega: 0.0, ..model },
            Garch { alpha: -f64::MIN_POSITIVE, ..model },
            Garch { beta: f64::NAN, ..model },
            Garch { start: Some(-1.0), ..model },
        ] {
            assert!(wrong.first_variance().is_err(), "{wrong:?}");
        }
    }
}
