//! The mean payoff over random paths, with its error bar.
//!
//! Three values make a price: an [`Instrument`] says what is paid, a [`Model`] how prices move, and [`MonteCarlo`] how many paths
//! are drawn, and how. The price is `exp(−r·T)` times the mean payoff over `n` independent paths. With the sample
//! variance `s²` of the discounted payoffs (divisor `n − 1`) its standard error is `s / √n`, and
//! `value ± 1.96 · std_error` covers the true price in 95 of 100 runs.

mod greeks;
mod grid;
mod paths;
mod quasi;
mod run;
mod shape;
mod simulation;
mod table;
mod tally;
mod walk;

use std::time::Instant;

use cubefold_primitives::Device;
use serde::Serialize;

pub use greeks::GreekEstimate;
pub use grid::{Grid, GridPrice, simulate_grid};
pub use run::Staged;
pub use simulation::Simulation;

use crate::closed_form::Greeks;
use crate::error::{FinanceError, at_least_one, positive};
use crate::european::European;
use crate::instrument::Instrument;
use crate::model::Model;

/// How many paths are drawn, from which stream, and what is done to need fewer of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonteCarlo {
    /// Paths, at least 1; with a tolerance, at most so many. One path has no standard error.
    pub paths: u64,
    /// Names the stream of random numbers; path `i` sees the same draws on every device.
    pub seed: u64,
    /// Draws every path twice, the second time with all normal numbers negated; the mean of the two is one observation. `paths`
    /// counts both and is even.
    pub antithetic: bool,
    /// Takes off what a quantity of known mean is off by, times the slope that fits best: the geometric mean's option for an
    /// arithmetic Asian one, the asset itself for others.
    pub control: bool,
    /// Draws scrambled Sobol points in place of random numbers: 32 scramblings, whose means give the error. Geometric Brownian
    /// motion alone, up to 64 steps or assets; the paths are split evenly, what is left over is not drawn.
    pub sobol: bool,
    /// Estimates the derivatives, too.
    pub greeks: bool,
    /// Stops once the standard error is no larger.
    pub tolerance: Option<f64>,
}

/// Independent scramblings of the Sobol sequence.
const SCRAMBLINGS: u64 = 32;

impl Default for MonteCarlo {
    fn default() -> Self {
        MonteCarlo {
            paths: 20_000_000,
            seed: 42,
            antithetic: false,
            control: false,
            sobol: false,
            greeks: false,
            tolerance: None,
        }
    }
}

impl MonteCarlo {
    /// Accepts 1 path or more.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no paths, [`FinanceError::OddPaths`] for antithetic ones without a partner, [`FinanceError::Combination`] for
    /// Sobol points with antithetic paths, a control or a tolerance,
    /// [`FinanceError::OutOfRange`] for a tolerance of 0 or less.
    pub fn check(&self) -> Result<(), FinanceError> {
        at_least_one("paths", self.paths)?;
        if let Some(tolerance) = self.tolerance {
            positive("the tolerance", tolerance)?;
        }
        for (with, given) in [
            ("antithetic paths", self.antithetic),
            ("a control variate", self.control),
            ("a tolerance", self.tolerance.is_some()),
        ] {
            if self.sobol && given {
                return Err(FinanceError::Combination { what: "Sobol points", with });
            }
        }
        if self.sobol && self.paths < SCRAMBLINGS {
            let (name, value) = ("paths", self.paths as f64);
            return Err(FinanceError::OutOfRange { name, value, range: "at least 32 with Sobol points" });
        }
        match self.antithetic && self.paths % 2 == 1 {
            true => Err(FinanceError::OddPaths { paths: self.paths }),
            false => Ok(()),
        }
    }
}

/// A price by simulation. Serialises to the JSON of `cubefold price`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The discounted mean payoff, in the currency of the spot.
    pub value: f64,
    /// Standard error of `value`; NaN for one path.
    pub std_error: f64,
    /// `value ∓ 1.96 · std_error`: low, high.
    pub ci95: [f64; 2],
    /// Paths drawn.
    pub paths: u64,
    /// The seed of the stream.
    pub seed: u64,
    /// The label of the device.
    pub device: String,
    /// Seconds of the first call, compilation included.
    pub seconds_cold: f64,
    /// Seconds of a call after that.
    pub seconds_warm: f64,
    /// How many times as many plain paths would have the same error; where paths are antithetic or quasi-random, or there is a
    /// control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<f64>,
    /// The derivatives, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greeks: Option<Greeks<GreekEstimate>>,
}

