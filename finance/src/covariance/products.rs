//! Weighted column means and the products of centred columns.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::{PlusTimes, Sum, blend};
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix};
use cubefold_primitives::{
    Both, Buffer, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State,
};

use crate::columns::narrow;
use crate::data::Table;
use crate::error::FinanceError;

/// Sums over the rows of returns, of which each counts `w`.
pub struct Products {
    /// The mean of each column.
    pub mean: Vec<f64>,
    /// `Σ w (x_i − m_i)(x_j − m_j)`, row-major.
    pub products: Vec<f64>,
    /// `Σ_i (x_i − m_i)²` of each row, times `w`; none where they were not asked for.
    pub norms: Vec<f64>,
}

/// The products of `returns`, whose rows count `weights`, and `with_norms` the rows' norms.
pub fn products<T: Real>(
    device: &Device,
    returns: &Table,
    weights: &[f64],
    with_norms: bool,
) -> Result<Products, FinanceError> {
    let matrix = on_device::<T>(device, returns)?;
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let a_row = |values: Vec<f64>| -> Result<Dense<Buffer<T>>, FinanceError> {
        let values: Vec<T> = values.into_iter().map(T::constant).collect();
        Ok(Dense::repeated_column(device.upload(&values)?, columns)?)
    };
    let weighed = (&matrix).zip_elements(a_row(weights.to_vec())?)?;
    let means = device.reduce_columns(&weighed, &WeightedMean::<T>::new())?;
    let centred = (&matrix).zip_elements(Dense::repeated_row(&means, rows)?)?;
    let roots = a_row(weights.iter().map(|weight| weight.sqrt()).collect())?;
    let scaled = centred.zip_elements(roots)?.map_elements(Scaled::<T>::new());
    let products = device.gram(&scaled, &PlusTimes::<T>::new())?;
    let wide = |values: Buffer<T>| -> Result<Vec<f64>, FinanceError> {
        Ok(values.to_vec()?.into_iter().map(T::widen).collect())
    };
    let norms = match with_norms {
        true => wide(device.reduce_rows(&scaled.map_elements(Square::<T>::new()), &Sum::<T>::new())?)?,
        false => Vec::new(),
    };
    Ok(Products { mean: wide(means)?, products: wide(products)?, norms })
}

/// The values of a table as a matrix of the device's.
pub fn on_device<T: Real>(device: &Device, table: &Table) -> Result<Dense<Buffer<T>>, FinanceError> {
    let too_many =
        |what, len: usize| cubefold_primitives::Error::TooLong { what, len: len as u64, limit: u64::from(u32::MAX) };
    let rows = u32::try_from(table.rows()).map_err(|_| too_many("a matrix's column", table.rows()))?;
    let columns = u32::try_from(table.width()).map_err(|_| too_many("a matrix's row", table.width()))?;
    let items = narrow::<T>(table.values.clone())?;
    Ok(Dense::new(device.upload(&items)?, rows, columns)?)
}

/// A sum of weights and the mean of what they weigh; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, State)]
struct Mean<T: Real> {
    weight: T,
    mean: T,
}

/// The mean of values (left) by their weights (right). That of equal values is exactly the value.
#[derive(Debug, Clone, Operator)]
struct WeightedMean<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> WeightedMean<T> {
    fn new() -> Self {
        WeightedMean { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Monoid for WeightedMean<T> {
    type State = Mean<T>;

    fn identity(&self) -> Mean<T> {
        Mean::<T> { weight: T::whole(0), mean: T::whole(0) }
    }

    fn combine(&self, left: Mean<T>, right: Mean<T>) -> Mean<T> {
        let weight = left.weight + right.weight;
        let total = select(weight > T::whole(0), weight, T::whole(1));
        Mean::<T> { weight, mean: blend::<T>(left.mean, left.weight, right.mean, right.weight, total) }
    }
}

#[cube]
impl<T: Real> Lift<Both<T, T>> for WeightedMean<T> {
    fn lift(&self, item: Both<T, T>) -> Mean<T> {
        Mean::<T> { weight: item.right, mean: item.left }
    }
}

#[cube]
impl<T: Real> Lower for WeightedMean<T> {
    type Output = T;

    fn lower(&self, state: Mean<T>) -> T {
        state.mean
    }
}

/// A value less its column's mean, times the root of its row's weight.
#[derive(Debug, Clone, Operator)]
struct Scaled<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Scaled<T> {
    fn new() -> Self {
        Scaled { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Mapping<Both<Both<T, T>, T>> for Scaled<T> {
    type Output = T;

    fn map(&self, item: Both<Both<T, T>, T>) -> T {
        (item.left.left - item.left.right) * item.right
    }
}

/// The square of a value.
#[derive(Debug, Clone, Operator)]
struct Square<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Square<T> {
    fn new() -> Self {
        Square { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Mapping<T> for Square<T> {
    type Output = T;

    fn map(&self, item: T) -> T {
        item * item
    }
}
