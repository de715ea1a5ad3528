//! The agent market, end to end: from the options to the prices on the host. Only the host's clock can time that.

use cubefold::Device;
use cubefold::finance::market::ensemble::histories;
use cubefold::finance::market::noise;
use cubefold::finance::{MarketOptions, Scenario, market_with};
use cubefold::iterate::Way;

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, measure, round_trips};

/// Demands up to which the host follows the market: all 500 steps of 33,000 agents, the first 16 of a million.
const FOLLOWED: u64 = 1 << 24;

/// How far a log price may be off. The smallest noise here, of a million agents, moves it by 1e-5 a step.
const TOLERANCE: f64 = 2e-6;

/// Agents up to which one cube is worth timing.
const FEW: u32 = 100_000;

/// Growing numbers of agents by every way, and many markets at once.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (agents, many): (&[u64], _) = match extent.scale {
        Scale::Full => (&[1_000, 10_000, 100_000, 1_000_000, 2_700_000, 10_000_000], (4096, 10_000)),
        Scale::Small => (&[1_000, 10_000], (16, 1_000)),
        Scale::Tiny => (&[100], (3, 50)),
    };
    let ways = |agents: u32| {
        let ways = [Way::Auto, Way::Launches, Way::Recorded, Way::OneCube, Way::Resident].into_iter();
        let ways = ways.filter(move |way| *way != Way::OneCube || agents <= FEW).map(move |way| spec(agents, way));
        ways.chain([round_trips_spec(agents)])
    };
    let single = extent.lengths(agents.iter().copied()).into_iter().flat_map(|agents| ways(agents as u32));
    single.chain((!extent.given()).then(|| ensemble_spec(many.0, many.1))).collect()
}

/// Away from the first price, so that every kind of agent has something to do.
fn options(agents: u32) -> MarketOptions {
    MarketOptions { agents, log_fundamental: 0.1, ..MarketOptions::default() }
}

fn spec(agents: u32, way: Way) -> Spec {
    let options = options(agents);
    Spec {
        operator: "market f32",
        strategy: way.name(),
        length: agents.into(),
        work: Work::AgentSteps(u64::from(agents) * u64::from(options.steps)),
        prepare: Box::new(move |device| {
            let run = move |device: &Device, options: &MarketOptions| -> Result<Vec<f64>, BenchError> {
                Ok(market_with(device, options, &Scenario::default(), way)?.log_price)
            };
            prepare(device, options, run)
        }),
    }
}

/// A round trip between host and device a step.
fn round_trips_spec(agents: u32) -> Spec {
    let options = options(agents);
    let run = |device: &Device, options: &MarketOptions| round_trips::log_prices(device, options);
    Spec {
        strategy: "RoundTrips",
        prepare: Box::new(move |device| prepare(device, options, run)),
        ..spec(agents, Way::Auto)
    }
}

fn ensemble_spec(markets: u32, agents: u32) -> Spec {
    let options = options(agents);
    let all = u64::from(markets) * u64::from(agents);
    Spec {
        operator: "many markets f32",
        strategy: Way::Ensemble.name(),
        length: all,
        work: Work::AgentSteps(all * u64::from(options.steps)),
        prepare: Box::new(move |device| prepare_ensemble(device, options, markets)),
    }
}

/// Markets that differ by their seed; the first and the last are followed. Their statistics are left out.
fn prepare_ensemble(device: &Device, options: MarketOptions, markets: u32) -> Result<Ready, BenchError> {
    let markets: Vec<_> = (1..=markets).map(|seed| MarketOptions { seed: seed.into(), ..options }).collect();
    let (found, first) = measure::first(device, || Ok(histories(device, &markets, &Scenario::default())?))?;
    let (mut compared, mut results) = (0, 0);
    for (index, (options, prices)) in markets.iter().zip(&found).enumerate() {
        results += prices.len() as u64;
        if index == 0 || index + 1 == markets.len() {
            for (step, expected) in follow(options, options.steps).into_iter().enumerate() {
                check::close(step, prices[step], expected, TOLERANCE)?;
                compared += 1;
            }
        }
    }
    let device = device.clone();
    Ok(Ready::on_host(first, [compared, results], move || {
        histories(&device, &markets, &Scenario::default())?;
        Ok(())
    }))
}

/// The log prices that `run` gives are those that the host follows.
fn prepare(
    device: &Device,
    options: MarketOptions,
    run: impl Fn(&Device, &MarketOptions) -> Result<Vec<f64>, BenchError> + Send + Sync + 'static,
) -> Result<Ready, BenchError> {
    let (prices, first) = measure::first(device, || run(device, &options))?;
    let steps = u64::from(options.steps).min(FOLLOWED / u64::from(options.agents).max(1));
    let expected = follow(&options, steps as u32);
    for (step, (&got, &expected)) in prices.iter().zip(&expected).enumerate() {
        check::close(step, got, expected, TOLERANCE)?;
    }
    let device = device.clone();
    Ok(Ready::on_host(first, [expected.len() as u64, prices.len() as u64], move || run(&device, &options).map(|_| ())))
}

/// The log prices of the first `steps`, agent by agent in f64. Only the noise traders' draws are the library's.
fn follow(options: &MarketOptions, steps: u32) -> Vec<f64> {
    let [fundamentalists, followers, traders] = options.counts();
    let [fundamental, trend, erratic] = options.strength;
    let mut prices = vec![options.initial_log_price];
    for step in 0..steps {
        let now = prices[step as usize];
        let lagged = prices[step.saturating_sub(options.lag) as usize];
        let mut demand = f64::from(fundamentalists) * fundamental * (options.log_fundamental - now);
        demand += f64::from(followers) * trend * (now - lagged);
        let first = fundamentalists + followers;
        for agent in first..first + traders {
            demand += 0.1 * erratic * f64::from(noise(options.seed, agent, step));
        }
        let moved = options.lambda * demand / f64::from(options.agents);
        prices.push(now + moved.clamp(-0.2, 0.2));
    }
    prices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fundamentalists_alone_close_half_of_the_distance_times_lambda() {
        let options =
            MarketOptions { agents: 10, mix: [1.0, 0.0, 0.0], log_fundamental: 0.1, ..MarketOptions::default() };
        let prices = follow(&options, 3);
        let closed = |step: i32| 0.1 * (1.0 - 0.75f64.powi(step));
        for (step, price) in prices.iter().enumerate() {
            assert!((price - closed(step as i32)).abs() < 1e-15);
        }
    }
}
