//! The steps of a scenario.

use super::super::shape::Motion;
use super::{FAR, Maker, step};
use crate::error::FinanceError;
use crate::instrument::{Barrier, Knock, Monitoring, Payoff};
use crate::model::{Dynamics, MOST_JUMPS};

/// A spread of the log price from which on every path ends at nothing in f32: no draw reaches 7.
const LARGEST_SPREAD: f64 = 1e3;
/// Steps a year of a variance that moves.
const STEPS_A_YEAR: f64 = 64.0;

impl Maker<'_> {
    /// All of them; no path is without one.
    pub(super) fn rows(&self) -> Result<Vec<Vec<f64>>, FinanceError> {
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

    /// The most jumps of a step that happen in more than one path of 2^33.
    pub(super) fn jumps(&self) -> u32 {
        let Dynamics::Merton { intensity, .. } = self.model.dynamics else {
            return 0;
        };
        let starts = std::iter::once(0.0).chain(self.times.iter().copied());
        let longest = self.times.iter().zip(starts).map(|(end, start)| end - start).fold(0.0, f64::max);
        let expected = intensity * longest;
        (expected + 9.0 * expected.sqrt() + 12.0).ceil() as u32
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
