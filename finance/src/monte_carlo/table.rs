//! What paths read: a scenario as a row of numbers, formed in f64.

use super::shape::{Control, Kind, Motion, Shape, monitoring};
use crate::closed_form::GeometricMean;
use crate::error::FinanceError;
use crate::european::European;
use crate::instrument::{Barrier, Basket, Instrument, Knock, Monitoring, Payoff, equal};
use crate::model::{Dynamics, MOST_JUMPS, Model};

/// The places of what holds for a whole path.
pub(super) mod head {
    /// The weight of the scenario.
    pub const WEIGHT: u32 = 0;
    /// The same of the control variate.
    pub const CONTROL_WEIGHT: u32 = 1;
    /// 1, or −1 for the antithetic path.
    pub const SIGN: u32 = 2;
    /// 1 for a call, −1 for a put.
    pub const STYLE: u32 = 3;
    /// What exp(x) − 1 is multiplied by at the end; a digital's prize.
    pub const AMOUNT: u32 = 4;
    /// What a path pays on which nothing happens.
    pub const EXCESS: u32 = 5;
    /// The x from which a digital pays.
    pub const CUT: u32 = 6;
    /// 1 where what counts lies above, −1 where below.
    pub const DIRECTION: u32 = 7;
    /// The barrier's log over the spot, times the direction.
    pub const LEVEL: u32 = 8;
    /// The share of the payoff that is exercised where the barrier was reached,
    pub const BEGUN: u32 = 9;
    /// and what is added to it where it was not.
    pub const ALIVE_SHARE: u32 = 10;
    /// The rebate of an option that never began.
    pub const AT_EXPIRY: u32 = 11;
    /// The variance now.
    pub const VARIANCE: u32 = 12;
    /// A second amount, and its excess: of the farthest price, or of a control variate.
    pub const EXTRA: u32 = 13;
    pub const EXTRA_EXCESS: u32 = 14;
    /// What [`Walk`](super::super::walk::Walk) starts from.
    pub const START: u32 = 15;
    pub const ALIVE: u32 = 16;
    pub const REBATE: u32 = 17;
    pub const NOTHING: u32 = 18;
    /// How many there are.
    pub const CELLS: u32 = 20;
}

/// The places of what holds for a step.
pub(super) mod step {
    pub const DRIFT: u32 = 0;
    pub const SPREAD: u32 = 1;
    /// What exp(x) − 1 counts for in a sum of prices,
    pub const AMOUNT: u32 = 2;
    /// and x in one of logs.
    pub const SHARE: u32 = 3;
    /// The log of the forward price over the spot.
    pub const FORWARD: u32 = 4;
    /// 2 over the variance of the step.
    pub const BRIDGE: u32 = 5;
    /// What is paid where the barrier is reached in the step.
    pub const REBATE: u32 = 6;
    /// 1 where the price is looked at.
    pub const FIXING: u32 = 7;
    /// How many there are; a basket's row of the triangle follows.
    pub const CELLS: u32 = 8;
    /// Jumps expected, and the probability of none.
    pub const JUMPS: u32 = 8;
    pub const NO_JUMP: u32 = 9;
    pub const JUMP_MEAN: u32 = 10;
    pub const JUMP_VOL: u32 = 11;
    pub const NOTHING: u32 = 12;
    /// Andersen's mean and variance of the variance, and his K₁ to K₄.
    pub const FADE: u32 = 8;
    pub const PULL: u32 = 9;
    pub const NOISE: u32 = 10;
    pub const NOISE_PULL: u32 = 11;
    pub const K1: u32 = 12;
    pub const K2: u32 = 13;
    pub const K3: u32 = 14;
    pub const K4: u32 = 15;
}

/// A scenario beside others of the same draws: parameters moved a little, and a weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scenario {
    pub weight: f64,
    /// −1 for the antithetic path.
    pub sign: f64,
    /// Factor of all spots.
    pub spot: f64,
    /// Added to all volatilities,
    pub vol: f64,
    /// to the rate,
    pub rate: f64,
    /// and taken off all times.
    pub passed: f64,
}

