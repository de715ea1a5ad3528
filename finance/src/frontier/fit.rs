//! Any numbers as weights within bounds that sum to 1.
//!
//! With `x` what is above the lower bound, `c` the room between the bounds and `R` the budget above all lower bounds, the
//! weights are `lower + min(c, s x)`, where the scale `s` solves `Σ min(c, s x) = R`. The sum is concave and piecewise linear
//! in `s`: Newton's method from `R / Σ x` never passes the solution, and reaches it where all that will be capped are. What
//! a few steps leave, or too few assets with `x > 0` cannot take, is shared out among the room that is left.

use cubecl::prelude::*;
use cubefold_primitives::views::{Dense, Mapping, MappingExpand, Matrix, Source};
use cubefold_primitives::{
    Both, Buffer, Captured, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real, State,
    Wide,
};

use super::bounds::Limits;
use super::sampler::{Batch, scalars};
use crate::error::FinanceError;

/// Steps of Newton's method where weights are capped.
const STEPS: usize = 4;

/// A sum below this is one of nothing.
const TINY: f64 = 1e-30;

/// Fits `raw`, assets × portfolios, into `limits`.
pub(super) fn fit<T: Real>(
    device: &Device,
    batch: Batch,
    raw: &Buffer<T>,
    limits: &Limits,
) -> Result<Buffer<T>, FinanceError> {
    let (assets, portfolios) = (batch.assets, batch.portfolios);
    let budget = T::constant(limits.budget());
    let room = limits.room();
    let each = limits.lower.iter().zip(&room);
    let each: Vec<_> =
        each.map(|(&lower, &room)| Limit { lower: T::constant(lower), room: T::constant(room) }).collect();
    let limit = device.upload(&each)?;
    let items = Dense::new(raw, assets, portfolios)?.zip_elements(Dense::repeated_column(&limit, portfolios)?)?;
    let mut scale = device.reduce_columns(&items, &FirstScale { budget, tiny: T::constant(TINY) })?;
    let steps = if limits.are_capped() { STEPS } else { 0 };
    for _ in 0..steps {
        let scaled = items.zip_elements(Dense::repeated_row(&scale, assets)?)?;
        scale = device.reduce_columns(&scaled, &NextScale { budget, tiny: T::constant(TINY) })?;
    }
    let scaled = items.zip_elements(Dense::repeated_row(&scale, assets)?)?;
    let rest = device.reduce_columns(&scaled, &Rest { budget, tiny: T::constant(TINY) })?;
    let fill = Fill {
        lower: scalars(&limits.lower),
        room: scalars(&room),
        scale: scale.into(),
        rest: rest.into(),
        portfolios,
    };
    Ok(device.collect(&raw.zip(batch.places()?).map(fill))?)
}

/// The least weight of an asset, and how much more it may be.
#[derive(Debug, Clone, Copy, State)]
struct Limit<T: Real> {
    lower: T,
    room: T,
}

/// What a number is above the lower bound.
#[cube]
fn above<T: Real>(raw: T, lower: T) -> T {
    T::larger(raw - lower, T::whole(0))
}

/// `R / Σ x`; 0 where there is nothing above the bounds.
#[derive(Debug, Clone, Operator)]
struct FirstScale<T: Real> {
    budget: T,
    tiny: T,
}

#[cube]
impl<T: Real> Monoid for FirstScale<T> {
    type State = T;

    fn identity(&self) -> T {
        T::whole(0)
    }

    fn combine(&self, left: T, right: T) -> T {
        left + right
    }
}

#[cube]
impl<T: Real> Lift<Both<T, Limit<T>>> for FirstScale<T> {
    fn lift(&self, item: Both<T, Limit<T>>) -> T {
        above::<T>(item.left, item.right.lower)
    }
}

#[cube]
impl<T: Real> Lower for FirstScale<T> {
    type Output = T;

    fn lower(&self, state: T) -> T {
        select(state > self.tiny, self.budget / T::larger(state, self.tiny), T::whole(0))
    }
}

/// What a scale takes of the budget, what of it grows with the scale, and the scale.
#[derive(Debug, Clone, Copy, State)]
struct Taken<T: Real> {
    taken: T,
    free: T,
    scale: T,
}

/// A step of Newton's method.
#[derive(Debug, Clone, Operator)]
struct NextScale<T: Real> {
    budget: T,
    tiny: T,
}

#[cube]
impl<T: Real> Monoid for NextScale<T> {
    type State = Taken<T>;

    fn identity(&self) -> Taken<T> {
        Taken::<T> { taken: T::whole(0), free: T::whole(0), scale: T::whole(0) }
    }

    fn combine(&self, left: Taken<T>, right: Taken<T>) -> Taken<T> {
        Taken::<T> {
            taken: left.taken + right.taken,
            free: left.free + right.free,
            scale: T::larger(left.scale, right.scale),
        }
    }
}

#[cube]
impl<T: Real> Lift<Both<Both<T, Limit<T>>, T>> for NextScale<T> {
    fn lift(&self, item: Both<Both<T, Limit<T>>, T>) -> Taken<T> {
        let (limit, scale) = (item.left.right, item.right);
        let above = above::<T>(item.left.left, limit.lower);
        let wanted = scale * above;
        Taken::<T> {
            taken: T::smaller(wanted, limit.room),
            free: select(wanted < limit.room, above, T::whole(0)),
            scale,
        }
    }
}

#[cube]
impl<T: Real> Lower for NextScale<T> {
    type Output = T;

