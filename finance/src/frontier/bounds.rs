//! How little and how much of each asset a portfolio may hold.

use std::path::Path;

use super::evaluate::dot;
use crate::data::Table;
use crate::error::FinanceError;

/// What an asset may weigh.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The name of the asset.
    pub asset: String,
    /// The least weight; 0.05 is 5 %. NaN for that of assets without a bound.
    pub lower: f64,
    /// The largest weight. NaN for that of assets without a bound.
    pub upper: f64,
}

/// The largest magnitude of a bound: products of two weights with a covariance stay within f32.
const LARGEST: f64 = 1000.0;

/// How far sums of bounds may be from 1 by rounding.
const ROUNDING: f64 = 1e-9;

/// Reads bounds from a CSV with the columns `asset`, `lower` and `upper`; an empty cell is no bound.
///
/// # Errors
/// Those of [`Table::read_csv`]; [`FinanceError::BoundColumns`], [`FinanceError::BoundTwice`].
pub fn read_bounds(path: &Path) -> Result<Vec<Bound>, FinanceError> {
    bounds_of(&Table::read_csv(path)?)
}

fn bounds_of(table: &Table) -> Result<Vec<Bound>, FinanceError> {
    let place = |name: &str| table.columns.iter().position(|column| column == name);
    let (Some(lower), Some(upper), 2) = (place("lower"), place("upper"), table.width()) else {
        return Err(FinanceError::BoundColumns { file: table.file.clone() });
    };
    let bounds = table.index.iter().enumerate().map(|(row, asset)| Bound {
        asset: asset.clone(),
        lower: table.value(row, lower),
        upper: table.value(row, upper),
    });
    Ok(bounds.collect())
}

/// The least and the largest weight of every asset; portfolios within them exist.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Limits {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

impl Limits {
    /// The limits of `assets`: from 0 to 1, or −1 to 1 with `short`, but for those with a bound.
    ///
    /// # Errors
    /// [`FinanceError::BoundUnknown`], [`FinanceError::BoundTwice`], [`FinanceError::NotFinite`] or
    /// [`FinanceError::TooLarge`] for a bound; [`FinanceError::BoundShort`] for one below 0 without `short`;
    /// [`FinanceError::BoundOrder`]; [`FinanceError::BoundSum`] where no portfolio lies within all of them.
    pub fn new(assets: &[String], bounds: &[Bound], short: bool) -> Result<Self, FinanceError> {
        let least = if short { -1.0 } else { 0.0 };
        let mut limits = Limits { lower: vec![least; assets.len()], upper: vec![1.0; assets.len()] };
        let mut given = vec![false; assets.len()];
        for bound in bounds {
            let name = || bound.asset.clone();
            let place = assets.iter().position(|asset| *asset == bound.asset);
            let place = place.ok_or_else(|| FinanceError::BoundUnknown { asset: name() })?;
            if std::mem::replace(&mut given[place], true) {
                return Err(FinanceError::BoundTwice { asset: name() });
            }
            let or = |value: f64, otherwise: f64| if value.is_nan() { otherwise } else { value };
            let (lower, upper) = (or(bound.lower, least), or(bound.upper, 1.0));
            for value in [lower, upper] {
                moderate(value)?;
            }
            if lower > upper {
                return Err(FinanceError::BoundOrder { asset: name(), lower, upper });
            }
            if lower < 0.0 && !short {
                return Err(FinanceError::BoundShort { asset: name(), lower });
            }
            (limits.lower[place], limits.upper[place]) = (lower, upper);
        }
        limits.check_sums()?;
        Ok(limits)
    }

    fn check_sums(&self) -> Result<(), FinanceError> {
        let (lower, upper): (f64, f64) = (self.lower.iter().sum(), self.upper.iter().sum());
        match () {
            _ if lower > 1.0 + ROUNDING => {
                Err(FinanceError::BoundSum { which: "lower", sum: lower, needed: "at most 1" })
            }
            _ if upper < 1.0 - ROUNDING => {
                Err(FinanceError::BoundSum { which: "upper", sum: upper, needed: "at least 1" })
            }
            _ => Ok(()),
        }
    }

