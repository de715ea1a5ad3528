//! The covariance of a table of returns, end to end: from the host's table to the host's matrix. Only the host's clock can time
//! that. Operations: those of the product `XᵀX`, counted in full.

use cubefold::Device;
use cubefold::finance::{Covariance, CovarianceOptions, Table, covariance};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, input, measure};

/// Rows of returns: ten years of days.
const ROWS: usize = 2520;
/// The same where only the program is tried.
const FEW_ROWS: usize = 60;

/// How far an entry may be off, as a part of the variances beside it: sums of f32 on devices.
const TOLERANCE: f64 = 1e-4;

/// Growing numbers of assets.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (assets, rows): (&[u64], usize) = match extent.scale {
        Scale::Full => (&[20, 100, 500, 1000], ROWS),
        Scale::Small => (&[20, 100], ROWS),
        Scale::Tiny => (&[5], FEW_ROWS),
    };
    extent.lengths(assets.iter().copied()).into_iter().map(|assets| spec(assets as usize, rows)).collect()
}

fn spec(assets: usize, rows: usize) -> Spec {
    Spec {
        operator: "covariance of 2,520 rows",
        strategy: "Auto",
        length: assets as u64,
        work: Work::Operations((2 * assets * assets * rows) as u64),
        prepare: Box::new(move |device| prepare(device, assets, rows)),
    }
}

/// The rows of the first and the last asset are those of two passes in f64.
fn prepare(device: &Device, assets: usize, rows: usize) -> Result<Ready, BenchError> {
    let returns = input::table(rows, assets, 0.0)?;
    let (found, first) = measure::first(device, || estimate(device, &returns))?;
    let mean = |asset: usize| (0..rows).map(|row| returns.value(row, asset)).sum::<f64>() / rows as f64;
    let means: Vec<f64> = (0..assets).map(mean).collect();
    for asset in [0, assets - 1] {
        for second in 0..assets {
            let term = |row| (returns.value(row, asset) - means[asset]) * (returns.value(row, second) - means[second]);
            let expected = (0..rows).map(term).sum::<f64>() / (rows - 1) as f64;
            check::close(
                asset * assets + second,
                found.at(asset, second),
                expected,
                TOLERANCE * found.at(asset, asset),
            )?;
        }
    }
    let device = device.clone();
    let (compared, results) = ((2 * assets) as u64, (assets * assets) as u64);
    Ok(Ready::on_host(first, [compared, results], move || estimate(&device, &returns).map(|_| ())))
}

fn estimate(device: &Device, returns: &Table) -> Result<Covariance, BenchError> {
    let options = CovarianceOptions { periods_per_year: 1.0, ..CovarianceOptions::default() };
    Ok(covariance(device, returns, &options)?)
}
