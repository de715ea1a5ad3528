//! The autoregression of order 1.

use cubecl::prelude::*;
use cubefold_primitives::ops::{Affine, AffineMap};
use cubefold_primitives::{Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real};

use crate::columns::{narrow, wide};
use crate::data::Table;
use crate::error::{FinanceError, finite};

/// `y_t = constant + phi y_(t−1) + e_t` from `y` before the first row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ar1 {
    /// The share of the last value that stays.
    pub phi: f64,
    /// What is added in every row.
    pub constant: f64,
    /// The value before the first row.
    pub start: f64,
}

/// Filters every column of innovations `e`; one scan over affine maps a column.
///
/// A missing innovation (NaN) is none. Work `n`, span `log n`, each value read and written once. The host computes in
/// f64, devices in f32. A `phi` above 1 in size explodes, as it should.
///
/// # Errors
/// [`FinanceError::NotFinite`] for an option that is not, and what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Table, recurrence::{Ar1, ar1}};
/// use cubefold_primitives::Device;
///
/// let shocks = Table::from_reader("example", "day,A\n1,1\n2,0\n3,0\n".as_bytes())?;
/// let path = ar1(&Device::host(), &shocks, &Ar1 { phi: 0.5, ..Ar1::default() })?;
/// assert_eq!(path.column(0), [1.0, 0.5, 0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ar1(device: &Device, innovations: &Table, options: &Ar1) -> Result<Table, FinanceError> {
    finite("phi", options.phi)?;
    finite("the constant", options.constant)?;
    finite("the start", options.start)?;
    innovations.with_columns(|column| {
        let values = innovations.column(column);
        match device.is_host() {
            true => wide(device.scan(&narrow::<f64>(values)?, &Filter::new(options))?),
            false => wide(device.scan(&narrow::<f32>(values)?, &Filter::new(options))?),
        }
    })
}

/// Affine maps of innovations, applied to the start.
#[derive(Debug, Clone, Operator)]
struct Filter<T: Real> {
    affine: Affine<T>,
    phi: T,
    constant: T,
    start: T,
}

impl<T: Real> Filter<T> {
    fn new(options: &Ar1) -> Self {
        let [phi, constant, start] = [options.phi, options.constant, options.start].map(T::constant);
        Filter { affine: Affine::new(), phi, constant, start }
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
        let innovation = select(T::not_a_number(item), T::whole(0), item);
        AffineMap::<T> { scale: self.phi, shift: self.constant + innovation }
    }
}

#[cube]
impl<T: Real> Lower for Filter<T> {
    type Output = T;

    fn lower(&self, state: AffineMap<T>) -> T {
        state.scale * self.start + state.shift
    }
}
