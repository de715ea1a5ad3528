//! A market of three kinds of agents whose excess demand moves the price.
//!
//! With the log price `p_t`, each of `N` agents demands, by kind and strength `c`,
//!
//! - fundamentalist: `c·(log F_t − p_t)`,
//! - trend follower: `c·(p_t − p_{t−k})`, with the first price in place of `p_{t−k}` while `t ≤ k`,
//! - noise trader: `0.1·c·Z`, `Z ~ N(0, 1)`, drawn anew for each agent and step;
//!
//! and the total `D` moves the price, `p_{t+1} = p_t + clamp(λ·D/N, −0.2, 0.2) + shock_t`. A kind's strength is that of each of its
//! agents, or their mean where strengths are spread. Every agent's demand is made anew at every step.
//!
//! | module | what |
//! |---|---|
//! | [`ensemble`](mod@ensemble) | many markets at once, over a grid of parameters |
//! | [`statistics`](mod@statistics) | returns, their moments and tails, bubbles |
//! | [`theory`] | whether the linear market settles |

mod demand;
pub mod ensemble;
mod fixed;
mod options;
mod scenario;
pub mod statistics;
mod terms;
pub mod theory;

use std::time::Instant;

use cubefold_primitives::iterate::{Iteration, Way};
use cubefold_primitives::{Buffer, Captured, Counter, Device, Source, Wide};
use serde::Serialize;

pub use demand::{draw, noise};
pub use options::MarketOptions;
pub use scenario::{Scenario, Shock};
pub use statistics::{Bubble, Statistics, Stretch, statistics, stretches};

use demand::{Demand, OwnDemand, Quote, Strength};
use terms::{scale_for, words};

use crate::error::FinanceError;

/// Kinds of agents.
const KINDS: u32 = 3;

/// The history of a market. Serialises to the JSON of `cubefold market`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MarketRun {
    /// Steps run.
    pub steps: u32,
    /// `steps + 1` log prices, the first the initial one.
    pub log_price: Vec<f64>,
    /// The label of the device.
    pub device: String,
    /// Seconds of the run.
    pub seconds: f64,
    /// Excess demand of fundamentalists, trend followers and noise traders at each of the `steps` steps.
    #[serde(skip)]
    pub excess_demand: Vec<[f64; 3]>,
    /// Logarithms of the fundamental value at each price.
    #[serde(skip)]
    pub log_fundamental: Vec<f64>,
}

/// Runs the market without anything from outside; the primitive is [`iterate`](cubefold_primitives::iterate).
///
/// Nothing is read back between steps. Each agent's demand is rounded to a fixed-point number, and the demands are
/// summed as 64-bit integers: the sum has the same bits in any order and on any device. Prices are f32.
///
/// # Errors
/// What [`MarketOptions::check`] refuses, [`FinanceError::DemandOverflow`], and what goes wrong on the device.
pub fn market(device: &Device, options: &MarketOptions) -> Result<MarketRun, FinanceError> {
    market_with(device, options, &Scenario::default(), Way::Auto)
}

/// Runs the market in a scenario, its steps one after another in the given way.
///
/// # Errors
/// As [`market`], and what [`Scenario::check`] refuses.
pub fn market_with(
    device: &Device,
    options: &MarketOptions,
    scenario: &Scenario,
    way: Way,
) -> Result<MarketRun, FinanceError> {
    market_watched(device, options, scenario, way, u32::MAX, &mut |_, _| ())
}

/// The same, and calls `tell` about every `every` steps with the steps done and the log price after them.
///
/// # Errors
/// As [`market_with`].
pub fn market_watched(
    device: &Device,
    options: &MarketOptions,
    scenario: &Scenario,
    way: Way,
    every: u32,
    tell: &mut (dyn FnMut(u32, f64) + Send),
) -> Result<MarketRun, FinanceError> {
    options.check()?;
    scenario.check(options)?;
    let start = Instant::now();
    let mut told = |step: u32, quote: Quote| tell(step, quote.log_price.into());
    let quotes = trade(device, &[*options], scenario, way, (every, &mut told))?.into_vec()?;
    faults(&quotes, scale_for(options, scenario))?;
    let seconds = start.elapsed().as_secs_f64();
    let demand = |quote: &Quote| [quote.fundamental, quote.follower, quote.noise].map(f64::from);
    Ok(MarketRun {
        steps: options.steps,
        log_price: quotes.iter().map(|quote| f64::from(quote.log_price)).collect(),
        device: device.label(),
        seconds,
        excess_demand: quotes.iter().skip(1).map(demand).collect(),
        log_fundamental: scenario.path(options),
    })
}

/// The quotes of markets of as many agents and steps as the first of them, one market after another. Those of the first are told of
/// about every few steps.
fn trade(
    device: &Device,
    markets: &[MarketOptions],
    scenario: &Scenario,
    way: Way,
    (every, tell): (u32, &mut (dyn FnMut(u32, Quote) + Send)),
) -> Result<Buffer<Quote>, FinanceError> {
    let options = &markets[0];
    // The constant is one of the terms.
    let path = scenario.log_fundamental.as_ref().map_or(vec![0.0], |_| scenario.path(options));
    let [path, jumps] = [path, scenario.jumps(options.steps)].map(narrowed);
    // Uploaded once, and not at every launch.
    let demand = Demand {
        terms: Captured::from(device.upload(&words(markets, scenario))?),
        path_end: path.len() as u32 - 1,
        jumps_end: jumps.len() as u32 - 1,
        path: Captured::from(device.upload(&path)?),
        jumps: Captured::from(device.upload(&jumps)?),
    };
    let iteration = Iteration { steps: options.steps, keys: KINDS, members: markets.len() as u32, way };
    let agents = Counter::new(options.agents.into());
    if options.strength_spread == 0.0 {
        return Ok(device.iterate_watched(&agents, &demand, &iteration, every, tell)?);
    }
    let seed = Wide::from(options.seed);
    let strength = Strength { spread: options.strength_spread as f32, seed_low: seed.low, seed_high: seed.high };
    let strengths = device.collect(&agents.map(strength))?;
    let demand = OwnDemand { market: demand };
    Ok(device.iterate_watched(&agents.zip(strengths), &demand, &iteration, every, tell)?)
}

fn narrowed(values: Vec<f64>) -> Vec<f32> {
    values.into_iter().map(|value| value as f32).collect()
}

/// Refuses quotes that lack a demand which did not fit.
fn faults(quotes: &[Quote], scale: f64) -> Result<(), FinanceError> {
    match quotes.iter().position(|quote| quote.fault != 0) {
        None => Ok(()),
        Some(first) => Err(FinanceError::DemandOverflow { step: first as u32 - 1, bits: scale.log2() as i32 }),
    }
}
