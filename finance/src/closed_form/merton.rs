//! European options on a price that jumps.

use crate::european::European;

/// The share of the paths that may be left out: those with the most jumps.
const LEFT_OUT: f64 = 1e-15;

/// A mean over the number of jumps: given that number, the log price is normal.
pub(super) fn price(option: &European, intensity: f64, mean: f64, vol: f64) -> f64 {
    let log_factor = mean + vol * vol / 2.0;
    let expected = intensity * option.expiry;
    if expected == 0.0 {
        return option.black_scholes();
    }
    let compensation = -intensity * log_factor.exp_m1();
    let mut total = 0.0;
    let mut left = 1.0;
    let mut jumps = 0u32;
    while left > LEFT_OUT && jumps < 10_000 {
        let count = f64::from(jumps);
        let weight = (count * expected.ln() - expected - libm::lgamma(count + 1.0)).exp();
        let vol = (option.vol * option.vol + count * vol * vol / option.expiry).sqrt();
        // The forward price moves, and the discount does not.
        let growth = compensation + count * log_factor / option.expiry;
        let moved = European { dividend: option.dividend - growth, vol, ..*option };
        total += weight * moved.black_scholes();
        left -= weight;
        jumps += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::european::Style;

    #[test]
    fn no_jumps_and_jumps_of_nothing_are_black_scholes() {
        let option = European::default();
        for (intensity, mean, vol) in [(0.0, -0.1, 0.2), (5.0, 0.0, 0.0)] {
            assert!((price(&option, intensity, mean, vol) - option.black_scholes()).abs() < 1e-12);
        }
    }

    /// The integral over the characteristic function by scipy 1.17 (`quad`): spot 100, rate 5 %, dividend 2 %, a year.
    #[test]
    fn the_integral_over_the_characteristic_function_is_met() {
        for (style, strike, intensity, mean, vol, expected) in INTEGRAL {
            let option = European { strike, dividend: 0.02, style, ..European::default() };
            let found = price(&option, intensity, mean, vol);
            assert!((found - expected).abs() < 1e-6 * expected, "{option:?}: {found} is not {expected}");
        }
    }

    const INTEGRAL: [(Style, f64, f64, f64, f64, f64); 3] = [
        (Style::Call, 100.0, 1.0, -0.1, 0.15, 11.5039253088),
        (Style::Put, 90.0, 0.5, -0.3, 0.2, 6.2091251933),
        (Style::Call, 110.0, 5.0, 0.02, 0.05, 6.5204073671),
    ];

    #[test]
    fn calls_and_puts_keep_parity() {
        let at = |style| price(&European { strike: 120.0, style, ..European::default() }, 2.0, -0.2, 0.3);
        let forward = 100.0 - 120.0 * f64::exp(-0.05);
        assert!((at(Style::Call) - at(Style::Put) - forward).abs() < 1e-9);
    }
}
