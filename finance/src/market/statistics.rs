//! What a series of log prices is like: its returns, their tails and memory, and its bubbles.

use serde::Serialize;

/// A price this far from the fundamental value, in logarithms, is a bubble (above) or a slump (below): 10.5 %.
pub const BUBBLE: f64 = 0.1;

/// Lags of the autocorrelations, at most.
const LAGS: usize = 50;

/// The part of the returns that the tail is measured on.
const TAIL: f64 = 0.05;

/// Steps `start..=end` during which the price stays on one side, further than [`BUBBLE`] from the fundamental value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// First step.
    pub start: usize,
    /// Last step.
    pub end: usize,
    /// Whether the price is above the fundamental value.
    pub above: bool,
}

/// The bubbles and slumps of a run whose fundamental value has these logarithms, one a price.
pub fn stretches(log_price: &[f64], log_fundamental: &[f64]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for (step, (price, fundamental)) in log_price.iter().zip(log_fundamental).enumerate() {
        let distance = price - fundamental;
        if distance.is_nan() || distance.abs() <= BUBBLE {
            continue;
        }
        let above = distance > 0.0;
        match stretches.last_mut() {
            Some(last) if last.end + 1 == step && last.above == above => last.end = step,
            _ => stretches.push(Stretch { start: step, end: step, above }),
        }
    }
    stretches
}

/// The bubble that rises highest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bubble {
    /// Price over fundamental value at its highest, less 1.
    pub height: f64,
    /// First step.
    pub start: usize,
    /// Steps that it lasts.
    pub length: usize,
}

/// What a series is like. What cannot be told of so few steps, or of returns that are all alike, is NaN, and null in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// Standard deviation of the log returns of a step, with the divisor n − 1.
    pub volatility: f64,
    /// Fourth moment of the returns over the square of the second, less the 3 of the normal law.
    pub excess_kurtosis: f64,
    /// Hill's estimate of the exponent with which the sizes of returns thin out, from the largest 5 %.
    pub tail_exponent: f64,
    /// The highest bubble, if there is any.
    pub largest_bubble: Option<Bubble>,
    /// Correlation of the returns with those of 1, 2, … steps before.
    pub autocorrelation: Vec<f64>,
    /// The same of their sizes: above 0 where calm and turmoil come in clusters.
    pub size_autocorrelation: Vec<f64>,
}

