//! Five finance jobs that are nothing but compositions of [`cubefold_primitives`].
//!
//! | module | job | primitive |
//! |---|---|---|
//! | [`data`] | prices from a CSV, returns | – |
//! | [`european`] | the option and its closed price | – |
//! | [`monte_carlo`] | mean payoff of the option with its standard error | reduce |
//! | [`ema`](mod@ema) | exponential moving average | scan |
//! | [`ewm`] | exponentially weighted mean, sum, variance, covariance, correlation | scan |
//! | [`covariance`](mod@covariance) | mean and covariance of returns | reduce, tiled GEMM |
//! | [`frontier`](mod@frontier) | risk, return and Sharpe ratio of many portfolios | tiled GEMM, reduce |
//! | [`market`](mod@market) | a market of agents with price feedback | reduce |
//!
//! Prices are parsed and returns are formed in f64. Options are plain structs with `Default`; a
//! `check` says what a job refuses, before a device is chosen. Every error is one line with its
//! numbers and what to do.
#![warn(missing_docs)]

pub mod covariance;
pub mod data;
pub mod ema;
pub mod error;
pub mod european;
pub mod ewm;
pub mod frontier;
pub mod market;
pub mod monte_carlo;

pub use covariance::{Covariance, CovarianceOptions, covariance};
pub use data::{Cell, DataError, Returns, Table, bundled_prices};
pub use ema::{Decay, Init, ema};
pub use error::FinanceError;
pub use european::{European, Style};
pub use ewm::{Ewm, Missing};
pub use frontier::{Frontier, FrontierOptions, Point, Portfolio, frontier};
pub use market::{MarketOptions, MarketRun, market};
pub use monte_carlo::{Estimate, MonteCarlo, price};
