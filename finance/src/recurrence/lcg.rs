//! Linear congruential generators, which can be jumped ahead: a step is an affine map, and so is any power of it.
//!
//! Brown, "Random Number Generation with Arbitrary Strides" (1994). For random numbers take counters
//! (`cubefold_primitives::rng`); this is what affine maps of integers are good for.

use cubecl::prelude::*;
use cubefold_primitives::ops::{Affine, AffineMap};
use cubefold_primitives::views::both;
use cubefold_primitives::{
    Buffer, Counter, Device, Element, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Wide,
};

use super::power;
use crate::error::FinanceError;

/// `x <- multiplier x + increment` modulo 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lcg {
    /// The factor.
    pub multiplier: u32,
    /// What is added then.
    pub increment: u32,
}

impl Lcg {
    /// The constants of "Numerical Recipes" (Press and others, 1992).
    pub const NUMERICAL_RECIPES: Lcg = Lcg { multiplier: 1_664_525, increment: 1_013_904_223 };

    /// The state `steps` steps after `state`; at most `2 log2 steps` combines.
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_finance::recurrence::Lcg;
    ///
    /// assert_eq!(Lcg::NUMERICAL_RECIPES.jump(0, 1), 0x3c6e_f35f);
    /// // Whole periods lead back.
    /// assert_eq!(Lcg::NUMERICAL_RECIPES.jump(7, 3 << 32), 7);
    /// ```
    pub fn jump(self, state: u32, steps: u64) -> u32 {
        let step = AffineMap { scale: self.multiplier, shift: self.increment };
        let map = power(&Affine::<u32>::new(), step, steps);
        map.scale.wrapping_mul(state).wrapping_add(map.shift)
    }

    /// The `len` states after `state`, by one scan that reads no memory.
    ///
    /// # Errors
    /// What goes wrong on the device.
    pub fn sequence(self, device: &Device, state: u32, len: u64) -> Result<Buffer<u32>, FinanceError> {
        let Lcg { multiplier, increment } = self;
        let walk = Walk { affine: Affine::new(), multiplier, increment, start: state };
        Ok(device.scan(&Counter::new(len), &walk)?)
    }
}

/// One step of the generator for every row, from a start.
#[derive(Debug, Clone, Operator)]
struct Walk {
    affine: Affine<u32>,
    multiplier: u32,
    increment: u32,
    start: u32,
}

#[cube]
impl Monoid for Walk {
    type State = AffineMap<u32>;

    fn identity(&self) -> AffineMap<u32> {
        self.affine.identity()
    }

    fn combine(&self, left: AffineMap<u32>, right: AffineMap<u32>) -> AffineMap<u32> {
        self.affine.combine(left, right)
    }
}

#[cube]
impl Lift<Wide> for Walk {
    fn lift(&self, _row: Wide) -> AffineMap<u32> {
        self.affine.lift(both(self.multiplier, self.increment))
    }
}

#[cube]
impl Lower for Walk {
    type Output = u32;

    fn lower(&self, state: AffineMap<u32>) -> u32 {
        u32::plus(u32::times(state.scale, self.start), state.shift)
    }
}