    /// What is left to be shared out above the least weights.
    pub fn budget(&self) -> f64 {
        (1.0 - self.lower.iter().sum::<f64>()).max(0.0)
    }

    /// What each asset may take of the budget.
    pub fn room(&self) -> Vec<f64> {
        self.lower.iter().zip(&self.upper).map(|(lower, upper)| (upper - lower).min(self.budget())).collect()
    }

    /// Whether an asset may take less than all of the budget.
    pub fn are_capped(&self) -> bool {
        let budget = self.budget();
        self.room().iter().any(|room| *room < budget)
    }

    /// Whether a weight may be below 0.
    pub fn allow_short(&self) -> bool {
        self.lower.iter().any(|lower| *lower < 0.0)
    }

    /// Weights within the limits that sum to 1, next to `weights`: each is held within its own limits, and what is missing
    /// then is taken from where there is room, in proportion to it.
    pub fn settle(&self, weights: &[f64]) -> Vec<f64> {
        let within = weights.iter().zip(self.lower.iter().zip(&self.upper));
        let mut settled: Vec<f64> = within.map(|(weight, (lower, upper))| weight.clamp(*lower, *upper)).collect();
        // Once for what is missing, and once for the rounding of that.
        for _ in 0..2 {
            let missing = 1.0 - settled.iter().sum::<f64>();
            let towards = if missing > 0.0 { &self.upper } else { &self.lower };
            let room: f64 = settled.iter().zip(towards).map(|(weight, limit)| (limit - weight).abs()).sum();
            if room > 0.0 {
                let share = (missing.abs() / room).min(1.0);
                settled.iter_mut().zip(towards).for_each(|(weight, limit)| *weight += share * (limit - *weight));
            }
        }
        settled
    }

    /// The weights of largest return: the budget goes to the assets of largest mean, as much as each may take.
    pub fn best_return(&self, mean: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..mean.len()).collect();
        order.sort_by(|&left, &right| mean[right].total_cmp(&mean[left]));
        let (mut weights, mut left) = (self.lower.clone(), self.budget());
        for asset in order {
            let taken = left.min(self.upper[asset] - self.lower[asset]);
            weights[asset] += taken;
            left -= taken;
        }
        weights
    }

    /// The largest return that a portfolio within the limits can have.
    pub fn largest_return(&self, mean: &[f64]) -> f64 {
        dot(&self.best_return(mean), mean)
    }
}

