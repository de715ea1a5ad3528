//! A market of three kinds of agents whose excess demand moves the price.
//!
//! With the log price `p_t`, each of `N` agents demands, by kind and strength `c`,
//!
//! - fundamentalist: `c·(log F − p_t)`,
//! - trend follower: `c·(p_t − p_{t−k})`, with the first price in place of `p_{t−k}` while `t ≤ k`,
//! - noise trader: `0.1·c·Z`, `Z ~ N(0, 1)`, drawn anew for each agent and step;
//!
//! and the total `D` moves the price, `p_{t+1} = p_t + clamp(λ·D/N, −0.2, 0.2)`.

use std::time::Instant;

use cubecl::prelude::*;
use cubefold_primitives::rng::{Key, Random, normal_pair, philox};
use cubefold_primitives::views::{Mapping, MappingExpand, Source};
use cubefold_primitives::{
    Buffer, Captured, Counter, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, State,
    Wide, wide_add,
};
use serde::Serialize;

use crate::error::{FinanceError, at_least_one, finite, not_negative};

/// How far the shares of a mix may sum from 1.
const MIX_TOLERANCE: f64 = 1e-6;

/// The largest magnitude of a strength, of lambda or of a log price: products of three of them, and
/// sums over all agents, stay within f32.
const LARGEST: f64 = 1e9;

/// The agents, what they follow, and how the price answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarketOptions {
    /// Agents `N`, at least 1.
    pub agents: u32,
    /// Steps; 0 leaves the initial price alone.
    pub steps: u32,
    /// Shares of fundamentalists, trend followers and noise traders; they sum to 1.
    pub mix: [f64; 3],
    /// Strength `c` of each kind, in the same order; a negative one acts against its signal.
    pub strength: [f64; 3],
    /// Steps `k` that trend followers look back; 0 gives them no trend.
    pub lag: u32,
    /// Answer `λ` of the log price to the mean demand.
    pub lambda: f64,
    /// Logarithm of the fundamental value, `log F`.
    pub log_fundamental: f64,
    /// Logarithm of the price at the start.
    pub initial_log_price: f64,
    /// Names the stream of the noise traders' draws.
    pub seed: u64,
}

impl Default for MarketOptions {
    fn default() -> Self {
        MarketOptions {
            agents: 100_000,
            steps: 500,
            mix: [0.4, 0.3, 0.3],
            strength: [0.5; 3],
            lag: 20,
            lambda: 0.5,
            log_fundamental: 0.0,
            initial_log_price: 0.0,
            seed: 1,
        }
    }
}

impl MarketOptions {
    /// Accepts a market that can be run.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no agents; [`FinanceError::NotFinite`];
    /// [`FinanceError::Negative`] for a share below 0; [`FinanceError::MixSum`] unless the shares
    /// sum to 1 within 1e-6; [`FinanceError::TooLarge`] for a strength, lambda or log price beyond
    /// 1e9 either way.
    pub fn check(&self) -> Result<(), FinanceError> {
        at_least_one("agents", u64::from(self.agents))?;
        let [fundamentalists, trend_followers, noise_traders] = self.mix;
        not_negative("the share of fundamentalists in the mix", fundamentalists)?;
        not_negative("the share of trend followers in the mix", trend_followers)?;
        not_negative("the share of noise traders in the mix", noise_traders)?;
        let sum: f64 = self.mix.iter().sum();
        // One epsilon for the rounding of the sum, so that 0.999999 and 1.000001 are both within.
        if (sum - 1.0).abs() > MIX_TOLERANCE + f64::EPSILON {
            return Err(FinanceError::MixSum { sum });
        }
        moderate("the strength of fundamentalists", self.strength[0])?;
        moderate("the strength of trend followers", self.strength[1])?;
        moderate("the strength of noise traders", self.strength[2])?;
        moderate("lambda", self.lambda)?;
        moderate("log-fundamental", self.log_fundamental)?;
        moderate("initial-log-price", self.initial_log_price)
    }

    /// How many agents are of each kind, in the order of the mix, for options that
    /// [`check`](Self::check) accepts.
    ///
    /// By the largest remainder (Hamilton's method): each kind gets the whole part of its share,
    /// and the agents left go one each to the largest fractional parts, the earlier kind first
    /// among equals. The counts sum to `agents`, and each is within 1 of its share. Agents are
    /// numbered in blocks in this order.
    ///
    /// ```
    /// use cubefold_finance::MarketOptions;
    /// let options = MarketOptions { agents: 11, mix: [0.4, 0.3, 0.3], ..MarketOptions::default() };
    /// assert_eq!(options.counts(), [5, 3, 3]);
    /// ```
    pub fn counts(&self) -> [u32; 3] {
        let sum: f64 = self.mix.iter().sum();
        let shares = self.mix.map(|share| share / sum * f64::from(self.agents));
        let mut counts = shares.map(|share| share as u32);
        let mut kinds = [0, 1, 2];
        kinds.sort_by(|&left, &right| shares[right].fract().total_cmp(&shares[left].fract()));
        let given: u32 = counts.iter().sum();
        for &kind in kinds.iter().take((self.agents - given) as usize) {
            counts[kind] += 1;
        }
        counts
    }
}

