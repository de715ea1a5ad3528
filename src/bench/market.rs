//! The agent market, end to end: from the options to the prices on the host. Only the host's clock can time that.

use cubefold::Device;
use cubefold::finance::market::noise;
use cubefold::finance::{MarketOptions, market};

use super::{BenchError, Ready, Scale, Spec, Work, check};

/// Demands up to which the host follows the market: all 500 steps of 33,000 agents, the first 16 of a million.
const FOLLOWED: u64 = 1 << 24;

/// How far a log price may be off. The smallest noise here, of a million agents, moves it by 1e-5 a step.
const TOLERANCE: f64 = 2e-6;

/// Growing numbers of agents.
pub fn specs(scale: Scale) -> Vec<Spec> {
    let agents: &[u32] = match scale {
        Scale::Full => &[1_000, 10_000, 100_000, 1_000_000],
        Scale::Small => &[1_000, 10_000],
        Scale::Tiny => &[100],
    };
    agents.iter().map(|&agents| spec(agents)).collect()
}

fn spec(agents: u32) -> Spec {
    let options = MarketOptions {
        agents,
        // Away from the first price, so that every kind of agent has something to do.
        log_fundamental: 0.1,
        ..MarketOptions::default()
    };
    Spec {
        operator: "market f32",
        strategy: "Tree",
        length: agents.into(),
        work: Work::AgentSteps(u64::from(agents) * u64::from(options.steps)),
        prepare: Box::new(move |device| prepare(device, options)),
    }
}

fn prepare(device: &Device, options: MarketOptions) -> Result<Ready, BenchError> {
    let run = market(device, &options)?;
    let steps = u64::from(options.steps).min(FOLLOWED / u64::from(options.agents).max(1));
    let expected = follow(&options, steps as u32);
    for (step, (&got, &expected)) in run.log_price.iter().zip(&expected).enumerate() {
        check::close(step, got, expected, TOLERANCE)?;
    }
    let device = device.clone();
    Ok(Ready {
        ends_on_host: true,
        compared: expected.len() as u64,
        results: run.log_price.len() as u64,
        call: Box::new(move || {
            market(&device, &options)?;
            Ok(())
        }),
    })
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
