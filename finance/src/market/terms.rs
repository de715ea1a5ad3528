//! From options to the words that a market's kernel reads.

use cubefold_primitives::{State, Wide};

use super::demand::Terms;
use super::options::{MOST_BITS, MarketOptions};
use super::scenario::Scenario;

/// The largest move of a log price in a step, but for shocks.
const LARGEST_MOVE: f64 = 0.2;

/// Standard deviations that no draw of a normal number reaches.
const LARGEST_DRAW: f64 = 7.0;

/// The words of the terms of each market.
pub fn words(markets: &[MarketOptions], scenario: &Scenario) -> Vec<u32> {
    let mut words = vec![0; markets.len() * Terms::WORDS];
    for (index, options) in markets.iter().enumerate() {
        terms(options, scenario).pack(&mut words, index * Terms::WORDS);
    }
    words
}

fn terms(options: &MarketOptions, scenario: &Scenario) -> Terms {
    let [fundamentalists, followers, _] = options.counts();
    let [fundamental, trend, noise] = options.strength;
    let scale = scale_for(options, scenario);
    let seed = Wide::from(options.seed);
    Terms {
        fundamentalists,
        followers: fundamentalists + followers,
        strength_fundamental: fundamental as f32,
        strength_trend: trend as f32,
        strength_noise: 0.1 * noise as f32,
        log_fundamental: scenario.log_fundamental.as_ref().map_or(options.log_fundamental as f32, |_| 0.0),
        initial_log_price: options.initial_log_price as f32,
        scale: scale as f32,
        unit: (1.0 / scale) as f32,
        unit_move: (options.lambda / (f64::from(options.agents) * scale)) as f32,
        lag: options.lag,
        seed_low: seed.low,
        seed_high: seed.high,
    }
}

/// The power of two that was asked for, or else that by which the largest demand of the whole run fits into 29 bits.
pub fn scale_for(options: &MarketOptions, scenario: &Scenario) -> f64 {
    if let Some(bits) = options.fraction_bits {
        return f64::from(bits).exp2();
    }
    let [fundamental, trend, noise] = options.strength.map(f64::abs);
    let steps = f64::from(options.steps);
    let shocked: f64 = scenario.shocks.iter().map(|shock| shock.size.abs()).sum();
    let farthest =
        |path: &Vec<f64>| path.iter().map(|value| (value - options.initial_log_price).abs()).fold(0.0, f64::max);
    let fixed = (options.log_fundamental - options.initial_log_price).abs();
    let distance = scenario.log_fundamental.as_ref().map_or(fixed, farthest) + LARGEST_MOVE * steps + shocked;
    let swing = LARGEST_MOVE * f64::from(options.lag.min(options.steps)) + shocked;
    let strongest = (options.strength_spread * LARGEST_DRAW).exp();
    let bound = strongest * (fundamental * distance).max(trend * swing).max(0.1 * noise * LARGEST_DRAW);
    // A bound of 0 is a market in which nobody wants anything.
    let exponent = (29.0 - bound.max(1e-30).log2()).floor();
    exponent.clamp(-MOST_BITS, MOST_BITS).exp2()
}

#[cfg(test)]
mod tests {
    use super::super::scenario::Shock;
    use super::*;

    #[test]
    fn the_terms_are_as_many_words_as_the_kernel_steps_over() {
        assert_eq!(Terms::WORDS, 13);
    }

    #[test]
    fn whatever_widens_the_largest_demand_leaves_fewer_digits() {
        let options = MarketOptions::default();
        let scale = scale_for(&options, &Scenario::default());
        assert_eq!(scale, 23f64.exp2(), "100 · 0.5 is 50");
        let shocks = vec![Shock { step: 0, size: -1000.0 }];
        assert!(scale_for(&options, &Scenario { shocks, ..Scenario::default() }) < scale);
        let log_fundamental = Some(vec![1000.0; 501]);
        assert!(scale_for(&options, &Scenario { log_fundamental, ..Scenario::default() }) < scale);
        assert!(scale_for(&MarketOptions { strength_spread: 1.0, ..options }, &Scenario::default()) < scale);
        assert_eq!(scale_for(&MarketOptions { fraction_bits: Some(7), ..options }, &Scenario::default()), 128.0);
    }
}
