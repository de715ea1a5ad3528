//! Affine: the recurrence `s <- a s + b`, as the composition of maps `s -> scale s + shift`. The identity is the map
//! that changes nothing, scale 1 and shift 0. Not commutative. Integers wrap.
//!
//! Blelloch, "Prefix Sums and Their Applications" (1990), section 1.4. Class: products followed by additions;
//! compilers may fuse them, so bits differ between devices for floats. Integers are exact.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::{Operator, State};

use crate::{Both, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand};

/// The map `s -> scale s + shift`.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct AffineMap<T: Element> {
    /// The factor.
    pub scale: T,
    /// What is added then.
    pub shift: T,
}

/// `s <- a s + b` from `s = 0`, over pairs of `a` (left) and `b` (right).
///
/// To start at another `s`, let the first pair be `(0, s)`. As a moving average it drifts in f32; see
/// [`Ewma`](super::Ewma).
#[derive(Debug, Clone, Copy, Default, Operator)]
#[operator(light)]
pub struct Affine<T: Element> {
    element: PhantomData<T>,
}

impl<T: Element> Affine<T> {
    /// The recurrence over scalars of type `T`.
    pub fn new() -> Self {
        Affine { element: PhantomData }
    }
}

#[cube]
impl<T: Element> Monoid for Affine<T> {
    type State = AffineMap<T>;

    fn identity(&self) -> AffineMap<T> {
        AffineMap::<T> { scale: T::whole(1), shift: T::whole(0) }
    }

    fn combine(&self, left: AffineMap<T>, right: AffineMap<T>) -> AffineMap<T> {
        AffineMap::<T> {
            scale: T::times(right.scale, left.scale),
            shift: T::plus(T::times(right.scale, left.shift), right.shift),
        }
    }
}

#[cube]
impl<T: Element> Lift<Both<T, T>> for Affine<T> {
    fn lift(&self, item: Both<T, T>) -> AffineMap<T> {
        AffineMap::<T> { scale: item.left, shift: item.right }
    }
}

#[cube]
impl<T: Element> Lower for Affine<T> {
    type Output = T;

    fn lower(&self, state: AffineMap<T>) -> T {
        state.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_laws};

    #[test]
    fn the_laws_hold() {
        let floats = [(0.5f32, 2.0), (1.0, 1e6), (0.0, 3.0), (2.0, 0.25)];
        check_laws(&Affine::new(), &floats.map(|(scale, shift)| AffineMap { scale, shift })).unwrap();
        let integers = [(3u32, 7), (u32::MAX, 1), (0, u32::MAX), (1, 0)];
        check_laws(&Affine::new(), &integers.map(|(scale, shift)| AffineMap { scale, shift })).unwrap();
    }

    #[test]
    fn a_scan_is_the_recurrence() {
        let pairs: Vec<_> = (0..40_000u32).map(|i| Both { left: i.wrapping_mul(77) | 1, right: i ^ 5 }).collect();
        let mut s = 0u32;
        let recurrence = pairs.iter().map(|pair| {
            s = pair.left.wrapping_mul(s).wrapping_add(pair.right);
            s
        });
        let expected: Vec<u32> = recurrence.collect();
        assert_eq!(Device::host().scan(&pairs, &Affine::new()).unwrap().to_vec().unwrap(), expected);
    }

    #[test]
    fn the_seeds_average_comes_out() {
        let prices = [3.0f64, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let pairs: Vec<_> = prices.iter().map(|x| Both { left: 0.8, right: 0.2 * x }).collect();
        let expected = [0.6, 0.68, 1.344, 1.2752, 2.02016, 3.416128, 3.1329024, 3.70632192];
        let scanned = Device::host().scan(&pairs, &Affine::new()).unwrap().to_vec().unwrap();
        for (value, expected) in scanned.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-14, "{value} is not {expected}");
        }
    }
}
