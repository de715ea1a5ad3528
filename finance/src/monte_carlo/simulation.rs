//! A run that can be gone on with.

use cubefold_primitives::Device;
use cubefold_primitives::rng::{Bridge, Sobol};

use super::run::{Staged, Stretch, gather};
use super::shape::{BLOCK_BITS, Shape};
use super::table::{Scenario, Table};
use super::tally::{Mean, Tally};
use super::{MonteCarlo, SCRAMBLINGS};
use crate::error::FinanceError;
use crate::instrument::Instrument;
use crate::model::Model;

/// Paths of the first round of a run that ends at a tolerance, and of the run that a reduction of variance is measured by.
const FIRST_ROUND: u64 = 1 << BLOCK_BITS;

/// Paths of several steps that one unit follows: the run of a reduction by blocks, of which a launch has few.
const RUN: u64 = 16;

/// The paths of one option, as far as they have been drawn.
///
/// More paths can be added to it at any time, with the same bits as if all had been drawn at once.
///
/// ```
/// use cubefold_finance::{European, MonteCarlo, Simulation};
/// use cubefold_primitives::Device;
///
/// let option = European::default();
/// let start = || Simulation::new(&option.instrument(), &option.model(), &MonteCarlo::default());
/// let (mut broken, mut whole) = (start()?, start()?);
/// broken.extend(&Device::host(), 70_000)?;
/// broken.extend(&Device::host(), 150_000)?;
/// whole.extend(&Device::host(), 150_000)?;
/// assert_eq!(broken.value().to_bits(), whole.value().to_bits());
/// # Ok::<(), cubefold_finance::FinanceError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulation {
    engine: MonteCarlo,
    shape: Shape,
    table: Table,
    /// The option alone, without the antithetic paths.
    plain: Table,
    full: Tally,
    rest: Tally,
    /// The scramblings, and the mean of each.
    points: Vec<(Sobol, Bridge)>,
    means: Vec<f64>,
}

impl Simulation {
    /// No paths yet.
    ///
    /// # Errors
    /// As [`simulate`](super::simulate).
    pub fn new(instrument: &Instrument, model: &Model, engine: &MonteCarlo) -> Result<Self, FinanceError> {
        Self::of(instrument, model, engine, &[Scenario::PLAIN])
    }

    /// The same of a weighted sum of scenarios.
    pub(super) fn of(
        instrument: &Instrument,
        model: &Model,
        engine: &MonteCarlo,
        scenarios: &[Scenario],
    ) -> Result<Self, FinanceError> {
        instrument.check()?;
        model.check()?;
        engine.check()?;
        let shape = Shape::new(instrument, model, engine)?;
        let all: Vec<Scenario> = match engine.antithetic {
            true => scenarios.iter().flat_map(both_ways).collect(),
            false => scenarios.to_vec(),
        };
        let table = Table::new(instrument, model, shape, &all)?;
        Ok(Simulation {
            engine: *engine,
            shape,
            points: if engine.sobol { scramblings(engine.seed, table.steps, shape)? } else { Vec::new() },
            means: Vec::new(),
            table,
            plain: Table::new(instrument, model, shape, scenarios)?,
            full: Tally::default(),
            rest: Tally::default(),
        })
    }

    /// Draws as many paths as the engine says, or until the tolerance is met.
    ///
    /// # Errors
    /// What goes wrong on the device.
    pub fn run(&mut self, device: &Device) -> Result<(), FinanceError> {
        let Some(tolerance) = self.engine.tolerance else {
            return self.extend(device, self.engine.paths);
        };
        let mut paths = FIRST_ROUND.min(self.engine.paths);
        loop {
            self.extend(device, paths)?;
            let error = self.std_error();
            // An error that is not known is met by no number of paths.
            if error <= tolerance || paths >= self.engine.paths {
                return Ok(());
            }
            let wanted = (paths as f64 * (error / tolerance).powi(2) * 1.05) as u64;
            let round = wanted.clamp(paths + 1, paths.saturating_mul(64)).min(self.engine.paths);
            paths = round.checked_next_multiple_of(FIRST_ROUND).unwrap_or(round).min(self.engine.paths);
        }
    }

    /// The paths that the engine asks for, ready to be launched: [`run`](Self::run) without what the host does. Not for Sobol points.
    ///
    /// # Errors
    /// What goes wrong on the device.
    pub fn stage(&self, device: &Device) -> Result<Staged, FinanceError> {
        let paths = self.engine.paths / self.paths_a_draw();
        Staged::new(device, &self.table, self.shape, self.stretch(0, paths))
    }

    fn stretch(&self, from: u64, paths: u64) -> Stretch {
        Stretch { seed: self.engine.seed, from, paths, options: 1 }
    }

