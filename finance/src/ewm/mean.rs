//! The weighted mean of rows that bring weights of their own.
//!
//! A row is (x, k, w): it keeps the share `k` of what came before, as `fade.rs` holds it, and adds `x` with weight `w`.
//!
//! ```text
//! left = w₁ k₂,  w = left + w₂,  m = (left m₁ + w₂ m₂) / w        identity zeros
//! ```

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::blend;
use cubefold_primitives::{Both, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State};

use super::fade::{Fade, Step, fade_of, faded, unfaded};

/// What rows have forgotten, weigh, and their mean; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub(super) struct WeightedState<T: Real> {
    fade: Fade<T>,
    weight: T,
    mean: T,
}

/// The mean, or the sum, over rows of a value (left) and its step (right).
#[derive(Debug, Clone, Operator)]
pub(super) struct Weighted<T: Real> {
    sum: u32,
    element: PhantomData<T>,
}

impl<T: Real> Weighted<T> {
    /// The mean; NaN before the first row that weighs.
    pub(super) fn mean() -> Self {
        Weighted { sum: 0, element: PhantomData }
    }

    /// The sum.
    pub(super) fn sum() -> Self {
        Weighted { sum: 1, element: PhantomData }
    }
}

#[cube]
fn weighted<T: Real>(fade: Fade<T>, weight: T, mean: T) -> WeightedState<T> {
    WeightedState::<T> { fade, weight, mean }
}

#[cube]
impl<T: Real> Monoid for Weighted<T> {
    type State = WeightedState<T>;

    fn identity(&self) -> WeightedState<T> {
        weighted::<T>(unfaded::<T>(), T::whole(0), T::whole(0))
    }

    fn combine(&self, left: WeightedState<T>, right: WeightedState<T>) -> WeightedState<T> {
        let kept = left.weight * right.fade.kept;
        let weight = kept + right.weight;
        let total = select(weight > T::whole(0), weight, T::whole(1));
        let mean = blend::<T>(left.mean, kept, right.mean, right.weight, total);
        weighted::<T>(faded::<T>(left.fade, right.fade), weight, mean)
    }
}

#[cube]
impl<T: Real> Lift<Both<T, Step<T>>> for Weighted<T> {
    fn lift(&self, item: Both<T, Step<T>>) -> WeightedState<T> {
        let weight = item.right.weight;
        let value = select(weight > T::whole(0), item.left, T::whole(0));
        weighted::<T>(fade_of::<T>(item.right), weight, value)
    }
}

#[cube]
impl<T: Real> Lower for Weighted<T> {
    type Output = T;

    fn lower(&self, state: WeightedState<T>) -> T {
        let mean = select(state.weight > T::whole(0), state.mean, T::missing());
        select(self.sum == 1u32, state.weight * state.mean, mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        let op = Weighted::<f32>::mean();
        let state = |forgotten, kept, weight, mean| weighted(Fade { forgotten, kept }, weight, mean);
        let samples = [
            op.identity(),
            state(0.25, 0.75, 0.25, 3.0),
            state(0.5, 0.5, 1.0, -7.0),
            state(1.0, 1e-9, 1.0, 2.0),
            state(1.0, 0.0, 1.0, 2.0),
        ];
        check_laws(&op, &samples).unwrap();
    }
}
