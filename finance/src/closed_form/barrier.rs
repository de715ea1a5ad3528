//! Barrier options that are monitored continuously.

use super::normal::normal_cdf;
use crate::european::{European, Style};
use crate::instrument::{Barrier, Direction, Knock};

/// The price; none where a rebate is paid at once and the rate is so negative that its discount has no expectation.
pub(super) fn price(option: &European, barrier: &Barrier) -> Option<f64> {
    if barrier.is_reached(option.spot) {
        return Some(match barrier.knock {
            Knock::In => option.black_scholes(),
            Knock::Out => barrier.rebate,
        });
    }
    match option.spot == 0.0 || option.vol * option.expiry.sqrt() == 0.0 {
        true => Some(certain(option, barrier)),
        false => Parts::new(option, barrier).map(|parts| parts.price(option, barrier)),
    }
}

/// The price where nothing is left to chance: the stock grows at one rate, so that it is farthest at the expiry.
fn certain(option: &European, barrier: &Barrier) -> f64 {
    let growth = option.rate - option.dividend;
    let reached = barrier.is_reached(option.spot * (growth * option.expiry).exp());
    match (barrier.knock, reached) {
        (Knock::In, true) | (Knock::Out, false) => option.black_scholes(),
        (Knock::In, false) => barrier.rebate * (-option.rate * option.expiry).exp(),
        (Knock::Out, true) => {
            let time = (barrier.level / option.spot).ln() / growth;
            barrier.rebate * (-option.rate * time).exp()
        }
    }
}

/// The building blocks A to F of Reiner and Rubinstein.
struct Parts {
    /// A: the European option; B: the same, exercised beyond the barrier; C and D: their reflections at the barrier.
    exercise: [f64; 4],
    /// E: the rebate at expiry.
    at_expiry: f64,
    /// F: the rebate when the barrier is reached.
    at_once: f64,
}

impl Parts {
    fn new(option: &European, barrier: &Barrier) -> Option<Self> {
        let variance = option.vol * option.vol;
        let spread = option.vol * option.expiry.sqrt();
        // Towards the barrier: 1 from above, −1 from below.
        let (side, sign) = (-barrier.side(), option.sign());
        let tilt = (option.rate - option.dividend) / variance - 0.5;
        let (stock, cash) = (option.discounted_stock(), option.discounted_strike());
        let away = (barrier.level / option.spot).ln();
        let shift = (1.0 + tilt) * spread;
        let plain = |log: f64| {
            let upper = log / spread + shift;
            sign * (stock * normal_cdf(sign * upper) - cash * normal_cdf(sign * (upper - spread)))
        };
        let reflected = |log: f64| {
            let upper = log / spread + shift;
            let owned = stock * (2.0 * (tilt + 1.0) * away).exp() * normal_cdf(side * upper);
            sign * (owned - cash * (2.0 * tilt * away).exp() * normal_cdf(side * (upper - spread)))
        };
        let moneyness = (option.spot / option.strike).ln();
        let survival = normal_cdf(side * (-away / spread + shift - spread))
            - (2.0 * tilt * away).exp() * normal_cdf(side * (away / spread + shift - spread));
        let square = tilt * tilt + 2.0 * option.rate / variance;
        let at_once = match barrier.rebate {
            0.0 => 0.0,
            _ if square < 0.0 => return None,
            rebate => {
                let root = square.sqrt();
                let upper = away / spread + root * spread;
                let early = ((tilt + root) * away).exp() * normal_cdf(side * upper);
                rebate * (early + ((tilt - root) * away).exp() * normal_cdf(side * (upper - 2.0 * root * spread)))
            }
        };
        Some(Parts {
            exercise: [plain(moneyness), plain(-away), reflected(2.0 * away + moneyness), reflected(away)],
            at_expiry: barrier.rebate * (-option.rate * option.expiry).exp() * survival,
            at_once,
        })
    }