/// Accepts finite numbers that the devices' f32 can work with.
fn moderate(name: &'static str, value: f64) -> Result<(), FinanceError> {
    finite(name, value)?;
    match value.abs() <= LARGEST {
        true => Ok(()),
        false => Err(FinanceError::TooLarge { name, value, limit: LARGEST }),
    }
}

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
}

/// Runs the market; the primitive is `reduce`, once a step, into the history of log prices.
///
/// Nothing is read back between steps. Each agent's demand is rounded to a fixed-point number, and the demands are
/// summed as 64-bit integers: the sum has the same bits in any order and on any device. Prices are f32.
///
/// # Errors
/// What [`MarketOptions::check`] refuses, and what goes wrong on the device.
pub fn market(device: &Device, options: &MarketOptions) -> Result<MarketRun, FinanceError> {
    options.check()?;
    let start = Instant::now();
    // The initial price, then a place for that of each step.
    let first = FirstPrice { price: options.initial_log_price as f32 };
    let mut history = device.collect(&Counter::new(u64::from(options.steps) + 1).map(first))?;
    let agents = Counter::new(u64::from(options.agents));
    for step in 0..options.steps {
        let recall =
            Recall { prices: Captured::from(history.clone()), now: step, lagged: step.saturating_sub(options.lag) };
        let recent = device.collect(&Counter::new(2).map(recall))?;
        let demand = Demand::new(options, step, recent);
        device.reduce_into(&agents, &demand, &mut history, step as usize + 1)?;
    }
    let log_price = history.to_vec()?.into_iter().map(f64::from).collect();
    let seconds = start.elapsed().as_secs_f64();
    Ok(MarketRun { steps: options.steps, log_price, device: device.label(), seconds })
}

/// A price at place 0, and 0 elsewhere.
#[derive(Debug, Clone, Operator)]
struct FirstPrice {
    price: f32,
}

#[cube]
impl Mapping<Wide> for FirstPrice {
    type Output = f32;

    fn map(&self, index: Wide) -> f32 {
        select((index.low | index.high) == 0u32, self.price, 0.0f32)
    }
}

/// The price of now, and that of `lag` steps ago.
#[derive(Debug, Clone, Operator)]
struct Recall {
    prices: Captured<f32>,
    now: u32,
    lagged: u32,
}

#[cube]
impl Mapping<Wide> for Recall {
    type Output = f32;

    fn map(&self, item: Wide) -> f32 {
        self.prices[select(item.low == 0u32, self.now, self.lagged) as usize]
    }
}

/// The excess demand of an agent at a step, the sum of them all, and the log price that follows.
#[derive(Debug, Clone, Operator)]
struct Demand {
    /// The log price now and `lag` steps ago.
    recent: Captured<f32>,
    /// Agents below this number are fundamentalists,
    fundamentalists: u32,
    /// and from there on below this one trend followers.
    followers: u32,
    strength_fundamental: f32,
    strength_trend: f32,
    strength_noise: f32,
    log_fundamental: f32,
    /// Fixed-point units of a demand of 1.
    scale: f32,
    /// What a unit moves the log price by.
    unit_move: f32,
    seed_low: u32,
    seed_high: u32,
    step: u32,
}

/// The largest move of a log price in a step.
const LARGEST_MOVE: f64 = 0.2;

/// Standard deviations that no draw of a normal number reaches.
const LARGEST_DRAW: f64 = 7.0;

impl Demand {
    fn new(options: &MarketOptions, step: u32, recent: Buffer<f32>) -> Self {
        let [fundamentalists, followers, _] = options.counts();
        let [fundamental, trend, noise] = options.strength;
        let scale = scale_for(options);
        let seed = Wide::from(options.seed);
        Demand {
            recent: Captured::from(recent),
            fundamentalists,
            followers: fundamentalists + followers,
            strength_fundamental: fundamental as f32,
            strength_trend: trend as f32,
            strength_noise: 0.1 * noise as f32,
            log_fundamental: options.log_fundamental as f32,
            scale: scale as f32,
            unit_move: (options.lambda / (f64::from(options.agents) * scale)) as f32,
            seed_low: seed.low,
            seed_high: seed.high,
            step,
        }
    }
}

