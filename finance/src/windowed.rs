//! [`Windowed`]: mean, variance or deviation of a window, missing where it has not seen enough.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_primitives::ops::{Moments, MomentsState};
use cubefold_primitives::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, Wide};

/// What is read off the moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    /// The mean.
    Mean = 0,
    /// The variance.
    Variance = 1,
    /// Its square root.
    Deviation = 2,
}

/// [`Moments`], of which one figure is shown: NaN for fewer than `least` values, and a variance of no more than `ddof`.
#[derive(Debug, Clone, Operator)]
pub(crate) struct Windowed<T: Real> {
    moments: Moments<T>,
    figure: u32,
    least: u32,
    ddof: u32,
    element: PhantomData<T>,
}

impl<T: Real> Windowed<T> {
    pub(crate) fn new(figure: Figure, least: u32, ddof: u32) -> Self {
        Windowed { moments: Moments::new(), figure: figure as u32, least, ddof, element: PhantomData }
    }
}

#[cube]
impl<T: Real> Monoid for Windowed<T> {
    type State = MomentsState<T>;

    fn identity(&self) -> MomentsState<T> {
        self.moments.identity()
    }

    fn combine(&self, left: MomentsState<T>, right: MomentsState<T>) -> MomentsState<T> {
        self.moments.combine(left, right)
    }
}

#[cube]
impl<T: Real> Lift<T> for Windowed<T> {
    fn lift(&self, item: T) -> MomentsState<T> {
        self.moments.lift(item)
    }
}

#[cube]
impl<T: Real> Lower for Windowed<T> {
    type Output = T;

    fn lower(&self, state: MomentsState<T>) -> T {
        // Windows are shorter than 2^32.
        let count = state.count.low;
        let mean = self.figure == 0u32;
        let taken = select(mean, 0u32, self.ddof);
        let known = count > taken && count >= self.least;
        let freedom = select(known, count - min(taken, count), 1u32);
        let variance = state.m2 / T::of_wide(Wide { low: freedom, high: 0u32.runtime() });
        let spread = select(self.figure == 2u32, T::root(variance), variance);
        select(known, select(mean, state.mean, spread), T::missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    #[test]
    fn the_laws_hold() {
        let op = Windowed::<f32>::new(Figure::Variance, 2, 1);
        let pair = op.combine(op.lift(2.0), op.lift(5.0));
        check_laws(&op, &[op.identity(), op.lift(2.0), op.lift(-7.5), pair]).unwrap();
    }

    #[test]
    fn figures_are_those_of_the_moments() {
        let of = |figure, least, ddof| {
            let op = Windowed::<f64>::new(figure, least, ddof);
            let state = [1.0, 2.0, 6.0].map(|item| op.lift(item)).into_iter().reduce(|a, b| op.combine(a, b)).unwrap();
            op.lower(state)
        };
        assert_eq!((of(Figure::Mean, 3, 9), of(Figure::Variance, 0, 1)), (3.0, 7.0));
        assert_eq!((of(Figure::Variance, 3, 0), of(Figure::Deviation, 1, 1)), (14.0 / 3.0, 7f64.sqrt()));
        assert!(of(Figure::Mean, 4, 0).is_nan());
        assert!(of(Figure::Variance, 0, 3).is_nan() && of(Figure::Deviation, 0, u32::MAX).is_nan());
    }
}
