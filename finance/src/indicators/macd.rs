//! Moving average convergence and divergence (Appel).

use cubefold_primitives::Device;

use crate::data::Table;
use crate::ema::{Decay, Init, ema};
use crate::error::FinanceError;

/// The three spans of MACD, and what their averages start from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Macd {
    /// Span of the fast average.
    pub fast: f64,
    /// Span of the slow average.
    pub slow: f64,
    /// Span of the average of their difference.
    pub signal: f64,
    /// What each average starts from.
    pub init: Init,
}

impl Default for Macd {
    fn default() -> Self {
        Macd { fast: 12.0, slow: 26.0, signal: 9.0, init: Init::First }
    }
}

/// The lines of MACD, each a table like the prices.
#[derive(Debug, Clone, PartialEq)]
pub struct MacdLines {
    /// Fast average less slow average.
    pub macd: Table,
    /// The average of that.
    pub signal: Table,
    /// The one less the other.
    pub histogram: Table,
}

/// MACD of every column: three moving averages, so three scans.
///
/// From [`Init::Sma`] each average starts at its own simple mean; TA-Lib starts the fast one later, so that both begin
/// on one row. Missing values are carried over.
///
/// # Errors
/// A span below 1 ([`FinanceError::OutOfRange`]), and what goes wrong on the device.
pub fn macd(device: &Device, prices: &Table, options: &Macd) -> Result<MacdLines, FinanceError> {
    let smooth = |table: &Table, span| ema(device, table, Decay::Span(span), options.init);
    let less = |left: f64, right: f64| left - right;
    let macd = smooth(prices, options.fast)?.joined(&smooth(prices, options.slow)?, less);
    let signal = smooth(&macd, options.signal)?;
    let histogram = macd.joined(&signal, less);
    Ok(MacdLines { macd, signal, histogram })
}
