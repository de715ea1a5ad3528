//! [`Wide`]: an unsigned 64-bit integer in two words, for devices without 64-bit integers.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;
use cubefold_derive::State;

/// An unsigned 64-bit integer in two words. The index of an item, and the count of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, State)]
pub struct Wide {
    /// The low 32 bits.
    pub low: u32,
    /// The high 32 bits.
    pub high: u32,
}

impl From<u64> for Wide {
    #[inline]
    fn from(value: u64) -> Self {
        Wide { low: value as u32, high: (value >> 32) as u32 }
    }
}

impl From<Wide> for u64 {
    #[inline]
    fn from(value: Wide) -> Self {
        u64::from(value.low) | (u64::from(value.high) << 32)
    }
}

/// `left + right` modulo 2^32, on the host and on devices.
#[inline]
pub fn wrapping_add(left: u32, right: u32) -> u32 {
    left.wrapping_add(right)
}

#[doc(hidden)]
pub mod wrapping_add {
    use super::*;

    pub fn expand(scope: &Scope, left: NativeExpand<u32>, right: NativeExpand<u32>) -> NativeExpand<u32> {
        native_add::expand(scope, left, right)
    }

    #[cube]
    fn native_add(left: u32, right: u32) -> u32 {
        left + right
    }
}

/// The whole part of a float of less than 2^31 either way, on the host and on devices; of others 0 on the host, and any number on devices.
/// The host's loops make vectors of it, where a cast by `as` goes one by one, to limit what is out of range.
#[inline(always)]
pub fn whole_part(value: f32) -> i32 {
    let within = if value.abs() < 2_147_483_648.0 { value } else { 0.0 };
    // SAFETY: neither NaN nor out of the range of i32.
    unsafe { within.to_int_unchecked() }
}

#[doc(hidden)]
pub mod whole_part {
    use super::*;

    pub fn expand(scope: &Scope, value: NativeExpand<f32>) -> NativeExpand<i32> {
        native_whole_part::expand(scope, value)
    }

    #[cube]
    fn native_whole_part(value: f32) -> i32 {
        value as i32
    }
}

/// `left * right` modulo 2^32, on the host and on devices.
#[inline]
pub fn wrapping_mul(left: u32, right: u32) -> u32 {
    left.wrapping_mul(right)
}

#[doc(hidden)]
pub mod wrapping_mul {
    use super::*;

    pub fn expand(scope: &Scope, left: NativeExpand<u32>, right: NativeExpand<u32>) -> NativeExpand<u32> {
        native_mul::expand(scope, left, right)
    }

    #[cube]
    fn native_mul(left: u32, right: u32) -> u32 {
        left * right
    }
}

/// The high 32 bits of the 64-bit product, on the host and on devices.
#[inline]
pub fn multiply_high(left: u32, right: u32) -> u32 {
    ((u64::from(left) * u64::from(right)) >> 32) as u32
}

#[doc(hidden)]
pub mod multiply_high {
    use super::*;

    pub fn expand(scope: &Scope, left: NativeExpand<u32>, right: NativeExpand<u32>) -> NativeExpand<u32> {
        native_high::expand(scope, left, right)
    }

    #[cube]
    fn native_high(left: u32, right: u32) -> u32 {
        left.mul_hi(right)
    }
}

/// `left + right` modulo 2^64.
#[cube]
#[inline]
pub fn wide_add(left: Wide, right: Wide) -> Wide {
    let low = wrapping_add(left.low, right.low);
    let carry = select(low < left.low, 1u32, 0u32);
    Wide { low, high: wrapping_add(wrapping_add(left.high, right.high), carry) }
}

/// The product of two 32-bit integers.
#[cube]
#[inline]
pub fn wide_product(left: u32, right: u32) -> Wide {
    Wide { low: wrapping_mul(left, right), high: multiply_high(left, right) }
}

/// `left * right` modulo 2^64.
#[cube]
#[inline]
pub fn wide_mul(left: Wide, right: Wide) -> Wide {
    let crossed = wrapping_add(wrapping_mul(left.low, right.high), wrapping_mul(left.high, right.low));
    Wide { low: wrapping_mul(left.low, right.low), high: wrapping_add(multiply_high(left.low, right.low), crossed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_parts_are_those_of_a_cast_within_range() {
        let largest = 2_147_483_648.0f32.next_down();
        for value in
            [0.0, -0.0, 0.999, -0.999, 1.5, -1.5, 8_388_607.5, 16_777_217.0, largest, -largest, f32::MIN_POSITIVE]
        {
            assert_eq!(whole_part(value), value as i32, "{value}");
        }
        for beyond in [2_147_483_648.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(whole_part(beyond), 0, "{beyond}");
        }
    }

    #[test]
    fn a_sum_carries_into_the_high_word_and_wraps_past_it() {
        let sum = |left: u64, right: u64| u64::from(wide_add(left.into(), right.into()));
        assert_eq!(sum(0xffff_ffff, 1), 0x1_0000_0000);
        assert_eq!(sum(u64::MAX, 2), 1);
        assert_eq!(u64::from(wide_product(u32::MAX, u32::MAX)), 0xffff_fffe_0000_0001);
        let (left, right) = (0x0123_4567_89ab_cdefu64, 0xfedc_ba98_7654_3210u64);
        assert_eq!(u64::from(wide_mul(left.into(), right.into())), left.wrapping_mul(right));
    }
}
