//! The European option and its closed price.
//!
//! Under the risk-neutral measure the stock follows a geometric Brownian motion, so that at expiry
//! `S_T = S · exp((r − q − σ²/2)·T + σ·√T·Z)` with `Z ~ N(0, 1)`, and the price is `exp(−r·T) ·
//! E[max(±(S_T − K), 0)]`.

use crate::closed_form::normal_cdf;
use crate::error::{FinanceError, finite, not_negative};
use crate::instrument::{Instrument, Payoff};
use crate::model::Model;

/// What the holder may do at expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Buy at the strike: pays `max(S_T − K, 0)`.
    #[default]
    Call,
    /// Sell at the strike: pays `max(K − S_T, 0)`.
    Put,
}

/// A European option on one stock, with the market it is priced in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct European {
    /// Price of the stock now, `S ≥ 0`.
    pub spot: f64,
    /// Price agreed on, `K ≥ 0`, in the same currency.
    pub strike: f64,
    /// Riskless rate `r` a year, continuously compounded: 0.05 is 5 %.
    pub rate: f64,
    /// Dividend yield `q` a year, continuously compounded.
    pub dividend: f64,
    /// Volatility `σ ≥ 0`: standard deviation of the log price over a year.
    pub vol: f64,
    /// Time to expiry `T ≥ 0` in years.
    pub expiry: f64,
    /// Call or put.
    pub style: Style,
}

/// At the money, one year, 5 % rate, 20 % volatility; a call worth 10.450584.
impl Default for European {
    fn default() -> Self {
        European { spot: 100.0, strike: 100.0, rate: 0.05, dividend: 0.0, vol: 0.2, expiry: 1.0, style: Style::Call }
    }
}

impl European {
    /// Accepts what has a price: volatility, expiry, strike and spot may be 0, rates may be
    /// negative.
    ///
    /// # Errors
    /// [`FinanceError::NotFinite`] for a NaN or an infinity, also in `exp(−r·T)`, `exp(−q·T)`, the
    /// forward price or what stock and strike are worth today; [`FinanceError::Negative`] for a
    /// spot, strike, volatility or expiry below 0.
    pub fn check(&self) -> Result<(), FinanceError> {
        let amounts = [("spot", self.spot), ("strike", self.strike), ("vol", self.vol), ("expiry", self.expiry)];
        for (name, value) in amounts {
            not_negative(name, value)?;
        }
        finite("rate", self.rate)?;
        finite("dividend", self.dividend)?;
        finite("the discount factor exp(-rate * expiry)", (-self.rate * self.expiry).exp())?;
        finite("the dividend factor exp(-dividend * expiry)", (-self.dividend * self.expiry).exp())?;
        let growth = (self.rate * self.expiry - self.dividend * self.expiry).exp();
        finite("the forward price spot * exp((rate - dividend) * expiry)", self.spot * growth)?;
        finite("the stock without its dividends, spot * exp(-dividend * expiry)", self.discounted_stock())?;
        finite("the discounted strike, strike * exp(-rate * expiry)", self.discounted_strike())
    }

    /// The European option of the strike and expiry of `instrument` on the first asset of `model`; none where there is none.
    pub(crate) fn of(instrument: &Instrument, model: &Model) -> Option<Self> {
        let asset = model.assets.first()?;
        Some(European {
            spot: asset.spot,
            strike: instrument.strike,
            rate: model.rate,
            dividend: asset.dividend,
            vol: asset.vol,
            expiry: instrument.expiry,
            style: instrument.style,
        })
    }

    /// What is paid.
    pub fn instrument(&self) -> Instrument {
        Instrument { payoff: Payoff::European, style: self.style, strike: self.strike, expiry: self.expiry }
    }

    /// The market it is priced in.
    pub fn model(&self) -> Model {
        Model::gbm(self.spot, self.rate, self.dividend, self.vol)
    }

    /// 1 for a call, −1 for a put.
    pub(crate) fn sign(&self) -> f64 {
        match self.style {
            Style::Call => 1.0,
            Style::Put => -1.0,
        }
    }

    /// What the stock without its dividends is worth today, `S·exp(−q·T)`.
    pub(crate) fn discounted_stock(&self) -> f64 {
        self.spot * (-self.dividend * self.expiry).exp()
    }

    /// What the strike is worth today, `K·exp(−r·T)`.
    pub(crate) fn discounted_strike(&self) -> f64 {
        self.strike * (-self.rate * self.expiry).exp()
    }

