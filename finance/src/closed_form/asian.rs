//! Options on a geometric mean, which is lognormal as each price is.

use super::normal::normal_cdf;
use crate::european::European;
use crate::instrument::Fixings;

/// The distribution of the logarithm of a geometric mean of prices: normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GeometricMean {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub spread: f64,
}

impl GeometricMean {
    /// Of the fixings of an option. `W` at two times has the covariance of the earlier one.
    pub fn new(option: &European, fixings: &Fixings) -> Self {
        let (past, times) = (fixings.past(), fixings.times(option.expiry));
        let count = (past.len() + times.len()) as f64;
        let drift = option.rate - option.dividend - option.vol * option.vol / 2.0;
        let known: f64 = past.iter().map(|price| price.ln()).sum();
        // An average of past fixings alone has no log price now, which may be −∞.
        let spot = if times.is_empty() { 0.0 } else { times.len() as f64 * option.spot.ln() };
        let total: f64 = times.iter().sum();
        // Σᵢ Σⱼ min(tᵢ, tⱼ), of times in order.
        let overlap: f64 =
            times.iter().zip((0..times.len()).rev()).map(|(time, later)| time * (2 * later + 1) as f64).sum();
        GeometricMean { mean: (known + spot + drift * total) / count, spread: option.vol * overlap.sqrt() / count }
    }

    /// The discounted expectation of the option's payoff on the mean.
    pub fn price(&self, option: &European) -> f64 {
        let discount = (-option.rate * option.expiry).exp();
        let asset = discount * (self.mean + self.spread * self.spread / 2.0).exp();
        let (cash, sign) = (discount * option.strike, option.sign());
        if self.spread == 0.0 || asset == 0.0 || cash == 0.0 {
            return (sign * (asset - cash)).max(0.0);
        }
        let lower = (self.mean - option.strike.ln()) / self.spread;
        let upper = lower + self.spread;
        (sign * (asset * normal_cdf(sign * upper) - cash * normal_cdf(sign * lower))).max(0.0)
    }
}

/// The price of an option on the geometric mean of all prices from now to the expiry.
///
/// A. G. Z. Kemna, A. C. F. Vorst, "A pricing method for options based on average asset values", J. Bank. Finance 14 (1990).
pub fn continuous_geometric_asian(option: &European) -> f64 {
    let drift = option.rate - option.dividend - option.vol * option.vol / 2.0;
    let mean = option.spot.ln() + drift * option.expiry / 2.0;
    GeometricMean { mean, spread: option.vol * (option.expiry / 3.0).sqrt() }.price(option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::european::Style;

    /// O6: QuantLib, test-suite/asianoptions.cpp, ten fixings, to 1e-10.
    #[test]
    fn ten_fixings_are_quantlibs() {
        let option = European { rate: 0.06, dividend: 0.03, ..European::default() };
        let found = GeometricMean::new(&option, &Fixings::Equal(10)).price(&option);
        assert!((found - 5.3425606635).abs() < 1e-10, "{found}");
    }

    /// O7: Haug, p. 96; and the discrete mean of many fixings comes to the same.
    #[test]
    fn a_continuous_mean_is_haugs() {
        let option = European {
            spot: 80.0,
            strike: 85.0,
            rate: 0.05,
            dividend: -0.03,
            vol: 0.2,
            expiry: 0.25,
            style: Style::Put,
        };
        let found = continuous_geometric_asian(&option);
        assert!((found - 4.6922).abs() < 5e-5, "{found}");
        let many = GeometricMean::new(&option, &Fixings::Equal(20_000)).price(&option);
        assert!((many - found).abs() < 1e-3, "{many}");
    }

    #[test]
    fn one_fixing_at_expiry_is_the_european_option_and_past_ones_are_certain() {
        let option = European { strike: 103.0, dividend: 0.01, ..European::default() };
        let one = GeometricMean::new(&option, &Fixings::Equal(1)).price(&option);
        assert!((one - option.black_scholes()).abs() < 1e-12);
        let past = Fixings::Listed { past: vec![100.0, 121.0], times: vec![] };
        let certain = GeometricMean::new(&option, &past).price(&option);
        assert!((certain - f64::exp(-0.05) * 7.0).abs() < 1e-12, "{certain}");
    }
}
