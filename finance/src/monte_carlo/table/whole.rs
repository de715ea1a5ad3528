//! What holds for a whole path of a scenario.

use super::super::shape::{Control, Kind};
use super::{FAR, Maker, head};
use crate::closed_form::GeometricMean;
use crate::european::European;
use crate::instrument::{Barrier, Basket, Knock, Payoff};

/// The numbers, by their places.
struct Head([f64; head::CELLS as usize]);

impl Head {
    fn set(&mut self, place: u32, value: f64) {
        self.0[place as usize] = value;
    }
}

impl Maker<'_> {
    /// Of a path whose steps have `amounts` in all, one of so many scenarios.
    pub(super) fn head(&self, amounts: f64, scenarios: usize) -> [f64; head::CELLS as usize] {
        let mut cells = Head([0.0; head::CELLS as usize]);
        let (cash, forward) = (self.cash(), self.forward());
        let sign = self.instrument.sign();
        cells.set(head::WEIGHT, self.scenario.weight);
        cells.set(head::CONTROL_WEIGHT, 1.0 / scenarios as f64);
        cells.set(head::SIGN, self.scenario.sign);
        cells.set(head::STYLE, sign);
        cells.set(head::DIRECTION, sign);
        cells.set(head::AMOUNT, forward / self.unit);
        cells.set(head::EXCESS, (forward - cash) / self.unit);
        cells.set(head::VARIANCE, self.vol(0) * self.vol(0));
        cells.set(head::START, if self.shape.continuous { 0.0 } else { -FAR });
        match &self.instrument.payoff {
            Payoff::European => {}
            Payoff::AsianArithmetic(fixings) => {
                let known: f64 = fixings.past().iter().sum::<f64>() * self.share() * self.discount();
                cells.set(head::EXCESS, amounts + (known - cash) / self.unit);
                self.on(&mut cells, [head::EXTRA, head::EXTRA_EXCESS], self.geometric());
            }
            Payoff::AsianGeometric(_) => self.on(&mut cells, [head::AMOUNT, head::EXCESS], self.geometric()),
            Payoff::CashDigital | Payoff::AssetDigital => self.digital(&mut cells),
            Payoff::LookbackFixed(_) => {
                self.on(&mut cells, [head::AMOUNT, head::EXCESS], self.discount() * self.spots[0]);
            }
            Payoff::LookbackFloating(_) => {
                let now = self.discount() * self.spots[0];
                cells.set(head::DIRECTION, -sign);
                cells.set(head::EXTRA, now / self.unit);
                cells.set(head::EXCESS, (forward - now) / self.unit);
            }
            Payoff::Barrier(barrier) => self.knocked(&mut cells, barrier),
            Payoff::Basket(Basket::Average) => cells.set(head::EXCESS, amounts - cash / self.unit),
            Payoff::Basket(kind) => {
                cells.set(head::DIRECTION, if *kind == Basket::Maximum { 1.0 } else { -1.0 });
                self.on(&mut cells, [head::AMOUNT, head::EXCESS], self.discount() * self.reference());
            }
        }
        cells.0
    }

    /// What the strike is worth today.
    fn cash(&self) -> f64 {
        self.discount() * self.instrument.strike
    }

    /// An amount, and what it is above the strike.
    fn on(&self, cells: &mut Head, [amount, excess]: [u32; 2], value: f64) {
        cells.set(amount, value / self.unit);
        cells.set(excess, (value - self.cash()) / self.unit);
    }

    fn digital(&self, cells: &mut Head) {
        let (cash, forward) = (self.cash(), self.forward());
        // Where both are 0 no one wins.
        let none = forward == 0.0 && cash == 0.0;
        let prize = if self.shape.kind == Kind::Cash { self.discount() } else { forward };
        cells.set(head::AMOUNT, if none { 0.0 } else { prize / self.unit });
        cells.set(head::CUT, if none { 0.0 } else { (cash / forward).ln().clamp(-FAR, FAR) });
    }

    fn knocked(&self, cells: &mut Head, barrier: &Barrier) {
        let side = barrier.side();
        let reached = self.shape.continuous && barrier.is_reached(self.spots[0]);
        let (begun, alive_share) = if barrier.knock == Knock::In { (1.0, -1.0) } else { (0.0, 1.0) };
        cells.set(head::DIRECTION, side);
        cells.set(head::LEVEL, (side * (barrier.level / self.spots[0]).ln()).clamp(-FAR, FAR));
        cells.set(head::BEGUN, begun);
        cells.set(head::ALIVE_SHARE, alive_share);
        cells.set(head::ALIVE, if reached { 0.0 } else { 1.0 });
        match barrier.knock {
            Knock::In => cells.set(head::AT_EXPIRY, barrier.rebate * self.discount() / self.unit),
            Knock::Out if reached => cells.set(head::REBATE, barrier.rebate / self.unit),
            Knock::Out => {}
        }
    }

    /// The mean of the control variate, by formula.
    pub(super) fn control_mean(&self) -> f64 {
        let Payoff::AsianArithmetic(fixings) = &self.instrument.payoff else {
            return 0.0;
        };
        match (self.shape.control, European::of(self.instrument, self.model)) {
            (Control::Geometric, Some(option)) => GeometricMean::new(&option, fixings).price(&option) / self.unit,
            _ => 0.0,
        }
    }
}
