//! The European option's derivatives, and the digital options.

use serde::Serialize;

use super::normal::{normal_cdf, normal_density};
use crate::european::European;

/// The derivatives of a price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Greeks<T = f64> {
    /// By the spot.
    pub delta: T,
    /// By the spot, twice.
    pub gamma: T,
    /// By the volatility: a unit of it is 100 %.
    pub vega: T,
    /// By the riskless rate: a unit of it is 100 %.
    pub rho: T,
    /// By the time that passes, in years.
    pub theta: T,
}

impl<T> Greeks<T> {
    /// Their names and values, in order.
    pub fn named(&self) -> [(&'static str, &T); 5] {
        [
            ("delta", &self.delta),
            ("gamma", &self.gamma),
            ("vega", &self.vega),
            ("rho", &self.rho),
            ("theta", &self.theta),
        ]
    }
}

/// `d₊` and `d₋` of a European option: the moneyness in standard deviations, moved by half of one either way.
fn moneyness(option: &European) -> (f64, f64) {
    let spread = option.vol * option.expiry.sqrt();
    let centre = (option.discounted_stock().ln() - option.discounted_strike().ln()) / spread;
    (centre + spread / 2.0, centre - spread / 2.0)
}

/// The derivatives of the price by Black, Scholes and Merton; NaN where volatility, time, spot or strike is 0 and the price
/// has a kink.
pub fn greeks(option: &European) -> Greeks {
    let (upper, lower) = moneyness(option);
    let (stock, cash, sign) = (option.discounted_stock(), option.discounted_strike(), option.sign());
    let root = option.expiry.sqrt();
    let density = normal_density(upper);
    let (owned, paid) = (stock * normal_cdf(sign * upper), cash * normal_cdf(sign * lower));
    let decay = stock * density * option.vol / (2.0 * root);
    Greeks {
        delta: sign * owned / option.spot,
        gamma: stock * density / (option.spot * option.spot * option.vol * root),
        vega: stock * density * root,
        rho: sign * option.expiry * paid,
        theta: sign * (option.dividend * owned - option.rate * paid) - decay,
    }
}

/// 1 where the European option is exercised.
pub(super) fn cash_digital(option: &European) -> f64 {
    let discount = (-option.rate * option.expiry).exp();
    discount * exercised(option, moneyness(option).1)
}

/// The stock where the European option is exercised.
pub(super) fn asset_digital(option: &European) -> f64 {
    option.discounted_stock() * exercised(option, moneyness(option).0)
}

/// The probability of exercise, where `d` is its quantile; 0 or 1 where nothing is left to chance.
fn exercised(option: &European, d: f64) -> f64 {
    let certain = option.vol * option.expiry.sqrt() == 0.0 || option.spot == 0.0 || option.strike == 0.0;
    match certain {
        true => f64::from(option.sign() * (option.discounted_stock() - option.discounted_strike()) > 0.0),
        false => normal_cdf(option.sign() * d),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::european::Style;

    /// O4 of the literature: Hull, "Options, Futures, and Other Derivatives", ch. 19.
    #[test]
    fn the_textbooks_greeks_are_met() {
        let option = European { spot: 49.0, strike: 50.0, rate: 0.05, expiry: 0.3846, ..European::default() };
        let found = greeks(&option);
        for (found, expected) in [(found.delta, 0.52160), (found.gamma, 0.065545), (found.vega, 12.1052)] {
            assert!((found - expected).abs() < 5e-5 * f64::max(1.0, expected), "{found} is not {expected}");
        }
    }

    #[test]
    fn every_greek_is_the_slope_of_the_price() {
        for style in [Style::Call, Style::Put] {
            let option = European { strike: 110.0, dividend: 0.03, style, ..European::default() };
            let slope = |change: fn(&mut European, f64), step: f64| {
                let moved = |by: f64| {
                    let mut option = option;
                    change(&mut option, by);
                    option.black_scholes()
                };
                (moved(step) - moved(-step)) / (2.0 * step)
            };
            let found = greeks(&option);
            let bend = |by: f64| greeks(&European { spot: option.spot + by, ..option }).delta;
            let expected = [
                slope(|option, by| option.spot += by, 1e-3),
                (bend(1e-3) - bend(-1e-3)) / 2e-3,
                slope(|option, by| option.vol += by, 1e-5),
                slope(|option, by| option.rate += by, 1e-5),
                -slope(|option, by| option.expiry += by, 1e-5),
            ];
            for ((name, found), expected) in found.named().into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{name}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn digitals_make_up_the_european_option() {
        for style in [Style::Call, Style::Put] {
            for vol in [0.2, 0.0] {
                let option = European { strike: 95.0, dividend: 0.02, vol, style, ..European::default() };
                let made = option.sign() * (asset_digital(&option) - option.strike * cash_digital(&option));
                assert!((made - option.black_scholes()).abs() < 1e-12, "{option:?}");
            }
        }
        // O2.
        assert!((cash_digital(&European::default()) - 0.532325).abs() < 5e-7);
    }
}
