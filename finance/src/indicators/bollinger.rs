//! Bollinger's bands.

use cubefold_primitives::Device;

use crate::data::Table;
use crate::error::{FinanceError, not_negative};
use crate::rolling::Rolling;

/// The window of the bands and how far they lie from its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bollinger {
    /// Rows of the window.
    pub window: usize,
    /// Standard deviations from the mean to a band.
    pub width: f64,
    /// Degrees of freedom taken off the divisor; Bollinger takes the population's, 0.
    pub ddof: u32,
}

impl Default for Bollinger {
    fn default() -> Self {
        Bollinger { window: 20, width: 2.0, ddof: 0 }
    }
}

/// The bands, each a table like the prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Bands {
    /// Mean less `width` deviations.
    pub lower: Table,
    /// The mean.
    pub middle: Table,
    /// Mean plus `width` deviations.
    pub upper: Table,
}

/// The bands of every column, as [`Rolling`] gives mean and deviation; on a constant window all three are equal.
///
/// # Errors
/// What [`Rolling::check`] refuses, a width below 0 or not finite, and what goes wrong on the device.
pub fn bollinger(device: &Device, prices: &Table, options: &Bollinger) -> Result<Bands, FinanceError> {
    not_negative("the width of the bands", options.width)?;
    let rolling = Rolling { ddof: options.ddof, ..Rolling::new(options.window) };
    let (middle, deviation) = (rolling.mean(device, prices)?, rolling.std(device, prices)?);
    let lower = middle.joined(&deviation, |mean, deviation| mean - options.width * deviation);
    let upper = middle.joined(&deviation, |mean, deviation| mean + options.width * deviation);
    Ok(Bands { lower, middle, upper })
}
