//! The way on from a portfolio, and the portfolios of a round that go it.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::rng::{Key, Random, philox, uniform};
use cubefold_primitives::views::{Mapping, MappingExpand};
use cubefold_primitives::{Captured, Operator, Real, Wide, wrapping_add};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::Portfolio;
use super::evaluate::{dot, marginal};
use super::sampler::{Batch, scalars};
use crate::covariance::Covariance;

/// Where a portfolio becomes better, asset by asset: `D ((wᵀm − m) + θ (μ − wᵀμ))`.
pub(super) fn steps(portfolio: &Portfolio, estimate: &Covariance, theta: f64) -> Vec<f64> {
    let weights = &portfolio.weights;
    let assets = weights.len();
    let variances: Vec<f64> = (0..assets).map(|asset| estimate.at(asset, asset)).collect();
    // An asset without risk has no step of Newton's; its is that of one with very little.
    let least = 1e-3 * variances.iter().sum::<f64>() / assets as f64;
    let per_risk = |asset: usize| 1.0 / variances[asset].max(least).max(f64::from(f32::MIN_POSITIVE));
    let marginal = marginal(weights, estimate);
    let (variance, ret) = (dot(weights, &marginal), dot(weights, &estimate.mean));
    let better = |asset: usize| (variance - marginal[asset]) + theta * (estimate.mean[asset] - ret);
    (0..assets).map(|asset| better(asset) * per_risk(asset)).collect()
}

/// Newton's steps: the covariance is factored once, with a little on its diagonal where it may be singular.
pub(super) struct Newton {
    factor: Option<Cholesky<f64, Dyn>>,
    /// `Σ⁻¹1`.
    of_ones: Vec<f64>,
}

impl Newton {
    pub fn new(estimate: &Covariance) -> Self {
        let assets = estimate.assets.len();
        let mut matrix = DMatrix::from_row_slice(assets, assets, &estimate.covariance);
        let ridge = (1e-4 * matrix.trace() / assets as f64).max(f64::from(f32::MIN_POSITIVE));
        (0..assets).for_each(|asset| matrix[(asset, asset)] += ridge);
        let factor = matrix.cholesky();
        let of_ones = factor.as_ref().map_or_else(Vec::new, |factor| solve(factor, vec![1.0; assets]));
        Newton { factor, of_ones }
    }

    /// `−Σ⁻¹(m − θ μ)`, less what changes the sum of the weights; the plain steps where the covariance has no factor.
    pub fn steps(&self, portfolio: &Portfolio, estimate: &Covariance, theta: f64) -> Vec<f64> {
        let Some(factor) = &self.factor else {
            return steps(portfolio, estimate, theta);
        };
        let marginal = marginal(&portfolio.weights, estimate);
        let better = estimate.mean.iter().zip(marginal).map(|(mean, marginal)| theta * mean - marginal).collect();
        let step = solve(factor, better);
        let share = step.iter().sum::<f64>() / self.of_ones.iter().sum::<f64>();
        step.iter().zip(&self.of_ones).map(|(step, one)| step - share * one).collect()
    }
}

fn solve(factor: &Cholesky<f64, Dyn>, right: Vec<f64>) -> Vec<f64> {
    factor.solve(&DVector::from_vec(right)).as_slice().to_vec()
}

/// Where the portfolios of a round start, and where they go: a row an asset for each goal.
#[derive(Debug, Clone, Default)]
pub(super) struct Starts {
    /// The weights of the best.
    pub base: Vec<f64>,
    /// Its [`steps`].
    pub slope: Vec<f64>,
    /// Its steps by [`Newton`].
    pub leap: Vec<f64>,
    /// The next goal along the edge; for others the goal itself.
    pub neighbour: Vec<u32>,
}

/// Domain of the draws of steps: the last word of the counter.
const STEPS: u32 = 0x5354_4550;

/// The weight at a place of a round, before bounds.
#[derive(Debug, Clone, Operator)]
pub(super) struct Around<T: Real> {
    low: u32,
    high: u32,
    first: u32,
    portfolios: u32,
    assets: u32,
    goals: u32,
    base: Captured<T>,
    slope: Captured<T>,
    leap: Captured<T>,
    neighbour: Captured<u32>,
    element: PhantomData<T>,
}

