//! What a portfolio can be the best at, and which of a cloud are: one fold of all portfolios for every goal.

use cubecl::prelude::*;
use cubefold_primitives::ops::ArgMaximum;
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix};
use cubefold_primitives::{Both, Buffer, Counter, Device, Operator, Real, State, Wide};

use super::evaluate::Evaluated;
use super::options::Target;
use crate::error::FinanceError;

/// The least volatility.
const CALM: u32 = 0;
/// The largest Sharpe ratio.
const RATIO: u32 = 1;
/// The least volatility from a return on.
const RETURN: u32 = 2;
/// The largest return up to a volatility.
const RISK: u32 = 3;
/// The largest return less what risk costs.
const UTILITY: u32 = 4;

/// What a portfolio can be the best at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// The least volatility.
    MinVolatility,
    /// The largest Sharpe ratio.
    MaxSharpe,
    /// A target.
    Target(Target),
    /// The largest `θ ret − volatility² / 2`: of every θ from 0 on a point of the efficient edge, and of no target to miss.
    Utility(f64),
}

impl Goal {
    fn on_device<T: Real>(self) -> Aim<T> {
        let (kind, level) = match self {
            Goal::MinVolatility => (CALM, 0.0),
            Goal::MaxSharpe => (RATIO, 0.0),
            Goal::Target(Target::Return(ret)) => (RETURN, ret),
            Goal::Target(Target::Volatility(volatility)) => (RISK, volatility),
            Goal::Utility(theta) => (UTILITY, theta),
        };
        Aim { kind, level: T::constant(level) }
    }
}

/// How much a miss of a target costs: what a unit of return counts in units of volatility, and the other way round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Penalty {
    pub of_return: f64,
    pub of_volatility: f64,
}

impl Penalty {
    /// So much that no portfolio that misses beats one that does not.
    pub const STRICT: Penalty = Penalty { of_return: 1e20, of_volatility: 1e20 };
}

/// The number of the best portfolio for each goal; of equals the first.
pub(super) fn winners<T: Real>(
    device: &Device,
    points: &Buffer<Evaluated<T>>,
    goals: &[Goal],
    penalty: Penalty,
) -> Result<Vec<u32>, FinanceError> {
    let portfolios = points.len() as u32;
    let aims: Vec<Aim<T>> = goals.iter().map(|goal| goal.on_device()).collect();
    let aims = device.upload(&aims)?;
    let goals = goals.len() as u32;
    let numbers = Dense::repeated_row(Counter::new(u64::from(portfolios)), goals)?;
    let beside = Dense::repeated_row(points, goals)?.zip_elements(Dense::repeated_column(&aims, portfolios)?)?;
    let score = Score { of_return: T::constant(penalty.of_return), of_volatility: T::constant(penalty.of_volatility) };
    let scores = beside.zip_elements(numbers)?.map_elements(score);
    let best = device.reduce_rows(&scores, &ArgMaximum::<T>::new())?.to_vec()?;
    let number = |best: u64| best as u32;
    Ok(best.iter().map(|best| number(best.index().expect("there is at least one portfolio"))).collect())
}

/// A goal on its way to a device.
#[derive(Debug, Clone, Copy, State)]
struct Aim<T: State> {
    kind: u32,
    level: T,
}

/// How good a portfolio is for a goal, and its number.
#[derive(Debug, Clone, Operator)]
struct Score<T: Real> {
    of_return: T,
    of_volatility: T,
}

#[cube]
impl<T: Real> Mapping<Both<Both<Evaluated<T>, Aim<T>>, Wide>> for Score<T> {
    type Output = Both<T, Wide>;

    fn map(&self, item: Both<Both<Evaluated<T>, Aim<T>>, Wide>) -> Both<T, Wide> {
        let (point, aim) = (item.left.left, item.left.right);
        let short = T::larger(aim.level - point.ret, T::whole(0));
        let over = T::larger(point.volatility - aim.level, T::whole(0));
        let of_return = T::whole(0) - (point.volatility + self.of_return * short);
        let of_risk = point.ret - self.of_volatility * over;
        let half = point.volatility * point.volatility / T::whole(2);
        let of_utility = select(aim.kind == UTILITY, aim.level * point.ret - half, of_risk);
        let of_target = select(aim.kind == RETURN, of_return, of_utility);
        let of_ratio = select(aim.kind == RATIO, point.sharpe, of_target);
        let score = select(aim.kind == CALM, T::whole(0) - point.volatility, of_ratio);
        Both::<T, Wide> { left: score, right: item.right }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::covariance::Covariance;
    use crate::frontier::evaluate::Evaluator;

    #[test]
    fn each_goal_has_its_own_winner() {
        let estimate = Covariance {
            assets: ["A", "B", "C"].map(str::to_owned).to_vec(),
            periods: 9,
            ddof: 1,
            mean: vec![0.05, 0.12, 0.2],
            covariance: vec![0.01, 0.0, 0.0, 0.0, 0.04, 0.0, 0.0, 0.0, 0.16],
            shrinkage: 0.0,
        };
        let device = Device::host();
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let weights = device.upload(&identity).unwrap();
        let evaluator = Evaluator::<f64>::new(&device, &estimate, 0.02).unwrap();
        let points = evaluator.points(&device, &Dense::new(&weights, 3, 3).unwrap()).unwrap();
        let best = |goals: &[Goal]| winners(&device, &points, goals, Penalty::STRICT).unwrap();
        let ret = |level| Goal::Target(Target::Return(level));
        let risk = |level| Goal::Target(Target::Volatility(level));
        // Ratios of 0.3, 0.5 and 0.45.
        assert_eq!(best(&[Goal::MinVolatility, Goal::MaxSharpe]), [0, 1]);
        assert_eq!(best(&[ret(0.0), ret(0.05), ret(0.051), ret(0.2), ret(0.9)]), [0, 0, 1, 2, 2]);
        // Half of the variances are 0.005, 0.02 and 0.08: a step up pays from θ = 0.215 and from θ = 0.75 on.
        assert_eq!(best(&[0.0, 0.21, 0.22, 0.74, 0.76].map(Goal::Utility)), [0, 0, 1, 1, 2]);
        assert_eq!(best(&[risk(0.05), risk(0.1), risk(0.3), risk(0.4)]), [0, 0, 1, 2]);
    }
}