    fn lower(&self, state: Taken<T>) -> T {
        let more = (self.budget - state.taken) / T::larger(state.free, self.tiny);
        state.scale + select(state.free > self.tiny, more, T::whole(0))
    }
}

/// What is taken of the budget, and the room that is left.
#[derive(Debug, Clone, Copy, State)]
struct Left<T: Real> {
    taken: T,
    room: T,
}

/// The share of the room that is left which takes what is left of the budget.
#[derive(Debug, Clone, Operator)]
struct Rest<T: Real> {
    budget: T,
    tiny: T,
}

#[cube]
impl<T: Real> Monoid for Rest<T> {
    type State = Left<T>;

    fn identity(&self) -> Left<T> {
        Left::<T> { taken: T::whole(0), room: T::whole(0) }
    }

    fn combine(&self, left: Left<T>, right: Left<T>) -> Left<T> {
        Left::<T> { taken: left.taken + right.taken, room: left.room + right.room }
    }
}

#[cube]
impl<T: Real> Lift<Both<Both<T, Limit<T>>, T>> for Rest<T> {
    fn lift(&self, item: Both<Both<T, Limit<T>>, T>) -> Left<T> {
        let limit = item.left.right;
        let taken = T::smaller(item.right * above::<T>(item.left.left, limit.lower), limit.room);
        Left::<T> { taken, room: limit.room - taken }
    }
}

#[cube]
impl<T: Real> Lower for Rest<T> {
    type Output = T;

    fn lower(&self, state: Left<T>) -> T {
        let missing = T::larger(self.budget - state.taken, T::whole(0));
        select(state.room > self.tiny, missing / T::larger(state.room, self.tiny), T::whole(0))
    }
}

/// The weight at a place.
#[derive(Debug, Clone, Operator)]
struct Fill<T: Real> {
    lower: Captured<T>,
    room: Captured<T>,
    scale: Captured<T>,
    rest: Captured<T>,
    portfolios: u32,
}

#[cube]
impl<T: Real> Mapping<Both<T, Wide>> for Fill<T> {
    type Output = T;

    fn map(&self, item: Both<T, Wide>) -> T {
        let place = item.right.low;
        let (portfolio, asset) = ((place % self.portfolios) as usize, (place / self.portfolios) as usize);
        let (lower, room) = (self.lower[asset], self.room[asset]);
        let taken = T::smaller(self.scale[portfolio] * above::<T>(item.left, lower), room);
        lower + taken + self.rest[portfolio] * (room - taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::check_laws;

    fn fitted(raw: &[f64], limits: &Limits) -> Vec<f64> {
        let batch = Batch { seed: 0, first: 0, portfolios: 1, assets: raw.len() as u32 };
        let device = Device::host();
        fit(&device, batch, &device.upload(raw).unwrap(), limits).unwrap().to_vec().unwrap()
    }

    fn assert_near(got: &[f64], expected: &[f64]) {
        let near = got.iter().zip(expected).all(|(left, right)| (left - right).abs() < 1e-12);
        assert!(near && got.len() == expected.len(), "{got:?} is not {expected:?}");
    }

    #[test]
    fn the_laws_hold() {
        let limit = |lower, room| Limit { lower, room };
        let item = |raw, lower, room, scale| Both { left: Both { left: raw, right: limit(lower, room) }, right: scale };
        let items = [item(0.5, 0.0, 0.25, 1.5), item(-1.0, 0.1, 0.5, 1.5), item(0.125, 0.0, 1.0, 1.5)];
        let next = NextScale { budget: 1.0, tiny: TINY };
        check_laws(&next, &[next.identity(), next.lift(items[0]), next.lift(items[1]), next.lift(items[2])]).unwrap();
        let rest = Rest { budget: 1.0, tiny: TINY };
        check_laws(&rest, &[rest.identity(), rest.lift(items[0]), rest.lift(items[1]), rest.lift(items[2])]).unwrap();
    }

    #[test]
    fn without_caps_weights_are_cut_at_the_bound_and_scaled() {
        let limits = Limits { lower: vec![0.0; 3], upper: vec![1.0; 3] };
        assert_near(&fitted(&[0.6, -0.2, 0.9], &limits), &[0.4, 0.0, 0.6]);
        let limits = Limits { lower: vec![0.1, 0.0, 0.0], upper: vec![1.0; 3] };
        assert_near(&fitted(&[0.05, 1.0, 2.0], &limits), &[0.1, 0.3, 0.6]);
    }

    #[test]
    fn what_a_capped_weight_cannot_take_goes_to_the_others_in_proportion() {
        let limits = Limits { lower: vec![0.0; 4], upper: vec![0.3, 0.4, 1.0, 1.0] };
        // The first two are capped, the second only once the first is.
        assert_near(&fitted(&[0.5, 0.36, 0.07, 0.07], &limits), &[0.3, 0.4, 0.15, 0.15]);
    }

    #[test]
    fn nothing_above_the_bounds_is_shared_out_by_the_room() {
        let limits = Limits { lower: vec![0.1, 0.1], upper: vec![0.5, 0.9] };
        // The budget of 0.8, and room of 0.4 and 0.8.
        assert_near(&fitted(&[0.0, 0.0], &limits), &[0.1 + 0.8 / 3.0, 0.1 + 1.6 / 3.0]);
        assert_near(&fitted(&[9.0, 0.0], &limits), &[0.5, 0.5]);
    }

    #[test]
    fn weights_that_have_no_choice_are_their_bounds() {
        let limits = Limits { lower: vec![0.25, 0.75], upper: vec![0.25, 1.0] };
        assert_near(&fitted(&[3.0, -1.0], &limits), &[0.25, 0.75]);
    }
}
