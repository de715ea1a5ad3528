//! The market as a feedback loop: what an agent demands, and how the price answers.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::iterate::{Feedback, FeedbackExpand, Moment, recall, total};
use cubefold_primitives::rng::{Key, Random, normal_pair, philox};
use cubefold_primitives::views::{Mapping, MappingExpand};
use cubefold_primitives::{Both, Captured, Commutative, Monoid, MonoidExpand, Operator, State, Wide};

use super::fixed::{Excess, fault, fixed, float, none, plus};

/// Domain of the draws of noise traders: the last word of the counter, so that no other job draws the same.
const NOISE: u32 = 0x4d41_524b;

/// Domain of the draws of strengths.
const STRENGTH: u32 = 0x5354_524e;

/// What one market is set to.
#[derive(Debug, Clone, Copy, State)]
pub struct Terms {
    /// Agents below this number are fundamentalists,
    pub fundamentalists: u32,
    /// and from there on below this one trend followers.
    pub followers: u32,
    pub strength_fundamental: f32,
    pub strength_trend: f32,
    pub strength_noise: f32,
    /// Added to the path of the fundamental value.
    pub log_fundamental: f32,
    pub initial_log_price: f32,
    /// Fixed-point units of a demand of 1.
    pub scale: f32,
    /// Demand of a unit.
    pub unit: f32,
    /// What a unit moves the log price by.
    pub unit_move: f32,
    pub lag: u32,
    pub seed_low: u32,
    pub seed_high: u32,
}

/// What every agent sees, and how it came about.
#[derive(Debug, Clone, Copy, State)]
pub struct Quote {
    pub log_price: f32,
    /// Fundamental value above the price.
    pub gap: f32,
    /// Rise of the price over the lag.
    pub trend: f32,
    /// Excess demand at the step before, by kind.
    pub fundamental: f32,
    pub follower: f32,
    pub noise: f32,
    /// 1 where a demand so far did not fit into its fixed point.
    pub fault: u32,
}

/// The price alone: all that is read back of many markets.
#[derive(Debug, Clone, Operator)]
pub struct LogPrice;

#[cube]
impl Mapping<Quote> for LogPrice {
    type Output = f32;

    fn map(&self, quote: Quote) -> f32 {
        quote.log_price
    }
}

/// Whether a demand so far did not fit.
#[derive(Debug, Clone, Operator)]
pub struct Fault;

#[cube]
impl Mapping<Quote> for Fault {
    type Output = u32;

    fn map(&self, quote: Quote) -> u32 {
        quote.fault
    }
}

/// The demand of agents that are as strong as their kind.
#[derive(Debug, Clone, Operator)]
pub struct Demand {
    /// The words of [`Terms`] of each market.
    pub terms: Captured<u32>,
    /// The path of the fundamental value, one value a price, and the jumps of the price, one a step; the last of either lasts.
    pub path: Captured<f32>,
    pub jumps: Captured<f32>,
    /// Places of the last.
    pub path_end: u32,
    pub jumps_end: u32,
}

#[cube]
impl Monoid for Demand {
    type State = Excess;

    fn identity(&self) -> Excess {
        none()
    }

    fn combine(&self, left: Excess, right: Excess) -> Excess {
        plus(left, right)
    }
}

impl Commutative for Demand {}

#[cube]
impl Feedback<Wide> for Demand {
    type Setting = Terms;
    type Shared = Quote;

    fn setting(&self, member: u32) -> Terms {
        let at = member as usize * 13usize;
        Terms {
            fundamentalists: self.terms[at],
            followers: self.terms[at + 1],
            strength_fundamental: f32::from_bits(self.terms[at + 2]),
            strength_trend: f32::from_bits(self.terms[at + 3]),
            strength_noise: f32::from_bits(self.terms[at + 4]),
            log_fundamental: f32::from_bits(self.terms[at + 5]),
            initial_log_price: f32::from_bits(self.terms[at + 6]),
            scale: f32::from_bits(self.terms[at + 7]),
            unit: f32::from_bits(self.terms[at + 8]),
            unit_move: f32::from_bits(self.terms[at + 9]),
            lag: self.terms[at + 10],
            seed_low: self.terms[at + 11],
            seed_high: self.terms[at + 12],
        }
    }

    fn start(&self, terms: Terms) -> Quote {
        Quote {
            log_price: terms.initial_log_price,
            gap: terms.log_fundamental + self.path[0] - terms.initial_log_price,
            trend: 0.0f32.runtime(),
            fundamental: 0.0f32.runtime(),
            follower: 0.0f32.runtime(),
            noise: 0.0f32.runtime(),
            fault: 0u32.runtime(),
        }
    }

