//! The search: a plain cloud, then rounds of portfolios around the best of the round before.
//!
//! A cloud of many assets never reaches its own edge: the best of 50,000 portfolios of 20 assets is some percent off. What
//! leads on is known from the best, `w`, itself. Its marginal risks `m = Sigma·w` and the means `μ` say what a little more of
//! an asset does; a portfolio of a later round is
//!
//! ```text
//! w − a·D·((m − wᵀm) − θ (μ − wᵀμ))       D = 1 / diag Sigma
//! ```
//!
//! cut to the bounds. The length `a` of the step, from 1/16 to 4, is drawn for each portfolio; every second one takes the step
//! for a random part of the assets only, and every fourth one Newton's step, with `Sigma` in place of its diagonal, which leads
//! straight to the best where no bound is in the way. What return is worth, `θ`, is 0 for the least
//! volatility, the variance over the excess return for the largest ratio, and a ladder of values for the points along the
//! edge, whose rungs are set anew after each round so that their returns are evenly spaced. Others are mixtures of two
//! neighbours on the edge, nearly as good as they are: there the targets are found. The best for each goal is kept as it is.
//! Drawing, evaluating and choosing happen on the device; what comes back from a round are the best's weights, a row a goal.

use cubefold_primitives::views::Source;
use cubefold_primitives::{Buffer, Device, Real};

use super::bounds::Limits;
use super::cloud::Cloud;
use super::evaluate::{Evaluated, Evaluator, riskless_below};
use super::fit::fit;
use super::goals::{Goal, Penalty, winners};
use super::ladder::Ladder;
use super::options::{FrontierOptions, Objective, Target};
use super::sampler::{Batch, draw};
use super::steps::{Around, Newton, Starts, steps};
use super::{Portfolio, edge};
use crate::covariance::Covariance;
use crate::error::FinanceError;

/// Goals along the edge at most: more points of it are found between them.
const EDGE_GOALS: u32 = 32;

/// Portfolios that a round has for each goal at least.
const LEAST: u32 = 2;

/// How far a best portfolio may move in a round, in shares of its volatility, for the search to stand still; and how far one
/// of the edge, whose goals move with it.
const STILL: f64 = 1e-6;
const STEADY: f64 = 1e-4;

/// How large the rounds are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Schedule {
    /// Portfolios of the plain cloud.
    plain: u32,
    /// Rounds after it, and portfolios of each.
    rounds: u32,
    each: u32,
}

impl Schedule {
    /// One half of the portfolios is drawn plainly, the other in `rounds − 1` rounds, or as many as have some for each goal.
    fn new(portfolios: u32, rounds: u32, goals: u32) -> Self {
        let half = portfolios / 2;
        let rounds = (rounds - 1).min(half / (LEAST * goals.max(1)));
        let each = half.checked_div(rounds).unwrap_or(0);
        Schedule { plain: portfolios - rounds * each, rounds, each }
    }
}

/// What the search finds: places in the picture and weights.
pub(super) struct Found<T: Real> {
    /// Every portfolio, still on the device.
    pub points: Buffer<Evaluated<T>>,
    /// The two best.
    pub best: [Portfolio; 2],
    /// The targets that portfolios reach.
    pub targets: Vec<Option<Portfolio>>,
    /// The edge in ascending order of return.
    pub edge: Vec<Portfolio>,
    /// Rounds that were run.
    pub rounds: u32,
}

/// Everything that does not change from round to round.
pub(super) struct Search<'a, T: Real> {
    pub device: &'a Device,
    pub estimate: &'a Covariance,
    pub limits: &'a Limits,
    pub options: &'a FrontierOptions,
    pub evaluator: Evaluator<T>,
    /// A variance up to this is none.
    pub floor: f64,
    /// The largest return there is.
    highest: f64,
    /// Differences of returns that matter.
    spread: f64,
    newton: Newton,
    pub penalty: Penalty,
}

