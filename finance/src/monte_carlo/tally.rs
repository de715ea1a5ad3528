//! What paths have paid so far, in f64.

use super::paths::Sums;

/// Count, means, squares and product of deviations of payoffs and their control variates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Tally {
    pub count: u64,
    value: f64,
    value_m2: f64,
    control: f64,
    control_m2: f64,
    product: f64,
}

impl Tally {
    /// What `count` paths have paid, given the sums of differences from a centre.
    pub fn of(count: u64, sums: Sums, centre: [f32; 2]) -> Self {
        let number = count as f64;
        let [value, control] = [sums.value, sums.control].map(f64::from);
        // Below 0 by rounding only. What is not a number stays so: it is no error of 0.
        let squares = |squared: f32, sum: f64| match f64::from(squared) - sum * sum / number {
            below if below < 0.0 => 0.0,
            squares => squares,
        };
        Tally {
            count,
            value: f64::from(centre[0]) + value / number,
            value_m2: squares(sums.value_squared, value),
            control: f64::from(centre[1]) + control / number,
            control_m2: squares(sums.control_squared, control),
            product: f64::from(sums.product) - value * control / number,
        }
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub value: f64,
    pub std_error: f64,
}

impl Tally {
    /// These paths and those after them.
    pub fn and(self, next: Tally) -> Tally {
        if next.count == 0 {
            return self;
        }
        if self.count == 0 {
            return next;
        }
        let count = self.count + next.count;
        let share = next.count as f64 / count as f64;
        let (left, number) = (self.count as f64, next.value - self.value);
        let aside = next.control - self.control;
        Tally {
            count,
            value: self.value + number * share,
            value_m2: self.value_m2 + next.value_m2 + number * number * left * share,
            control: self.control + aside * share,
            control_m2: self.control_m2 + next.control_m2 + aside * aside * left * share,
            product: self.product + next.product + number * aside * left * share,
        }
    }

    /// The mean payoff. One path has no spread to estimate: its error is unknown.
    pub fn mean(&self) -> Mean {
        let count = self.count as f64;
        Mean { value: self.value, std_error: (self.variance() / count).sqrt() }
    }

    /// The variance of a payoff, with the divisor `n − 1`.
    pub fn variance(&self) -> f64 {
        match self.count {
            0 | 1 => f64::NAN,
            count => self.value_m2 / (count - 1) as f64,
        }
    }

    /// The mean payoff less `β` times what the control variate's mean is off, with the `β` of the least variance.
    pub fn controlled(&self, control_mean: f64) -> Mean {
        // A control that does not move tells nothing.
        if self.count < 3 || self.control_m2 <= 0.0 {
            return self.mean();
        }
        let slope = self.product / self.control_m2;
        let rest = (self.value_m2 - slope * self.product).max(0.0);
        let count = self.count as f64;
        Mean {
            value: self.value - slope * (self.control - control_mean),
            std_error: (rest / (count - 2.0) / count).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Tally {
        let one = |&(value, control): &(f64, f64)| Tally { count: 1, value, control, ..Tally::default() };
        pairs.iter().map(one).fold(Tally::default(), Tally::and)
    }

    #[test]
    fn means_and_errors_are_those_of_the_formulas() {
        let tally = of(&[(1.0, 10.0), (2.0, 12.0), (6.0, 11.0), (3.0, 19.0)]);
        assert_eq!(tally.mean(), Mean { value: 3.0, std_error: (14.0f64 / 3.0 / 4.0).sqrt() });
        let split = of(&[(1.0, 10.0)]).and(of(&[(2.0, 12.0), (6.0, 11.0), (3.0, 19.0)]));
        assert!((split.mean().std_error - tally.mean().std_error).abs() < 1e-15);
        assert!(of(&[(1.0, 0.0)]).mean().std_error.is_nan() && Tally::default().mean().std_error.is_nan());
    }

    #[test]
    fn a_control_that_explains_all_leaves_no_error() {
        let pairs: Vec<(f64, f64)> =
            (0..50).map(|i| (3.0 + 2.0 * f64::from(i * i % 17), f64::from(i * i % 17))).collect();
        let found = of(&pairs).controlled(7.0);
        assert!((found.value - 17.0).abs() < 1e-12 && found.std_error < 1e-7, "{found:?}");
        let still = of(&[(1.0, 5.0), (2.0, 5.0), (6.0, 5.0)]);
        assert_eq!(still.controlled(4.0), still.mean());
    }
}
