//! The jobs' results in a few words, and how far two devices' results lie apart.

use cubefold_finance::data::Table;
use cubefold_finance::{Covariance, Estimate, Frontier, MarketRun};

use super::table::{percent, significant};

/// The price and its error.
pub fn describe_price(estimate: &Estimate) -> String {
    let (value, error) = (significant(estimate.value, 6), significant(estimate.std_error, 2));
    format!("call {value}, standard error {error}")
}

/// Largest difference between `left` and `right` over the largest magnitude in `left`; infinite where one holds a number and
/// the other none, 0 for two empty lists.
pub fn relative_difference(left: &[f64], right: &[f64]) -> f64 {
    if left.len() != right.len() {
        return f64::INFINITY;
    }
    let (mut difference, mut magnitude) = (0.0f64, 0.0f64);
    for (one, other) in left.iter().zip(right) {
        match (one.is_nan(), other.is_nan()) {
            (true, true) => {}
            (false, false) => {
                difference = difference.max((one - other).abs());
                magnitude = magnitude.max(one.abs());
            }
            _ => return f64::INFINITY,
        }
    }
    if difference == 0.0 { 0.0 } else { difference / magnitude }
}

/// What must agree of a frontier: how good its two best are. Each search has its own way there, and near the best many
/// portfolios are as good.
pub fn best_points(frontier: &Frontier) -> Vec<f64> {
    vec![frontier.min_volatility.point.volatility, frontier.max_sharpe.point.sharpe]
}

/// The first column's last average.
pub fn describe_averages(averages: &Table) -> String {
    let last = averages.rows().saturating_sub(1);
    let name = averages.columns.first().map_or("", String::as_str);
    let date = averages.index.get(last).map_or("", String::as_str);
    format!("{name} {} on {date}", significant(averages.value(last, 0), 5))
}

/// How much the assets move together.
pub fn describe_covariance(covariance: &Covariance) -> String {
    format!("mean correlation {}", significant(mean_correlation(covariance), 3))
}

/// The two best portfolios.
pub fn describe_frontier(frontier: &Frontier) -> String {
    let (least, best) = (frontier.min_volatility.point, frontier.max_sharpe.point);
    format!("volatility from {}, Sharpe ratio up to {}", percent(least.volatility), significant(best.sharpe, 3))
}

/// Where the price went.
pub fn describe_market(run: &MarketRun) -> String {
    let highest = run.log_price.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let last = run.log_price.last().copied().unwrap_or(f64::NAN);
    format!("price up to {}, at last {}", significant(highest.exp(), 4), significant(last.exp(), 4))
}

/// Mean of the correlations between different assets.
pub fn mean_correlation(covariance: &Covariance) -> f64 {
    let count = covariance.assets.len();
    let correlation = covariance.correlation();
    let between = correlation.iter().enumerate().filter(|(index, _)| index / count != index % count);
    let (sum, pairs) = between.fold((0.0, 0.0), |(sum, pairs), (_, value)| (sum + value, pairs + 1.0));
    sum / pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_relative_to_the_largest_magnitude() {
        assert_eq!(relative_difference(&[1.0, -4.0], &[1.0, -3.0]), 0.25);
        assert_eq!(relative_difference(&[f64::NAN, 1.0], &[f64::NAN, 1.0]), 0.0);
        assert_eq!(relative_difference(&[f64::NAN], &[1.0]), f64::INFINITY);
        assert_eq!(relative_difference(&[1.0], &[]), f64::INFINITY);
        assert_eq!(relative_difference(&[0.0], &[1.0]), f64::INFINITY);
        assert_eq!(relative_difference(&[], &[]), 0.0);
    }
}