impl<'a, T: Real> Search<'a, T> {
    /// Uploads what all rounds share.
    pub fn new(
        device: &'a Device,
        estimate: &'a Covariance,
        limits: &'a Limits,
        options: &'a FrontierOptions,
    ) -> Result<Self, FinanceError> {
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
        };
        let [low, high] = ends(&mut estimate.mean.iter().copied());
        let [_, risk] = ends(&mut (0..estimate.assets.len()).map(|asset| estimate.at(asset, asset).max(0.0).sqrt()));
        let (spread, risk) = ((high - low).max(f64::MIN_POSITIVE), risk.max(f64::MIN_POSITIVE));
        // The edge of assets is at most so steep, but for its ends.
        let penalty = Penalty { of_return: 10.0 * risk / spread, of_volatility: 10.0 * spread / risk };
        Ok(Search {
            device,
            estimate,
            limits,
            options,
            evaluator: Evaluator::new(device, estimate, options.rf)?,
            floor: riskless_below::<T>(estimate),
            highest: limits.largest_return(&estimate.mean),
            spread,
            newton: Newton::new(estimate),
            penalty,
        })
    }

    /// All rounds.
    pub fn run(&self) -> Result<Found<T>, FinanceError> {
        let goals = self.named().len() as u32 + self.options.points.min(EDGE_GOALS);
        let schedule = Schedule::new(self.options.portfolios, self.options.rounds, goals);
        let mut cloud = Cloud::new(self)?;
        cloud.add(draw(self.device, cloud.batch(schedule.plain), self.options.sampler, self.limits)?)?;
        let mut ladder = None;
        let mut best: Vec<Portfolio> = Vec::new();
        let mut rounds = 1;
        for _ in 0..schedule.rounds {
            let rungs = match ladder.take() {
                Some(rungs) => rungs,
                None => self.first_ladder(&cloud.best_of_last(&[Goal::MinVolatility])?[0]),
            };
            let goals = self.goals(&rungs);
            let found = cloud.best_of_last(&goals)?;
            if is_still(&best, &found, goals.len() - rungs.len()) {
                break;
            }
            best = found;
            rounds += 1;
            let (edge, highest) = (&best[goals.len() - rungs.len()..], self.highest);
            let edge = Ladder::new(&best[0], &rungs, edge);
            let raw = self.around(&goals, &best, &edge, cloud.batch(schedule.each))?;
            ladder = Some(edge.respaced(rungs.len() as u32, highest));
            cloud.add(fit(self.device, cloud.batch(schedule.each), &raw, self.limits)?)?;
        }
        let left = self.options.portfolios - cloud.filled;
        if left > 0 {
            cloud.add(draw(self.device, cloud.batch(left), self.options.sampler, self.limits)?)?;
        }
        self.conclude(cloud, rounds)
    }

    /// The goals that are asked for by name.
    fn named(&self) -> Vec<Goal> {
        let best = match self.options.objective {
            Objective::Both => vec![Goal::MinVolatility, Goal::MaxSharpe],
            Objective::MinVolatility => vec![Goal::MinVolatility],
        };
        // A little more than is asked for, so that a portfolio that is reported does not miss by rounding.
        let aimed = |target: &Target| match *target {
            Target::Return(ret) => Target::Return((ret + 1e-4 * self.spread).min(self.highest.max(ret))),
            Target::Volatility(volatility) => Target::Volatility(volatility * (1.0 - 1e-4)),
        };
        best.into_iter().chain(self.options.targets.iter().map(|target| Goal::Target(aimed(target)))).collect()
    }

    /// Rungs from a sixteenth to sixteen times the θ at which the calmest portfolio would change for the largest return.
    fn first_ladder(&self, calmest: &Portfolio) -> Vec<f64> {
        let count = self.options.points.min(EDGE_GOALS);
        let variance = calmest.point.volatility.powi(2).max(self.floor);
        let middle = variance / (self.highest - calmest.point.ret).max(0.05 * self.spread);
        let part = |rung: u32| 8.0 * f64::from(rung) / f64::from(count.max(2) - 1) - 4.0;
        (0..count).map(|rung| middle * part(rung).exp2()).collect()
    }

    /// All goals: the named ones, and those of the ladder.
    fn goals(&self, rungs: &[f64]) -> Vec<Goal> {
        self.named().into_iter().chain(rungs.iter().map(|theta| Goal::Utility(*theta))).collect()
    }

    /// Portfolios around the best of each goal, not yet within bounds: assets × portfolios.
    fn around(
        &self,
        goals: &[Goal],
        best: &[Portfolio],
        ladder: &Ladder<'_>,
        batch: Batch,
    ) -> Result<Buffer<T>, FinanceError> {
        let mut starts = Starts::default();
        for (number, (goal, portfolio)) in goals.iter().zip(best).enumerate() {
            let point = portfolio.point;
            let theta = match *goal {
                Goal::MinVolatility => 0.0,
                Goal::MaxSharpe => point.volatility.powi(2) / (point.ret - self.options.rf).max(0.05 * self.spread),
                Goal::Target(Target::Return(ret)) => ladder.theta(ret, |point| point.ret),
                Goal::Target(Target::Volatility(volatility)) => ladder.theta(volatility, |point| point.volatility),
                Goal::Utility(theta) => theta,
            };
            starts.base.extend_from_slice(&portfolio.weights);
            starts.slope.extend(steps(portfolio, self.estimate, theta));
            starts.leap.extend(self.newton.steps(portfolio, self.estimate, theta));
            let of_edge = matches!(goal, Goal::Utility(_)) && number + 1 < goals.len();
            starts.neighbour.push(if of_edge { number as u32 + 1 } else { number as u32 });
        }
        Ok(self.device.collect(&batch.places()?.map(Around::<T>::new(batch, &starts)))?)
    }

    /// The best of all rounds, and the edge.
    fn conclude(&self, cloud: Cloud<'_, 'a, T>, rounds: u32) -> Result<Found<T>, FinanceError> {
        let goals = [Goal::MinVolatility, Goal::MaxSharpe].into_iter();
        let goals: Vec<Goal> = goals.chain(self.options.targets.iter().map(|target| Goal::Target(*target))).collect();
        let numbers = winners(self.device, &cloud.points, &goals, Penalty::STRICT)?;
        let named = numbers.into_iter().map(|number| cloud.portfolio(number)).collect::<Result<Vec<_>, _>>()?;
        let ends = [named[0].point.ret, self.highest];
        let edge = edge::edge(self.device, &cloud.points, ends, self.options.points)?;
        let edge = edge.into_iter().map(|number| cloud.portfolio(number)).collect::<Result<Vec<_>, _>>()?;
        let mut named = named.into_iter();
        let mut next = || named.next().expect("there is a winner for every goal");
        let best = [next(), next()];
        let reached = |(portfolio, target): (Portfolio, &Target)| {
            let hit = match *target {
                Target::Return(ret) => portfolio.point.ret >= ret - 1e-6 * self.spread.max(ret.abs()),
                Target::Volatility(volatility) => portfolio.point.volatility <= volatility * (1.0 + 1e-6),
            };
            hit.then_some(portfolio)
        };
        let targets = named.zip(&self.options.targets).map(reached).collect();
        Ok(Found { points: cloud.points, best, targets, edge, rounds })
    }
}

