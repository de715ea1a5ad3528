//! Moments4: count, mean and the sums of squared, cubed and fourth powers of deviations. The identity is zeros.
//!
//! With `δ = mean₂ − mean₁`, `a = n₁/n`, `b = n₂/n`, beside the formulas of [`Moments`](super::Moments):
//!
//! ```text
//! M₃ = M₃₁ + M₃₂ + δ³ n₁ b (a − b) + 3 δ (a M₂₂ − b M₂₁)
//! M₄ = M₄₁ + M₄₂ + δ⁴ n₁ b (a² − a b + b²) + 6 δ² (a² M₂₂ + b² M₂₁) + 4 δ (a M₃₂ − b M₃₁)
//! ```
//!
//! Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical Moments",
//! SAND2008-6212 (2008), equations 1.5 to 1.7. Class: division.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use super::moments::{is_none, variance};
use super::selection::choose;
use crate::{Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real, Wide, wide_add};

/// Count, mean and sums of powers of deviations.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Moments4State<T: Real> {
    /// How many items.
    pub count: Wide,
    /// Their mean; 0 for none.
    pub mean: T,
    /// `Σ (x − mean)²`.
    pub m2: T,
    /// `Σ (x − mean)³`.
    pub m3: T,
    /// `Σ (x − mean)⁴`.
    pub m4: T,
}

impl<T: Real> Moments4State<T> {
    /// The mean; NaN for no items.
    pub fn mean(&self) -> f64 {
        if self.count == Wide::default() { f64::NAN } else { self.mean.widen() }
    }

    /// `Σ (x − mean)² / (n − ddof)`; NaN for no more than `ddof` items.
    pub fn variance(&self, ddof: u32) -> f64 {
        variance(self.count, self.m2.widen(), ddof)
    }

    /// The square root of [`variance`](Moments4State::variance).
    pub fn std(&self, ddof: u32) -> f64 {
        self.variance(ddof).sqrt()
    }

    /// The population skewness `√n M₃ / M₂^(3/2)`, without a correction for small samples; NaN for equal items.
    pub fn skewness(&self) -> f64 {
        let n = u64::from(self.count) as f64;
        n.sqrt() * self.m3.widen() / self.m2.widen().powf(1.5)
    }

    /// The population excess kurtosis `n M₄ / M₂² − 3`, 0 for normal items; NaN for equal ones.
    pub fn excess_kurtosis(&self) -> f64 {
        let n = u64::from(self.count) as f64;
        n * self.m4.widen() / self.m2.widen().powi(2) - 3.0
    }
}

/// Count, mean, variance, skewness and kurtosis in one pass.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct Moments4<T: Real> {
    element: PhantomData<T>,
}

impl<T: Real> Moments4<T> {
    /// The moments to fourth order of items of type `T`.
    pub fn new() -> Self {
        Moments4 { element: PhantomData }
    }
}

/// The moments of both sides; either may be empty.
#[cube]
fn merge<T: Real>(left: Moments4State<T>, right: Moments4State<T>) -> Moments4State<T> {
    let count = wide_add(left.count, right.count);
    let n = T::of_wide(count);
    let n_left = T::of_wide(left.count);
    let (a, b) = (n_left / n, T::of_wide(right.count) / n);
    let delta = right.mean - left.mean;
    let squared = delta * delta;
    // δ² n₁ b, the part of M₂ that lies between the sides; the higher orders are multiples of it.
    let between = squared * n_left * b;
    let cross2 = a * right.m2 - b * left.m2;
    let cross3 = a * right.m3 - b * left.m3;
    let within = a * a * right.m2 + b * b * left.m2;
    let shape = a * a - a * b + b * b;
    let merged = Moments4State::<T> {
        count,
        mean: left.mean + delta * b,
        m2: left.m2 + right.m2 + between,
        m3: left.m3 + right.m3 + between * delta * (a - b) + T::whole(3) * delta * cross2,
        m4: left.m4
            + right.m4
            + between * squared * shape
            + T::whole(6) * squared * within
            + T::whole(4) * delta * cross3,
    };
    // The formulas would divide by 0 for no items at all, and lose infinite items beside none.
    let from_left = choose::<Moments4State<T>>(is_none(right.count), left, merged);
    choose::<Moments4State<T>>(is_none(left.count), right, from_left)
}

#[cube]
impl<T: Real> Monoid for Moments4<T> {
    type State = Moments4State<T>;

    fn identity(&self) -> Moments4State<T> {
        Moments4State::<T> {
            count: Wide { low: 0u32, high: 0u32 },
            mean: T::whole(0),
            m2: T::whole(0),
            m3: T::whole(0),
            m4: T::whole(0),
        }
    }

    fn combine(&self, left: Moments4State<T>, right: Moments4State<T>) -> Moments4State<T> {
        merge::<T>(left, right)
    }
}

#[cube]
impl<T: Real> Lift<T> for Moments4<T> {
    fn lift(&self, item: T) -> Moments4State<T> {
        Moments4State::<T> {
            count: Wide { low: 1u32, high: 0u32 },
            mean: item,
            m2: T::whole(0),
            m3: T::whole(0),
            m4: T::whole(0),
        }
    }

    /// In a run, sums of powers of differences from its first item.
    fn open(&self, _first: T) -> Moments4State<T> {
        Moments4State::<T> {
            count: Wide { low: 1u32, high: 0u32 },
            mean: T::whole(0),
            m2: T::whole(0),
            m3: T::whole(0),
            m4: T::whole(0),
        }
    }