impl Scenario {
    /// Nothing moved.
    pub const PLAIN: Scenario = Scenario { weight: 1.0, sign: 1.0, spot: 1.0, vol: 0.0, rate: 0.0, passed: 0.0 };
}

/// The scenarios of one option.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub cells: Vec<f32>,
    pub scenarios: u32,
    pub width: u32,
    pub steps: u32,
    pub row: u32,
    pub jumps: u32,
    is_basket: bool,
    /// What a payoff of 1 in the table is worth.
    pub unit: f64,
    /// The mean of the control variate, in units of the table.
    pub control_mean: f64,
}

/// A spread of the log price from which on every path ends at nothing in f32: no draw reaches 7.
const LARGEST_SPREAD: f64 = 1e3;
/// A logarithm that stands for an infinite one.
const FAR: f64 = 1e6;
/// Steps of a barrier option that pays when the barrier is reached, so that it is known when.
const REBATE_STEPS: u32 = 64;
/// Steps a year of a variance that moves.
const STEPS_A_YEAR: f64 = 64.0;

impl Table {
    /// For an option and a market that their checks accept.
    ///
    /// # Errors
    /// [`FinanceError::NotFinite`] where a discount factor or forward price overflows; [`FinanceError::TooLarge`] for more jumps
    /// between two dates than can be drawn.
    pub fn new(
        instrument: &Instrument,
        model: &Model,
        shape: Shape,
        scenarios: &[Scenario],
    ) -> Result<Self, FinanceError> {
        let unit = unit(instrument, model)?;
        let mut table = Table {
            cells: Vec::new(),
            scenarios: scenarios.len() as u32,
            width: 0,
            steps: 0,
            row: 0,
            jumps: 0,
            is_basket: shape.motion == Motion::Basket,
            unit,
            control_mean: 0.0,
        };
        for scenario in scenarios {
            let maker = Maker::new(instrument, model, shape, scenario, unit)?;
            let rows = maker.rows()?;
            (table.steps, table.row) = (rows.len() as u32, rows[0].len() as u32);
            table.jumps = maker.jumps();
            let amounts = rows.iter().map(|row| row[step::AMOUNT as usize]).sum();
            table.cells.extend(maker.head(amounts, scenarios.len()).map(|value| value as f32));
            table.cells.extend(rows.iter().flatten().map(|&value| value as f32));
            table.control_mean += scenario.weight * maker.control_mean();
        }
        table.width = head::CELLS + table.steps * table.row;
        Ok(table)
    }
}

impl Table {
    /// The rounds of all loops of a path.
    pub fn rounds(&self) -> u32 {
        let mixing = if self.is_basket { self.steps.div_ceil(4) } else { 0 };
        self.scenarios * self.steps * (1 + self.jumps + mixing)
    }
}

/// The power of two next to the largest amount of all, so that payoffs stay near 1 and are rounded by nothing but f32.
fn unit(instrument: &Instrument, model: &Model) -> Result<f64, FinanceError> {
    let discount = (-model.rate * instrument.expiry).exp();
    let mut largest = match &instrument.payoff {
        Payoff::CashDigital => discount,
        Payoff::Barrier(barrier) => barrier.rebate.max(discount * instrument.strike),
        _ => discount * instrument.strike,
    };
    for asset in &model.assets {
        let option = European {
            spot: asset.spot,
            dividend: asset.dividend,
            ..European::of(instrument, model).unwrap_or_default()
        };
        option.check()?;
        if instrument.payoff != Payoff::CashDigital {
            largest = largest.max(option.discounted_stock()).max(discount * asset.spot);
        }
    }
    Ok(match largest {
        0.0 => 1.0,
        largest => largest.log2().floor().exp2(),
    })
}

/// One scenario of an option.
struct Maker<'a> {
    instrument: &'a Instrument,
    model: &'a Model,
    shape: Shape,
    scenario: &'a Scenario,
    unit: f64,
    expiry: f64,
    rate: f64,
    spots: Vec<f64>,
    /// The dates to come at which the price is looked at.
    times: Vec<f64>,
}

