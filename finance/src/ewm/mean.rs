//! The weighted mean of rows that bring weights of their own.
//!
//! A row is (x, f, w): it forgets the share `f` of what came before and adds `x` with weight `w`.
//!
//! ```text
//! f = f₁ + f₂ − f₁ f₂,  kept = w₁ (1 − f₂),  w = kept + w₂,  m = (kept m₁ + w₂ m₂) / w
//! ```
//!
//! What is forgotten is kept, not what remains: near 1 a small rate would lose its digits. The identity is zeros.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::blend;
use cubefold_primitives::{
    Both, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State,
};

/// What rows have forgotten, weigh, and their mean; 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub(super) struct WeightedState<T: Real> {
    forgotten: T,
    weight: T,
    mean: T,
}

/// The mean, or the sum, over rows of a value (left) and what it forgets and weighs (right).
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
impl<T: Real> Monoid for Weighted<T> {
    type State = WeightedState<T>;

    fn identity(&self) -> WeightedState<T> {
        WeightedState::<T> { forgotten: T::whole(0), weight: T::whole(0), mean: T::whole(0) }
    }

    fn combine(&self, left: WeightedState<T>, right: WeightedState<T>) -> WeightedState<T> {
        let stays = T::whole(1) - right.forgotten;
        let kept = left.weight * stays;
        let weight = kept + right.weight;
        let total = select(weight > T::whole(0), weight, T::whole(1));
        WeightedState::<T> {
            forgotten: left.forgotten * stays + right.forgotten,
            weight,
            mean: blend::<T>(left.mean, kept, right.mean, right.weight, total),
        }
    }
}

#[cube]
impl<T: Real> Lift<Both<T, Both<T, T>>> for Weighted<T> {
    fn lift(&self, item: Both<T, Both<T, T>>) -> WeightedState<T> {
        let weight = item.right.right;
        let value = select(weight > T::whole(0), item.left, T::whole(0));
        WeightedState::<T> { forgotten: item.right.left, weight, mean: value }
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
        let state = |forgotten, weight, mean| WeightedState { forgotten, weight, mean };
        let samples = [op.identity(), state(0.25, 0.25, 3.0), state(0.5, 1.0, -7.0), state(1.0, 1.0, 2.0)];
        check_laws(&op, &samples).unwrap();
    }
}