    /// Draws more, so that there are `paths` in all; no fewer than there are already.
    ///
    /// # Errors
    /// [`FinanceError::OddPaths`], and what goes wrong on the device.
    pub fn extend(&mut self, device: &Device, paths: u64) -> Result<(), FinanceError> {
        let engine = MonteCarlo { paths: paths.max(1), ..self.engine };
        engine.check()?;
        if self.engine.sobol {
            return self.spread(device, engine.paths / SCRAMBLINGS);
        }
        let draws = engine.paths / self.paths_a_draw();
        if draws <= self.tally().count {
            return Ok(());
        }
        self.check_loops(device)?;
        let from = self.full.count >> BLOCK_BITS;
        let stretch = self.stretch(from, draws);
        let launched = Staged::new(device, &self.table, self.shape, stretch)?.launch()?;
        let [full, rest] = gather(&launched, &self.table, stretch)?[0];
        (self.full, self.rest) = (self.full.and(full), rest);
        Ok(())
    }

    /// Follows the first `points` of every scrambling.
    fn spread(&mut self, device: &Device, points: u64) -> Result<(), FinanceError> {
        self.check_loops(device)?;
        let stretch = self.stretch(0, points);
        let staged = Staged::new(device, &self.table, self.shape, stretch)?;
        let launched = self.points.iter().map(|points| staged.launch_along(Some(points)));
        // All are under way before the first is waited for.
        let launched: Vec<_> = launched.collect::<Result<_, _>>()?;
        (self.full, self.rest) = Default::default();
        self.means.clear();
        for launched in launched {
            let [full, rest] = gather(&launched, &self.table, stretch)?[0];
            self.means.push(full.and(rest).mean().value);
            self.rest = self.rest.and(full).and(rest);
        }
        Ok(())
    }

    /// Paths so far.
    pub fn paths(&self) -> u64 {
        self.tally().count * self.paths_a_draw()
    }

    /// The discounted mean payoff so far; NaN for no paths.
    pub fn value(&self) -> f64 {
        if self.paths() == 0 { f64::NAN } else { self.mean().value }
    }

    /// Its standard error; NaN for one path.
    pub fn std_error(&self) -> f64 {
        self.mean().std_error
    }

    pub(super) fn mean(&self) -> Mean {
        let mean = match (self.engine.sobol, self.engine.control) {
            (true, _) => mean_of(&self.means),
            (false, true) => self.tally().controlled(self.table.control_mean),
            (false, false) => self.tally().mean(),
        };
        Mean { value: self.table.unit * mean.value, std_error: self.table.unit * mean.std_error }
    }

    /// How many times as many plain paths would have the same error.
    pub(super) fn variance_reduction(&self, device: &Device) -> Result<f64, FinanceError> {
        let paths = self.paths();
        let stretch = self.stretch(0, paths.min(FIRST_ROUND));
        let launched = Staged::new(device, &self.plain, self.shape, stretch)?.launch()?;
        let [full, rest] = gather(&launched, &self.plain, stretch)?[0];
        let plain = full.and(rest).variance() / paths as f64;
        Ok(plain * self.table.unit * self.table.unit / self.std_error().powi(2))
    }

    fn tally(&self) -> Tally {
        self.full.and(self.rest)
    }

    fn paths_a_draw(&self) -> u64 {
        if self.engine.antithetic { 2 } else { 1 }
    }

    /// Whether the device's loops are as long as the paths.
    fn check_loops(&self, device: &Device) -> Result<(), FinanceError> {
        // A quasi-random path is first built and then walked.
        let parts = if self.engine.sobol { 3 } else { 1 };
        let rounds = parts * RUN * u64::from(self.table.rounds());
        match device.profile() {
            Some(profile) if !self.shape.leap && rounds > u64::from(profile.max_loop) => {
                Err(FinanceError::TooManySteps { rounds, limit: profile.max_loop })
            }
            _ => Ok(()),
        }
    }
}

/// The mean of independent means, and its standard error.
fn mean_of(means: &[f64]) -> Mean {
    let count = means.len() as f64;
    let value = means.iter().sum::<f64>() / count;
    let squares: f64 = means.iter().map(|mean| (mean - value) * (mean - value)).sum();
    Mean { value, std_error: (squares / (count - 1.0) / count).sqrt() }
}

/// Sequences that are scrambled each in its own way, of a dimension a step, and one more where the farthest price is looked for.
fn scramblings(seed: u64, steps: u32, shape: Shape) -> Result<Vec<(Sobol, Bridge)>, FinanceError> {
    let dimensions = steps + u32::from(shape.draws_more_than_one_number());
    let one = |number: u64| {
        // The seeds of runs are small numbers: those of their scramblings are far apart.
        let sobol = Sobol::scrambled(dimensions, seed.wrapping_add(number << 58))?;
        Ok((sobol, Bridge::even(steps, f64::from(steps))?))
    };
    (1..=SCRAMBLINGS).map(one).collect()
}

/// A scenario and the same with all normal numbers negated, half each.
fn both_ways(scenario: &Scenario) -> [Scenario; 2] {
    let half = Scenario { weight: scenario.weight / 2.0, ..*scenario };
    [half, Scenario { sign: -1.0, ..half }]
}