impl<'a> Maker<'a> {
    fn new(
        instrument: &'a Instrument,
        model: &'a Model,
        shape: Shape,
        scenario: &'a Scenario,
        unit: f64,
    ) -> Result<Self, FinanceError> {
        let expiry = instrument.expiry;
        let dates = match &instrument.payoff {
            Payoff::AsianArithmetic(fixings) | Payoff::AsianGeometric(fixings) => fixings.times(expiry),
            Payoff::Barrier(Barrier { monitoring: Monitoring::Continuous, rebate, knock: Knock::Out, .. })
                if *rebate > 0.0 =>
            {
                equal(REBATE_STEPS, expiry)
            }
            payoff => match monitoring(payoff) {
                Some(Monitoring::Dates(count)) => equal(count, expiry),
                _ => vec![expiry],
            },
        };
        let times = dates.iter().map(|time| (time - scenario.passed).max(0.0)).collect();
        Ok(Maker {
            instrument,
            model,
            shape,
            scenario,
            unit,
            expiry: (expiry - scenario.passed).max(0.0),
            rate: model.rate + scenario.rate,
            spots: model.assets.iter().map(|asset| asset.spot * scenario.spot).collect(),
            times,
        })
    }

    fn vol(&self, asset: usize) -> f64 {
        (self.model.assets[asset].vol + self.scenario.vol).max(0.0)
    }

    fn growth(&self, asset: usize) -> f64 {
        self.rate - self.model.assets[asset].dividend
    }

    fn discount(&self) -> f64 {
        (-self.rate * self.expiry).exp()
    }

    /// The price of the first asset at expiry, on a path on which nothing happens, discounted.
    fn forward(&self) -> f64 {
        self.spots[0] * (-self.model.assets[0].dividend * self.expiry).exp()
    }

    fn rows(&self) -> Result<Vec<Vec<f64>>, FinanceError> {
        if self.shape.motion == Motion::Basket {
            return self.basket();
        }
        let mut rows = Vec::new();
        let mut before = 0.0;
        for &time in &self.times {
            let parts = match self.shape.motion {
                Motion::Heston => ((time - before) * STEPS_A_YEAR).ceil().max(1.0),
                _ => 1.0,
            };
            for part in 1..=parts as u32 {
                let end = before + (time - before) * f64::from(part) / parts;
                let start = before + (time - before) * f64::from(part - 1) / parts;
                rows.push(self.row(start, end, f64::from(part) == parts)?);
            }
            before = time;
        }
        if rows.is_empty() {
            // All is known already: a step that goes nowhere.
            rows.push(self.row(0.0, 0.0, false)?);
        }
        Ok(rows)
    }

    /// The step from one time to another; whether the price is looked at where it ends.
    fn row(&self, start: f64, end: f64, fixing: bool) -> Result<Vec<f64>, FinanceError> {
        let length = end - start;
        let spread = (self.vol(0) * length.sqrt()).min(LARGEST_SPREAD);
        let looked = f64::from(u8::from(fixing));
        let mut row = vec![0.0; step::CELLS as usize];
        row[step::DRIFT as usize] = -spread * spread / 2.0;
        row[step::SPREAD as usize] = spread;
        let growth = (self.growth(0) * end - self.rate * self.expiry).exp();
        row[step::AMOUNT as usize] = looked * self.share() * self.spots[0] * growth / self.unit;
        row[step::SHARE as usize] = looked * self.share();
        row[step::FORWARD as usize] = (self.growth(0) * end).clamp(-FAR, FAR);
        row[step::BRIDGE as usize] = (2.0 / (spread * spread)).min(1e30);
        row[step::FIXING as usize] = looked;
        if let Payoff::Barrier(Barrier { rebate, knock: Knock::Out, monitoring, .. }) = &self.instrument.payoff {
            let when = if *monitoring == Monitoring::Continuous { (start + end) / 2.0 } else { end };
            row[step::REBATE as usize] = rebate * (-self.rate * when).exp() / self.unit;
        }
        match self.model.dynamics {
            Dynamics::Gbm => {}
            Dynamics::Merton { intensity, mean, vol } => {
                let expected = intensity * length;
                if expected > MOST_JUMPS {
                    let name = "the number of jumps expected between two dates";
                    return Err(FinanceError::TooLarge { name, value: expected, limit: MOST_JUMPS });
                }
                row[step::DRIFT as usize] -= expected * (mean + vol * vol / 2.0).exp_m1();
                row.extend([expected, (-expected).exp(), mean, vol, 0.0, 0.0, 0.0, 0.0]);
            }
            Dynamics::Heston { reversion, variance, vol, correlation } => {
                row.extend(variance_step(length, [reversion, variance, vol, correlation]));
            }
        }
        Ok(row)
    }

