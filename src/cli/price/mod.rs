//! `cubefold price`: an option by Monte Carlo.

mod answer;
mod args;
mod correlation;
mod grid;

use cubefold::Device;
use cubefold_finance::{
    Dynamics, Estimate, FinanceError, Instrument, Model, MonteCarlo, Payoff, Simulation, closed_form, simulate,
};

use self::answer::PriceAnswer;
pub use self::args::PriceArgs;
use super::error::CliError;
use super::output;
use super::session::Session;
use crate::report::convergence;

/// Prices the option and, where files are asked for, draws how the estimate converges.
///
/// # Errors
/// Numbers that make no option, no paths, a device or output that cannot be used.
pub fn run(arguments: &PriceArgs, session: &Session) -> Result<(), CliError> {
    let (instrument, model) = (arguments.instrument()?, arguments.model()?);
    let engine = arguments.engine();
    // All that can be wrong with them is found before a device is chosen.
    Simulation::new(&instrument, &model, &engine)?;
    if let Some(path) = &arguments.grid {
        return match arguments.plot.is_some() || arguments.output.is_some() {
            true => Err(CliError::NotFor { flag: "--grid", with: "--plot or --output".to_owned() }),
            false => grid::run(path, &instrument, &model, &engine, session),
        };
    }
    let directory = arguments.output.as_deref();
    output::prepare::<PriceAnswer>(directory)?;
    if let Some(plot) = &arguments.plot {
        output::prepare_file(plot)?;
    }
    let formula = formula(&instrument, &model);
    let (estimate, picture) = session.run(1, |device, progress| {
        progress.say("pricing");
        let estimate = simulate(device, &instrument, &model, &engine)?;
        if directory.is_none() && arguments.plot.is_none() {
            return Ok((estimate, String::new()));
        }
        progress.say("drawing the convergence");
        let estimates = converge(device, &instrument, &model, &engine, &estimate)?;
        let picture = convergence::draw("Convergence of the Monte-Carlo price", &estimates, formula)?;
        Ok((estimate, picture))
    })?;
    if let Some(plot) = &arguments.plot {
        output::write_file(plot, picture.as_bytes())?;
    }
    session.finish(&PriceAnswer::new(estimate, formula), directory, &picture)
}

/// The price by formula, where there is one, and what to call it.
fn formula(instrument: &Instrument, model: &Model) -> Option<(&'static str, f64)> {
    let name = match (&instrument.payoff, model.dynamics) {
        (Payoff::European, Dynamics::Gbm) => "Black–Scholes",
        _ => "closed form",
    };
    closed_form::price(instrument, model).map(|price| (name, price))
}

/// The estimates at growing path counts with the same seed; the last one is `estimate` itself.
///
/// # Errors
/// Those of [`simulate`].
pub fn converge(
    device: &Device,
    instrument: &Instrument,
    model: &Model,
    engine: &MonteCarlo,
    estimate: &Estimate,
) -> Result<Vec<Estimate>, FinanceError> {
    let counts = convergence::path_counts(estimate.paths);
    let fewer = counts.into_iter().filter(|paths| *paths < estimate.paths);
    let engines = fewer.map(|paths| MonteCarlo { paths, greeks: false, tolerance: None, ..*engine });
    let mut estimates: Vec<Estimate> =
        engines.map(|engine| simulate(device, instrument, model, &engine)).collect::<Result<_, _>>()?;
    estimates.push(estimate.clone());
    Ok(estimates)
}
