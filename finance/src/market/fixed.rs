//! Demand in fixed point: sums that are the same in any order and on any device.
//!
//! A demand is rounded to the nearest of at most 30 bits, halves up, and the sum has 63 in two's complement: 2^32 of them cannot
//! leave it. What has more bits is a fault, and so is a NaN: it adds nothing, and the sum remembers in the bit that is left.
#![allow(missing_docs)] // of what #[cube] writes beside each method

use cubecl::prelude::*;
use cubefold_primitives::{State, Wide, whole_part, wide_add};

/// A sum of demands.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Excess {
    /// The low 32 bits in fixed point.
    low: u32,
    /// The other 31 bits, and over them 1 where a demand did not fit.
    high: u32,
}

/// The bit of a fault.
const FAULT: u32 = 1 << 31;

/// No demand.
#[cube]
#[inline(always)] // as the others: in loops that become vectors
pub fn none() -> Excess {
    Excess { low: 0u32.runtime(), high: 0u32.runtime() }
}

/// Both demands together.
#[cube]
#[inline(always)]
pub fn plus(left: Excess, right: Excess) -> Excess {
    let sum = wide_add(Wide { low: left.low, high: left.high }, Wide { low: right.low, high: right.high });
    Excess { low: sum.low, high: (sum.high & 0x7fff_ffffu32) | ((left.high | right.high) & FAULT) }
}

/// A demand of `value` units.
#[cube]
#[inline(always)]
pub fn fixed(value: f32) -> Excess {
    // By the bits, so that a NaN is one of those too large: 2^30 and above.
    let fits = (value.to_bits() & 0x7fff_ffffu32) < 0x4e80_0000u32;
    let kept = select(fits, value, 0.0f32);
    // Both are exact: a number of 2^23 or more is whole.
    let below = kept.floor();
    // CubeCL 0.11.3 makes one of two casts, and WGSL then 0 of what is negative: the sum keeps them apart.
    let whole = whole_part(below) + select(kept - below >= 0.5f32, 1i32, 0i32);
    let low = whole as u32;
    let high = select((low >> 31u32) != 0u32, 0x7fff_ffffu32, 0u32);
    Excess { low, high: high | select(fits, 0u32, FAULT) }
}

/// The sum in fixed point, two's complement.
#[cube]
fn total(sum: Excess) -> Wide {
    let sign = select((sum.high & 0x4000_0000u32) != 0u32, FAULT, 0u32);
    Wide { low: sum.low, high: (sum.high & 0x7fff_ffffu32) | sign }
}

/// 1 where a demand did not fit.
#[cube]
pub fn fault(sum: Excess) -> u32 {
    sum.high >> 31u32
}

/// The float nearest to a sum, but for the rounding of its low word.
#[cube]
pub fn float(sum: Excess) -> f32 {
    let value = total(sum);
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
        (fault(excess) == 0).then_some(u64::from(total(excess)) as i64)
    }

    #[test]
    fn demands_are_rounded_to_the_nearest_and_halves_up() {
        for (value, expected) in [(0.0, 0), (0.49, 0), (0.5, 1), (-0.5, 0), (-0.51, -1), (-1.5, -1), (2.5, 3)] {
            assert_eq!(rounded(value), Some(expected), "{value}");
        }
        // Whole numbers whose half is not a float stay as they are.
        for value in [8_388_609.0f32, -8_388_609.0, 16_777_215.0, -1_073_741_760.0, 1_073_741_760.0] {
            assert_eq!(rounded(value), Some(value as i64), "{value}");
        }
    }

    #[test]
    fn the_largest_demand_fits_and_the_next_one_is_a_fault() {
        let limit = 1_073_741_824.0f32;
        assert!(rounded(limit.next_down()).is_some() && rounded(-limit.next_down()).is_some());
        for value in [limit, -limit, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(rounded(value), None, "{value}");
            for sum in [plus(fixed(-1.0), fixed(value)), plus(plus(fixed(value), fixed(value)), fixed(-1.0))] {
                assert_eq!((fault(sum), u64::from(total(sum)) as i64), (1, -1), "{value}");
            }
        }
    }

    #[test]
    fn as_many_of_the_largest_demands_as_there_can_be_stay_in_the_sum() {
        for largest in [1_073_741_824.0f32.next_down(), -1_073_741_824.0f32.next_down()] {
            // Doubled 32 times: 2^32 of them.
            let sum = (0..32).fold(fixed(largest), |sum, _| plus(sum, sum));
            assert_eq!((fault(sum), u64::from(total(sum)) as i64), (0, (largest as i64) << 32));
        }
    }

    #[test]
    fn a_sum_comes_back_as_a_float() {
        for value in [0i64, 1, -1, 1 << 40, -(1 << 40), (1 << 24) - 1, (1 << 62) - 1, -1 << 62] {
            let Wide { low, high } = Wide::from(value as u64);
            for over in [0, FAULT] {
                assert_eq!(float(Excess { low, high: high & !FAULT | over }), value as f32, "{value}");
            }
        }
    }
}
