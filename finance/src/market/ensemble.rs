//! Many markets at once, over a grid of one parameter or two: where bubbles begin.

use std::str::FromStr;
use std::time::Instant;

use cubefold_primitives::iterate::Way;
use cubefold_primitives::ops::Maximum;
use cubefold_primitives::{Buffer, Device, Source};
use serde::Serialize;

use super::demand::{Fault, LogPrice, Quote};
use super::terms::scale_for;
use super::theory::largest_root;
use super::{MarketOptions, Scenario, Statistics, faults, statistics, trade};
use crate::error::FinanceError;

/// The most markets of an ensemble.
const MOST_MARKETS: u64 = 1 << 20;

/// Prices of the markets that are run in one call, so that their histories stay small.
const PRICES: u64 = 1 << 21;

/// A parameter of a market that an ensemble varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The share of a kind of agents; the other shares keep their ratio.
    Mix(usize),
    /// The strength of a kind.
    Strength(usize),
    /// The lag, rounded to whole steps.
    Lag,
    /// Answer of the log price to the mean demand.
    Lambda,
    /// Logarithm of the fundamental value.
    LogFundamental,
    /// Logarithm of the first price.
    InitialLogPrice,
    /// The seed of the noise, rounded to a whole number. Strengths are drawn by the seed of the options.
    Seed,
}

/// Names on the command line.
const NAMES: [(&str, Parameter); 11] = [
    ("mix.fundamental", Parameter::Mix(0)),
    ("mix.trend", Parameter::Mix(1)),
    ("mix.noise", Parameter::Mix(2)),
    ("strength.fundamental", Parameter::Strength(0)),
    ("strength.trend", Parameter::Strength(1)),
    ("strength.noise", Parameter::Strength(2)),
    ("lag", Parameter::Lag),
    ("lambda", Parameter::Lambda),
    ("log-fundamental", Parameter::LogFundamental),
    ("initial-log-price", Parameter::InitialLogPrice),
    ("seed", Parameter::Seed),
];

impl Parameter {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, parameter)| *parameter == self).map_or("", |(name, _)| name)
    }

    /// Sets the parameter of `options`.
    fn set(self, options: &mut MarketOptions, value: f64) {
        match self {
            Parameter::Mix(kind) => options.mix = with_share(options.mix, kind, value),
            Parameter::Strength(kind) => options.strength[kind] = value,
            Parameter::Lag => options.lag = value.round() as u32,
            Parameter::Lambda => options.lambda = value,
            Parameter::LogFundamental => options.log_fundamental = value,
            Parameter::InitialLogPrice => options.initial_log_price = value,
            Parameter::Seed => options.seed = value.round() as u64,
        }
    }
}

/// The mix with `share` of `kind`, where the others keep their ratio; none there are halves.
fn with_share(mix: [f64; 3], kind: usize, share: f64) -> [f64; 3] {
    let others: f64 = mix.iter().enumerate().filter(|(other, _)| *other != kind).map(|(_, part)| part).sum();
    let mut changed = mix.map(|part| if others > 0.0 { part / others * (1.0 - share) } else { (1.0 - share) / 2.0 });
    changed[kind] = share;
    changed
}

/// A parameter and its values, evenly spaced from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// What varies.
    pub parameter: Parameter,
    /// The first value.
    pub low: f64,
    /// The last value.
    pub high: f64,
    /// How many; 1 is the first alone.
    pub count: u32,
}

impl FromStr for Axis {
    type Err = FinanceError;

    /// Reads `PARAMETER=LOW:HIGH:COUNT`.
    fn from_str(text: &str) -> Result<Self, FinanceError> {
        let no_axis = || FinanceError::NoAxis { text: text.to_owned() };
        let (name, values) = text.split_once('=').ok_or_else(no_axis)?;
        let named = NAMES.iter().find(|(known, _)| *known == name.trim());
        let (_, parameter) = named.ok_or_else(|| FinanceError::NoParameter { text: name.trim().to_owned() })?;
        let mut parts = values.split(':').map(str::trim);
        let mut number = || parts.next().and_then(|part| part.parse::<f64>().ok()).filter(|value| value.is_finite());
        let (low, high) = (number().ok_or_else(no_axis)?, number().ok_or_else(no_axis)?);
        match (parts.next().map(str::parse::<u32>), parts.next()) {
            (Some(Ok(count)), None) if count > 0 => Ok(Axis { parameter: *parameter, low, high, count }),
            _ => Err(no_axis()),
        }
    }
}