/// The power of two by which the largest demand of the whole run fits into 30 bits.
fn scale_for(options: &MarketOptions) -> f64 {
    let [fundamental, trend, noise] = options.strength.map(f64::abs);
    let drift = LARGEST_MOVE * f64::from(options.steps);
    let distance = (options.log_fundamental - options.initial_log_price).abs() + drift;
    let swing = LARGEST_MOVE * f64::from(options.lag.min(options.steps));
    let bound = (fundamental * distance).max(trend * swing).max(0.1 * noise * LARGEST_DRAW);
    // A bound of 0 is a market in which nobody wants anything.
    let exponent = (30.0 - bound.max(1e-30).log2()).floor();
    exponent.clamp(-60.0, 60.0).exp2()
}

/// Demand in fixed point, two's complement, and the price it was made at.
#[derive(Debug, Clone, Copy, State)]
struct Excess {
    total: Wide,
    log_price: f32,
    known: u32,
}

#[cube]
impl Monoid for Demand {
    type State = Excess;

    fn identity(&self) -> Excess {
        Excess { total: Wide { low: 0u32, high: 0u32 }, log_price: 0.0f32.runtime(), known: 0u32.runtime() }
    }

    fn combine(&self, left: Excess, right: Excess) -> Excess {
        Excess {
            total: wide_add(left.total, right.total),
            log_price: select(left.known != 0u32, left.log_price, right.log_price),
            known: left.known | right.known,
        }
    }
}

#[cube]
impl Lift<Wide> for Demand {
    fn lift(&self, item: Wide) -> Excess {
        let (now, lagged) = (self.recent[0], self.recent[1]);
        let agent = item.low;
        let mut demand = self.strength_fundamental * (self.log_fundamental - now);
        if agent >= self.fundamentalists {
            demand = self.strength_trend * (now - lagged);
        }
        if agent >= self.followers {
            demand = self.strength_noise * draw(self.seed_low, self.seed_high, agent, self.step);
        }
        Excess { total: fixed(demand * self.scale), log_price: now, known: 1u32.runtime() }
    }
}

/// Domain of the draws of noise traders: the last word of the counter, so that no other job draws the same.
const DOMAIN: u32 = 0x4d41_524b;

/// The standard normal number that a noise trader draws at a step; a value, the same on every device.
pub fn noise(seed: u64, agent: u32, step: u32) -> f32 {
    let seed = Wide::from(seed);
    draw(seed.low, seed.high, agent, step)
}

/// The standard normal number of an agent at a step. One block serves four steps.
#[cube]
fn draw(seed_low: u32, seed_high: u32, agent: u32, step: u32) -> f32 {
    let key = Key { low: seed_low, high: seed_high };
    let words = philox(key, Random { a: agent, b: step >> 2u32, c: 0u32, d: DOMAIN });
    let back = (step & 2u32) != 0u32;
    let pair = normal_pair(select(back, words.c, words.a), select(back, words.d, words.b));
    select((step & 1u32) != 0u32, pair.second, pair.first)
}

/// The nearest whole number, of at most 31 bits, as two's complement of 64.
#[cube]
fn fixed(value: f32) -> Wide {
    let whole = (value + 0.5f32).floor() as i32;
    Wide { low: whole as u32, high: select(whole < 0i32, 0xffff_ffffu32, 0u32) }
}

/// The float nearest to a two's complement number of 64 bits.
#[cube]
fn float(value: Wide) -> f32 {
    let negative = (value.high >> 31u32) != 0u32;
    let mask = select(negative, 0xffff_ffffu32, 0u32);
    let flipped = Wide { low: value.low ^ mask, high: value.high ^ mask };
    let size = wide_add(flipped, Wide { low: mask & 1u32, high: 0u32 });
    let magnitude = (size.high as f32) * 4_294_967_296.0f32 + (size.low as f32);
    select(negative, -magnitude, magnitude)
}

#[cube]
impl Lower for Demand {
    type Output = f32;