/// Prices a European option by the mean payoff over random paths: [`simulate`] of its instrument and model.
///
/// # Errors
/// As [`simulate`].
pub fn price(device: &Device, option: &European, engine: &MonteCarlo) -> Result<Estimate, FinanceError> {
    option.check()?;
    simulate(device, &option.instrument(), &option.model(), engine)
}

/// Prices an option by the mean payoff over random paths; the primitives are `collect` over a counter and `reduce_rows`.
///
/// A path's draws are addressed by the seed and its number alone, so that they are the same on every device. The job runs
/// twice, for the cold and the warm time. Payoffs are f32, discounted and in units near the largest amount; moments of 2^16 paths
/// are folded in one tree, and those of all blocks in order, in f64: the same bits on a device however the work is cut.
///
/// # Errors
/// What [`Instrument::check`], [`Model::check`] and [`MonteCarlo::check`] refuse; [`FinanceError::AssetCount`] and
/// [`FinanceError::Combination`] where option and market do not go together; what goes wrong on the device.
///
/// # Examples
///
/// ```
/// use cubefold_finance::{Fixings, Instrument, Model, MonteCarlo, Payoff, Style, simulate};
/// use cubefold_primitives::Device;
///
/// let payoff = Payoff::AsianArithmetic(Fixings::Equal(50));
/// let asian = Instrument { payoff, style: Style::Call, strike: 100.0, expiry: 1.0 };
/// let engine = MonteCarlo { paths: 10_000, control: true, ..MonteCarlo::default() };
/// let found = simulate(&Device::host(), &asian, &Model::gbm(100.0, 0.05, 0.0, 0.3), &engine)?;
/// assert!((found.value - 8.0734).abs() < 5.0 * found.std_error && found.variance_reduction.unwrap() > 100.0);
/// # Ok::<(), cubefold_finance::FinanceError>(())
/// ```
pub fn simulate(
    device: &Device,
    instrument: &Instrument,
    model: &Model,
    engine: &MonteCarlo,
) -> Result<Estimate, FinanceError> {
    let run = || {
        let mut simulation = Simulation::new(instrument, model, engine)?;
        simulation.run(device)?;
        Ok::<_, FinanceError>(simulation)
    };
    let (simulation, seconds_cold) = timed(run)?;
    let (_, seconds_warm) = timed(run)?;
    let mean = simulation.mean();
    let variance_reduction = match engine.antithetic || engine.control || engine.sobol {
        true => Some(simulation.variance_reduction(device)?),
        false => None,
    };
    let greeks = match engine.greeks {
        true => Some(greeks::estimate(device, instrument, model, engine, simulation.paths())?),
        false => None,
    };
    let half = 1.96 * mean.std_error;
    Ok(Estimate {
        value: mean.value,
        std_error: mean.std_error,
        ci95: [mean.value - half, mean.value + half],
        paths: simulation.paths(),
        seed: engine.seed,
        device: device.label(),
        seconds_cold,
        seconds_warm,
        variance_reduction,
        greeks,
    })
}

fn timed<T, E>(job: impl Fn() -> Result<T, E>) -> Result<(T, f64), E> {
    let start = Instant::now();
    let result = job()?;
    Ok((result, start.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(paths: u64) -> MonteCarlo {
        MonteCarlo { paths, seed: 0, ..MonteCarlo::default() }
    }

    #[test]
    fn one_path_is_accepted_and_none_is_refused() {
        assert!(engine(1).check().is_ok());
        assert!(engine(u64::MAX).check().is_ok());
        assert!(matches!(engine(0).check(), Err(FinanceError::Zero { name: "paths" })));
    }

    #[test]
    fn antithetic_paths_come_in_pairs_and_a_tolerance_is_above_nothing() {
        let pairs = |paths| MonteCarlo { antithetic: true, ..engine(paths) }.check();
        assert!(pairs(2).is_ok());
        assert!(matches!(pairs(3), Err(FinanceError::OddPaths { paths: 3 })));
        let tolerance = |tolerance| MonteCarlo { tolerance: Some(tolerance), ..engine(2) }.check();
        assert!(tolerance(f64::from_bits(1)).is_ok() && tolerance(0.0).is_err() && tolerance(f64::NAN).is_err());
    }
}