    /// What a fixing counts for.
    fn share(&self) -> f64 {
        match &self.instrument.payoff {
            Payoff::AsianArithmetic(fixings) | Payoff::AsianGeometric(fixings) => {
                1.0 / (fixings.past().len() + self.times.len()) as f64
            }
            _ => 1.0,
        }
    }

    /// A step an asset, with the asset's row of the triangle.
    fn basket(&self) -> Result<Vec<Vec<f64>>, FinanceError> {
        let lower = self.model.cholesky()?;
        let assets = self.spots.len();
        let share = 1.0 / assets as f64;
        let row = |asset: usize| {
            let spread = (self.vol(asset) * self.expiry.sqrt()).min(LARGEST_SPREAD);
            let end = self.spots[asset] * (-self.model.assets[asset].dividend * self.expiry).exp();
            let forward = (self.spots[asset] / self.reference()).ln() + self.growth(asset) * self.expiry;
            let mut row = vec![0.0; step::CELLS as usize];
            row[step::DRIFT as usize] = -spread * spread / 2.0;
            row[step::AMOUNT as usize] = share * end / self.unit;
            row[step::SHARE as usize] = share;
            row[step::FORWARD as usize] = forward.clamp(-FAR, FAR);
            row[step::FIXING as usize] = 1.0;
            row.extend(lower[asset].iter().map(|factor| spread * factor));
            row.resize(step::CELLS as usize + assets.next_multiple_of(4), 0.0);
            row
        };
        Ok((0..assets).map(row).collect())
    }

    /// The price that a basket's levels are relative to.
    fn reference(&self) -> f64 {
        match self.spots.iter().copied().fold(0.0, f64::max) {
            0.0 => 1.0,
            largest => largest,
        }
    }

    /// The most jumps of a step that happen in more than one path of 2^33.
    fn jumps(&self) -> u32 {
        let Dynamics::Merton { intensity, .. } = self.model.dynamics else {
            return 0;
        };
        let starts = std::iter::once(0.0).chain(self.times.iter().copied());
        let longest = self.times.iter().zip(starts).map(|(end, start)| end - start).fold(0.0, f64::max);
        let expected = intensity * longest;
        (expected + 9.0 * expected.sqrt() + 12.0).ceil() as u32
    }

