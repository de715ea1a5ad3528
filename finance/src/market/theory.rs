//! Whether a market settles, without running it.
//!
//! Without noise and within the largest move, the distance `x` of the log price from the fundamental value follows
//!
//! ```text
//! x_{t+1} = (1 − a + b) x_t − b x_{t−k},    a = λ·share_F·c_F,    b = λ·share_T·c_T
//! ```
//!
//! whose solutions grow where a root of `z^{k+1} − (1 − a + b) z^k + b` lies outside the unit circle.

use super::MarketOptions;

/// The longest lag whose roots are sought: their number is one more.
pub const LONGEST: u32 = 200;

/// Rounds of the search. Few dozens are enough.
const ROUNDS: usize = 200;

/// The largest magnitude of a root: over 1, these parameters make bubbles, and below they settle. None for a lag over
/// [`LONGEST`].
///
/// ```
/// use cubefold_finance::MarketOptions;
/// use cubefold_finance::market::theory::largest_root;
/// let options = MarketOptions { mix: [0.5, 0.5, 0.0], lambda: 1.0, strength: [0.12, 1.0, 0.0], lag: 1, ..MarketOptions::default() };
/// assert!((largest_root(&options).unwrap() - 0.8557).abs() < 1e-4);
/// ```
pub fn largest_root(options: &MarketOptions) -> Option<f64> {
    let [fundamental, trend, _] = [0, 1, 2].map(|kind| options.lambda * options.mix[kind] * options.strength[kind]);
    match options.lag {
        0 => Some((1.0 - fundamental).abs()),
        lag if lag > LONGEST => None,
        lag => Some(spectral_radius(1.0 - fundamental + trend, trend, lag)),
    }
}

/// The largest magnitude of a root of `z^{k+1} − c z^k + b`, by the simultaneous iteration of Ehrlich (1967) and Aberth (1973).
fn spectral_radius(c: f64, b: f64, k: u32) -> f64 {
    if b == 0.0 {
        return c.abs();
    }
    let degree = k as usize + 1;
    // Cauchy: no root is larger.
    let radius = 1.0 + c.abs().max(b.abs());
    let turn = std::f64::consts::TAU / degree as f64;
    let mut roots: Vec<Complex> = (0..degree)
        .map(|index| {
            // Off the axes, so that the conjugates of roots do not stay together.
            let (size, angle) = (if index % 2 == 0 { radius } else { 0.9 }, turn * index as f64 + 0.7);
            Complex(size * angle.cos(), size * angle.sin())
        })
        .collect();
    for _ in 0..ROUNDS {
        let mut moved = 0.0f64;
        for index in 0..degree {
            let root = roots[index];
            let others = roots.iter().enumerate().filter(|(other, _)| *other != index);
            let pull = others.fold(Complex(0.0, 0.0), |sum, (_, other)| sum.plus(root.minus(*other).inverse()));
            let step = newton(root, c, b, k).minus(pull).inverse();
            if step.0.is_finite() && step.1.is_finite() {
                roots[index] = root.minus(step);
                moved = moved.max(step.size() / roots[index].size().max(1e-12));
            }
        }
        if moved < 1e-13 {
            break;
        }
    }
    roots.iter().map(|root| root.size()).fold(0.0, f64::max)
}

/// `p′/p` at `z`: outside the unit circle by the reversed polynomial, where no power overflows.
fn newton(z: Complex, c: f64, b: f64, k: u32) -> Complex {
    let degree = f64::from(k) + 1.0;
    if z.size() <= 1.0 {
        let low = z.power(k - 1);
        let slope = low.times(z.scaled(degree).minus(Complex(c * f64::from(k), 0.0)));
        let value = low.times(z).times(z.minus(Complex(c, 0.0))).plus(Complex(b, 0.0));
        return slope.times(value.inverse());
    }
    // q(w) = 1 − c w + b w^{k+1} with w = 1/z, and p′/p = n w − w² q′/q.
    let w = z.inverse();
    let high = w.power(k);
    let value = Complex(1.0, 0.0).minus(w.scaled(c)).plus(high.times(w).scaled(b));
    let slope = Complex(-c, 0.0).plus(high.scaled(degree * b));
    w.scaled(degree).minus(w.times(w).times(slope).times(value.inverse()))
}