impl Axis {
    /// The values.
    pub fn values(&self) -> Vec<f64> {
        let last = f64::from(self.count.max(2) - 1);
        let value = |index: u32| self.low + (self.high - self.low) * f64::from(index) / last;
        (0..self.count)
            .map(|index| if index == self.count - 1 && index > 0 { self.high } else { value(index) })
            .collect()
    }
}

/// A market of an ensemble.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// The value of each axis.
    pub values: Vec<f64>,
    /// What came of them.
    pub statistics: Statistics,
    /// Largest distance of the log price from its fundamental value in the last tenth of the run.
    pub last_distance: f64,
    /// What the theory says, as [`largest_root`].
    pub largest_root: Option<f64>,
}

/// The markets of a grid: those of the first value of the first axis first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EnsembleRun {
    /// The markets.
    pub members: Vec<Member>,
    /// The label of the device.
    pub device: String,
    /// Seconds of the runs.
    pub seconds: f64,
}

/// Runs a market for every point of the grid, all at once; the other options are those given.
///
/// # Errors
/// [`FinanceError::AxisCount`] for no axis, three, or one twice; [`FinanceError::MarketCount`]; and as
/// [`market_with`](super::market_with) for every market.
pub fn ensemble(
    device: &Device,
    options: &MarketOptions,
    scenario: &Scenario,
    axes: &[Axis],
) -> Result<EnsembleRun, FinanceError> {
    let points = points(axes)?;
    let markets = markets(options, scenario, axes, &points)?;
    let start = Instant::now();
    let histories = histories(device, &markets, scenario)?;
    let seconds = start.elapsed().as_secs_f64();
    let runs = markets.iter().zip(&points).zip(histories);
    let members = runs.map(|((options, values), history)| member(options, scenario, values, &history)).collect();
    Ok(EnsembleRun { members, device: device.label(), seconds })
}

/// The log prices of markets that run at once, all of as many agents and steps as the first.
///
/// # Errors
/// [`FinanceError::MarketCount`] for none, and as [`market_with`](super::market_with) for every market.
pub fn histories(
    device: &Device,
    markets: &[MarketOptions],
    scenario: &Scenario,
) -> Result<Vec<Vec<f64>>, FinanceError> {
    let Some(first) = markets.first() else {
        return Err(FinanceError::MarketCount { markets: 0, limit: MOST_MARKETS });
    };
    scenario.check(first)?;
    let prices = u64::from(first.steps) + 1;
    let mut histories = Vec::with_capacity(markets.len());
    for markets in markets.chunks((PRICES / prices).max(1) as usize) {
        markets.iter().try_for_each(MarketOptions::check)?;
        let quotes = trade(device, markets, scenario, Way::Auto, (u32::MAX, &mut |_, _| ()))?;
        if device.reduce(&(&quotes).map(Fault), &Maximum::<u32>::new())?.get(0)? != 0 {
            return Err(first_fault(quotes, markets, scenario));
        }
        let of_all = device.collect(&(&quotes).map(LogPrice))?.into_vec()?;
        let of_each = of_all.chunks_exact(prices as usize);
        histories.extend(of_each.map(|prices| prices.iter().copied().map(f64::from).collect::<Vec<f64>>()));
    }
    Ok(histories)
}

/// The error of the first market that has a fault.
fn first_fault(quotes: Buffer<Quote>, markets: &[MarketOptions], scenario: &Scenario) -> FinanceError {
    let prices = markets[0].steps as usize + 1;
    let each = |quotes: Vec<Quote>| {
        let each = quotes.chunks_exact(prices).zip(markets);
        each.map(|(quotes, options)| faults(quotes, scale_for(options, scenario))).find_map(Result::err)
    };
    match quotes.into_vec() {
        Ok(quotes) => each(quotes).expect("a market has the fault that was found"),
        Err(error) => error.into(),
    }
}

