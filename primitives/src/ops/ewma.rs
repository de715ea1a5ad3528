//! Ewma: the exponentially weighted mean, by the recurrence `y <- y + α (x − y)` without a division. With `c = 1 − Π (1 − α)`,
//! the weight that some items have taken; `v`, where the recurrence stands that started at the first of them; and
//! `d`, how far it has moved from there:
//!
//! ```text
//! lift x = (α, x, 0)      combine: t = v₁ − (v₂ − d₂),  v = v₂ + (1 − c₂) t,  d = d₁ + d₂ − c₂ t,  c = c₁ (1 − c₂) + c₂
//! ```
//!
//! where `v₂ − d₂` is the first item on the right, so that `t` is by how much the right side started from somewhere else.
//! The identity is zeros. For a constant series `t` and `d` are 0: it stays exactly constant for any α, and α = 1
//! gives the items back. What moves is kept apart from where it stands, so that a small α loses no digits. Not
//! commutative. Class: products followed by additions; a division where weights are adjusted.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use crate::{Fixed, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Real};

/// The recurrence over some items, from the first of them on.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct EwmaState<T: Real> {
    /// The weight that the items have together: `1 − Π (1 − α)`; 0 for none.
    pub weight: T,
    /// Where the recurrence stands; 0 for no items.
    pub value: T,
    /// How far it has moved from the first item.
    pub moved: T,
}

/// What the mean is before it has seen enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Start {
    /// The recurrence starts at the first item: `y₀ = x₀`, then `y <- (1 − α) y + α x`; pandas' `adjust=False`.
    #[default]
    First,
    /// The recurrence starts at zero: `y <- (1 − α) y + α x` from `y = 0`.
    Zero,
    /// Weights are divided by their sum: `Σ (1 − α)^i x / Σ (1 − α)^i`; pandas' `adjust=True`.
    Adjusted,
}

/// The exponentially weighted mean of floats; a NaN is a missing item, over which the last value is carried.
///
/// Before the first item that is not missing, the result is NaN, or 0 where the start is zero. Missing items take no
/// time: pandas' `ignore_na=True`.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::{Ewma, Start}};
///
/// let smooth = Device::host().scan(&vec![3.0f64, 1.0, f64::NAN, 4.0], &Ewma::new(0.5, Start::First))?;
/// assert_eq!(smooth.to_vec()?, [3.0, 2.0, 2.0, 3.0]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Operator)]
pub struct Ewma<T: Real> {
    alpha: T,
    start: Fixed<Start>,
}

impl<T: Real> Ewma<T> {
    /// Smoothing by `alpha`, in `0 < alpha <= 1`.
    pub fn new(alpha: T, start: Start) -> Self {
        Ewma { alpha, start: Fixed(start) }
    }
}

/// `share · distance`; 0 of any distance is 0.
#[cube]
fn shared<T: Real>(share: T, distance: T) -> T {
    select(share > T::whole(0), share * distance, T::whole(0))
}

#[cube]
impl<T: Real> Monoid for Ewma<T> {
    type State = EwmaState<T>;

    fn identity(&self) -> EwmaState<T> {
        EwmaState::<T> { weight: T::whole(0), value: T::whole(0), moved: T::whole(0) }
    }

    fn combine(&self, left: EwmaState<T>, right: EwmaState<T>) -> EwmaState<T> {
        let rest = T::whole(1) - right.weight;
        let apart = select(left.weight > T::whole(0), (left.value - right.value) + right.moved, T::whole(0));
        // What has no share may be infinitely far.
        EwmaState::<T> {
            weight: left.weight * rest + right.weight,
            value: right.value + shared::<T>(rest, apart),
            moved: (left.moved + right.moved) - shared::<T>(right.weight, apart),
        }
    }
}

#[cube]
impl<T: Real> Lift<T> for Ewma<T> {
    fn lift(&self, item: T) -> EwmaState<T> {
        let missing = T::not_a_number(item);
        EwmaState::<T> {
            weight: select(missing, T::whole(0), self.alpha),
            value: select(missing, T::whole(0), item),
            moved: T::whole(0),
        }
    }

    fn push(&self, state: EwmaState<T>, item: T) -> EwmaState<T> {
        let missing = T::not_a_number(item);
        let rest = T::whole(1) - self.alpha;
        // What is not there, or has no share for α is 1, may be infinitely far. No weight is over 1.
        let none = select(rest > T::whole(0), T::whole(0), T::whole(1));
        let apart = select(state.weight > none, state.value - item, T::whole(0));
        EwmaState::<T> {
            weight: select(missing, state.weight, state.weight * rest + self.alpha),
            value: select(missing, state.value, item + rest * apart),
            moved: select(missing, state.moved, state.moved - self.alpha * apart),
        }
    }
}

#[cube]
impl<T: Real> Lower for Ewma<T> {
    type Output = T;

    fn lower(&self, state: EwmaState<T>) -> T {
        let rest = T::whole(1) - state.weight;
        if comptime!(self.start.0 == Start::Zero) {
            // What the recurrence would be had it started at the first item, less that item's share.
            state.weight * state.value + shared::<T>(rest, state.moved)
        } else {
            let mut value = state.value;
            if comptime!(self.start.0 == Start::Adjusted) {
                value += shared::<T>(T::ratio(rest, state.weight), state.moved);
            }
            select(state.weight > T::whole(0), value, T::missing())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_laws};

    const SERIES: [f64; 8] = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];

