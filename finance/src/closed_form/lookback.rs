//! Lookback options that are monitored continuously from now on.

use super::normal::{normal_cdf, normal_density};
use crate::european::{European, Style};

/// `(r − q)/σ²` below which the limit at 0 is nearer than the formula, which divides by it.
const NEARLY_NOTHING: f64 = 1e-7;

/// `max(φ(X − K), 0)` on the highest price for a call and the lowest for a put.
pub(super) fn fixed(option: &European) -> f64 {
    let sign = option.sign();
    if option.spot == 0.0 || option.vol * option.expiry.sqrt() == 0.0 {
        return certain(option).max(0.0);
    }
    let discount = (-option.rate * option.expiry).exp();
    // The extreme has passed today's price already.
    let paid = (sign * (option.spot - option.strike)).max(0.0);
    let level = if paid > 0.0 { option.spot } else { option.strike };
    discount * paid + beyond(option, level)
}

/// `S_T − lowest` for a call, `highest − S_T` for a put.
pub(super) fn floating(option: &European) -> f64 {
    // The call is of the lowest price, as the fixed put is.
    let style = match option.style {
        Style::Call => Style::Put,
        Style::Put => Style::Call,
    };
    let extreme = European { style, strike: option.spot, ..*option };
    let discount = (-option.rate * option.expiry).exp();
    let to_the_end = option.sign() * (option.discounted_stock() - discount * option.spot);
    to_the_end + fixed(&extreme)
}

/// The payoff of a path on which nothing happens, whose extreme is at one of its ends.
fn certain(option: &European) -> f64 {
    let discount = (-option.rate * option.expiry).exp();
    let last = option.spot * ((option.rate - option.dividend) * option.expiry).exp();
    let extreme = match option.style {
        Style::Call => last.max(option.spot),
        Style::Put => last.min(option.spot),
    };
    discount * option.sign() * (extreme - option.strike)
}

/// The expectation of how far the extreme goes beyond a level that it has not passed, discounted.
fn beyond(option: &European, level: f64) -> f64 {
    let sign = option.sign();
    let (root, growth) = (option.expiry.sqrt(), option.rate - option.dividend);
    let (spread, variance) = (option.vol * root, option.vol * option.vol);
    let discount = (-option.rate * option.expiry).exp();
    let log = (option.spot / level).ln();
    let upper = log / spread + growth * option.expiry / spread + spread / 2.0;
    let held = sign
        * (option.discounted_stock() * normal_cdf(sign * upper)
            - discount * level * normal_cdf(sign * (upper - spread)));
    let steep = growth / variance;
    let ratchet = match steep.abs() < NEARLY_NOTHING {
        true => spread * (normal_density(upper) + sign * upper * normal_cdf(sign * upper)),
        false => {
            let turned = (-2.0 * steep * log).exp() * normal_cdf(sign * (upper - 2.0 * growth * root / option.vol));
            sign * ((growth * option.expiry).exp() * normal_cdf(sign * upper) - turned) / (2.0 * steep)
        }
    };
    held + discount * option.spot * ratchet
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QuantLib 1.44, AnalyticContinuousFixedLookbackEngine and AnalyticContinuousFloatingLookbackEngine, with the extreme at the
    /// spot of 100; rate 10 %, half a year, volatility 20 %.
    #[test]
    fn quantlibs_prices_are_met() {
        for (style, strike, dividend, expected) in QUANTLIB_FIXED {
            let option = at(style, strike, dividend);
            let found = fixed(&option);
            assert!((found - expected).abs() < 1e-9 * expected, "{option:?}: {found}");
        }
        for (style, dividend, expected) in QUANTLIB_FLOATING {
            let option = at(style, 0.0, dividend);
            let found = floating(&option);
            assert!((found - expected).abs() < 1e-9 * expected, "{option:?}: {found}");
        }
    }

    fn at(style: Style, strike: f64, dividend: f64) -> European {
        European { spot: 100.0, strike, rate: 0.1, dividend, vol: 0.2, expiry: 0.5, style }
    }

    const QUANTLIB_FIXED: [(Style, f64, f64, f64); 6] = [
        (Style::Call, 95.0, 0.0, 18.926336989228),
        (Style::Call, 100.0, 0.02, 13.532229947716),
        (Style::Call, 105.0, 0.12, 6.693974279469),
        (Style::Put, 95.0, 0.0, 4.444777261815),
        (Style::Put, 100.0, 0.02, 8.679678791659),
        (Style::Put, 105.0, 0.15, 16.125236123889),
    ];

    const QUANTLIB_FLOATING: [(Style, f64, f64); 4] = [
        (Style::Call, 0.0, 13.194778356739),
        (Style::Call, 0.06, 11.367156135686),
        (Style::Put, 0.0, 9.293132316796),
        (Style::Put, 0.06, 10.406350683297),
    ];

    #[test]
    fn the_price_is_continuous_where_the_stock_stops_growing() {
        for style in [Style::Call, Style::Put] {
            for price in [fixed, floating] {
                let at = |dividend| price(&European { rate: 0.05, dividend, style, ..European::default() });
                assert!((at(0.05 + 1e-6) - 2.0 * at(0.05) + at(0.05 - 1e-6)).abs() < 1e-8);
                assert!((at(0.05 + 1e-7) - at(0.05)).abs() < 1e-4);
            }
        }
    }
}
