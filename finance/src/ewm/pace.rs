//! How much each row forgets of what came before it, and how much it weighs itself.
//!
//! All clocks end here: rows or times, missing rows that take time or do not, weights that are divided by their sum or
//! a recurrence, and what the recurrence starts from. The operators know weights only.

use std::f64::consts::LN_2;

use super::fade::Step;

/// The logarithm of what history keeps over the step that leads to a row.
#[derive(Debug, Clone)]
pub(super) enum Steps {
    /// `ln (1 − α)` for every row.
    Even(f64),
    /// `−ln 2 (t_i − t_(i−1)) / halflife`, 0 for the first row.
    Timed(Vec<f64>),
}

impl Steps {
    /// Steps of one row each.
    pub(super) fn even(alpha: f64) -> Self {
        Steps::Even((-alpha).ln_1p())
    }

    /// Steps between times that do not decrease.
    pub(super) fn timed(times: &[f64], halflife: f64) -> Self {
        let lengths = times.windows(2).map(|pair| -LN_2 * ((pair[1] - pair[0]) / halflife));
        Steps::Timed(std::iter::once(0.0).take(times.len()).chain(lengths).collect())
    }

    fn at(&self, row: usize) -> f64 {
        match self {
            Steps::Even(step) => *step,
            Steps::Timed(steps) => steps[row],
        }
    }
}

/// The rules of the weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Every observation weighs 1, and the weights are divided by their sum at the end.
    pub(super) adjust: bool,
    /// Missing rows take no time.
    pub(super) ignore_na: bool,
    /// Observations whose simple mean the recurrence starts from; at least 1. Of no matter where weights are adjusted.
    pub(super) seeds: usize,
    /// What missing rows forget is forgotten there, not at the next observation: a sum shows it, a mean does not.
    pub(super) at_once: bool,
}

/// One step a row: the shares of history that are forgotten and kept there, and the weight of the row's value.
///
/// History is forgotten where a value comes in, so that no gap, however long, can wear a weight down to nothing.
pub(super) fn pace(observed: &[bool], steps: &Steps, rules: Rules) -> Vec<Step<f64>> {
    let (mut since, mut seen) = (0.0, 0);
    // Most rows follow one another like those before them, whose exponentials are at hand.
    let mut last = ([f64::NAN; 2], over(0.0, 0.0));
    let mut weighed = |step: f64, gap: f64| {
        if last.0.map(f64::to_bits) != [step, gap].map(f64::to_bits) {
            last = ([step, gap], if rules.adjust { over(gap, 1.0) } else { shared(step, gap) });
        }
        last.1
    };
    let row = |(row, &observed): (usize, &bool)| {
        let step = steps.at(row);
        if !observed {
            let step = if rules.ignore_na { 0.0 } else { step };
            since += if rules.at_once { 0.0 } else { step };
            return over(if rules.at_once { step } else { 0.0 }, 0.0);
        }
        let gap = std::mem::take(&mut since) + step;
        seen += 1;
        match (rules.adjust, seen) {
            (true, _) => weighed(step, gap),
            // The first value stands alone, and the others of the simple mean beside it.
            (false, 1) => over(f64::NEG_INFINITY, 1.0 / rules.seeds as f64),
            (false, seen) if seen <= rules.seeds => over(0.0, 1.0 / rules.seeds as f64),
            (false, _) => weighed(step, gap),
        }
    };
    observed.iter().enumerate().map(row).collect()
}

/// A row of this weight that keeps `e^gap` of history; both shares with all their digits.
fn over(gap: f64, weight: f64) -> Step<f64> {
    Step { forgotten: -gap.exp_m1(), kept: gap.exp(), weight }
}

