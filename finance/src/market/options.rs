//! The agents, what they follow, and how the price answers.

use crate::error::{FinanceError, at_least_one, finite, not_negative};

/// How far the shares of a mix may sum from 1.
const MIX_TOLERANCE: f64 = 1e-6;

/// The largest magnitude of a strength, of lambda or of a log price: products of three of them, and
/// sums over all agents, stay within f32.
const LARGEST: f64 = 1e9;

/// The largest spread of strengths: the strongest agent is then a million times as strong as the kind.
const LARGEST_SPREAD: f64 = 2.0;

/// The most binary digits after the point, or whole digits that are left out.
pub(super) const MOST_BITS: f64 = 60.0;

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
    /// Names the stream of the noise traders' draws, and of the agents' strengths.
    pub seed: u64,
    /// Standard deviation of the logarithm of an agent's own strength, 0 to 2; their mean is that of the kind.
    pub strength_spread: f64,
    /// Binary digits after the point in which demands are summed, -60 to 60; none are as many as the largest demand leaves.
    pub fraction_bits: Option<i32>,
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
            strength_spread: 0.0,
            fraction_bits: None,
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
    /// 1e9 either way; [`FinanceError::OutOfRange`] for a spread outside 0 to 2, or binary digits outside -60 to 60.
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
        moderate("initial-log-price", self.initial_log_price)?;
        within("strength-spread", self.strength_spread, 0.0, LARGEST_SPREAD, "0 to 2")?;
        let bits = f64::from(self.fraction_bits.unwrap_or(0));
        within("fraction-bits", bits, -MOST_BITS, MOST_BITS, "-60 to 60")
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

/// Accepts numbers from `low` to `high`.
fn within(name: &'static str, value: f64, low: f64, high: f64, range: &'static str) -> Result<(), FinanceError> {
    finite(name, value)?;
    match (low..=high).contains(&value) {
        true => Ok(()),
        false => Err(FinanceError::OutOfRange { name, value, range }),
    }
}

/// Accepts finite numbers that the devices' f32 can work with.
pub(super) fn moderate(name: &'static str, value: f64) -> Result<(), FinanceError> {
    finite(name, value)?;
    match value.abs() <= LARGEST {
        true => Ok(()),
        false => Err(FinanceError::TooLarge { name, value, limit: LARGEST }),
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
    fn a_spread_and_binary_digits_have_their_ranges() {
        let spread = |strength_spread| MarketOptions { strength_spread, ..MarketOptions::default() }.check();
        assert!([0.0, 2.0].into_iter().all(|value| spread(value).is_ok()));
        for value in [-f64::from_bits(1), 2.0f64.next_up()] {
            assert!(matches!(spread(value), Err(FinanceError::OutOfRange { .. })), "{value}");
        }
        assert!(matches!(spread(f64::NAN), Err(FinanceError::NotFinite { .. })));
        let bits = |bits| MarketOptions { fraction_bits: Some(bits), ..MarketOptions::default() }.check();
        assert!(bits(-60).is_ok() && bits(60).is_ok() && bits(-61).is_err() && bits(61).is_err());
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
