//! Many options on one market at once.

use cubefold_primitives::Device;

use super::MonteCarlo;
use super::run::{Staged, Stretch, gather};
use super::shape::Shape;
use super::table::{Scenario, Table};
use super::tally::{Mean, Tally};
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
    if instruments.is_empty() {
        return Ok(Vec::new());
    }
    let grid = Grid::new(instruments, model, engine)?;
    let launched = grid.stage(device)?.launch()?;
    let tallies = gather(&launched, &grid.table, grid.stretch)?;
    let price = |([full, rest], (unit, control_mean)): ([Tally; 2], &(f64, f64))| {
        let tally = full.and(rest);
        let Mean { value, std_error } = if engine.control { tally.controlled(*control_mean) } else { tally.mean() };
        GridPrice { value: unit * value, std_error: unit * std_error }
    };
    Ok(tallies.into_iter().zip(&grid.scales).map(price).collect())
}

/// Options that are priced together, not yet on a device.
#[derive(Debug, Clone)]
pub struct Grid {
    table: Table,
    shape: Shape,
    stretch: Stretch,
    /// What a payoff of 1 is worth, and the mean of the control variate; of each option.
    scales: Vec<(f64, f64)>,
}

impl Grid {
    /// As [`simulate_grid`] takes them.
    ///
    /// # Errors
    /// As there.
    pub fn new(instruments: &[Instrument], model: &Model, engine: &MonteCarlo) -> Result<Self, FinanceError> {
        engine.check()?;
        model.check()?;
        let what = "a grid";
        let refused = [
            ("Greeks", engine.greeks),
            ("Sobol points", engine.sobol),
            ("a tolerance", engine.tolerance.is_some()),
            ("no options", instruments.is_empty()),
        ];
        if let Some((with, _)) = refused.into_iter().find(|(_, given)| *given) {
            return Err(FinanceError::Combination { what, with });
        }
        let half = Scenario { weight: 0.5, ..Scenario::PLAIN };
        let both = [half, Scenario { sign: -1.0, ..half }];
        let scenarios = if engine.antithetic { &both[..] } else { &[Scenario::PLAIN] };
        let mut tables = instruments.iter().map(|instrument| {
            instrument.check()?;
            let shape = Shape::new(instrument, model, engine)?;
            Ok::<_, FinanceError>((shape, Table::new(instrument, model, shape, scenarios)?))
        });
        let (shape, mut table) = tables.next().expect("there is one")?;
        let mut scales = vec![(table.unit, table.control_mean)];
        for next in tables {
            let (other, next) = next?;
            if other != shape || next.width != table.width || next.steps != table.steps {
                return Err(FinanceError::Combination { what, with: "payoffs that are not alike" });
            }
            table.jumps = table.jumps.max(next.jumps);
            table.cells.extend(next.cells);
            scales.push((next.unit, next.control_mean));
        }
        let paths = if engine.antithetic { engine.paths / 2 } else { engine.paths };
        let stretch = Stretch { seed: engine.seed, from: 0, paths, options: instruments.len() as u32 };
        Ok(Grid { table, shape, stretch, scales })
    }

    /// All paths, ready to be launched.
    ///
    /// # Errors
    /// What goes wrong on the device.
    pub fn stage(&self, device: &Device) -> Result<Staged, FinanceError> {
        Staged::new(device, &self.table, self.shape, self.stretch)
    }
}
