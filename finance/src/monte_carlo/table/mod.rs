//! What paths read: a scenario as a row of numbers, formed in f64.

mod places;
mod rows;
mod whole;

pub(super) use places::{head, step};

use std::marker::PhantomData;

use cubefold_primitives::{Device, Fixed};

use super::paths::{Extent, Paths};
use super::shape::{Any, BLOCK_BITS, Kind, Motion, Shape, monitoring};
use crate::error::FinanceError;
use crate::european::European;
use crate::instrument::{Barrier, Instrument, Knock, Monitoring, Payoff, equal};
use crate::model::Model;

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

/// A logarithm that stands for an infinite one.
const FAR: f64 = 1e6;
/// Steps of a barrier option that pays when the barrier is reached, so that it is known when.
const REBATE_STEPS: u32 = 64;

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
            let maker = Maker::new(instrument, model, shape, scenario, unit);
            let mut rows = maker.rows()?;
            (table.steps, table.row) = (rows.len() as u32, rows[0].len() as u32);
            table.jumps = maker.jumps();
            let amounts = rows.iter().map(|row| row[step::AMOUNT as usize]).sum();
            let mut whole = maker.head(amounts, scenarios.len());
            if shape.kind == Kind::Mean {
                // What is paid on a mean is the positive part of amounts that have the style's sign.
                let sign = instrument.sign();
                whole[head::EXCESS as usize] *= sign;
                rows.iter_mut().for_each(|row| row[step::AMOUNT as usize] *= sign);
            }
            table.cells.extend(whole.map(|value| value as f32));
            table.cells.extend(rows.iter().flatten().map(|&value| value as f32));
            table.control_mean += scenario.weight * maker.control_mean();
        }
        table.width = head::CELLS + table.steps * table.row;
        table.centred(shape)
    }

    /// The table with the centre of what its option pays.
    fn centred(mut self, shape: Shape) -> Result<Self, FinanceError> {
        let paths = Paths::<Any> {
            table: Device::host().upload(&self.cells)?.into(),
            shape: Fixed(shape),
            compiled: PhantomData,
            seed: 0.into(),
            first: 0.into(),
            last: 0.into(),
            rest: 1,
            blocks: 1,
            block_bits: BLOCK_BITS,
            extent: Extent::of(&self),
        };
        let centre = paths.central(0);
        self.cells[head::CENTRE as usize] = centre.value;
        self.cells[head::CONTROL_CENTRE as usize] = centre.control;
        let shape = Shape { single: self.scenarios == 1, ..shape };
        if shape.pays_from_the_centre() {
            let one = if shape.leap { self.cells[(head::CELLS + step::AMOUNT) as usize] } else { 0.0 };
            let excess = &mut self.cells[head::EXCESS as usize];
            *excess = (f64::from(*excess) - f64::from(centre.value) - f64::from(one)) as f32;
            self.cells[head::FLOOR as usize] = -centre.value;
        }
        Ok(self)
    }

    /// What is near the mean of what an option's paths pay, and of their control variates.
    pub fn centre(&self, option: usize) -> [f32; 2] {
        let at = option * (self.scenarios * self.width) as usize;
        [head::CENTRE, head::CONTROL_CENTRE].map(|place| self.cells[at + place as usize])
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
    fn new(instrument: &'a Instrument, model: &'a Model, shape: Shape, scenario: &'a Scenario, unit: f64) -> Self {
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
        Maker {
            instrument,
            model,
            shape,
            scenario,
            unit,
            expiry: (expiry - scenario.passed).max(0.0),
            rate: model.rate + scenario.rate,
            spots: model.assets.iter().map(|asset| asset.spot * scenario.spot).collect(),
            times,
        }
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

    /// What a fixing counts for.
    fn share(&self) -> f64 {
        match &self.instrument.payoff {
            Payoff::AsianArithmetic(fixings) | Payoff::AsianGeometric(fixings) => {
                1.0 / (fixings.past().len() + self.times.len()) as f64
            }
            _ => 1.0,
        }
    }

    /// The price that a basket's levels are relative to.
    fn reference(&self) -> f64 {
        match self.spots.iter().copied().fold(0.0, f64::max) {
            0.0 => 1.0,
            largest => largest,
        }
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
}
