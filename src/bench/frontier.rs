//! Return, risk and Sharpe ratio of many portfolios, and drawing their weights as well. Points stay on the device.

use cubefold::finance::frontier::{Evaluated, Evaluator, draw_weights};
use cubefold::finance::{Covariance, Sampler};
use cubefold::views::{Dense, Matrix};
use cubefold::{Buffer, Device, Real};

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, measure};

/// Assets of a portfolio.
const ASSETS: u32 = 500;
/// The same where only the program is tried.
const FEW_ASSETS: u32 = 10;

/// Portfolios that are compared with the host's, from the first on.
const COMPARED: u32 = 64;

/// How far a return, volatility or ratio may be off, relatively: sums of 500 terms in f32.
const TOLERANCE: f64 = 1e-4;

/// The rate of the ratios.
const RATE: f64 = 0.02;

/// Both jobs at growing numbers of portfolios.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let (portfolios, assets): (&[u64], u32) = match extent.scale {
        Scale::Full => (&[10_000, 100_000, 1_000_000], ASSETS),
        Scale::Small => (&[1_000], ASSETS),
        Scale::Tiny => (&[200], FEW_ASSETS),
    };
    let portfolios = extent.lengths(portfolios.iter().copied());
    let of = |draws: bool| portfolios.iter().map(move |&portfolios| spec(portfolios as u32, assets, draws));
    of(false).chain(of(true)).collect()
}

fn spec(portfolios: u32, assets: u32, draws: bool) -> Spec {
    Spec {
        operator: if draws { "draw and evaluate portfolios" } else { "evaluate portfolios" },
        strategy: "Auto",
        length: portfolios.into(),
        work: Work::Operations(2 * u64::from(portfolios) * u64::from(assets) * u64::from(assets)),
        prepare: Box::new(move |device| match device.is_host() {
            true => prepare::<f64>(device, portfolios, assets, draws),
            false => prepare::<f32>(device, portfolios, assets, draws),
        }),
    }
}

/// The first portfolios lie where the host, in f64, sees them from their weights.
fn prepare<T: Real>(device: &Device, portfolios: u32, assets: u32, draws: bool) -> Result<Ready, BenchError> {
    let estimate = estimate(assets as usize);
    let evaluator = Evaluator::<T>::new(device, &estimate, RATE)?;
    let weights = draw_weights::<T>(device, portfolios, assets, Sampler::default(), 1)?;
    let evaluate_drawn = || evaluate(device, &evaluator, &weights, [portfolios, assets]);
    let (points, first) = measure::first(device, evaluate_drawn)?;
    let compared = COMPARED.min(portfolios);
    let expected = expected(&estimate, &weights, [portfolios, compared])?;
    let found = points.range(0, compared as usize)?.into_iter();
    for (index, (got, expected)) in found.flat_map(|point| values(point)).zip(expected).enumerate() {
        check::close(index, got, expected, TOLERANCE * expected.abs())?;
    }
    let device = device.clone();
    Ok(Ready::new(first, [compared.into(), portfolios.into()], move || {
        match draws {
            true => {
                let drawn = draw_weights::<T>(&device, portfolios, assets, Sampler::default(), 1)?;
                evaluate(&device, &evaluator, &drawn, [portfolios, assets])?;
            }
            false => {
                evaluate(&device, &evaluator, &weights, [portfolios, assets])?;
            }
        }
        Ok(())
    }))
}

fn evaluate<T: Real>(
    device: &Device,
    evaluator: &Evaluator<T>,
    weights: &Buffer<T>,
    [portfolios, assets]: [u32; 2],
) -> Result<Buffer<Evaluated<T>>, BenchError> {
    let rows = Dense::new(weights, assets, portfolios)?;
    Ok(evaluator.points(device, &rows.transposed())?)
}

fn values<T: Real>(point: Evaluated<T>) -> [f64; 3] {
    let point = point.point();
    [point.ret, point.volatility, point.sharpe]
}

/// Return, volatility and ratio of the first `compared` of `portfolios`, by their formulas.
fn expected<T: Real>(
    estimate: &Covariance,
    weights: &Buffer<T>,
    [portfolios, compared]: [u32; 2],
) -> Result<Vec<f64>, BenchError> {
    let assets = estimate.assets.len();
    let first = |asset: usize| weights.range(asset * portfolios as usize, compared as usize);
    let drawn = (0..assets).map(first).collect::<Result<Vec<Vec<T>>, _>>()?;
    let of = |portfolio: usize| {
        let weight = |asset: usize| drawn[asset][portfolio].widen();
        let whole: f64 = (0..assets).map(weight).sum();
        let ret = (0..assets).map(|asset| weight(asset) * estimate.mean[asset]).sum::<f64>() / whole;
        let row = |row: usize| (0..assets).map(|column| weight(column) * estimate.at(row, column)).sum::<f64>();
        let volatility = (0..assets).map(|asset| weight(asset) * row(asset)).sum::<f64>().sqrt() / whole;
        [ret, volatility, (ret - RATE) / volatility]
    };
    Ok((0..compared as usize).flat_map(of).collect())
}

/// Assets with one common factor and risks of their own.
fn estimate(assets: usize) -> Covariance {
    let beta = |asset: usize| 0.5 + (asset * 7919 % 101) as f64 / 100.0;
    let own = |asset: usize| 0.02 + (asset * 104_729 % 97) as f64 / 1000.0;
    let entry =
        |row: usize, column: usize| 0.03 * beta(row) * beta(column) + if row == column { own(row) } else { 0.0 };
    Covariance {
        assets: (0..assets).map(|asset| format!("a{asset}")).collect(),
        periods: 2520,
        ddof: 1,
        mean: (0..assets).map(|asset| 0.04 + 0.08 * beta(asset)).collect(),
        covariance: (0..assets * assets).map(|place| entry(place / assets, place % assets)).collect(),
        shrinkage: 0.0,
    }
}