    #[inline(always)]
    fn key(&self, agent: Wide, terms: Terms, _quote: Quote, _now: Moment) -> u32 {
        kind_of(agent.low, terms)
    }

    #[inline(always)]
    fn respond(&self, agent: Wide, terms: Terms, quote: Quote, now: Moment) -> Excess {
        fixed(wanted(agent.low, 0u32, terms, quote, now.step, false) * terms.scale)
    }

    #[inline(always)]
    fn prepare(&self, agent: Wide, terms: Terms, now: Moment) -> Random {
        drawn(agent.low, terms, now.step)
    }

    #[inline(always)]
    fn respond_prepared(&self, agent: Wide, drawn: u32, terms: Terms, quote: Quote, now: Moment) -> Excess {
        fixed(wanted(agent.low, drawn, terms, quote, now.step, true) * terms.scale)
    }

    fn update(&self, totals: &[u32], history: &[u32], terms: Terms, quote: Quote, now: Moment) -> Quote {
        let fundamental = total::<Excess>(totals, 0u32);
        let follower = total::<Excess>(totals, 1u32);
        let noise = total::<Excess>(totals, 2u32);
        let all = plus(fundamental, plus(follower, noise));
        let moved = (float(all) * terms.unit_move).clamp(-0.2f32, 0.2f32);
        let next = now.step + 1u32;
        let log_price = quote.log_price + moved + self.jumps[min(now.step, self.jumps_end) as usize];
        // The price of `lag` steps ago, or the first.
        let mut lagged = quote.log_price;
        if terms.lag > 1u32 {
            lagged = recall::<Quote>(history, now, next - min(terms.lag, next)).log_price;
        }
        Quote {
            log_price,
            gap: terms.log_fundamental + self.path[min(next, self.path_end) as usize] - log_price,
            trend: select(terms.lag == 0u32, 0.0f32, log_price - lagged),
            fundamental: float(fundamental) * terms.unit,
            follower: float(follower) * terms.unit,
            noise: float(noise) * terms.unit,
            fault: quote.fault | fault(all),
        }
    }
}

/// 0 for a fundamentalist, 1 for a trend follower, 2 for a noise trader.
#[cube]
#[inline(always)]
fn kind_of(agent: u32, terms: Terms) -> u32 {
    select(agent < terms.fundamentalists, 0u32, select(agent < terms.followers, 1u32, 2u32))
}

/// The bits of the normal numbers that an agent draws at four steps from `step` on, if it is a noise trader.
#[cube]
#[inline(always)]
fn drawn(agent: u32, terms: Terms, step: u32) -> Random {
    let mut bits = Random { a: 0u32.runtime(), b: 0u32.runtime(), c: 0u32.runtime(), d: 0u32.runtime() };
    if kind_of(agent, terms) == 2u32 {
        let words = noise_words(terms.seed_low, terms.seed_high, agent, step);
        let (early, late) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
        bits = Random {
            a: early.first.to_bits(),
            b: early.second.to_bits(),
            c: late.first.to_bits(),
            d: late.second.to_bits(),
        };
    }
    bits
}

/// What an agent of its kind's strength demands; a noise trader by what it has `drawn`, or draws now.
#[cube]
#[inline(always)]
fn wanted(agent: u32, drawn: u32, terms: Terms, quote: Quote, step: u32, #[comptime] has_drawn: bool) -> f32 {
    let kind = kind_of(agent, terms);
    let mut demand = terms.strength_fundamental * quote.gap;
    if kind == 1u32 {
        demand = terms.strength_trend * quote.trend;
    }
    if kind == 2u32 {
        let normal = if comptime!(has_drawn) {
            f32::from_bits(drawn)
        } else {
            draw(terms.seed_low, terms.seed_high, agent, step)
        };
        demand = terms.strength_noise * normal;
    }
    demand
}

/// The demand of agents of strengths of their own: items are an agent's number and its strength.
#[derive(Debug, Clone, Operator)]
pub struct OwnDemand {
    pub market: Demand,
}

#[cube]
impl Monoid for OwnDemand {
    type State = Excess;

    fn identity(&self) -> Excess {
        none()
    }

    fn combine(&self, left: Excess, right: Excess) -> Excess {
        plus(left, right)
    }
}

impl Commutative for OwnDemand {}

#[cube]
impl Feedback<Both<Wide, f32>> for OwnDemand {
    type Setting = Terms;
    type Shared = Quote;

    fn setting(&self, member: u32) -> Terms {
        self.market.setting(member)
    }

    fn start(&self, terms: Terms) -> Quote {
        self.market.start(terms)
    }

