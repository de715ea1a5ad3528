//! Finance jobs that are nothing but compositions of [`cubefold_primitives`].
//!
//! | module | job | primitive |
//! |---|---|---|
//! | [`data`] | prices from a CSV, returns | – |
//! | [`european`] | the European option and its closed price | – |
//! | [`instrument`], [`model`] | other options, and how prices move | – |
//! | [`closed_form`] | prices by formula | – |
//! | [`monte_carlo`] | mean payoff with its standard error, Greeks | collect, reduce |
//! | [`ema`](mod@ema) | exponential moving average | scan |
//! | [`ewm`] | exponentially weighted mean, sum, variance, covariance, correlation | scan |
//! | [`rolling`] | mean, variance, extrema and sum of the last rows | sliding |
//! | [`running`] | compound return, running maximum | scan |
//! | [`drawdown`](mod@drawdown) | depths, and the deepest fall | scan, collect, reduce |
//! | [`indicators`] | MACD, relative strength index, Bollinger's bands | scan, sliding |
//! | [`recurrence`] | AR(1), GARCH(1,1), order 2, jumps ahead | scan |
//! | [`covariance`](mod@covariance) | mean and covariance of returns | reduce, tiled GEMM |
//! | [`frontier`](mod@frontier) | the best portfolios and the edge, refined in rounds | tiled GEMM, reduce, scan, collect |
//! | [`market`](mod@market) | a market of agents with price feedback, and many at once | iterate, collect |
//!
//! Prices are parsed and returns are formed in f64. Options are plain structs with `Default`; a
//! `check` says what a job refuses, before a device is chosen. Every error is one line with its
//! numbers and what to do.
#![warn(missing_docs)]

pub mod closed_form;
mod columns;
pub mod covariance;
pub mod data;
pub mod drawdown;
pub mod ema;
pub mod error;
pub mod european;
pub mod ewm;
pub mod frontier;
pub mod indicators;
pub mod instrument;
pub mod market;
pub mod model;
pub mod monte_carlo;
mod observed;
pub mod recurrence;
pub mod rolling;
pub mod running;
mod windowed;

pub use closed_form::Greeks;
pub use covariance::{
    Covariance, CovarianceOptions, Deletion, RowWeights, Shrinkage, condition_number, covariance, is_indefinite,
    weighted_covariance,
};
pub use data::{Cell, DataError, Returns, Table, bundled_prices};
pub use drawdown::{Drawdown, Drawdowns, drawdown};
pub use ema::{Decay, Init, ema};
pub use error::FinanceError;
pub use european::{European, Style};
pub use ewm::{Ewm, Missing};
pub use frontier::{Bound, Frontier, FrontierOptions, Objective, Point, Portfolio, Sampler, Target, frontier};
pub use indicators::{Bands, Bollinger, Macd, MacdLines, bollinger, macd, rsi};
pub use instrument::{Barrier, Basket, Direction, Fixings, Instrument, Knock, Monitoring, Payoff};
pub use market::{MarketOptions, MarketRun, Scenario, Shock, market, market_watched, market_with};
pub use model::{Asset, Correlation, Dynamics, Model};
pub use monte_carlo::{
    Estimate, GreekEstimate, Grid, GridPrice, MonteCarlo, Simulation, Staged, price, simulate, simulate_grid,
};
pub use rolling::Rolling;
pub use running::{compound_return, running_maximum};
