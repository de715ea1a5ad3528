//! The mean payoff of a European call over random paths. The answer's read-back is left out, as in `measure/anchor.cu`.

use cubefold::Device;
use cubefold::finance::{European, MonteCarlo, Simulation};

use super::{BenchError, Ready, Scale, Spec, Work, check};

/// Standard errors by which a price may miss the closed form.
const STANDARD_ERRORS: f64 = 4.0;

/// The call at growing numbers of paths.
pub fn specs(scale: Scale) -> Vec<Spec> {
    let paths: &[u32] = match scale {
        Scale::Full => &[20, 24, 28],
        Scale::Small => &[16, 20],
        Scale::Tiny => &[12],
    };
    paths.iter().map(|&bits| spec(1 << bits)).collect()
}

fn spec(paths: u64) -> Spec {
    Spec {
        operator: "European call",
        strategy: "Tree",
        length: paths,
        work: Work::Paths(paths),
        prepare: Box::new(move |device| prepare(device, paths)),
    }
}

/// All paths are there, and their mean is the closed form within its own error.
fn prepare(device: &Device, paths: u64) -> Result<Ready, BenchError> {
    let option = European::default();
    let engine = MonteCarlo { paths, ..MonteCarlo::default() };
    let start = Simulation::new(&option.instrument(), &option.model(), &engine)?;
    let mut simulation = start.clone();
    simulation.run(device)?;
    check::close(0, simulation.paths() as f64, paths as f64, 0.0)?;
    let allowed = STANDARD_ERRORS * simulation.std_error();
    check::close(0, simulation.value(), option.black_scholes(), allowed)?;
    let device = device.clone();
    Ok(Ready {
        ends_on_host: false,
        compared: 1,
        results: 1,
        call: Box::new(move || {
            start.launch(&device)?;
            Ok(())
        }),
    })
}