    /// The price by Black, Scholes and Merton, for an option that [`check`](Self::check) accepts.
    ///
    /// With `s = S·exp(−q·T)`, `k = K·exp(−r·T)`, `v = σ·√T` and `d± = ln(s/k)/v ± v/2`: a call is
    /// `s·N(d₊) − k·N(d₋)`, a put `k·N(−d₋) − s·N(−d₊)`. Where `v`, `s` or `k` is 0 the formula has
    /// no value and its limit, `max(±(s − k), 0)`, is the price. Absolute error about `1e-15 ·
    /// max(s, k)`.
    ///
    /// Source: F. Black, M. Scholes, "The pricing of options and corporate liabilities", J. Polit.
    /// Econ. 81 (1973), eq. 13; with a dividend yield: R. C. Merton, "Theory of rational option
    /// pricing", Bell J. Econ. 4 (1973).
    ///
    /// ```
    /// let price = cubefold_finance::European::default().black_scholes();
    /// assert!((price - 10.450584).abs() < 1e-6);
    /// ```
    pub fn black_scholes(&self) -> f64 {
        let sign = self.sign();
        let stock = self.discounted_stock();
        let cash = self.discounted_strike();
        let spread = self.vol * self.expiry.sqrt();
        if spread == 0.0 || stock == 0.0 || cash == 0.0 {
            return positive_part(sign * (stock - cash));
        }
        let moneyness = (stock.ln() - cash.ln()) / spread;
        let (upper, lower) = (moneyness + spread / 2.0, moneyness - spread / 2.0);
        positive_part(sign * (stock * normal_cdf(sign * upper) - cash * normal_cdf(sign * lower)))
    }
}

