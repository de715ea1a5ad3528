//! Prices that need no simulation: what a simulation is held against.
//!
//! | payoff | dynamics | source |
//! |---|---|---|
//! | European, digital | GBM | Black and Scholes 1973, Merton 1973; Reiner and Rubinstein, "Unscrambling the binary code", Risk 1991 |
//! | European | Merton's jumps | Merton 1976, eq. 19 |
//! | European | Heston | Heston 1993, in Lewis' form |
//! | Asian, geometric, at listed fixings | GBM | Kemna and Vorst 1990, for discrete dates |
//! | barrier, monitored continuously | GBM | Reiner and Rubinstein, "Breaking down the barriers", Risk 1991 |
//! | lookback, monitored continuously | GBM | Goldman, Sosin and Gatto 1979; Conze and Viswanathan 1991 |
//! | larger or smaller of two assets | GBM | Stulz 1982 |
//!
//! Formulas as collected by E. G. Haug, "The complete guide to option pricing formulas" (2nd edition, 2007).

mod asian;
mod barrier;
mod basket;
mod heston;
mod lookback;
mod merton;
mod normal;
mod vanilla;

pub(crate) use asian::GeometricMean;
pub use asian::continuous_geometric_asian;
pub(crate) use normal::normal_cdf;
pub use vanilla::{Greeks, greeks};

use crate::european::European;
use crate::instrument::{Basket, Instrument, Monitoring, Payoff};
use crate::model::{Dynamics, Model};

/// The price of an option that [`Instrument::check`] and [`Model::check`] accept, where a formula has one.
///
/// ```
/// use cubefold_finance::{Instrument, Model, Payoff, Style, closed_form};
///
/// let digital = Instrument { payoff: Payoff::CashDigital, style: Style::Call, strike: 100.0, expiry: 1.0 };
/// let price = closed_form::price(&digital, &Model::gbm(100.0, 0.05, 0.0, 0.2)).unwrap();
/// assert!((price - 0.532325).abs() < 1e-6);
/// ```
pub fn price(instrument: &Instrument, model: &Model) -> Option<f64> {
    let option = European::of(instrument, model)?;
    match (&instrument.payoff, model.dynamics) {
        (Payoff::European, Dynamics::Gbm) => Some(option.black_scholes()),
        (Payoff::European, Dynamics::Merton { intensity, mean, vol }) => {
            Some(merton::price(&option, intensity, mean, vol))
        }
        (Payoff::European, Dynamics::Heston { reversion, variance, vol, correlation }) => {
            Some(heston::price(&option, [reversion, variance, vol, correlation]))
        }
        (_, Dynamics::Merton { .. } | Dynamics::Heston { .. }) => None,
        (Payoff::CashDigital, Dynamics::Gbm) => Some(vanilla::cash_digital(&option)),
        (Payoff::AssetDigital, Dynamics::Gbm) => Some(vanilla::asset_digital(&option)),
        (Payoff::AsianGeometric(fixings), Dynamics::Gbm) => Some(GeometricMean::new(&option, fixings).price(&option)),
        (Payoff::Barrier(barrier), Dynamics::Gbm) => match barrier.monitoring {
            Monitoring::Continuous => barrier::price(&option, barrier),
            Monitoring::Dates(_) => None,
        },
        (Payoff::LookbackFixed(Monitoring::Continuous), Dynamics::Gbm) => Some(lookback::fixed(&option)),
        (Payoff::LookbackFloating(Monitoring::Continuous), Dynamics::Gbm) => Some(lookback::floating(&option)),
        (Payoff::Basket(Basket::Maximum), Dynamics::Gbm) => basket::two(model, instrument, true),
        (Payoff::Basket(Basket::Minimum), Dynamics::Gbm) => basket::two(model, instrument, false),
        (Payoff::Basket(Basket::Average), Dynamics::Gbm) => match model.assets.len() {
            1 => Some(option.black_scholes()),
            _ => None,
        },
        (Payoff::AsianArithmetic(_) | Payoff::LookbackFixed(_) | Payoff::LookbackFloating(_), Dynamics::Gbm) => None,
    }
}
