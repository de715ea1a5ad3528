//! Many options on one market at once.

use cubefold_primitives::Device;

use super::MonteCarlo;
use super::run::{Stretch, gather, launch};
use super::shape::Shape;
use super::table::{Scenario, Table};
use super::tally::Mean;
use crate::error::FinanceError;
use crate::instrument::Instrument;
use crate::model::Model;

/// A price of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridPrice {
    /// The discounted mean payoff.
    pub value: f64,
    /// Its standard error; NaN for one path.
    pub std_error: f64,
}

/// Prices options of one payoff, at other strikes, expiries or styles, in one launch: `engine.paths` paths of each, all of the
/// same draws. Antithetic paths and controls are as in [`simulate`](super::simulate); Greeks, a tolerance and Sobol points are
/// not for grids.
///
/// # Errors
/// As [`simulate`](super::simulate); [`FinanceError::Combination`] for payoffs that are not alike and for what is not
/// for grids.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Instrument, Model, MonteCarlo, Payoff, Style, simulate_grid};
/// use cubefold_primitives::Device;
///
/// let at = |strike| Instrument { payoff: Payoff::European, style: Style::Call, strike, expiry: 1.0 };
/// let engine = MonteCarlo { paths: 1 << 16, ..MonteCarlo::default() };
/// let model = Model::gbm(100.0, 0.05, 0.0, 0.2);
/// let prices = simulate_grid(&Device::host(), &[at(90.0), at(100.0), at(110.0)], &model, &engine)?;
/// assert!(prices[0].value > prices[1].value && prices[1].value > prices[2].value);
/// # Ok::<(), cubefold_finance::FinanceError>(())
/// ```
pub fn simulate_grid(
    device: &Device,
    instruments: &[Instrument],
    model: &Model,
    engine: &MonteCarlo,
) -> Result<Vec<GridPrice>, FinanceError> {
    engine.check()?;
    model.check()?;
    let what = "a grid";
    if engine.greeks {
        return Err(FinanceError::Combination { what, with: "Greeks" });
    }
    if engine.sobol {
        return Err(FinanceError::Combination { what, with: "Sobol points" });
    }
    if engine.tolerance.is_some() {
        return Err(FinanceError::Combination { what, with: "a tolerance" });
    }
    let Some((first, rest)) = instruments.split_first() else {
        return Ok(Vec::new());
    };
    let scenarios = match engine.antithetic {
        true => {
            vec![Scenario { weight: 0.5, ..Scenario::PLAIN }, Scenario { weight: 0.5, sign: -1.0, ..Scenario::PLAIN }]
        }
        false => vec![Scenario::PLAIN],
    };
    let table = |instrument: &Instrument| {
        instrument.check()?;
        let shape = Shape::new(instrument, model, engine)?;
        Ok::<_, FinanceError>((shape, Table::new(instrument, model, shape, &scenarios)?))
    };
    let (shape, mut all) = table(first)?;
    let mut scales = vec![(all.unit, all.control_mean)];
    for instrument in rest {
        let (other, next) = table(instrument)?;
        if other != shape || next.width != all.width || next.steps != all.steps {
            return Err(FinanceError::Combination { what, with: "payoffs that are not alike" });
        }
        all.jumps = all.jumps.max(next.jumps);
        all.cells.extend(next.cells);
        scales.push((next.unit, next.control_mean));
    }
    let draws = if engine.antithetic { engine.paths / 2 } else { engine.paths };
    let stretch = Stretch { seed: engine.seed, from: 0, paths: draws, options: instruments.len() as u32 };
    let launched = launch(device, &all, shape, stretch, None)?;
    let tallies = gather(&launched, &all, stretch)?;
    let price = |([full, rest], (unit, control_mean)): ([_; 2], (f64, f64))| {
        let tally: super::tally::Tally = super::tally::Tally::and(full, rest);
        let Mean { value, std_error } = if engine.control { tally.controlled(control_mean) } else { tally.mean() };
        GridPrice { value: unit * value, std_error: unit * std_error }
    };
    Ok(tallies.into_iter().zip(scales).map(price).collect())
}
