//! What happens to a market from outside: a fundamental value that moves, and shocks.

use super::options::{MarketOptions, moderate};
use crate::error::FinanceError;

/// A jump of the log price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shock {
    /// The step whose move it adds to, from 0.
    pub step: u32,
    /// How far the log price jumps.
    pub size: f64,
}

/// What happens from outside. The default is nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    /// Logarithms of the fundamental value, one for each step and one more for the price after the last; in place of the constant
    /// of the options. A longer path is cut off.
    pub log_fundamental: Option<Vec<f64>>,
    /// Jumps; those of one step add up, those past the last step never happen.
    pub shocks: Vec<Shock>,
}

impl Scenario {
    /// Accepts a scenario for `options`.
    ///
    /// # Errors
    /// [`FinanceError::PathLength`] for a path that ends before the market does, [`FinanceError::NotFinite`] and
    /// [`FinanceError::TooLarge`] for values that are not finite or beyond 1e9.
    pub fn check(&self, options: &MarketOptions) -> Result<(), FinanceError> {
        if let Some(path) = &self.log_fundamental {
            let needed = u64::from(options.steps) + 1;
            if (path.len() as u64) < needed {
                return Err(FinanceError::PathLength { given: path.len() as u64, needed });
            }
            path.iter().try_for_each(|&value| moderate("the log of the fundamental value", value))?;
        }
        self.shocks.iter().try_for_each(|shock| moderate("a shock", shock.size))
    }

    /// Logarithms of the fundamental value at each of the `steps + 1` prices.
    pub fn path(&self, options: &MarketOptions) -> Vec<f64> {
        let len = options.steps as usize + 1;
        match &self.log_fundamental {
            Some(path) => path[..len].to_vec(),
            None => vec![options.log_fundamental; len],
        }
    }

    /// What the shocks add to the log price at each step up to the last of them, and the 0 after it.
    pub(super) fn jumps(&self, steps: u32) -> Vec<f64> {
        let happening = || self.shocks.iter().filter(|shock| shock.step < steps);
        let len = happening().map(|shock| shock.step as usize + 1).max().unwrap_or(0);
        let mut jumps = vec![0.0; len + 1];
        happening().for_each(|shock| jumps[shock.step as usize] += shock.size);
        jumps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_must_reach_the_last_price() {
        let options = MarketOptions { steps: 3, ..MarketOptions::default() };
        let with = |len: usize| Scenario { log_fundamental: Some(vec![0.5; len]), ..Scenario::default() };
        assert!(with(4).check(&options).is_ok() && with(9).check(&options).is_ok());
        assert!(matches!(with(3).check(&options), Err(FinanceError::PathLength { given: 3, needed: 4 })));
        assert_eq!(with(9).path(&options), [0.5; 4]);
        let wrong = Scenario { log_fundamental: Some(vec![f64::NAN; 4]), ..Scenario::default() };
        assert!(matches!(wrong.check(&options), Err(FinanceError::NotFinite { .. })));
    }

    #[test]
    fn shocks_of_a_step_add_up_and_late_ones_are_left_out() {
        let shock = |step, size| Shock { step, size };
        let shocks = vec![shock(1, 0.25), shock(1, 0.5), shock(3, 9.0)];
        assert_eq!(Scenario { shocks, ..Scenario::default() }.jumps(3), [0.0, 0.75, 0.0]);
        assert_eq!(Scenario::default().jumps(3), [0.0]);
    }
}
