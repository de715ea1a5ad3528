//! The mean payoff over random paths: a European call, an Asian one, and a grid of calls at once. The table is on the device before,
//! and the answer's read-back is left out, as in `measure/anchor.cu`.

use std::time::Duration;

use cubefold::Device;
use cubefold::finance::{
    European, Fixings, Grid, Instrument, Model, MonteCarlo, Payoff, Simulation, Staged, Style, simulate_grid,
};

use super::{BenchError, Extent, Prepare, Ready, Scale, Spec, Work, check, measure};

/// Standard errors by which a price may miss its oracle,
const STANDARD_ERRORS: f64 = 4.0;
/// and by which the farthest of a grid may.
const FARTHEST: f64 = 6.0;
/// Dates of the Asian call.
const FIXINGS: u32 = 50;
/// Its price at a volatility of 0.3 by a simulation of another program, and the error of that.
const ASIAN: (f64, f64) = (8.07345, 0.0008);

/// The call at growing numbers of paths; the Asian one; many at once.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (paths, asian, grid): (&[u32], u32, (u32, u32)) = match extent.scale {
        Scale::Full => (&[20, 24, 28, 32], 24, (100, 20)),
        Scale::Small => (&[16, 20], 14, (4, 12)),
        Scale::Tiny => (&[12], 8, (2, 10)),
    };
    let calls = extent.powers(paths).into_iter().map(|paths| of_paths("European call", paths, european));
    let asian = extent.powers(&[asian]).into_iter().map(|paths| of_paths("Asian call, 50 fixings", paths, along));
    let (side, bits) = grid;
    let all = u64::from(side * side) << bits;
    let many = spec("grid of European calls", all, Box::new(move |device: &Device| together(device, side, 1 << bits)));
    calls.chain(asian).chain((!extent.given()).then_some(many)).collect()
}

fn of_paths(operator: &'static str, paths: u64, prepare: fn(&Device, u64) -> Result<Ready, BenchError>) -> Spec {
    spec(operator, paths, Box::new(move |device| prepare(device, paths)))
}

fn spec(operator: &'static str, paths: u64, prepare: Prepare) -> Spec {
    Spec { operator, strategy: "Tree", length: paths, work: Work::Paths(paths), prepare }
}

/// All paths are there, and their mean is the oracle's within the errors of both.
fn checked(
    device: &Device,
    simulation: &Simulation,
    paths: u64,
    (price, error): (f64, f64),
) -> Result<Ready, BenchError> {
    let mut run = simulation.clone();
    let (_, first) = measure::first(device, || Ok(run.run(device)?))?;
    check::close(0, run.paths() as f64, paths as f64, 0.0)?;
    check::close(0, run.value(), price, STANDARD_ERRORS * run.std_error().hypot(error))?;
    Ok(ready(simulation.stage(device)?, first, 1))
}

fn ready(staged: Staged, first: Duration, compared: u64) -> Ready {
    Ready::new(first, [compared; 2], move || {
        staged.launch()?;
        Ok(())
    })
}

fn european(device: &Device, paths: u64) -> Result<Ready, BenchError> {
    let option = European::default();
    let engine = MonteCarlo { paths, ..MonteCarlo::default() };
    let simulation = Simulation::new(&option.instrument(), &option.model(), &engine)?;
    checked(device, &simulation, paths, (option.black_scholes(), 0.0))
}

fn along(device: &Device, paths: u64) -> Result<Ready, BenchError> {
    let payoff = Payoff::AsianArithmetic(Fixings::Equal(FIXINGS));
    let call = Instrument { payoff, style: Style::Call, strike: 100.0, expiry: 1.0 };
    let engine = MonteCarlo { paths, ..MonteCarlo::default() };
    let simulation = Simulation::new(&call, &Model::gbm(100.0, 0.05, 0.0, 0.3), &engine)?;
    checked(device, &simulation, paths, ASIAN)
}

/// Strikes from 80 to 120 and expiries from a quarter of a year to two, `side` of each.
fn together(device: &Device, side: u32, paths: u64) -> Result<Ready, BenchError> {
    let option = European::default();
    let share = |place: u32| f64::from(place) / f64::from(side - 1).max(1.0);
    let options: Vec<European> = (0..side * side)
        .map(|index| European {
            strike: 80.0 + 40.0 * share(index % side),
            expiry: 0.25 + 1.75 * share(index / side),
            ..option
        })
        .collect();
    let instruments: Vec<Instrument> = options.iter().map(European::instrument).collect();
    let engine = MonteCarlo { paths, ..MonteCarlo::default() };
    let (found, first) = measure::first(device, || Ok(simulate_grid(device, &instruments, &option.model(), &engine)?))?;
    for (place, (found, option)) in found.iter().zip(&options).enumerate() {
        check::close(place, found.value, option.black_scholes(), FARTHEST * found.std_error)?;
    }
    let grid = Grid::new(&instruments, &option.model(), &engine)?;
    Ok(ready(grid.stage(device)?, first, found.len() as u64))
}