    #[inline(always)]
    fn key(&self, agent: Both<Wide, f32>, terms: Terms, quote: Quote, now: Moment) -> u32 {
        self.market.key(agent.left, terms, quote, now)
    }

    #[inline(always)]
    fn respond(&self, agent: Both<Wide, f32>, terms: Terms, quote: Quote, now: Moment) -> Excess {
        fixed(agent.right * wanted(agent.left.low, 0u32, terms, quote, now.step, false) * terms.scale)
    }

    #[inline(always)]
    fn prepare(&self, agent: Both<Wide, f32>, terms: Terms, now: Moment) -> Random {
        drawn(agent.left.low, terms, now.step)
    }

    #[inline(always)]
    fn respond_prepared(&self, agent: Both<Wide, f32>, drawn: u32, terms: Terms, quote: Quote, now: Moment) -> Excess {
        fixed(agent.right * wanted(agent.left.low, drawn, terms, quote, now.step, true) * terms.scale)
    }

    fn update(&self, totals: &[u32], history: &[u32], terms: Terms, quote: Quote, now: Moment) -> Quote {
        self.market.update(totals, history, terms, quote, now)
    }
}

/// The strength of an agent beside that of its kind: `exp(σ Z − σ²/2)`, whose mean is 1.
#[derive(Debug, Clone, Operator)]
pub struct Strength {
    pub spread: f32,
    pub seed_low: u32,
    pub seed_high: u32,
}

#[cube]
impl Mapping<Wide> for Strength {
    type Output = f32;

    fn map(&self, agent: Wide) -> f32 {
        let key = Key { low: self.seed_low, high: self.seed_high };
        let words = philox(key, Random { a: agent.low, b: 0u32, c: 0u32, d: STRENGTH });
        let pair = normal_pair(words.a, words.b);
        (self.spread * (pair.first - 0.5f32 * self.spread)).exp()
    }
}

/// The standard normal number that a noise trader draws at a step; a value, the same on every device.
pub fn noise(seed: u64, agent: u32, step: u32) -> f32 {
    let seed = Wide::from(seed);
    draw(seed.low, seed.high, agent, step)
}

/// The random words of the four steps that `step` is one of.
#[cube]
#[inline(always)]
fn noise_words(seed_low: u32, seed_high: u32, agent: u32, step: u32) -> Random {
    philox(Key { low: seed_low, high: seed_high }, Random { a: agent, b: step >> 2u32, c: 0u32, d: NOISE })
}

/// The same inside a kernel. One block of random words serves four steps.
#[cube]
#[inline(always)]
#[allow(missing_docs)] // of what #[cube] writes beside it
pub fn draw(seed_low: u32, seed_high: u32, agent: u32, step: u32) -> f32 {
    let words = noise_words(seed_low, seed_high, agent, step);
    let back = (step & 2u32) != 0u32;
    let pair = normal_pair(select(back, words.c, words.a), select(back, words.d, words.b));
    select((step & 1u32) != 0u32, pair.second, pair.first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::market::{MarketOptions, Scenario};

    #[test]
    fn prepared_agents_demand_what_they_demand_alone() {
        let options = MarketOptions { agents: 40, lag: 1, seed: 1 << 40, ..MarketOptions::default() };
        let terms = super::super::terms::words(&[options], &Scenario::default());
        let market =
            Demand { terms: terms.into(), path: vec![0.1].into(), jumps: vec![0.0].into(), path_end: 0, jumps_end: 0 };
        let own = OwnDemand { market: market.clone() };
        let terms = market.setting(0);
        let quote = Quote { trend: -0.03, ..market.start(terms) };
        let mut kinds = [0; 3];
        for agent in 0..options.agents {
            let agent = Wide { low: agent, high: 0 };
            let item = Both { left: agent, right: 1.25 };
            kinds[market.key(agent, terms, quote, Moment::new(0, 0)) as usize] += 1;
            for block in [0, 4, 1 << 20] {
                let (one, other) = (
                    market.prepare(agent, terms, Moment::new(0, block)),
                    own.prepare(item, terms, Moment::new(0, block)),
                );
                for (step, words) in
                    (block..).zip([(one.a, other.a), (one.b, other.b), (one.c, other.c), (one.d, other.d)])
                {
                    let now = Moment::new(0, step);
                    assert_eq!(
                        market.respond_prepared(agent, words.0, terms, quote, now),
                        market.respond(agent, terms, quote, now)
                    );
                    assert_eq!(
                        own.respond_prepared(item, words.1, terms, quote, now),
                        own.respond(item, terms, quote, now)
                    );
                }
            }
        }
        assert_eq!(kinds, [16, 12, 12]);
    }
}
