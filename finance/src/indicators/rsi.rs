//! The relative strength index (Wilder, "New Concepts in Technical Trading Systems", 1978).

use cubefold_primitives::Device;

use crate::data::Table;
use crate::ema::{Decay, Init};
use crate::error::{FinanceError, at_least_one};
use crate::ewm::Ewm;

/// `100 g / (g + l)` with Wilder's averages of gains and losses over `periods` changes; 14 is his choice.
///
/// Wilder's average starts from the simple mean of the first `periods` changes and moves by `1 / periods`: an
/// [`Ewm`] from [`Init::SmaOver`]. So the first result is at row `periods`, and two scans a column give all of them. A
/// missing price takes no time and repeats the last result. Where nothing has moved the index is 50: neither gains nor
/// losses lead (TA-Lib gives 0 there).
///
/// # Errors
/// [`FinanceError::Zero`] for no periods, and what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Table, rsi};
/// use cubefold_primitives::Device;
///
/// let prices = Table::from_reader("example", "day,A\n1,10\n2,13\n3,12\n4,12\n".as_bytes())?;
/// let index = rsi(&Device::host(), &prices, 2)?;
/// assert!(index.value(1, 0).is_nan());
/// assert_eq!((index.value(2, 0), index.value(3, 0)), (75.0, 75.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rsi(device: &Device, prices: &Table, periods: usize) -> Result<Table, FinanceError> {
    at_least_one("periods of the index", periods as u64)?;
    let wilder = Ewm {
        adjust: false,
        ignore_na: true,
        init: Init::SmaOver(periods),
        ..Ewm::new(Decay::Alpha(1.0 / periods as f64))
    };
    let of = |part: fn(f64) -> f64| {
        let changes = prices.with_columns(|column| Ok::<_, FinanceError>(changes(&prices.column(column), part)))?;
        wilder.mean(device, &changes)
    };
    let gains = of(|change| change.max(0.0))?;
    let losses = of(|change| (-change).max(0.0))?;
    Ok(gains.joined(&losses, |gain, loss| match gain + loss {
        0.0 => 50.0,
        moved => 100.0 * (gain / moved),
    }))
}

/// A part of the changes from one price to the next that is not missing.
fn changes(values: &[f64], part: fn(f64) -> f64) -> Vec<f64> {
    let mut last = f64::NAN;
    let change = |&value: &f64| {
        if value.is_nan() {
            return f64::NAN;
        }
        let change = value - std::mem::replace(&mut last, value);
        // `max` would take 0 for the change that the first price has not.
        if change.is_nan() { f64::NAN } else { part(change) }
    };
    values.iter().map(change).collect()
}
