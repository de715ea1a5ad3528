//! Options on the larger or the smaller of two assets.

use super::normal::{bivariate, normal_cdf};
use crate::european::European;
use crate::instrument::Instrument;
use crate::model::Model;

/// The price by Stulz (1982); none but for two assets that both move.
pub(super) fn two(model: &Model, instrument: &Instrument, largest: bool) -> Option<f64> {
    let [first, second] = model.assets.as_slice() else {
        return match model.assets.len() {
            1 => European::of(instrument, model).map(|option| option.black_scholes()),
            _ => None,
        };
    };
    let expiry = instrument.expiry;
    let rho = model.cholesky().ok()?[1][0];
    let spread =
        ((first.vol * first.vol + second.vol * second.vol - 2.0 * rho * first.vol * second.vol) * expiry).sqrt();
    let spreads = [first, second].map(|asset| asset.vol * expiry.sqrt());
    let moving = spread > 0.0 && spreads[0] > 0.0 && spreads[1] > 0.0 && first.spot > 0.0 && second.spot > 0.0;
    if !moving {
        return None;
    }
    let cash = instrument.strike * (-model.rate * expiry).exp();
    let stocks = [first, second].map(|asset| asset.spot * (-asset.dividend * expiry).exp());
    let sign = if largest { 1.0 } else { -1.0 };
    // How far each asset is above the other, and above the strike.
    let leads = [0, 1].map(|one: usize| (stocks[one] / stocks[1 - one]).ln() / spread + spread / 2.0);
    let uppers = [0, 1].map(|one: usize| (stocks[one] / cash).ln() / spreads[one] + spreads[one] / 2.0);
    let call = |with_strike: bool| -> f64 {
        let assets: f64 = [0, 1]
            .map(|one: usize| {
                let own = (spreads[one] - rho * spreads[1 - one]) / spread;
                let share = match with_strike {
                    true => bivariate(uppers[one], sign * leads[one], sign * own),
                    false => normal_cdf(sign * leads[one]),
                };
                stocks[one] * share
            })
            .iter()
            .sum();
        let exercised = match with_strike {
            false => return assets,
            true if largest => 1.0 - bivariate(spreads[0] - uppers[0], spreads[1] - uppers[1], rho),
            true => bivariate(uppers[0] - spreads[0], uppers[1] - spreads[1], rho),
        };
        assets - cash * exercised
    };
    match (instrument.sign() > 0.0, cash > 0.0) {
        (true, true) => Some(call(true)),
        (true, false) => Some(call(false)),
        (false, true) => Some(cash - call(false) + call(true)),
        (false, false) => Some(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::european::Style;
    use crate::instrument::{Basket, Payoff};
    use crate::model::{Asset, Correlation, Dynamics};

    fn market(correlation: f64, vols: [f64; 2]) -> Model {
        let assets = vols.map(|vol| Asset { spot: 100.0, dividend: 0.0, vol }).to_vec();
        Model { rate: 0.05, assets, correlation: Correlation::Uniform(correlation), dynamics: Dynamics::Gbm }
    }

    /// QuantLib 1.44, StulzEngine.
    #[test]
    fn quantlibs_prices_are_met() {
        let table = [
            (false, Style::Call, 0.90, 10.897355),
            (false, Style::Call, 0.70, 8.482457),
            (false, Style::Call, 0.50, 6.843317),
            (true, Style::Call, 0.90, 17.565154),
            (true, Style::Call, 0.50, 21.619192),
            (false, Style::Put, 0.90, 11.368659),
            (false, Style::Put, 0.50, 13.889798),
            (true, Style::Put, 0.90, 7.339736),
            (true, Style::Put, 0.50, 4.818596),
        ];
        for (largest, style, rho, expected) in table {
            let payoff = Payoff::Basket(if largest { Basket::Maximum } else { Basket::Minimum });
            let instrument = Instrument { payoff, style, strike: 100.0, expiry: 1.0 };
            let found = two(&market(rho, [0.3, 0.3]), &instrument, largest).unwrap();
            assert!((found - expected).abs() <= 1e-6, "{largest} {style:?} {rho}: {found} is not {expected}");
        }
    }

    #[test]
    fn the_larger_and_the_smaller_are_both() {
        for style in [Style::Call, Style::Put] {
            let price = |largest, strike| {
                let payoff = Payoff::European;
                two(&market(0.3, [0.2, 0.4]), &Instrument { payoff, style, strike, expiry: 2.0 }, largest).unwrap()
            };
            let alone =
                |vol| European { strike: 110.0, vol, expiry: 2.0, style, ..European::default() }.black_scholes();
            let both = price(true, 110.0) + price(false, 110.0);
            assert!((both - alone(0.2) - alone(0.4)).abs() < 1e-10, "{style:?}: {both}");
        }
    }
}