/// `max(x, 0)` that keeps a NaN, as `f64::max` does not.
fn positive_part(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

#[cfg(test)]
mod tests {
    use super::Style::{Call, Put};
    use super::*;

    type Set = fn(&mut European, f64);

    fn option(style: Style, spot: f64, strike: f64, dividend: f64, rate: f64, expiry: f64, vol: f64) -> European {
        European { spot, strike, rate, dividend, vol, expiry, style }
    }

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected} within {tolerance}");
    }

    /// Textbook prices (Hull, "Options, Futures, and Other Derivatives").
    #[test]
    fn textbook_prices_are_met() {
        let table = [
            (option(Call, 42.0, 40.0, 0.0, 0.10, 0.5, 0.20), 4.759422),
            (option(Put, 42.0, 40.0, 0.0, 0.10, 0.5, 0.20), 0.808599),
            (option(Call, 100.0, 100.0, 0.0, 0.05, 1.0, 0.20), 10.450584),
            (option(Put, 100.0, 100.0, 0.0, 0.05, 1.0, 0.20), 5.573526),
        ];
        for (option, expected) in table {
            assert_near(option.black_scholes(), expected, 5e-7);
        }
        assert_near(option(Call, 49.0, 50.0, 0.0, 0.05, 0.3846, 0.20).black_scholes(), 2.40046, 5e-6);
    }

    /// O3: E. G. Haug, "Option pricing formulas" (1998), pp. 2–8, 24 and 27, as in QuantLib's
    /// test-suite/europeanoption.cpp.
    #[test]
    fn haugs_tables_are_met() {
        let table = [
            (option(Call, 60.0, 65.0, 0.0, 0.08, 0.25, 0.30), 2.1334),
            (option(Put, 100.0, 95.0, 0.05, 0.10, 0.50, 0.20), 2.4648),
            (option(Put, 19.0, 19.0, 0.10, 0.10, 0.75, 0.28), 1.7011),
            (option(Call, 19.0, 19.0, 0.10, 0.10, 0.75, 0.28), 1.7011),
            (option(Call, 1.56, 1.60, 0.08, 0.06, 0.50, 0.12), 0.0291),
            (option(Put, 75.0, 70.0, 0.05, 0.10, 0.50, 0.35), 4.0870),
            (option(Call, 90.0, 100.0, 0.10, 0.10, 0.10, 0.15), 0.0205),
            (option(Call, 110.0, 100.0, 0.10, 0.10, 0.10, 0.15), 9.9413),
            (option(Put, 90.0, 100.0, 0.10, 0.10, 0.50, 0.35), 14.4452),
            (option(Put, 110.0, 100.0, 0.10, 0.10, 0.10, 0.15), 0.0408),
            (option(Call, 42.0, 40.0, 0.08, 0.04, 0.75, 0.35), 5.0975),
        ];
        for (option, expected) in table {
            assert_near(option.black_scholes(), expected, 1e-4);
        }
    }

    /// O5: the answer is that of the forward, not of the spot.
    #[test]
    fn no_volatility_pays_the_discounted_forward() {
        assert_near(option(Call, 100.0, 102.0, 0.02, 0.05, 1.0, 0.0).black_scholes(), 0.994466, 5e-7);
        assert_eq!(option(Put, 100.0, 102.0, 0.02, 0.05, 1.0, 0.0).black_scholes(), 0.0);
    }

    #[test]
    fn limits_are_prices_and_not_nan() {
        let table = [
            (option(Call, 100.0, 100.0, 0.0, 0.05, 0.0, 0.2), 0.0),
            (option(Call, 120.0, 100.0, 0.0, 0.05, 0.0, 0.2), 20.0),
            (option(Put, 80.0, 100.0, 0.0, 0.05, 0.0, 0.2), 20.0),
            (option(Call, 200.0, 0.0, 0.03, 0.05, 1.0, 0.2), 200.0 * f64::exp(-0.03)),
            (option(Put, 200.0, 0.0, 0.03, 0.05, 1.0, 0.2), 0.0),
            (option(Call, 0.0, 100.0, 0.0, 0.05, 1.0, 0.2), 0.0),
            (option(Put, 0.0, 100.0, 0.0, 0.05, 1.0, 0.2), 100.0 * f64::exp(-0.05)),
            (option(Call, 0.0, 0.0, 0.0, 0.05, 1.0, 0.2), 0.0),
            (option(Call, 100.0, 100.0, 0.0, 0.0, 1e100, 1e300), 100.0),
            (option(Put, 100.0, 100.0, 0.0, 0.0, 1.0, 1e300), 100.0),
            (option(Call, 100.0, 100.0, 0.0, 800.0, 1.0, 0.2), 100.0),
        ];
        for (option, expected) in table {
            assert_near(option.black_scholes(), expected, 1e-13);
        }
    }

    #[test]
    fn the_price_is_continuous_where_the_formula_ends() {
        for strike in [90.0, 100.0, 110.0] {
            for style in [Call, Put] {
                let at = |vol| option(style, 100.0, strike, 0.0, 0.0, 1.0, vol).black_scholes();
                assert_near(at(1e-12), at(0.0), 1e-10);
            }
        }
    }

    #[test]
    fn calls_and_puts_keep_parity() {
        for strike in [1e-3, 50.0, 99.0, 100.0, 250.0, 1e6] {
            for (rate, dividend, vol) in [(0.05, 0.0, 0.2), (-0.01, 0.03, 0.8), (0.1, 0.1, 1e-3), (0.0, 0.0, 5.0)] {
                let at = |style| option(style, 100.0, strike, dividend, rate, 2.0, vol).black_scholes();
                let forward = 100.0 * f64::exp(-dividend * 2.0) - strike * f64::exp(-rate * 2.0);
                assert_near(at(Call) - at(Put), forward, 1e-15 * f64::max(100.0, strike) * 4.0);
            }
        }
    }

    #[test]
    fn check_accepts_zero_and_refuses_what_is_below() {
        let below = -f64::from_bits(1);
        let set: [(&str, Set); 4] = [
            ("spot", |option, value| option.spot = value),
            ("strike", |option, value| option.strike = value),
            ("vol", |option, value| option.vol = value),
            ("expiry", |option, value| option.expiry = value),
        ];
        for (field, set) in set {
            let mut option = European::default();
            set(&mut option, 0.0);
            assert!(option.check().is_ok(), "{field} 0");
            set(&mut option, below);
            let error = option.check().unwrap_err();
            let FinanceError::Negative { name, value } = error else {
                panic!("{field}: {error}");
            };
            assert_eq!((name, value), (field, below));
        }
    }

    #[test]
    fn check_refuses_what_is_not_finite_in_every_field() {
        let set: [Set; 6] = [
            |option, value| option.spot = value,
            |option, value| option.strike = value,
            |option, value| option.rate = value,
            |option, value| option.dividend = value,
            |option, value| option.vol = value,
            |option, value| option.expiry = value,
        ];
        for set in set {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut option = European::default();
                set(&mut option, value);
                assert!(matches!(option.check(), Err(FinanceError::NotFinite { .. })), "{option:?}");
            }
        }
    }

    #[test]
    fn check_refuses_rates_whose_factors_overflow() {
        assert!(European { rate: 700.0, ..European::default() }.check().is_ok());
        assert!(European { rate: -0.02, dividend: -0.01, ..European::default() }.check().is_ok());
        for (rate, dividend, spot, strike) in [
            (710.0, 0.0, 100.0, 100.0),
            (-710.0, -710.0, 100.0, 100.0),
            (0.0, -710.0, 100.0, 100.0),
            (f64::MAX, 0.0, 100.0, 100.0),
            (-700.0, -700.0, 1e10, 1.0),
            (-700.0, -700.0, 1.0, 1e10),
        ] {
            let option = European { rate, dividend, spot, strike, ..European::default() };
            assert!(matches!(option.check(), Err(FinanceError::NotFinite { .. })), "{option:?}");
        }
    }
}