    fn head(&self, amounts: f64, scenarios: usize) -> [f64; head::CELLS as usize] {
        let mut cells = [0.0; head::CELLS as usize];
        let mut set = |place: u32, value: f64| cells[place as usize] = value;
        let (cash, forward) = (self.discount() * self.instrument.strike, self.forward());
        let sign = self.instrument.sign();
        set(head::WEIGHT, self.scenario.weight);
        set(head::CONTROL_WEIGHT, 1.0 / scenarios as f64);
        set(head::SIGN, self.scenario.sign);
        set(head::STYLE, sign);
        set(head::DIRECTION, sign);
        set(head::AMOUNT, forward / self.unit);
        set(head::EXCESS, (forward - cash) / self.unit);
        set(head::VARIANCE, self.vol(0) * self.vol(0));
        set(head::START, if self.shape.continuous { 0.0 } else { -FAR });
        let now = self.discount() * self.spots[0];
        match &self.instrument.payoff {
            Payoff::European => {}
            Payoff::Basket(Basket::Average) => set(head::EXCESS, amounts - cash / self.unit),
            Payoff::Basket(kind) => {
                let level = self.discount() * self.reference();
                set(head::DIRECTION, if *kind == Basket::Maximum { 1.0 } else { -1.0 });
                set(head::AMOUNT, level / self.unit);
                set(head::EXCESS, (level - cash) / self.unit);
            }
            Payoff::AsianArithmetic(fixings) => {
                let known: f64 = fixings.past().iter().sum::<f64>() * self.share() * self.discount();
                set(head::EXCESS, amounts + (known - cash) / self.unit);
                let geometric = self.geometric();
                set(head::EXTRA, geometric / self.unit);
                set(head::EXTRA_EXCESS, (geometric - cash) / self.unit);
            }
            Payoff::AsianGeometric(_) => {
                let geometric = self.geometric();
                set(head::AMOUNT, geometric / self.unit);
                set(head::EXCESS, (geometric - cash) / self.unit);
            }
            Payoff::CashDigital | Payoff::AssetDigital => {
                // Where both are 0 no one wins.
                let none = forward == 0.0 && cash == 0.0;
                let prize = if self.shape.kind == Kind::Cash { self.discount() } else { forward };
                set(head::AMOUNT, if none { 0.0 } else { prize / self.unit });
                set(head::CUT, if none { 0.0 } else { (cash / forward).ln().clamp(-FAR, FAR) });
            }
            Payoff::LookbackFixed(_) => {
                set(head::AMOUNT, now / self.unit);
                set(head::EXCESS, (now - cash) / self.unit);
            }
            Payoff::LookbackFloating(_) => {
                set(head::DIRECTION, -sign);
                set(head::EXTRA, now / self.unit);
                set(head::EXCESS, (forward - now) / self.unit);
            }
            Payoff::Barrier(barrier) => {
                let side = barrier.side();
                let reached = self.shape.continuous && barrier.is_reached(self.spots[0]);
                let (begun, alive_share) = if barrier.knock == Knock::In { (1.0, -1.0) } else { (0.0, 1.0) };
                set(head::DIRECTION, side);
                set(head::LEVEL, (side * (barrier.level / self.spots[0]).ln()).clamp(-FAR, FAR));
                set(head::BEGUN, begun);
                set(head::ALIVE_SHARE, alive_share);
                set(head::ALIVE, if reached { 0.0 } else { 1.0 });
                match barrier.knock {
                    Knock::In => set(head::AT_EXPIRY, barrier.rebate * self.discount() / self.unit),
                    Knock::Out if reached => set(head::REBATE, barrier.rebate / self.unit),
                    Knock::Out => {}
                }
            }
        }
        cells
    }

    /// The geometric mean on a path on which nothing happens but that each price is at its forward, discounted.
    fn geometric(&self) -> f64 {
        let (Payoff::AsianArithmetic(fixings) | Payoff::AsianGeometric(fixings)) = &self.instrument.payoff else {
            return 0.0;
        };
        let known: f64 = fixings.past().iter().map(|price| price.ln()).sum();
        let spot = if self.times.is_empty() { 0.0 } else { self.times.len() as f64 * self.spots[0].ln() };
        let total: f64 = self.times.iter().sum();
        self.discount() * ((known + spot + self.growth(0) * total) * self.share()).exp()
    }

    /// The mean of the control variate, by formula.
    fn control_mean(&self) -> f64 {
        let Payoff::AsianArithmetic(fixings) = &self.instrument.payoff else {
            return 0.0;
        };
        match (self.shape.control, European::of(self.instrument, self.model)) {
            (Control::Geometric, Some(option)) => GeometricMean::new(&option, fixings).price(&option) / self.unit,
            _ => 0.0,
        }
    }
}

/// A step of a variance: its mean and variance given the one now, and Andersen's K₁ to K₄ with both weights ½ (eqs. 17, 18, 33).
fn variance_step(length: f64, [reversion, variance, vol, correlation]: [f64; 4]) -> [f64; 8] {
    let fade = (-reversion * length).exp();
    // (1 − exp(−κt)) / κ, and its limit.
    let reach = if reversion * length < 1e-12 { length } else { -(-reversion * length).exp_m1() / reversion };
    let gain = reversion * reach;
    let leverage = correlation / vol;
    let half = length / 2.0;
    [
        fade,
        variance * gain,
        vol * vol * fade * reach,
        variance * vol * vol * gain * reach / 2.0,
        half * (reversion * leverage - 0.5) - leverage,
        half * (reversion * leverage - 0.5) + leverage,
        half * (1.0 - correlation * correlation),
        half * (1.0 - correlation * correlation),
    ]
}