fn member(options: &MarketOptions, scenario: &Scenario, values: &[f64], log_price: &[f64]) -> Member {
    let path = scenario.path(options);
    let distances = log_price.iter().zip(&path).map(|(price, fundamental)| (price - fundamental).abs());
    Member {
        values: values.to_vec(),
        statistics: statistics(log_price, &path),
        last_distance: distances.skip(log_price.len() * 9 / 10).fold(0.0, f64::max),
        largest_root: largest_root(options),
    }
}

/// The points of the grid.
fn points(axes: &[Axis]) -> Result<Vec<Vec<f64>>, FinanceError> {
    let twice = axes.len() == 2 && axes[0].parameter == axes[1].parameter;
    if axes.is_empty() || axes.len() > 2 || twice {
        return Err(FinanceError::AxisCount { given: axes.len() });
    }
    let markets = axes.iter().map(|axis| u64::from(axis.count)).fold(1, u64::saturating_mul);
    if markets > MOST_MARKETS {
        return Err(FinanceError::MarketCount { markets, limit: MOST_MARKETS });
    }
    Ok(axes.iter().fold(vec![Vec::new()], |points, axis| {
        let values = axis.values();
        let extended =
            |point: Vec<f64>| values.iter().map(move |&value| [&point[..], &[value]].concat()).collect::<Vec<_>>();
        points.into_iter().flat_map(extended).collect()
    }))
}

/// The options of every point, all of which can be run.
fn markets(
    options: &MarketOptions,
    scenario: &Scenario,
    axes: &[Axis],
    points: &[Vec<f64>],
) -> Result<Vec<MarketOptions>, FinanceError> {
    let set = |point: &Vec<f64>| {
        let mut changed = *options;
        axes.iter().zip(point).for_each(|(axis, &value)| axis.parameter.set(&mut changed, value));
        changed.check()?;
        scenario.check(&changed)?;
        Ok(changed)
    };
    points.iter().map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_both_its_ends() {
        let axis: Axis = "mix.trend=0:0.9:64".parse().expect("it is one");
        let values = axis.values();
        assert_eq!((values.len(), values[0], values[63]), (64, 0.0, 0.9));
        let lags: Axis = "lag=1:40:40".parse().expect("it is one");
        assert_eq!(lags.values(), (1..=40).map(f64::from).collect::<Vec<_>>());
        assert_eq!("lambda=0.5:2:1".parse::<Axis>().expect("it is one").values(), [0.5]);
    }

    #[test]
    fn text_that_is_no_axis_is_refused() {
        for text in
            ["", "lag", "lag=1", "lag=1:2", "lag=1:2:0", "lag=1:2:3:4", "lag=a:2:3", "lag=1:inf:3", "lag=1:2:-3"]
        {
            assert!(matches!(text.parse::<Axis>(), Err(FinanceError::NoAxis { .. })), "{text}");
        }
        assert!(matches!("mix=0:1:2".parse::<Axis>(), Err(FinanceError::NoParameter { .. })));
        for (name, parameter) in NAMES {
            assert_eq!(parameter.name(), name);
        }
    }

    #[test]
    fn the_other_shares_keep_their_ratio() {
        let mix = with_share([0.4, 0.3, 0.3], 1, 0.65);
        assert!((mix[0] / mix[2] - 4.0 / 3.0).abs() < 1e-12 && mix[1] == 0.65);
        assert!((mix.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(with_share([0.0, 1.0, 0.0], 1, 0.5), [0.25, 0.5, 0.25]);
    }

    #[test]
    fn one_or_two_axes_make_a_grid() {
        let axis = |text: &str| text.parse::<Axis>().expect("it is one");
        let (lag, trend) = (axis("lag=1:2:2"), axis("mix.trend=0:0.5:3"));
        let grid = points(&[trend, lag]).expect("two axes");
        assert_eq!(grid, [[0.0, 1.0], [0.0, 2.0], [0.25, 1.0], [0.25, 2.0], [0.5, 1.0], [0.5, 2.0]]);
        for wrong in [&[][..], &[lag, lag], &[lag, trend, axis("seed=1:2:2")]] {
            assert!(matches!(points(wrong), Err(FinanceError::AxisCount { .. })));
        }
        let large = axis("seed=1:2000000:2000000");
        assert!(matches!(points(&[large]), Err(FinanceError::MarketCount { markets: 2_000_000, .. })));
    }
}