/// The returns `p_{t+1} − p_t`.
pub fn returns(log_price: &[f64]) -> Vec<f64> {
    log_price.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The statistics of a run.
///
/// ```
/// use cubefold_finance::market::statistics;
/// let found = statistics(&[0.0, 0.1, 0.3, 0.4, 0.6], &[0.0; 5]);
/// assert!((found.volatility - (0.01f64 / 3.0).sqrt()).abs() < 1e-12);
/// assert!((found.excess_kurtosis + 2.0).abs() < 1e-12);
/// ```
pub fn statistics(log_price: &[f64], log_fundamental: &[f64]) -> Statistics {
    let returns = returns(log_price);
    let sizes: Vec<f64> = returns.iter().map(|value| value.abs()).collect();
    let (second, fourth) = (central(&returns, 2), central(&returns, 4));
    let count = returns.len() as f64;
    Statistics {
        volatility: if returns.len() < 2 { f64::NAN } else { (second * count / (count - 1.0)).sqrt() },
        excess_kurtosis: if second > 0.0 { fourth / (second * second) - 3.0 } else { f64::NAN },
        tail_exponent: tail_exponent(&sizes),
        largest_bubble: largest_bubble(log_price, log_fundamental),
        autocorrelation: autocorrelation(&returns),
        size_autocorrelation: autocorrelation(&sizes),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The central moment of a power, with the divisor n.
fn central(values: &[f64], power: i32) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / values.len() as f64
}

/// Of 1, 2, … steps, up to a quarter of the series; divided by the sum of all squares, as is usual.
fn autocorrelation(values: &[f64]) -> Vec<f64> {
    let mean = mean(values);
    let off: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let squares: f64 = off.iter().map(|value| value * value).sum();
    let products = |lag: usize| off.iter().zip(&off[lag..]).map(|(early, late)| early * late).sum::<f64>();
    let ratio = |lag| if squares > 0.0 { products(lag) / squares } else { f64::NAN };
    (1..=LAGS.min(values.len() / 4)).map(ratio).collect()
}

/// B. M. Hill, "A simple general approach to inference about the tail of a distribution", 1975.
fn tail_exponent(sizes: &[f64]) -> f64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_by(|left, right| right.total_cmp(left));
    let count = (TAIL * sorted.len() as f64) as usize;
    match sorted.get(count) {
        Some(&least) if count > 0 && least > 0.0 => {
            let logs: f64 = sorted[..count].iter().map(|size| (size / least).ln()).sum();
            if logs > 0.0 { count as f64 / logs } else { f64::NAN }
        }
        _ => f64::NAN,
    }
}

fn largest_bubble(log_price: &[f64], log_fundamental: &[f64]) -> Option<Bubble> {
    let bubbles = stretches(log_price, log_fundamental).into_iter().filter(|stretch| stretch.above);
    let measured = bubbles.map(|Stretch { start, end, .. }| {
        let over = |step: usize| log_price[step] - log_fundamental[step];
        let height = (start..=end).map(over).fold(f64::NEG_INFINITY, f64::max).exp_m1();
        Bubble { height, start, length: end + 1 - start }
    });
    measured.reduce(|best, next| if next.height > best.height { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_ends_where_the_price_returns_or_changes_sides() {
        let log_price = [0.0, 0.2, 0.3, 0.05, 0.2, -0.2, f64::NAN, 0.1];
        let found = stretches(&log_price, &[0.0; 8]);
        let expected = [(1, 2, true), (4, 4, true), (5, 5, false)];
        assert_eq!(found, expected.map(|(start, end, above)| Stretch { start, end, above }));
        assert!(stretches(&log_price[1..3], &[0.2, 0.3]).is_empty(), "the fundamental value moved along");
    }

    #[test]
    fn the_largest_bubble_is_the_highest_and_not_the_longest() {
        let log_price = [0.2, 0.2, 0.2, 0.0, 0.7, 0.5, 0.0, -2.0];
        let bubble = statistics(&log_price, &[0.0; 8]).largest_bubble.expect("there are two");
        assert_eq!((bubble.start, bubble.length), (4, 2));
        assert!((bubble.height - (0.7f64.exp() - 1.0)).abs() < 1e-12);
        assert_eq!(statistics(&[0.0, -1.0], &[0.0; 2]).largest_bubble, None, "a slump is no bubble");
    }

    #[test]
    fn an_alternating_series_is_its_own_opposite_a_step_later() {
        let log_price: Vec<f64> = (0..101).map(|step| f64::from(step % 2)).collect();
        let found = statistics(&log_price, &[0.0; 101]);
        assert_eq!(found.autocorrelation.len(), 25);
        assert!((found.autocorrelation[0] + 0.99).abs() < 1e-12 && (found.autocorrelation[1] - 0.98).abs() < 1e-12);
        assert!(found.size_autocorrelation[0].is_nan(), "all moves have one size");
    }

    #[test]
    fn the_tail_of_a_power_law_has_its_exponent() {
        // Quantiles of P(X > x) = x^-3.
        let sizes: Vec<f64> = (0..20_000).map(|rank| ((f64::from(rank) + 0.5) / 20_000.0).powf(-1.0 / 3.0)).collect();
        assert!((tail_exponent(&sizes) - 3.0).abs() < 0.02, "{}", tail_exponent(&sizes));
    }

    #[test]
    fn few_steps_and_equal_prices_have_no_moments() {
        for prices in [vec![], vec![1.0], vec![1.0; 2], vec![1.0; 50]] {
            let found = statistics(&prices, &vec![1.0; prices.len()]);
            assert!(found.excess_kurtosis.is_nan() && found.tail_exponent.is_nan(), "{prices:?}");
        }
    }
}