    fn extend(&self, run: Moments4State<T>, first: T, item: T) -> Moments4State<T> {
        let apart = item - first;
        let squared = apart * apart;
        Moments4State::<T> {
            count: Wide { low: run.count.low + 1u32, high: 0u32 },
            mean: run.mean + apart,
            m2: run.m2 + squared,
            m3: run.m3 + squared * apart,
            m4: run.m4 + squared * squared,
        }
    }

    fn close(&self, run: Moments4State<T>, first: T) -> Moments4State<T> {
        let step = run.mean / T::of_wide(run.count);
        // About the mean in place of the first item, by the binomial theorem.
        let m2 = run.m2 - run.mean * step;
        let m3 = run.m3 + step * (T::whole(2) * run.mean * step - T::whole(3) * run.m2);
        let inner = T::whole(6) * run.m2 - T::whole(3) * run.mean * step;
        let m4 = run.m4 + step * (step * inner - T::whole(4) * run.m3);
        Moments4State::<T> {
            count: run.count,
            mean: first + step,
            m2: select(m2 < T::whole(0), T::whole(0), m2),
            m3,
            m4: select(m4 < T::whole(0), T::whole(0), m4),
        }
    }
}

#[cube]
impl<T: Real> Lower for Moments4<T> {
    type Output = Moments4State<T>;

    fn lower(&self, state: Moments4State<T>) -> Moments4State<T> {
        state
    }
}

impl<T: Real> Commutative for Moments4<T> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_commutative};

    /// The moments of `items` by two passes.
    fn by_two_passes(items: &[f64]) -> Moments4State<f64> {
        let mean = items.iter().sum::<f64>() / items.len() as f64;
        let power = |k| items.iter().map(|x| (x - mean).powi(k)).sum::<f64>();
        Moments4State { count: (items.len() as u64).into(), mean, m2: power(2), m3: power(3), m4: power(4) }
    }

    #[test]
    fn the_laws_hold() {
        let op = Moments4::<f64>::new();
        let runs: [&[f64]; 4] = [&[1.0], &[2.0, 5.0, 11.0], &[-3.0, 8.0, 8.5, 100.0], &[1e3, 1e3 + 1.0]];
        let mut samples = runs.map(by_two_passes).to_vec();
        samples.push(op.identity());
        check_commutative(&op, &samples).unwrap();
        let infinite = [op.identity(), op.lift(f64::INFINITY)];
        check_commutative(&op, &infinite).unwrap();
    }

    #[test]
    fn they_are_those_of_two_passes() {
        let items: Vec<f64> = (0..40_000).map(|i| (f64::from(i * 7919 % 1009) / 500.0).exp()).collect();
        let expected = by_two_passes(&items);
        let found = Device::host().reduce(&items, &Moments4::new()).unwrap().get(0).unwrap();
        assert_eq!(found.count, expected.count);
        let pairs = [
            (found.mean(), expected.mean),
            (found.variance(1), expected.m2 / 39_999.0),
            (found.skewness(), 200.0 * expected.m3 / expected.m2.powf(1.5)),
            (found.excess_kurtosis(), 40_000.0 * expected.m4 / expected.m2.powi(2) - 3.0),
        ];
        for (value, expected) in pairs {
            assert!((value - expected).abs() < 1e-10 * expected.abs(), "{value} is not {expected}");
        }
    }

    #[test]
    fn a_run_is_what_two_passes_say() {
        let op = Moments4::<f64>::new();
        for first in [0.5, 40.0] {
            let items: Vec<f64> =
                std::iter::once(first).chain((1..64).map(|i| f64::from(i * 37 % 64) / 64.0)).collect();
            let run = items[1..].iter().fold(op.open(first), |run, &item| op.extend(run, first, item));
            let (found, expected) = (op.close(run, first), by_two_passes(&items));
            assert_eq!(found.count, expected.count);
            let pairs = [(found.m2, expected.m2), (found.m3, expected.m3), (found.m4, expected.m4)];
            for (value, expected) in pairs.into_iter().chain([(found.mean, expected.mean)]) {
                assert!((value - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{first}: {found:?}, {expected}");
            }
        }
    }

    #[test]
    fn known_shapes_come_out() {
        // A fair coin: skewness 0, excess kurtosis −2. A Bernoulli(1/4): (1 − 2p)/√(pq) and (1 − 6pq)/(pq).
        let of = |items: &[f64]| Device::host().reduce(items, &Moments4::new()).unwrap().get(0).unwrap();
        let coin = of(&[0.0, 1.0].repeat(1000));
        assert!(coin.skewness().abs() < 1e-12 && (coin.excess_kurtosis() + 2.0).abs() < 1e-12);
        assert!((coin.std(0) - 0.5).abs() < 1e-12);
        let quarter = of(&[0.0, 0.0, 1.0, 0.0].repeat(1000));
        assert!((quarter.skewness() - 0.5 / 0.1875f64.sqrt()).abs() < 1e-12);
        assert!((quarter.excess_kurtosis() - (1.0 - 6.0 * 0.1875) / 0.1875).abs() < 1e-12);
        assert!(of(&[2.0; 3]).skewness().is_nan() && of(&[]).mean().is_nan());
    }
}