/// Whether no best portfolio is anywhere else than before; the first `named` are not of the edge.
fn is_still(before: &[Portfolio], now: &[Portfolio], named: usize) -> bool {
    let moved = |(number, (before, now)): (usize, (&Portfolio, &Portfolio))| {
        let (from, to) = (before.point, now.point);
        let allowed = if number < named { STILL } else { STEADY } * from.volatility;
        (from.volatility - to.volatility).abs().max((from.ret - to.ret).abs()) > allowed
    };
    before.len() == now.len() && !before.iter().zip(now).enumerate().any(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::Point;

    #[test]
    fn a_schedule_uses_every_portfolio_once() {
        for portfolios in [1, 2, 43, 44, 88, 300, 50_000, u32::MAX] {
            for rounds in [1, 2, 8, 1000, u32::MAX] {
                for goals in [1, 22, 1030] {
                    let schedule = Schedule::new(portfolios, rounds, goals);
                    let case = format!("{portfolios} in {rounds} rounds for {goals} goals: {schedule:?}");
                    assert_eq!(schedule.plain + schedule.rounds * schedule.each, portfolios, "{case}");
                    assert!(schedule.rounds < rounds && schedule.plain >= portfolios / 2, "{case}");
                    assert!(schedule.rounds == 0 || schedule.each >= 2 * goals, "{case}");
                }
            }
        }
        assert_eq!(Schedule::new(50_000, 8, 22), Schedule { plain: 25_003, rounds: 7, each: 3571 });
        assert_eq!(Schedule::new(300, 8, 22), Schedule { plain: 150, rounds: 3, each: 50 });
        assert_eq!(Schedule::new(50_000, 1, 22).rounds, 0);
    }

    fn at(volatility: f64, ret: f64) -> Portfolio {
        Portfolio { point: Point { ret, volatility, sharpe: 0.0 }, riskless: false, weights: Vec::new() }
    }

    #[test]
    fn standing_still_is_no_move_of_any_best() {
        let before = [at(0.2, 0.1), at(0.3, 0.2), at(0.4, 0.3)];
        let moved = |number: usize, share: f64| {
            let mut now = before.clone();
            now[number].point.volatility *= 1.0 + share;
            is_still(&before, &now, 2)
        };
        assert!(moved(1, 0.5e-6) && !moved(1, 2e-6));
        assert!(moved(2, 0.5e-4) && !moved(2, 2e-4), "the edge may move more");
        assert!(!is_still(&[], &before, 2), "the first round is always run");
    }
}