impl<T: Real> Around<T> {
    /// The portfolios of `batch`, which start from the best of each goal in turn.
    pub fn new(batch: Batch, starts: &Starts) -> Self {
        let seed = Wide::from(batch.seed);
        Around {
            low: seed.low,
            high: seed.high,
            first: batch.first,
            portfolios: batch.portfolios,
            assets: batch.assets,
            goals: starts.neighbour.len() as u32,
            base: scalars(&starts.base),
            slope: scalars(&starts.slope),
            leap: scalars(&starts.leap),
            neighbour: starts.neighbour.clone().into(),
            element: PhantomData,
        }
    }
}

#[cube]
impl<T: Real> Mapping<Wide> for Around<T> {
    type Output = T;

    fn map(&self, item: Wide) -> T {
        let (local, asset) = (item.low % self.portfolios, item.low / self.portfolios);
        let (goal, turn) = (local % self.goals, local / self.goals);
        let place = (goal * self.assets + asset) as usize;
        let neighbour = self.neighbour[goal as usize];
        let key = Key { low: self.low, high: self.high };
        let portfolio = wrapping_add(self.first, local);
        let words = philox(key, Random { a: 0u32, b: portfolio, c: 0u32, d: STEPS });
        let length = power_of_two(6.0f32 * uniform(words.a) - 4.0f32);
        let chance = philox(key, Random { a: asset, b: portfolio, c: 1u32, d: STEPS });
        let taken = uniform(chance.a) < uniform(words.b);
        // The first of a goal is its best as it is. Of the others every second one moves all assets, half of these by Newton's
        // step, and every fourth one of the edge is a mixture.
        let mixes = select(turn % 4u32 == 2u32, neighbour != goal, false);
        let moves = select(turn % 2u32 == 1u32, true, select(mixes, false, taken));
        let far = select(turn == 0u32, 0.0f32, select(moves, length, 0.0f32));
        let base = self.base[place];
        let apart = self.base[(neighbour * self.assets + asset) as usize] - base;
        let mixed = base + T::of_f32(select(mixes, uniform(words.c), 0.0f32)) * apart;
        mixed + T::of_f32(far) * select(turn % 4u32 == 1u32, self.leap[place], self.slope[place])
    }
}

/// The logarithm of 2.
const LN_2: f32 = std::f32::consts::LN_2;

/// 2 to a power.
#[cube]
fn power_of_two(exponent: f32) -> f32 {
    (exponent * LN_2).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::evaluate::portfolio;

    #[test]
    fn at_the_best_portfolio_there_is_no_way_on() {
        // Two assets without correlation: the calmest holds them in the ratio of their inverse variances.
        let estimate = Covariance {
            assets: ["A", "B"].map(str::to_owned).to_vec(),
            periods: 9,
            ddof: 1,
            mean: vec![0.1, 0.2],
            covariance: vec![0.01, 0.0, 0.0, 0.04],
            shrinkage: 0.0,
        };
        let newton = Newton::new(&estimate);
        let ways = |weights: [f64; 2], theta| {
            let held = portfolio(weights.to_vec(), &estimate, 0.0, 0.0);
            [steps(&held, &estimate, theta), newton.steps(&held, &estimate, theta)]
        };
        let none = |ways: [Vec<f64>; 2]| ways.iter().flatten().all(|step| step.abs() < 1e-3);
        assert!(none(ways([0.8, 0.2], 0.0)));
        // That of the best ratio holds them by mean over variance, 10 to 5; its variance over its return is 1/15.
        assert!(none(ways([2.0 / 3.0, 1.0 / 3.0], 1.0 / 15.0)));
        for [first, second] in ways([0.5, 0.5], 0.0).map(|way| [way[0], way[1]]) {
            assert!(first > 0.1 && second < -0.1, "{first}, {second}: from the risky to the calm");
        }
        for [first, second] in ways([0.8, 0.2], 0.1).map(|way| [way[0], way[1]]) {
            assert!(first < -0.1 && second > 0.1, "{first}, {second}: to the larger mean");
        }
        // Newton's step is the whole way, but for the little on the diagonal.
        let [_, whole] = ways([0.5, 0.5], 0.0);
        assert!((whole[0] - 0.3).abs() < 1e-3 && (whole[1] + 0.3).abs() < 1e-3, "{whole:?}");
    }
}