/// A complex number.
#[derive(Debug, Clone, Copy)]
struct Complex(f64, f64);

impl Complex {
    fn plus(self, other: Self) -> Self {
        Complex(self.0 + other.0, self.1 + other.1)
    }

    fn minus(self, other: Self) -> Self {
        Complex(self.0 - other.0, self.1 - other.1)
    }

    fn times(self, other: Self) -> Self {
        Complex(self.0 * other.0 - self.1 * other.1, self.0 * other.1 + self.1 * other.0)
    }

    fn scaled(self, factor: f64) -> Self {
        Complex(self.0 * factor, self.1 * factor)
    }

    fn size(self) -> f64 {
        self.0.hypot(self.1)
    }

    fn inverse(self) -> Self {
        let size = self.size();
        Complex(self.0 / size / size, -self.1 / size / size)
    }

    fn power(self, exponent: u32) -> Self {
        let (mut power, mut square, mut left) = (Complex(1.0, 0.0), self, exponent);
        while left > 0 {
            if left & 1 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            left >>= 1;
        }
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_roots_come_out() {
        // O28, with a = 0.06, to the last of its four digits: 0.85565 stands there as 0.8557.
        for (b, k, expected) in [(1.05, 1, 1.0247), (0.5, 1, 0.8557), (0.5, 5, 1.3108), (0.15, 5, 0.9412)] {
            let found = spectral_radius(1.0 - 0.06 + b, b, k);
            assert!((found - expected).abs() < 1e-4, "b = {b}, k = {k}: {found}");
        }
    }

    #[test]
    fn the_recurrence_grows_as_the_largest_root_says() {
        for (a, b, k) in [(0.06, 0.5, 20), (0.5, 0.9, 40), (1.9, 0.3, 7), (0.2, -0.4, 9), (0.3, 0.05, 200)] {
            let (c, lag) = (1.0 - a + b, k as usize);
            let mut series = vec![0.0f64; lag];
            series.push(1.0);
            let mut logs = 0.0;
            let growth = |from: f64, to: f64, steps: f64| ((to - from) / steps).exp();
            let mut marks = Vec::new();
            for step in 0..40_000usize {
                let next = c * series[lag] - b * series[0];
                series.remove(0);
                series.push(next);
                let norm = series.iter().fold(0.0f64, |most, value| most.max(value.abs()));
                logs += norm.ln();
                series.iter_mut().for_each(|value| *value /= norm);
                if step == 20_000 || step == 39_999 {
                    marks.push(logs);
                }
            }
            let observed = growth(marks[0], marks[1], 19_999.0);
            let found = spectral_radius(c, b, k);
            assert!((found - observed).abs() < 2e-4, "a = {a}, b = {b}, k = {k}: {found}, grew by {observed}");
        }
    }

    #[test]
    fn every_accepted_market_has_a_finite_root() {
        for strength in [0.0, 1e-9, 0.5, 1e9, -1e9] {
            for lag in [0, 1, 2, 40] {
                let options = MarketOptions { strength: [strength; 3], lambda: 1e9, lag, ..MarketOptions::default() };
                let root = largest_root(&options).expect("the lag is short enough");
                assert!(root.is_finite() && root >= 0.0, "{strength}, {lag}: {root}");
            }
        }
        assert!(largest_root(&MarketOptions { lag: LONGEST, ..MarketOptions::default() }).is_some());
        assert_eq!(largest_root(&MarketOptions { lag: LONGEST + 1, ..MarketOptions::default() }), None);
    }
}
