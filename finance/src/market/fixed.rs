//! Demand in fixed point: sums that are the same in any order and on any device.
//!
//! A demand is rounded to the nearest of at most 31 bits, halves up, and the sum has 64 in two's complement: 2^32 of them cannot
//! leave it. What has more bits is a fault, and so is a NaN: it adds nothing, and the sum remembers.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::{State, Wide, wide_add};

/// A sum of demands.
#[derive(Debug, Clone, Copy, State)]
pub struct Excess {
    /// In fixed point, two's complement.
    pub total: Wide,
    /// 1 where a demand did not fit.
    pub fault: u32,
}

/// No demand.
#[cube]
#[inline(always)] // as the others: in loops that become vectors
pub fn none() -> Excess {
    Excess { total: Wide { low: 0u32.runtime(), high: 0u32.runtime() }, fault: 0u32.runtime() }
}

/// Both demands together.
#[cube]
#[inline(always)]
pub fn plus(left: Excess, right: Excess) -> Excess {
    Excess { total: wide_add(left.total, right.total), fault: left.fault | right.fault }
}

/// A demand of `value` units.
#[cube]
#[inline(always)]
pub fn fixed(value: f32) -> Excess {
    // By the bits, so that a NaN is one of those too large: 2^31 and above.
    let fits = (value.to_bits() & 0x7fff_ffffu32) < 0x4f00_0000u32;
    let kept = select(fits, value, 0.0f32);
    // Both are exact: a number of 2^23 or more is whole.
    let below = kept.floor();
    // CubeCL 0.11.3 makes one of two casts, and WGSL then 0 of what is negative: the sum keeps them apart.
    let whole = below as i32 + select(kept - below >= 0.5f32, 1i32, 0i32);
    let low = whole as u32;
    let high = select((low >> 31u32) != 0u32, 0xffff_ffffu32, 0u32);
    Excess { total: Wide { low, high }, fault: select(fits, 0u32, 1u32) }
}

/// The float nearest to a two's complement number of 64 bits, but for the rounding of its low word.
#[cube]
pub fn float(value: Wide) -> f32 {
    let negative = (value.high >> 31u32) != 0u32;
    let mask = select(negative, 0xffff_ffffu32, 0u32);
    let flipped = Wide { low: value.low ^ mask, high: value.high ^ mask };
    let size = wide_add(flipped, Wide { low: mask & 1u32, high: 0u32 });
    let magnitude = (size.high as f32) * 4_294_967_296.0f32 + (size.low as f32);
    select(negative, -magnitude, magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(value: f32) -> Option<i64> {
        let excess = fixed(value);
        (excess.fault == 0).then_some(u64::from(excess.total) as i64)
    }

    #[test]
    fn demands_are_rounded_to_the_nearest_and_halves_up() {
        for (value, expected) in [(0.0, 0), (0.49, 0), (0.5, 1), (-0.5, 0), (-0.51, -1), (-1.5, -1), (2.5, 3)] {
            assert_eq!(rounded(value), Some(expected), "{value}");
        }
        // Whole numbers whose half is not a float stay as they are.
        for value in [8_388_609.0f32, -8_388_609.0, 16_777_215.0, -2_147_483_520.0, 2_147_483_520.0] {
            assert_eq!(rounded(value), Some(value as i64), "{value}");
        }
    }

    #[test]
    fn the_largest_demand_fits_and_the_next_one_is_a_fault() {
        let limit = 2_147_483_648.0f32;
        assert!(rounded(limit.next_down()).is_some() && rounded(-limit.next_down()).is_some());
        for value in [limit, -limit, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(rounded(value), None, "{value}");
            assert_eq!(plus(fixed(1.0), fixed(value)).fault, 1, "{value}");
            assert_eq!(u64::from(plus(fixed(1.0), fixed(value)).total), 1, "{value}");
        }
    }

    #[test]
    fn a_sum_comes_back_as_a_float() {
        for value in [0i64, 1, -1, 1 << 40, -(1 << 40), (1 << 24) - 1, i64::MAX, i64::MIN + 1] {
            assert_eq!(float(Wide::from(value as u64)), value as f32, "{value}");
        }
    }
}
