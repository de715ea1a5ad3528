//! Drawdowns: how far each price is below the highest one before it, and the deepest fall of all.
//!
//! One scan carries the peak so far and the row where it stands; the depths, the deepest of them and the way back are
//! read off it by a `collect` and two `reduce`s.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::{ArgMaximum, ArgMinimum, choose};
use cubefold_primitives::views::{Mapping, MappingExpand, Source, both};
use cubefold_primitives::{
    Both, Buffer, Counter, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, Wide,
};

use crate::columns::{narrow, wide};
use crate::data::{DataError, Table};
use crate::error::FinanceError;

/// The deepest fall of a price, by rows from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawdown {
    /// `price / peak − 1` at the trough: 0 for a price that never falls, −1 for one that is lost.
    pub depth: f64,
    /// Where the peak stands; the last of equal ones, where the fall begins.
    pub start: usize,
    /// The first row of that depth. A price that never falls has start and trough at its first row.
    pub trough: usize,
    /// The first row after it at which the price is back at the peak.
    pub recovery: Option<usize>,
}

/// What [`drawdown`] finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawdowns {
    /// `price / peak so far − 1`, row by row; missing where the price is.
    pub depths: Table,
    /// The deepest fall of every column; none where all prices are missing.
    pub deepest: Vec<Option<Drawdown>>,
}