/// Accepts bounds that f32 squares without overflow.
fn moderate(value: f64) -> Result<(), FinanceError> {
    match value {
        _ if !value.is_finite() => Err(FinanceError::NotFinite { name: "a bound", value }),
        _ if value.abs() > LARGEST => Err(FinanceError::TooLarge { name: "a bound", value, limit: LARGEST }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        ["A", "B", "C", "D"][..count].iter().map(|name| name.to_string()).collect()
    }

    fn bound(asset: &str, lower: f64, upper: f64) -> Bound {
        Bound { asset: asset.to_owned(), lower, upper }
    }

    fn limits(bounds: &[Bound], short: bool) -> Result<Limits, FinanceError> {
        Limits::new(&names(3), bounds, short)
    }

    #[test]
    fn assets_without_a_bound_are_long_only_or_within_one() {
        let named = limits(&[bound("B", 0.1, f64::NAN)], false).unwrap();
        assert_eq!((named.lower, named.upper), (vec![0.0, 0.1, 0.0], vec![1.0; 3]));
        let short = limits(&[bound("C", f64::NAN, 0.5)], true).unwrap();
        assert_eq!((short.lower, short.upper), (vec![-1.0; 3], vec![1.0, 1.0, 0.5]));
    }

    #[test]
    fn bounds_that_leave_no_portfolio_are_refused_and_the_last_that_leave_one_are_not() {
        let sum = |result: Result<Limits, FinanceError>| match result {
            Err(FinanceError::BoundSum { which, .. }) => which,
            other => panic!("{other:?}"),
        };
        let low = |value| limits(&[bound("A", value, 1.0), bound("B", 0.5, 1.0)], false);
        assert!(low(0.5).is_ok());
        assert_eq!(sum(low(0.500_001)), "lower");
        let high = |value| limits(&[bound("A", 0.0, 0.25), bound("B", 0.0, 0.25), bound("C", 0.0, value)], false);
        assert!(high(0.5).is_ok());
        assert_eq!(sum(high(0.499_999)), "upper");
    }

    #[test]
    fn what_is_no_bound_is_refused() {
        assert!(matches!(limits(&[bound("Z", 0.0, 1.0)], false), Err(FinanceError::BoundUnknown { .. })));
        let twice = [bound("A", 0.0, 1.0), bound("A", 0.0, 1.0)];
        assert!(matches!(limits(&twice, false), Err(FinanceError::BoundTwice { .. })));
        assert!(limits(&[bound("A", 0.3, 0.3)], false).is_ok());
        assert!(matches!(limits(&[bound("A", 0.3, 0.2)], false), Err(FinanceError::BoundOrder { .. })));
        assert!(matches!(limits(&[bound("A", -0.1, 0.2)], false), Err(FinanceError::BoundShort { .. })));
        assert!(limits(&[bound("A", -0.1, 0.2)], true).is_ok());
        assert!(limits(&[bound("A", -1000.0, 1000.0)], true).is_ok());
        assert!(matches!(limits(&[bound("A", -1000.1, 1.0)], true), Err(FinanceError::TooLarge { .. })));
        let infinite = limits(&[bound("A", 0.0, f64::INFINITY)], false);
        assert!(matches!(infinite, Err(FinanceError::NotFinite { .. })));
    }

    #[test]
    fn settled_weights_are_within_their_limits_and_sum_to_one() {
        let limits = limits(&[bound("A", 0.1, 0.4), bound("C", 0.0, 0.3)], false).unwrap();
        for weights in [[0.4, 0.3, 0.3], [9.0, -3.0, 0.2], [0.0; 3], [1.0; 3], [0.2, 0.9, 0.9]] {
            let settled = limits.settle(&weights);
            assert!((settled.iter().sum::<f64>() - 1.0).abs() < 1e-15, "{weights:?}: {settled:?}");
            let within = settled.iter().zip(limits.lower.iter().zip(&limits.upper));
            assert!(within.into_iter().all(|(weight, (lower, upper))| lower <= weight && weight <= upper));
        }
        assert_eq!(limits.settle(&[0.4, 0.3, 0.3]), [0.4, 0.3, 0.3], "weights that fit stay");
    }

    #[test]
    fn the_largest_return_fills_the_best_assets_first() {
        let limits = limits(&[bound("A", 0.1, 0.4), bound("C", 0.0, 0.3)], false).unwrap();
        let best = limits.best_return(&[0.1, 0.05, 0.2]);
        assert!(
            best.iter().zip([0.4, 0.3, 0.3]).all(|(weight, expected)| (weight - expected).abs() < 1e-15),
            "{best:?}"
        );
        assert!((limits.largest_return(&[0.1, 0.05, 0.2]) - 0.115).abs() < 1e-15);
    }

    #[test]
    fn a_file_of_bounds_has_three_columns() {
        let read = |text: &str| bounds_of(&Table::from_reader("b.csv", text.as_bytes()).unwrap());
        let bounds = read("asset,upper,lower\nA,0.5,\nB,,0.1\n").unwrap();
        assert_eq!((bounds[0].asset.as_str(), bounds[0].upper, bounds[1].lower), ("A", 0.5, 0.1));
        assert!(bounds[0].lower.is_nan() && bounds[1].upper.is_nan());
        for text in ["asset,lower\nA,0\n", "asset,lower,upper,more\nA,0,1,2\n", "asset,low,high\nA,0,1\n"] {
            assert!(matches!(read(text), Err(FinanceError::BoundColumns { .. })), "{text}");
        }
    }
}