/// A new value beside a history of weight 1 that has kept `e^gap` of it; together they weigh 1 again.
fn shared(step: f64, gap: f64) -> Step<f64> {
    let (weight, left) = (-step.exp_m1(), gap.exp());
    if weight > 0.0 {
        let total = left + weight;
        Step { forgotten: weight / total, kept: left / total, weight: weight / total }
    } else {
        // No time has passed.
        over(0.0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECURRENCE: Rules = Rules { adjust: false, ignore_na: false, seeds: 1, at_once: false };

    /// What rows forget and weigh; what they keep is the rest.
    fn pairs(steps: &[Step<f64>]) -> Vec<(f64, f64)> {
        assert!(steps.iter().all(|step| (step.forgotten + step.kept - 1.0).abs() < 1e-15), "{steps:?}");
        steps.iter().map(|step| (step.forgotten, step.weight)).collect()
    }

    fn assert_near(steps: &[Step<f64>], expected: &[(f64, f64)]) {
        assert_eq!(steps.len(), expected.len());
        for (pair, expected) in pairs(steps).iter().zip(expected) {
            let gap = (pair.0 - expected.0).abs() + (pair.1 - expected.1).abs();
            assert!(gap < 1e-12, "{steps:?}: {pair:?} is not {expected:?}");
        }
    }

    #[test]
    fn a_row_after_missing_ones_weighs_more() {
        // 0.3 beside 0.7, 0.49 and 0.343 of the history.
        let observed = [false, true, false, true, false, false, true, true];
        let found = pace(&observed, &Steps::even(0.3), RECURRENCE);
        let share = |kept: f64| (0.3 / (kept + 0.3), 0.3 / (kept + 0.3));
        let none = (0.0, 0.0);
        assert_near(&found, &[none, (1.0, 1.0), none, share(0.49), none, none, share(0.343), (0.3, 0.3)]);
        let ignored = pace(&observed, &Steps::even(0.3), Rules { ignore_na: true, ..RECURRENCE });
        assert_near(&ignored, &[none, (1.0, 1.0), none, (0.3, 0.3), none, none, (0.3, 0.3), (0.3, 0.3)]);
    }

    #[test]
    fn adjusted_weights_are_one_and_history_fades() {
        let rules = Rules { adjust: true, ..RECURRENCE };
        let found = pace(&[true, false, true], &Steps::even(0.5), rules);
        assert_near(&found, &[(0.5, 1.0), (0.0, 0.0), (0.75, 1.0)]);
        let found = pace(&[true, false, true], &Steps::even(0.5), Rules { at_once: true, ..rules });
        assert_near(&found, &[(0.5, 1.0), (0.5, 0.0), (0.5, 1.0)]);
    }

    #[test]
    fn the_first_values_share_the_start_of_a_simple_mean() {
        let rules = Rules { seeds: 3, ..RECURRENCE };
        let third = 1.0 / 3.0;
        let found = pace(&[true, false, true, true, true], &Steps::even(0.5), rules);
        assert_near(&found, &[(1.0, third), (0.0, 0.0), (0.0, third), (0.0, third), (0.5, 0.5)]);
    }

    #[test]
    fn even_times_are_rows() {
        let observed = [true, true, false, true, false, true];
        let times: Vec<f64> = (0..6).map(|row| 7.0 + 2.0 * f64::from(row)).collect();
        for rules in [RECURRENCE, Rules { adjust: true, ..RECURRENCE }, Rules { ignore_na: true, ..RECURRENCE }] {
            let timed = pace(&observed, &Steps::timed(&times, 2.0), rules);
            let even = pace(&observed, &Steps::even(0.5), rules);
            // What the first row forgets is nothing at all.
            assert_near(&timed[1..], &pairs(&even[1..]));
        }
        assert!(pace(&[], &Steps::timed(&[], 1.0), RECURRENCE).is_empty());
    }

    #[test]
    fn the_small_share_keeps_its_digits() {
        let rules = Rules { adjust: true, ..RECURRENCE };
        let mut gap = [false; 102];
        (gap[0], gap[101]) = (true, true);
        let far = pace(&gap, &Steps::even(0.5), rules)[101];
        assert!(far.forgotten == 1.0 && (far.kept * 2f64.powi(101) - 1.0).abs() < 1e-12, "{far:?}");
        let near = pace(&[true, true], &Steps::even(1e-12), rules)[1];
        assert!((near.forgotten * 1e12 - 1.0).abs() < 1e-12 && near.kept < 1.0, "{near:?}");
    }

    #[test]
    fn extreme_rates_give_no_nan() {
        for alpha in [1.0, 1e-300, f64::from_bits(1)] {
            let steps = pace(&[true, false, true, true], &Steps::even(alpha), RECURRENCE);
            assert!(
                pairs(&steps).iter().all(|pair| (0.0..=1.0).contains(&pair.0) && (0.0..=1.0).contains(&pair.1)),
                "{alpha}"
            );
        }
        // A gap that forgets everything, then two values at one time.
        let times = [0.0, 1e9, 1e9, 1e9];
        let steps = pace(&[true, false, true, true], &Steps::timed(&times, 1.0), RECURRENCE);
        assert!(pairs(&steps).iter().all(|pair| !pair.0.is_nan() && !pair.1.is_nan()), "{steps:?}");
    }
}