    fn smooth<T: Real>(items: &[T], alpha: T, start: Start) -> Vec<T> {
        Device::host().scan(items, &Ewma::new(alpha, start)).unwrap().to_vec().unwrap()
    }

    fn assert_close(values: &[f64], expected: &[f64]) {
        assert_eq!(values.len(), expected.len());
        for (index, (value, expected)) in values.iter().zip(expected).enumerate() {
            assert!((value - expected).abs() <= 1e-12 * expected.abs(), "row {index}: {value} is not {expected}");
        }
    }

    /// `y <- (1 − α) y + α x`, one step a row.
    fn recurrence(items: &[f64], alpha: f64, start: f64) -> Vec<f64> {
        let mut y = start;
        let step = |x: &f64| {
            y = (1.0 - alpha) * y + alpha * x;
            y
        };
        items.iter().map(step).collect()
    }

    #[test]
    fn the_laws_hold() {
        let op = Ewma::new(0.25f32, Start::First);
        let mut samples = [0.0, 3.5, -1e6, 1e-3].map(|x| op.lift(x)).to_vec();
        samples.push(op.identity());
        samples.push(op.lift(f32::NAN));
        samples.push(op.combine(op.lift(2.0), op.lift(9.0)));
        samples.push(EwmaState { weight: 1.0, value: 7.0, moved: 5.0 });
        check_laws(&op, &samples).unwrap();
        check_laws(&op, &[op.identity(), op.lift(f32::INFINITY)]).unwrap();
    }

    #[test]
    fn a_start_at_zero_is_the_seeds_average() {
        let expected = [0.6, 0.68, 1.344, 1.2752, 2.02016, 3.416128, 3.1329024, 3.70632192];
        assert_close(&smooth(&SERIES, 0.2, Start::Zero), &expected);
    }

    #[test]
    fn a_push_is_a_lift_and_a_combine() {
        for alpha in [1e-6, 0.3, 1.0] {
            let op = Ewma::new(alpha, Start::Adjusted);
            let some = op.combine(op.lift(2.0), op.lift(9.0));
            for state in [op.identity(), op.lift(-4.0), some] {
                for item in [0.0, 2.0, 1e9, f64::NAN] {
                    let (pushed, combined) = (op.push(state, item), op.combine(state, op.lift(item)));
                    let case = format!("{state:?}, {item}, {alpha}: {pushed:?} is not {combined:?}");
                    assert_eq!((pushed.weight, pushed.value), (combined.weight, combined.value), "{case}");
                    // A whole weight leaves no share for how far it moved.
                    assert!(pushed.moved == combined.moved || combined.weight == 1.0, "{case}");
                }
            }
        }
    }

    #[test]
    fn a_start_at_the_first_item_is_pandas_without_adjustment() {
        let long: Vec<f64> = SERIES.iter().cycle().take(40_000).enumerate().map(|(i, x)| x + i as f64).collect();
        assert_close(&smooth(&long, 0.01, Start::First), &recurrence(&long, 0.01, long[0]));
    }

    #[test]
    fn adjusted_weights_are_divided_by_their_sum() {
        let expected: Vec<f64> = (0..SERIES.len())
            .map(|row| {
                let weight = |i: usize| 0.8f64.powi((row - i) as i32);
                let weighted: f64 = (0..=row).map(|i| weight(i) * SERIES[i]).sum();
                weighted / (0..=row).map(weight).sum::<f64>()
            })
            .collect();
        assert_close(&smooth(&SERIES, 0.2, Start::Adjusted), &expected);
    }

    #[test]
    fn a_constant_series_stays_exactly_constant() {
        for alpha in [1e-7f32, 1e-5, 0.2, 1.0] {
            for start in [Start::First, Start::Adjusted] {
                let smoothed = smooth(&vec![0.1f32; 1 << 18], alpha, start);
                assert!(smoothed.iter().all(|&value| value == 0.1), "alpha {alpha}, {start:?}");
            }
        }
    }

    #[test]
    fn alpha_of_one_gives_the_items_back() {
        let items: Vec<f32> = (0..40_000u32).map(|i| if i % 3 == 0 { 1e8 } else { i as f32 * 0.3 }).collect();
        for start in [Start::First, Start::Zero, Start::Adjusted] {
            assert_eq!(smooth(&items, 1.0, start), items);
            let far = [1.0, f32::INFINITY, 2.0, f32::MAX, f32::MIN, 3.0];
            assert_eq!(smooth(&far, 1.0, start), far);
        }
    }

    #[test]
    fn missing_items_carry_the_last_value() {
        let nan = f64::NAN;
        let gaps = [nan, nan, 4.0, nan, 2.0, nan];
        let rows = |start| smooth(&gaps, 0.5, start);
        assert!(rows(Start::First)[..2].iter().chain(&rows(Start::Adjusted)[..2]).all(|value| value.is_nan()));
        assert_eq!(rows(Start::Zero), [0.0, 0.0, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(rows(Start::First)[2..], [4.0, 4.0, 3.0, 3.0]);
        assert_close(&rows(Start::Adjusted)[2..], &[4.0, 4.0, 8.0 / 3.0, 8.0 / 3.0]);
    }
}
