//! Indicators made of averages: MACD, the relative strength index, Bollinger's bands.

mod bollinger;
mod macd;
mod rsi;

pub use bollinger::{Bands, Bollinger, bollinger};
pub use macd::{Macd, MacdLines, macd};
pub use rsi::rsi;
