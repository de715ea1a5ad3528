//! The price of return along the edge: a ladder of goals that are evenly spaced where the edge is, not where the price is.

use super::{Point, Portfolio};

/// What return is worth along the edge: θ in ascending order, from 0 at the calmest portfolio on, and the best for each.
pub(super) struct Ladder<'p> {
    thetas: Vec<f64>,
    best: Vec<&'p Portfolio>,
}

impl<'p> Ladder<'p> {
    pub fn new(calmest: &'p Portfolio, thetas: &[f64], best: &'p [Portfolio]) -> Self {
        Ladder {
            thetas: std::iter::once(0.0).chain(thetas.iter().copied()).collect(),
            best: std::iter::once(calmest).chain(best).collect(),
        }
    }

    /// Where a coordinate of the edge, which grows with θ, is `level`: between two rungs in proportion, as the edge is
    /// piecewise linear in θ; past the last of them twice as far.
    pub fn theta(&self, level: f64, of: impl Fn(&Point) -> f64) -> f64 {
        let levels: Vec<f64> = self.best.iter().map(|best| of(&best.point)).collect();
        let last = self.thetas[self.thetas.len() - 1];
        match levels.iter().position(|reached| *reached >= level) {
            Some(0) => 0.0,
            None => 2.0 * last,
            Some(rung) => {
                let [from, to] = [levels[rung - 1], levels[rung]];
                let part = if to > from { (level - from) / (to - from) } else { 1.0 };
                self.thetas[rung - 1] + part * (self.thetas[rung] - self.thetas[rung - 1])
            }
        }
    }

    /// Rungs whose returns are evenly spaced up to `highest`, each some way into its bin of the edge.
    pub fn respaced(&self, count: u32, highest: f64) -> Vec<f64> {
        let lowest = self.best[0].point.ret;
        let part = |bin: u32| (f64::from(bin) + 0.1) / f64::from(count);
        let mut rungs: Vec<f64> = Vec::new();
        for bin in 0..count {
            let theta = self.theta(lowest + (highest - lowest) * part(bin), |point| point.ret);
            rungs.push(theta.max(rungs.last().copied().unwrap_or(0.0)));
        }
        rungs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(volatility: f64, ret: f64) -> Portfolio {
        Portfolio { point: Point { ret, volatility, sharpe: 0.0 }, riskless: false, weights: Vec::new() }
    }

    #[test]
    fn rungs_are_set_where_returns_are_evenly_spaced() {
        let (calmest, best) = (at(0.1, 0.0), [at(0.2, 0.2), at(0.3, 0.3), at(0.3, 0.3)]);
        let ladder = Ladder::new(&calmest, &[1.0, 3.0, 9.0], &best);
        let near = |left: f64, right: f64| (left - right).abs() < 1e-12;
        let theta = |level| ladder.theta(level, |point| point.ret);
        assert!(near(theta(-1.0), 0.0) && near(theta(0.1), 0.5) && near(theta(0.25), 2.0) && near(theta(0.3), 3.0));
        assert!(near(theta(0.31), 18.0), "past the last rung");
        assert!(near(ladder.theta(0.15, |point| point.volatility), 0.5));
        // Returns of 0.01, 0.11 and 0.21.
        let spaced = ladder.respaced(3, 0.3);
        assert!([0.05, 0.55, 1.2].iter().zip(&spaced).all(|(left, right)| near(*left, *right)), "{spaced:?}");
    }
}