    fn lower(&self, state: Excess) -> f32 {
        let wanted = float(state.total) * self.unit_move;
        state.log_price + wanted.clamp(-0.2f32, 0.2f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(agents: u32, mix: [f64; 3]) -> MarketOptions {
        MarketOptions { agents, mix, ..MarketOptions::default() }
    }

    #[test]
    fn the_defaults_are_accepted() {
        assert!(MarketOptions::default().check().is_ok());
        assert_eq!(MarketOptions::default().counts(), [40_000, 30_000, 30_000]);
    }

    #[test]
    fn one_agent_is_accepted_and_none_is_refused() {
        assert!(mixed(1, [1.0, 0.0, 0.0]).check().is_ok());
        assert!(matches!(mixed(0, [1.0, 0.0, 0.0]).check(), Err(FinanceError::Zero { name: "agents" })));
    }

    #[test]
    fn no_steps_and_no_lag_are_accepted() {
        assert!(MarketOptions { steps: 0, lag: 0, ..MarketOptions::default() }.check().is_ok());
        assert!(MarketOptions { steps: 1, lag: u32::MAX, ..MarketOptions::default() }.check().is_ok());
    }

    #[test]
    fn a_mix_must_sum_to_one_within_a_millionth() {
        for first in [0.4, 0.400001, 0.399999] {
            assert!(mixed(10, [first, 0.3, 0.3]).check().is_ok(), "{first}");
        }
        for first in [0.4000011, 0.3999989, 0.0, 1.0] {
            assert!(matches!(mixed(10, [first, 0.3, 0.3]).check(), Err(FinanceError::MixSum { .. })), "{first}");
        }
        for first in [1.000001, 0.999999] {
            assert!(mixed(10, [first, 0.0, 0.0]).check().is_ok(), "{first}");
        }
    }

    #[test]
    fn a_negative_share_is_refused_though_the_sum_is_one() {
        for mix in [[1.5, -0.5, 0.0], [1.0, 0.0, -f64::from_bits(1)]] {
            assert!(matches!(mixed(10, mix).check(), Err(FinanceError::Negative { .. })), "{mix:?}");
        }
    }

    #[test]
    fn every_number_must_be_finite() {
        let set: [fn(&mut MarketOptions, f64); 9] = [
            |options, value| options.mix[0] = value,
            |options, value| options.mix[1] = value,
            |options, value| options.mix[2] = value,
            |options, value| options.strength[0] = value,
            |options, value| options.strength[1] = value,
            |options, value| options.strength[2] = value,
            |options, value| options.lambda = value,
            |options, value| options.log_fundamental = value,
            |options, value| options.initial_log_price = value,
        ];
        for (position, set) in set.into_iter().enumerate() {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut options = MarketOptions::default();
                set(&mut options, value);
                assert!(matches!(options.check(), Err(FinanceError::NotFinite { .. })), "{options:?}");
            }
            // Shares have a range of their own.
            for value in [LARGEST, -LARGEST, LARGEST.next_up()].into_iter().filter(|_| position > 2) {
                let mut options = MarketOptions::default();
                set(&mut options, value);
                assert_eq!(options.check().is_ok(), value.abs() <= LARGEST, "{options:?}");
            }
        }
    }

    #[test]
    fn counts_go_by_the_largest_remainder() {
        let table = [
            (10, [0.4, 0.3, 0.3], [4, 3, 3]),
            (11, [0.4, 0.3, 0.3], [5, 3, 3]),
            (12, [0.4, 0.3, 0.3], [5, 4, 3]),
            (1, [0.4, 0.3, 0.3], [1, 0, 0]),
            (1, [0.2, 0.3, 0.5], [0, 0, 1]),
            (2, [0.34, 0.33, 0.33], [1, 1, 0]),
            (3, [0.5, 0.5, 0.0], [2, 1, 0]),
            (7, [1.0, 0.0, 0.0], [7, 0, 0]),
            (7, [0.0, 0.0, 1.0], [0, 0, 7]),
            (100, [0.333, 0.333, 0.334], [33, 33, 34]),
            (u32::MAX, [1.0, 0.0, 0.0], [u32::MAX, 0, 0]),
        ];
        for (agents, mix, expected) in table {
            assert_eq!(mixed(agents, mix).counts(), expected, "{agents} agents of {mix:?}");
        }
    }

    #[test]
    fn counts_sum_to_the_agents_and_stay_within_one_of_their_shares() {
        let agents = (1..60).chain([999, 65_537, 100_003, 2_700_000, u32::MAX - 1, u32::MAX]);
        for agents in agents {
            for (first, second) in (0..=20).flat_map(|first| (0..=20 - first).map(move |second| (first, second))) {
                for off in [0.0, 9e-7, -9e-7] {
                    let mix = [first, second, 20 - first - second].map(|part| f64::from(part) / 20.0 * (1.0 + off));
                    let options = mixed(agents, mix);
                    options.check().expect("the mix sums to 1 within 1e-6");
                    let counts = options.counts();
                    assert_eq!(counts.iter().map(|&count| u64::from(count)).sum::<u64>(), u64::from(agents), "{mix:?}");
                    for (count, share) in counts.iter().zip(mix) {
                        let wanted = share / (1.0 + off) * f64::from(agents);
                        assert!((f64::from(*count) - wanted).abs() < 1.0 + 1e-5, "{count} of {agents} in {mix:?}");
                        assert!(share > 0.0 || *count == 0, "a share of 0 has no agents");
                    }
                }
            }
        }
    }
}
