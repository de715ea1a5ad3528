//! Weighted variances, covariances and correlations of rows that bring weights of their own.
//!
//! A row is ((x, y), k, w) as in `mean.rs`. Beside weight and means the state holds sums of weighted products of
//! deviations, which are merged as Chan, Golub and LeVeque (1979) merge moments, and the sum over pairs of rows
//!
//! ```text
//! U = 2 Σ_(i<j) w_i w_j = (Σ w)² − Σ w²,   U = U₁ k₂² + U₂ + 2 left w₂,   left = w₁ k₂
//! ```
//!
//! which the unbiased divisor needs: added up it cannot cancel, and it is exactly 0 for a single row.
//!
//! ```text
//! S_xy = S_xy₁ k₂ + S_xy₂ + (left w₂ / w) (x̄₂ − x̄₁)(ȳ₂ − ȳ₁)
//! biased S_xy / w,   unbiased S_xy w / U,   correlation S_xy / √(S_xx S_yy)
//! ```

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::blend;
use cubefold_primitives::{Both, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State};

use super::fade::{Fade, Step, fade_of, faded, unfaded};

/// Weight, means and products of deviations of some rows.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub(super) struct SpreadState<T: Real> {
    fade: Fade<T>,
    weight: T,
    pairs: T,
    mean_x: T,
    mean_y: T,
    xx: T,
    xy: T,
    yy: T,
}

/// What is read off the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    /// The covariance divided by the weights.
    Biased = 0,
    /// The covariance divided by what makes its expectation right; NaN for a single row.
    Unbiased = 1,
    /// The correlation; NaN where one side does not vary.
    Correlation = 2,
}

/// The covariance, or the correlation, over rows of two values (left) and their step (right).
#[derive(Debug, Clone, Operator)]
pub(super) struct Spread<T: Real> {
    figure: u32,
    element: PhantomData<T>,
}

impl<T: Real> Spread<T> {
    pub(super) fn new(figure: Figure) -> Self {
        Spread { figure: figure as u32, element: PhantomData }
    }
}

#[cube]
impl<T: Real> Monoid for Spread<T> {
    type State = SpreadState<T>;

    fn identity(&self) -> SpreadState<T> {
        SpreadState::<T> {
            fade: unfaded::<T>(),
            weight: T::whole(0),
            pairs: T::whole(0),
            mean_x: T::whole(0),
            mean_y: T::whole(0),
            xx: T::whole(0),
            xy: T::whole(0),
            yy: T::whole(0),
        }
    }

    fn combine(&self, left: SpreadState<T>, right: SpreadState<T>) -> SpreadState<T> {
        let stays = right.fade.kept;
        let kept = left.weight * stays;
        let weight = kept + right.weight;
        let total = select(weight > T::whole(0), weight, T::whole(1));
        let (x, y) = (right.mean_x - left.mean_x, right.mean_y - left.mean_y);
        let joint = kept * (right.weight / total);
        SpreadState::<T> {
            fade: faded::<T>(left.fade, right.fade),
            weight,
            pairs: left.pairs * stays * stays + right.pairs + T::whole(2) * kept * right.weight,
            mean_x: blend::<T>(left.mean_x, kept, right.mean_x, right.weight, total),
            mean_y: blend::<T>(left.mean_y, kept, right.mean_y, right.weight, total),
            xx: left.xx * stays + right.xx + joint * x * x,
            xy: left.xy * stays + right.xy + joint * x * y,
            yy: left.yy * stays + right.yy + joint * y * y,
        }
    }
}

#[cube]
impl<T: Real> Lift<Both<Both<T, T>, Step<T>>> for Spread<T> {
    fn lift(&self, item: Both<Both<T, T>, Step<T>>) -> SpreadState<T> {
        let weight = item.right.weight;
        let weighs = weight > T::whole(0);
        SpreadState::<T> {
            fade: fade_of::<T>(item.right),
            weight,
            pairs: T::whole(0),
            mean_x: select(weighs, item.left.left, T::whole(0)),
            mean_y: select(weighs, item.left.right, T::whole(0)),
            xx: T::whole(0),
            xy: T::whole(0),
            yy: T::whole(0),
        }
    }
}

#[cube]
impl<T: Real> Lower for Spread<T> {
    type Output = T;

    fn lower(&self, state: SpreadState<T>) -> T {
        let deviations = T::root(state.xx) * T::root(state.yy);
        let unbiased = self.figure == 1u32;
        let counted = select(unbiased, state.pairs, state.weight);
        let divisor = select(self.figure == 2u32, deviations, counted);
        let scaled = select(unbiased, state.weight, T::whole(1));
        let known = divisor > T::whole(0);
        let ratio = state.xy * (scaled / select(known, divisor, T::whole(1)));
        select(known, ratio, T::missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        let op = Spread::<f64>::new(Figure::Unbiased);
        let row = |x, y, forgotten, weight| {
            let step = Step { forgotten, kept: 1.0 - forgotten, weight };
            op.lift(Both { left: Both { left: x, right: y }, right: step })
        };
        let rows = [row(1.0, 9.0, 0.25, 0.25), row(3.0, -4.0, 0.5, 1.0), row(-7.0, 2.0, 1.0, 1.0)];
        let some = op.combine(op.combine(rows[0], rows[1]), rows[2]);
        check_laws(&op, &[op.identity(), rows[0], rows[1], rows[2], some]).unwrap();
    }
}
