//! European options on a price with a variance of its own.

use nalgebra::Complex;

use super::normal::integral;
use crate::european::{European, Style};

/// Where the integral's first part ends, and where its last one begins at most, over the standard deviation of the log price.
const FIRST: f64 = 10.0;
const LAST: f64 = 1e5;
/// The logarithm of what is left where it ends. Far out the characteristic function fades as fast as this over the rate.
const FADED: f64 = 40.0;
/// Panels of a part.
const PANELS: u32 = 100;

/// `S e^{−qT} − √(FK) e^{−rT}/π ∫₀^∞ Re[e^{iuk} ϕ(u − i/2)] / (u² + 1/4) du` for a call, `k = ln(F/K)` and `ϕ` the characteristic
/// function of `ln S_T/F`: A. L. Lewis, "Option valuation under stochastic volatility" (2000), eq. 2.10. To about 1e-8 of the spot.
pub(super) fn price(option: &European, parameters: [f64; 4]) -> f64 {
    let (stock, cash) = (option.discounted_stock(), option.discounted_strike());
    let spread = expected_variance(option, parameters).sqrt();
    if spread == 0.0 || stock == 0.0 || cash == 0.0 {
        return (option.sign() * (stock - cash)).max(0.0);
    }
    let log = (stock / cash).ln();
    let wave = |u: f64| {
        let at = Complex::new(u, -0.5);
        (Complex::new(0.0, u * log).exp() * characteristic(option, parameters, at)).re / (u * u + 0.25)
    };
    let [reversion, variance, vol, correlation] = parameters;
    let independent = (1.0 - correlation * correlation).sqrt().max(1e-3);
    let rate = (option.vol * option.vol + reversion * variance * option.expiry) * independent / vol;
    let reach = (FADED / spread).max(FADED / rate).min(LAST / spread);
    let mut end = FIRST / spread;
    let mut area = integral(wave, 0.0, end, PANELS);
    while end < reach {
        area += integral(wave, end, 2.0 * end, PANELS);
        end *= 2.0;
    }
    let call = stock - (stock * cash).sqrt() * area / std::f64::consts::PI;
    match option.style {
        Style::Call => call.max(0.0),
        Style::Put => (call - stock + cash).max(0.0),
    }
}

/// `E ∫₀ᵀ v dt`.
fn expected_variance(option: &European, [reversion, variance, ..]: [f64; 4]) -> f64 {
    let now = option.vol * option.vol;
    match reversion * option.expiry {
        0.0 => now * option.expiry,
        steps => variance * option.expiry - (now - variance) * (-steps).exp_m1() / reversion,
    }
}

/// `E exp(iu ln(S_T/F))`, in the form whose logarithm stays on one branch: Albrecher, Mayer, Schoutens, Tistaert, "The little
/// Heston trap", Wilmott 2007.
fn characteristic(
    option: &European,
    [reversion, variance, vol, correlation]: [f64; 4],
    u: Complex<f64>,
) -> Complex<f64> {
    let square = vol * vol;
    let across = Complex::new(0.0, 1.0) * u;
    let turn = Complex::new(reversion, 0.0) - across * (correlation * vol);
    let root = (turn * turn + (u * u + across) * square).sqrt();
    let ratio = (turn - root) / (turn + root);
    let fade = (-root * option.expiry).exp();
    let one = Complex::new(1.0, 0.0);
    let level =
        ((turn - root) * option.expiry - ((one - ratio * fade) / (one - ratio)).ln() * 2.0) * (reversion * variance);
    let slope = (turn - root) * (one - fade) / (one - ratio * fade);
    ((level + slope * (option.vol * option.vol)) / square).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variance_that_hardly_moves_is_black_scholes() {
        for strike in [80.0, 100.0, 130.0] {
            let option = European { strike, ..European::default() };
            let found = price(&option, [1.0, 0.04, 1e-3, 0.0]);
            assert!((found - option.black_scholes()).abs() < 1e-5, "{strike}: {found}");
        }
    }

    /// QuantLib 1.44, AnalyticHestonEngine: spot 100, rate 3 %, dividend 1 %, v₀ = 0.04.
    #[test]
    fn quantlibs_prices_are_met() {
        for (style, strike, expiry, parameters, expected) in QUANTLIB {
            let option = European { spot: 100.0, strike, rate: 0.03, dividend: 0.01, vol: 0.2, expiry, style };
            let found = price(&option, parameters);
            assert!((found - expected).abs() < 2e-6, "{option:?}: {found} is not {expected}");
        }
    }

    const QUANTLIB: [(Style, f64, f64, [f64; 4], f64); 4] = [
        (Style::Call, 100.0, 1.0, [2.0, 0.04, 0.3, -0.7], 8.59958810),
        (Style::Put, 90.0, 0.5, [1.5, 0.09, 0.5, -0.5], 2.45223975),
        (Style::Call, 120.0, 3.0, [0.5, 0.04, 1.0, -0.9], 0.62997905),
        (Style::Call, 105.0, 0.25, [4.0, 0.06, 0.4, 0.3], 2.57770439),
    ];
}
