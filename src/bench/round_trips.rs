//! The agent market with a round trip a step, for comparison: the host sends the price, the device reduces all demands, the host
//! reads their sum and moves the price.

use cubefold::finance::MarketOptions;
use cubefold::finance::market::draw;
use cubefold::ops::Sum;
use cubefold::prelude::*;

use super::BenchError;

/// What one agent wants at a price: the formulas of the market, item by item.
#[derive(Debug, Clone, Operator)]
struct Demand {
    fundamentalists: u32,
    others: u32,
    /// Strength times distance, which all agents of a kind share,
    to_fundamental: f32,
    along_trend: f32,
    /// and what noise traders multiply their draws by.
    erratic: f32,
    seed_low: u32,
    seed_high: u32,
    step: u32,
}

#[cube]
impl Mapping<Wide> for Demand {
    type Output = f32;

    fn map(&self, agent: Wide) -> f32 {
        let mut wanted = self.to_fundamental;
        if agent.low >= self.others {
            wanted = self.erratic * draw(self.seed_low, self.seed_high, agent.low, self.step);
        } else if agent.low >= self.fundamentalists {
            wanted = self.along_trend;
        }
        wanted
    }
}

/// The log prices of all steps.
///
/// # Errors
/// What goes wrong on the device.
pub fn log_prices(device: &Device, options: &MarketOptions) -> Result<Vec<f64>, BenchError> {
    let [fundamentalists, followers, _] = options.counts();
    let [fundamental, trend, erratic] = options.strength;
    let seed = Wide::from(options.seed);
    let mut prices = vec![options.initial_log_price];
    for step in 0..options.steps {
        let now = prices[step as usize];
        let lagged = prices[step.saturating_sub(options.lag) as usize];
        let demands = Counter::new(options.agents.into()).map(Demand {
            fundamentalists,
            others: fundamentalists + followers,
            to_fundamental: (fundamental * (options.log_fundamental - now)) as f32,
            along_trend: (trend * (now - lagged)) as f32,
            erratic: (0.1 * erratic) as f32,
            seed_low: seed.low,
            seed_high: seed.high,
            step,
        });
        let demand = f64::from(device.reduce(&demands, &Sum::<f32>::new())?.get(0)?);
        let moved = options.lambda * demand / f64::from(options.agents);
        prices.push(now + moved.clamp(-0.2, 0.2));
    }
    Ok(prices)
}
