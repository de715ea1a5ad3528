//! The derivatives of a price: differences of the payoffs of the same paths under parameters that are moved a little.
//!
//! Each path pays `(f(p + h) − f(p − h)) / 2h`, or `(f(p + h) − 2 f(p) + f(p − h)) / h²`, of the same draws (common random
//! numbers), so that the mean of the differences has an error of its own. What the difference is off from the derivative by is of
//! the order of `h²`: P. Glasserman, "Monte Carlo methods in financial engineering" (2003), 7.1.

use cubefold_primitives::Device;
use serde::Serialize;

use super::MonteCarlo;
use super::simulation::Simulation;
use super::table::Scenario;
use crate::closed_form::Greeks;
use crate::error::FinanceError;
use crate::instrument::{Fixings, Instrument, Monitoring, Payoff};
use crate::model::Model;

/// A derivative and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GreekEstimate {
    /// The mean difference.
    pub value: f64,
    /// Its standard error.
    pub std_error: f64,
}

/// By how much a spot is moved, as a share of the standard deviation of the log price at expiry,
const SPOT_SHARE: f64 = 0.02;
/// at least and at most, as a share of the spot.
const SPOT_RANGE: [f64; 2] = [2e-3, 0.02];
/// By how much a volatility is moved, as a share of it, and at least.
const VOL_SHARE: f64 = 0.01;
const VOL_LEAST: f64 = 1e-3;
/// By how much the rate is moved.
const RATE: f64 = 2e-3;
/// By how much time passes, as a share of the time to the expiry, and of that to the first date.
const TIME_SHARE: f64 = 5e-3;
const FIRST_SHARE: f64 = 0.5;

/// The derivatives of what [`simulate`](super::simulate) prices, by `paths` paths each.
pub(super) fn estimate(
    device: &Device,
    instrument: &Instrument,
    model: &Model,
    engine: &MonteCarlo,
    paths: u64,
) -> Result<Greeks<GreekEstimate>, FinanceError> {
    let engine = MonteCarlo { paths, control: false, tolerance: None, ..*engine };
    let mean = |scenarios: &[Scenario]| {
        let mut simulation = Simulation::of(instrument, model, &engine, scenarios)?;
        simulation.run(device)?;
        let mean = simulation.mean();
        Ok::<_, FinanceError>(GreekEstimate { value: mean.value, std_error: mean.std_error })
    };
    let spot = model.assets[0].spot;
    let widest = model.assets.iter().map(|asset| asset.vol).fold(0.0, f64::max) * instrument.expiry.sqrt();
    let share = (SPOT_SHARE * widest).clamp(SPOT_RANGE[0], SPOT_RANGE[1]);
    let at = |spot: f64, weight: f64| Scenario { spot, weight, ..Scenario::PLAIN };
    let step = share * spot;
    let (up, down) = (1.0 + share, 1.0 - share);
    Ok(Greeks {
        delta: mean(&[at(up, 0.5 / step), at(down, -0.5 / step)])?,
        gamma: mean(&[at(up, step.powi(-2)), at(1.0, -2.0 * step.powi(-2)), at(down, step.powi(-2))])?,
        vega: mean(&by_vol(model))?,
        rho: mean(&[
            Scenario { rate: RATE, weight: 0.5 / RATE, ..Scenario::PLAIN },
            Scenario { rate: -RATE, weight: -0.5 / RATE, ..Scenario::PLAIN },
        ])?,
        theta: mean(&by_time(instrument))?,
    })
}

/// All volatilities together; no one below 0.
fn by_vol(model: &Model) -> [Scenario; 2] {
    let least = model.assets.iter().map(|asset| asset.vol).fold(f64::INFINITY, f64::min);
    let up = (VOL_SHARE * least).max(VOL_LEAST);
    let down = up.min(least);
    let weight = 1.0 / (up + down);
    [Scenario { vol: up, weight, ..Scenario::PLAIN }, Scenario { vol: -down, weight: -weight, ..Scenario::PLAIN }]
}

/// Time passes: every date comes nearer.
fn by_time(instrument: &Instrument) -> [Scenario; 2] {
    let first = match &instrument.payoff {
        Payoff::AsianArithmetic(fixings) | Payoff::AsianGeometric(fixings) => match fixings {
            Fixings::Equal(count) => instrument.expiry / f64::from(*count),
            Fixings::Listed { times, .. } => times.first().copied().unwrap_or(instrument.expiry),
        },
        payoff => match super::shape::monitoring(payoff) {
            Some(Monitoring::Dates(count)) => instrument.expiry / f64::from(count),
            _ => instrument.expiry,
        },
    };
    let step = (TIME_SHARE * instrument.expiry).min(FIRST_SHARE * first);
    let weight = 0.5 / step;
    [
        Scenario { passed: step, weight, ..Scenario::PLAIN },
        Scenario { passed: -step, weight: -weight, ..Scenario::PLAIN },
    ]
}
