//! A Monte-Carlo mean otherwise, for comparison. Without fusion: every payoff is stored, then either brought to the host and added up
//! there, or reduced where it is. And on the host as one writes it with rayon: a loop over blocks of paths, added up in f64.

use cubefold::finance::European;
use cubefold::ops::Moments;
use cubefold::prelude::*;
use cubefold::rng::{Key, Random, normal_pair, philox};
use rayon::prelude::*;

use super::{BenchError, Extent, Ready, Scale, Spec, Work, check, measure};

/// Standard errors by which a mean may miss the closed form.
const STANDARD_ERRORS: f64 = 4.0;

/// The discounted payoff of a European call at the end of one path.
#[derive(Debug, Clone, Operator)]
struct Payoff {
    /// What the price is at least moved by, and by a normal number; logarithms.
    drift: f32,
    deviation: f32,
    spot: f32,
    strike: f32,
    discount: f32,
}

#[cube]
impl Mapping<Wide> for Payoff {
    type Output = f32;

    fn map(&self, path: Wide) -> f32 {
        let zero = 0u32.runtime();
        let counter = Random { a: path.low, b: path.high, c: zero, d: zero };
        let words = philox(Key { low: 42u32.runtime(), high: zero }, counter);
        paid(self.spot, self.strike, self.discount, self.drift + self.deviation * normal_pair(words.a, words.b).first)
    }
}

/// The discounted payoff where the price has grown by the logarithm `grown`.
#[cube]
fn paid(spot: f32, strike: f32, discount: f32, grown: f32) -> f32 {
    discount * max(spot * grown.exp() - strike, 0.0f32)
}

impl Payoff {
    fn at(&self, normal: f32) -> f32 {
        paid(self.spot, self.strike, self.discount, self.drift + self.deviation * normal)
    }

    fn of(option: &European) -> Self {
        let deviation = option.vol * option.expiry.sqrt();
        Payoff {
            drift: ((option.rate - option.dividend) * option.expiry - deviation * deviation / 2.0) as f32,
            deviation: deviation as f32,
            spot: option.spot as f32,
            strike: option.strike as f32,
            discount: (-option.rate * option.expiry).exp() as f32,
        }
    }
}

/// Powers of two.
fn usual(scale: Scale) -> &'static [u32] {
    match scale {
        Scale::Full => &[20, 24],
        Scale::Small => &[16, 20],
        Scale::Tiny => &[12],
    }
}

/// Both ways, at lengths that fit into a buffer.
pub fn specs(extent: &Extent) -> Vec<Spec> {
    let paths: Vec<_> = extent.powers(usual(extent.scale)).into_iter().filter(|&paths| paths <= MOST).collect();
    let of = |strategy: &'static str, prepare: fn(&Device, u64) -> Result<Ready, BenchError>| {
        paths.iter().map(move |&paths| Spec {
            operator: "European call",
            strategy,
            length: paths,
            work: Work::Paths(paths),
            prepare: Box::new(move |device| prepare(device, paths)),
        })
    };
    of("ToHost", to_host).chain(of("ToBuffer", to_buffer)).collect()
}

/// The loop on the host.
pub fn rayon_loop(extent: &Extent) -> Vec<Spec> {
    let of = |paths| Spec {
        operator: "European call",
        strategy: "RayonLoop",
        length: paths,
        work: Work::Paths(paths),
        prepare: Box::new(move |device| in_a_loop(device, paths)),
    };
    extent.powers(usual(extent.scale)).into_iter().map(of).collect()
}

/// Paths of a block of the loop.
const BLOCK: u64 = 1 << 16;

fn in_a_loop(device: &Device, paths: u64) -> Result<Ready, BenchError> {
    let option = European::default();
    let payoff = Payoff::of(&option);
    let call = move || -> Result<[f64; 2], BenchError> {
        let block = |block: u64| {
            let (mut sum, mut squares) = (0.0, 0.0);
            let end = (BLOCK * (block + 1)).min(paths);
            for first in (BLOCK * block..end).step_by(4) {
                let counter = Wide::from(first / 4);
                let words = philox(Key { low: 42, high: 0 }, Random { a: counter.low, b: counter.high, c: 0, d: 0 });
                let (near, far) = (normal_pair(words.a, words.b), normal_pair(words.c, words.d));
                let normals = [near.first, near.second, far.first, far.second];
                for normal in normals.into_iter().take((end - first).min(4) as usize) {
                    let paid = f64::from(payoff.at(normal));
                    sum += paid;
                    squares += paid * paid;
                }
            }
            [sum, squares]
        };
        let add = |left: [f64; 2], right: [f64; 2]| [left[0] + right[0], left[1] + right[1]];
        let sums = (0..paths.div_ceil(BLOCK)).into_par_iter().map(block).reduce(|| [0.0; 2], add);
        Ok(sums.map(|sum| sum / paths as f64))
    };
    let ([mean, square], first) = measure::first(device, &call)?;
    check_mean(&option, mean, square - mean * mean, paths)?;
    Ok(Ready::new(first, [1, 1], move || {
        std::hint::black_box(call()?);
        Ok(())
    }))
}

/// Payoffs that are stored at most: two gigabytes of them.
const MOST: u64 = 1 << 29;

/// Refuses a mean that is too far from the closed form.
fn check_mean(option: &European, mean: f64, variance: f64, paths: u64) -> Result<(), BenchError> {
    check::close(0, mean, option.black_scholes(), STANDARD_ERRORS * (variance / paths as f64).sqrt())
}

fn to_host(device: &Device, paths: u64) -> Result<Ready, BenchError> {
    let option = European::default();
    let payoffs = Counter::new(paths).map(Payoff::of(&option));
    let home = device.clone();
    let call = move || -> Result<[f64; 2], BenchError> {
        let stored = home.collect(&payoffs)?.to_vec()?;
        let add = |[sum, squares]: [f64; 2], &payoff: &f32| {
            let payoff = f64::from(payoff);
            [sum + payoff, squares + payoff * payoff]
        };
        Ok(stored.iter().fold([0.0; 2], add).map(|sum| sum / paths as f64))
    };
    let ([mean, square], first) = measure::first(device, &call)?;
    check_mean(&option, mean, square - mean * mean, paths)?;
    Ok(Ready::on_host(first, [1, 1], move || call().map(|_| ())))
}

fn to_buffer(device: &Device, paths: u64) -> Result<Ready, BenchError> {
    let option = European::default();
    let payoffs = Counter::new(paths).map(Payoff::of(&option));
    let home = device.clone();
    let call = move || -> Result<_, BenchError> {
        let stored = home.collect(&payoffs)?;
        Ok(home.reduce(&stored, &Moments::<f32>::new())?)
    };
    let (found, first) = measure::first(device, &call)?;
    let found = found.get(0)?;
    check_mean(&option, found.mean(), found.variance(0), paths)?;
    Ok(Ready::new(first, [1, 1], move || call().map(|_| ())))
}
