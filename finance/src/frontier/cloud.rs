//! All portfolios of a run, round after round, and the few of them whose weights come back from the device.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix, Source};
use cubefold_primitives::{Buffer, Captured, Counter, Operator, Real, Wide};

use super::Portfolio;
use super::evaluate::{Evaluated, portfolio, unevaluated};
use super::goals::{Goal, winners};
use super::refine::Search;
use super::sampler::Batch;
use crate::error::FinanceError;

/// All portfolios so far: where they lie in one buffer, their weights in one a round.
pub(super) struct Cloud<'b, 'a, T: Real> {
    search: &'b Search<'a, T>,
    /// Where they lie, those that are not drawn yet aside.
    pub points: Buffer<Evaluated<T>>,
    /// How many are drawn.
    pub filled: u32,
    weights: Vec<(Batch, Buffer<T>)>,
    last: Option<Buffer<Evaluated<T>>>,
}

impl<'b, 'a, T: Real> Cloud<'b, 'a, T> {
    pub fn new(search: &'b Search<'a, T>) -> Result<Self, FinanceError> {
        let none = Counter::new(u64::from(search.options.portfolios)).map(Nothing::<T> { element: PhantomData });
        Ok(Cloud { points: search.device.collect(&none)?, search, filled: 0, weights: Vec::new(), last: None })
    }

    /// The next `portfolios`.
    pub fn batch(&self, portfolios: u32) -> Batch {
        let assets = self.search.estimate.assets.len() as u32;
        Batch { seed: self.search.options.seed, first: self.filled, portfolios, assets }
    }

    /// Evaluates a round, whose weights are assets × portfolios.
    pub fn add(&mut self, weights: Buffer<T>) -> Result<(), FinanceError> {
        let assets = self.search.estimate.assets.len() as u32;
        let batch = self.batch(weights.len() as u32 / assets);
        let device = self.search.device;
        let rows = Dense::new(&weights, assets, batch.portfolios)?;
        let points = self.search.evaluator.points(device, &rows.transposed())?;
        let mut part = self.points.strided(u64::from(self.filled), 1, u64::from(batch.portfolios))?;
        device.collect_into(&points, &mut part)?;
        self.filled += batch.portfolios;
        self.weights.push((batch, weights));
        self.last = Some(points);
        Ok(())
    }

    /// The best portfolio of the last round for each goal.
    pub fn best_of_last(&self, goals: &[Goal]) -> Result<Vec<Portfolio>, FinanceError> {
        let points = self.last.as_ref().expect("the plain cloud comes first");
        let rows = winners(self.search.device, points, goals, self.search.penalty)?;
        self.portfolios(self.weights.len() - 1, &rows)
    }

    /// A portfolio by its number.
    pub fn portfolio(&self, number: u32) -> Result<Portfolio, FinanceError> {
        let holds = |(batch, _): &(Batch, Buffer<T>)| number - batch.first < batch.portfolios;
        let round = self.weights.iter().rposition(|round| round.0.first <= number && holds(round));
        let round = round.expect("every portfolio is of a round");
        let mut found = self.portfolios(round, &[number - self.weights[round].0.first])?;
        Ok(found.remove(0))
    }

    /// Portfolios of a round, evaluated in f64: their weights come back from the device.
    fn portfolios(&self, round: usize, rows: &[u32]) -> Result<Vec<Portfolio>, FinanceError> {
        let Search { device, estimate, limits, options, floor, .. } = self.search;
        let (batch, weights) = &self.weights[round];
        let gather = Gather {
            weights: weights.clone().into(),
            rows: rows.to_vec().into(),
            portfolios: batch.portfolios,
            assets: batch.assets,
        };
        let places = Counter::new(rows.len() as u64 * u64::from(batch.assets));
        let gathered = device.collect(&places.map(gather))?.to_vec()?;
        let of = |row: &[T]| {
            let row: Vec<f64> = row.iter().map(|weight| weight.widen()).collect();
            portfolio(limits.settle(&row), estimate, options.rf, *floor)
        };
        Ok(gathered.chunks(batch.assets as usize).map(of).collect())
    }
}

/// A portfolio that is not there yet.
#[derive(Debug, Clone, Operator)]
struct Nothing<T: Real> {
    element: PhantomData<T>,
}

#[cube]
impl<T: Real> Mapping<Wide> for Nothing<T> {
    type Output = Evaluated<T>;

    fn map(&self, _item: Wide) -> Evaluated<T> {
        unevaluated::<T>()
    }
}

/// The weights of some portfolios of a round, row after row.
#[derive(Debug, Clone, Operator)]
struct Gather<T: Real> {
    weights: Captured<T>,
    rows: Captured<u32>,
    portfolios: u32,
    assets: u32,
}

#[cube]
impl<T: Real> Mapping<Wide> for Gather<T> {
    type Output = T;

    fn map(&self, item: Wide) -> T {
        let row = self.rows[(item.low / self.assets) as usize];
        self.weights[(item.low % self.assets * self.portfolios + row) as usize]
    }
}