    fn price(&self, option: &European, barrier: &Barrier) -> f64 {
        let [a, b, c, d] = self.exercise;
        let strike_above = option.strike >= barrier.level;
        // What begins at the barrier; what ends there is the rest of the European option.
        let begun = match (barrier.direction, option.style, strike_above) {
            (Direction::Down, Style::Call, true) | (Direction::Up, Style::Put, false) => c,
            (Direction::Down, Style::Call, false) | (Direction::Up, Style::Put, true) => a - b + d,
            (Direction::Up, Style::Call, true) | (Direction::Down, Style::Put, false) => a,
            (Direction::Up, Style::Call, false) | (Direction::Down, Style::Put, true) => b - c + d,
        };
        match barrier.knock {
            Knock::In => begun + self.at_expiry,
            Knock::Out => a - begun + self.at_once,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::Monitoring;

    fn barrier(direction: Direction, knock: Knock, level: f64, rebate: f64) -> Barrier {
        Barrier { direction, knock, level, rebate, monitoring: Monitoring::Continuous }
    }

    /// O11: Haug, p. 72, as in QuantLib's test-suite/barrieroption.cpp (testHaugValues); spot 100, dividend 4 %, rate 8 %, half a
    /// year, rebate 3. Computed again by QuantLib 1.44's AnalyticBarrierEngine.
    #[test]
    fn haugs_table_is_met() {
        use Direction::{Down, Up};
        use Knock::{In, Out};
        use Style::{Call, Put};
        let table = [
            (Down, Out, 95.0, Call, 90.0, 0.25, 9.0246),
            (Down, Out, 95.0, Call, 100.0, 0.25, 6.7924),
            (Down, Out, 95.0, Call, 110.0, 0.25, 4.8759),
            (Down, Out, 100.0, Call, 90.0, 0.25, 3.0000),
            (Up, Out, 105.0, Call, 90.0, 0.25, 2.6789),
            (Up, Out, 105.0, Call, 100.0, 0.25, 2.3580),
            (Up, Out, 105.0, Call, 110.0, 0.25, 2.3453),
            (Down, In, 95.0, Call, 90.0, 0.25, 7.7627),
            (Down, In, 95.0, Call, 110.0, 0.25, 2.0576),
            (Down, In, 100.0, Call, 90.0, 0.25, 13.8333),
            (Up, In, 105.0, Call, 90.0, 0.25, 14.1112),
            (Up, In, 105.0, Call, 100.0, 0.25, 8.4482),
            (Up, In, 105.0, Call, 110.0, 0.25, 4.5910),
            (Down, Out, 95.0, Call, 90.0, 0.30, 8.8334),
            (Down, Out, 95.0, Put, 90.0, 0.25, 2.2798),
            (Down, Out, 95.0, Put, 110.0, 0.25, 2.6252),
            (Up, Out, 105.0, Put, 90.0, 0.25, 3.7760),
            (Up, Out, 105.0, Put, 110.0, 0.25, 7.5187),
            (Down, In, 95.0, Put, 90.0, 0.25, 2.9586),
            (Down, In, 95.0, Put, 110.0, 0.25, 11.9752),
            (Up, In, 105.0, Put, 90.0, 0.25, 1.4653),
            (Up, In, 105.0, Put, 110.0, 0.25, 7.0846),
        ];
        for (direction, knock, level, style, strike, vol, expected) in table {
            let option = European { spot: 100.0, strike, rate: 0.08, dividend: 0.04, vol, expiry: 0.5, style };
            let found = price(&option, &barrier(direction, knock, level, 3.0)).unwrap();
            assert!(
                (found - expected).abs() <= 6e-5,
                "{direction:?} {knock:?} {style:?} {strike}: {found}, {expected}"
            );
        }
    }

    #[test]
    fn what_begins_and_what_ends_are_the_european_option() {
        for direction in [Direction::Up, Direction::Down] {
            for style in [Style::Call, Style::Put] {
                for (level, strike, vol) in
                    [(95.0, 90.0, 0.3), (110.0, 120.0, 0.2), (100.0, 100.0, 0.1), (90.0, 99.0, 0.0)]
                {
                    let option = European { strike, dividend: 0.02, vol, style, ..European::default() };
                    let part = |knock| price(&option, &barrier(direction, knock, level, 0.0)).unwrap();
                    let whole = part(Knock::In) + part(Knock::Out);
                    assert!((whole - option.black_scholes()).abs() < 1e-12, "{option:?} {level}: {whole}");
                }
            }
        }
    }
}