/// The drawdowns of every column.
///
/// Missing prices (NaN) are passed over. Work `n` per column, span `log n`; prices are read three times, peaks written
/// and read once. The host computes in f64, devices in f32: prices that are equal there count as equal.
///
/// # Errors
/// [`DataError::PriceNegative`], which says the line, and what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Table, drawdown};
/// use cubefold_primitives::Device;
///
/// let prices = Table::from_reader("example", "day,A\n1,8\n2,10\n3,6\n4,7\n5,11\n".as_bytes())?;
/// let fall = drawdown(&Device::host(), &prices)?.deepest[0].unwrap();
/// assert_eq!((fall.depth, fall.start, fall.trough, fall.recovery), (-0.4, 1, 2, Some(4)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drawdown(device: &Device, prices: &Table) -> Result<Drawdowns, FinanceError> {
    prices.check_drawdown()?;
    let columns = (0..prices.width()).map(|column| match device.is_host() {
        true => of_column::<f64>(device, &prices.column(column)),
        false => of_column::<f32>(device, &prices.column(column)),
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let depths = prices.with_columns(|column| Ok::<_, FinanceError>(columns[column].0.clone()))?;
    Ok(Drawdowns { depths, deepest: columns.into_iter().map(|(_, deepest)| deepest).collect() })
}

impl Table {
    /// Accepts prices of which [`drawdown`] can be taken: a fall is a share of a peak, which must not be below 0.
    ///
    /// # Errors
    /// [`DataError::PriceNegative`] for the first price that is.
    pub fn check_drawdown(&self) -> Result<(), DataError> {
        match self.values.iter().position(|&value| value < 0.0) {
            None => Ok(()),
            Some(place) => {
                let at = self.cell(place / self.width(), place % self.width());
                Err(DataError::PriceNegative { at, value: self.values[place] })
            }
        }
    }
}

/// The depths of one column, and its deepest fall.
fn of_column<T: Real>(device: &Device, values: &[f64]) -> Result<(Vec<f64>, Option<Drawdown>), FinanceError> {
    let Some(first) = values.iter().position(|value| !value.is_nan()) else {
        return Ok((values.to_vec(), None));
    };
    let rows = Counter::new(values.len() as u64);
    let prices = device.upload(&narrow::<T>(values.to_vec())?)?;
    let peaks = device.scan(&(&prices).zip(rows), &Peak::new())?;
    let depths = device.collect(&(&prices).zip(&peaks).map(Depth::<T>::new()))?;
    let worst = device.reduce(&(&depths).zip(rows), &ArgMinimum::new())?.get(0)?;
    let trough = u64::from(worst.index) as usize;
    let fall = if worst.value < T::whole(0) {
        let peak = peaks.get(trough)?;
        Drawdown {
            depth: worst.value.widen(),
            start: u64::from(peak.right) as usize,
            trough,
            recovery: recovery(device, &prices, trough, peak.left)?,
        }
    } else {
        Drawdown { depth: 0.0, start: first, trough: first, recovery: None }
    };
    let mut depths = wide(depths)?;
    depths.iter_mut().zip(values).filter(|(_, price)| price.is_nan()).for_each(|(depth, _)| *depth = f64::NAN);
    Ok((depths, Some(fall)))
}

/// The first row after `trough` at which the price is `peak` or more.
fn recovery<T: Real>(
    device: &Device,
    prices: &Buffer<T>,
    trough: usize,
    peak: T,
) -> Result<Option<usize>, FinanceError> {
    let after = trough as u64 + 1;
    let rest = prices.slice(after, prices.len() as u64 - after)?;
    let back = rest.map(Reaches { level: peak }).zip(Counter::new(rest.len()));
    let first = device.reduce(&back, &ArgMaximum::new())?.get(0)?;
    Ok((first.found != 0 && first.value > T::whole(0)).then(|| (after + u64::from(first.index)) as usize))
}

/// The highest price so far and its row, the last of equal ones; over prices (left) and rows (right).
///
/// The identity is negative infinity, which every price replaces. Not commutative: later rows win ties.
#[derive(Debug, Clone, Operator)]
struct Peak<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Peak<T> {
    fn new() -> Self {
        Peak { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Monoid for Peak<T> {
    type State = Both<T, Wide>;

    fn identity(&self) -> Both<T, Wide> {
        both::<T, Wide>(T::lowest(), Wide { low: 0u32, high: 0u32 })
    }

    fn combine(&self, left: Both<T, Wide>, right: Both<T, Wide>) -> Both<T, Wide> {
        let beaten = select(right.left == T::lowest(), false, right.left >= left.left);
        choose::<Both<T, Wide>>(beaten, right, left)
    }
}

#[cube]
impl<T: Real> Lift<Both<T, Wide>> for Peak<T> {
    fn lift(&self, item: Both<T, Wide>) -> Both<T, Wide> {
        choose::<Both<T, Wide>>(T::not_a_number(item.left), self.identity(), item)
    }
}

#[cube]
impl<T: Real> Lower for Peak<T> {
    type Output = Both<T, Wide>;

    fn lower(&self, state: Both<T, Wide>) -> Both<T, Wide> {
        state
    }
}

/// The depth of a price (left) below its peak (right); 0 where the price is missing or the peak is 0.
#[derive(Debug, Clone, Operator)]
struct Depth<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Depth<T> {
    fn new() -> Self {
        Depth { element: PhantomData }
    }
}

#[cube]
impl<T: Real> Mapping<Both<T, Both<T, Wide>>> for Depth<T> {
    type Output = T;

    fn map(&self, item: Both<T, Both<T, Wide>>) -> T {
        let peak = item.right.left;
        let deep = select(T::not_a_number(item.left), false, peak > T::whole(0));
        let price = select(deep, item.left, T::whole(1));
        let level = select(deep, peak, T::whole(1));
        (price - level) / level
    }
}

/// 1 where a price is at the level or above it.
#[derive(Debug, Clone, Operator)]
struct Reaches<T: Real> {
    level: T,
}

#[cube]
impl<T: Real> Mapping<T> for Reaches<T> {
    type Output = T;

    fn map(&self, item: T) -> T {
        let reaches = select(T::not_a_number(item), false, item >= self.level);
        select(reaches, T::whole(1), T::whole(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        let op = Peak::<f32>::new();
        let at = |price, row: u64| op.lift(Both { left: price, right: row.into() });
        check_laws(&op, &[op.identity(), at(3.0, 1), at(3.0, 2), at(0.0, 3), at(7.5, 4), at(f32::NAN, 5)]).unwrap();
    }
}
