//! [`Observed`]: any operator of numbers, over which missing ones pass without a trace.

use cubecl::prelude::*;
use cubefold_primitives::ops::choose;
use cubefold_primitives::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real};

/// `O` with NaN as the identity. What is left of it says nothing on how many items there were.
#[derive(Debug, Clone, Operator)]
pub(crate) struct Observed<O: Monoid> {
    op: O,
}

impl<O: Monoid> Observed<O> {
    pub(crate) fn new(op: O) -> Self {
        Observed { op }
    }
}

#[cube]
impl<O: Monoid> Monoid for Observed<O> {
    type State = O::State;

    fn identity(&self) -> O::State {
        self.op.identity()
    }

    fn combine(&self, left: O::State, right: O::State) -> O::State {
        self.op.combine(left, right)
    }
}

#[cube]
impl<T: Real, O: Lift<T>> Lift<T> for Observed<O> {
    fn lift(&self, item: T) -> O::State {
        choose::<O::State>(T::not_a_number(item), self.op.identity(), self.op.lift(item))
    }
}

#[cube]
impl<O: Lower> Lower for Observed<O> {
    type Output = O::Output;

    fn lower(&self, state: O::State) -> O::Output {
        self.op.lower(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::ops::{Maximum, Sum};
    use cubefold_primitives::{Device, check_laws};

    #[test]
    fn the_laws_hold() {
        let op = Observed::new(Maximum::<f32>::new());
        check_laws(&op, &[op.identity(), op.lift(2.0), op.lift(f32::NAN), op.lift(-7.5)]).unwrap();
    }

    #[test]
    fn missing_items_leave_no_trace() {
        let items = vec![f64::NAN, 1.0, f64::NAN, f64::NAN, -4.0, 2.0, f64::NAN];
        let sums = Device::host().scan(&items, &Observed::new(Sum::new())).unwrap().to_vec().unwrap();
        assert_eq!(sums, [0.0, 1.0, 1.0, 1.0, -3.0, -1.0, -1.0]);
        let highest = Device::host().reduce(&items, &Observed::new(Maximum::new())).unwrap().get(0).unwrap();
        assert_eq!(highest, 2.0);
    }
}
