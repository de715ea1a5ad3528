//! [`Element`] and [`Real`]: the scalars that the catalogue's operators are generic over.
//!
//! CubeCL's own traits for numbers have no host bodies for most functions, and `+` on integers panics in a
//! debug build where a device wraps. The functions here mean the same on both sides.

use cubecl::prelude::*;

use super::wide::WideExpand;
use super::{Operator, State, Wide};

/// A scalar with the arithmetic that operators need, the same on the host and on devices.
///
/// Integers wrap. `lesser` and `greater` return a NaN if either operand is one, and `left` on ties; `smaller` and
/// `larger` are one instruction and pass over a NaN, as `f32::min` does.
pub trait Element: Numeric + State + Operator + PartialOrd + std::fmt::Display {
    /// The value that `lesser` never prefers: positive infinity, or the largest integer.
    const HIGHEST: Self;
    /// The value that `greater` never prefers: negative infinity, or the smallest integer.
    const LOWEST: Self;

    /// `left + right`, wrapping for integers.
    fn plus(left: Self, right: Self) -> Self;
    /// `left * right`, wrapping for integers.
    fn times(left: Self, right: Self) -> Self;
    /// The smaller operand.
    fn lesser(left: Self, right: Self) -> Self;
    /// The greater operand.
    fn greater(left: Self, right: Self) -> Self;
    /// The smaller operand; the other one if one is NaN.
    fn smaller(left: Self, right: Self) -> Self;
    /// The larger operand; the other one if one is NaN.
    fn larger(left: Self, right: Self) -> Self;
    /// [`HIGHEST`](Element::HIGHEST), callable from a kernel: CubeCL cannot write an infinity as a WGSL literal.
    fn highest() -> Self;
    /// [`LOWEST`](Element::LOWEST), callable from a kernel.
    fn lowest() -> Self;
    /// `left + right`, or `HIGHEST` if either operand is.
    ///
    /// A device leaves the sum of two opposite infinities as the NaN that it is, which `smaller` passes over.
    fn plus_or_highest(left: Self, right: Self) -> Self;
    /// `left + right`, or `LOWEST` if either operand is.
    ///
    /// A device leaves the sum of two opposite infinities as the NaN that it is, which `larger` passes over.
    fn plus_or_lowest(left: Self, right: Self) -> Self;
    /// `smaller(kept, plus_or_highest(left, right))` for a `kept` that is not NaN; two instructions on the host too.
    fn nearer(kept: Self, left: Self, right: Self) -> Self;
    /// `larger(kept, plus_or_lowest(left, right))` for a `kept` that is not NaN; two instructions on the host too.
    fn farther(kept: Self, left: Self, right: Self) -> Self;
    /// Whether the value is NaN, by its bits: compilers may assume that comparisons never see one.
    fn not_a_number(value: Self) -> bool;
    /// A small integer as this scalar.
    fn whole(value: i64) -> Self;

    #[doc(hidden)]
    fn __expand_not_a_number(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<bool>;
    #[doc(hidden)]
    fn __expand_highest(scope: &Scope) -> NativeExpand<Self>;
    #[doc(hidden)]
    fn __expand_lowest(scope: &Scope) -> NativeExpand<Self>;
    #[doc(hidden)]
    fn __expand_plus_or_highest(
        scope: &Scope,
        left: NativeExpand<Self>,
        right: NativeExpand<Self>,
    ) -> NativeExpand<Self>;
    #[doc(hidden)]
    fn __expand_plus_or_lowest(
        scope: &Scope,
        left: NativeExpand<Self>,
        right: NativeExpand<Self>,
    ) -> NativeExpand<Self>;
    #[doc(hidden)]
    fn __expand_smaller(scope: &Scope, left: NativeExpand<Self>, right: NativeExpand<Self>) -> NativeExpand<Self> {
        device::smaller::expand::<Self>(scope, left, right)
    }
    #[doc(hidden)]
    fn __expand_larger(scope: &Scope, left: NativeExpand<Self>, right: NativeExpand<Self>) -> NativeExpand<Self> {
        device::larger::expand::<Self>(scope, left, right)
    }
    #[doc(hidden)]
    fn __expand_nearer(
        scope: &Scope,
        kept: NativeExpand<Self>,
        left: NativeExpand<Self>,
        right: NativeExpand<Self>,
    ) -> NativeExpand<Self> {
        let sum = Self::__expand_plus_or_highest(scope, left, right);
        Self::__expand_smaller(scope, kept, sum)
    }
    #[doc(hidden)]
    fn __expand_farther(
        scope: &Scope,
        kept: NativeExpand<Self>,
        left: NativeExpand<Self>,
        right: NativeExpand<Self>,
    ) -> NativeExpand<Self> {
        let sum = Self::__expand_plus_or_lowest(scope, left, right);
        Self::__expand_larger(scope, kept, sum)
    }
    #[doc(hidden)]
    fn __expand_plus(scope: &Scope, left: NativeExpand<Self>, right: NativeExpand<Self>) -> NativeExpand<Self> {
        device::plus::expand::<Self>(scope, left, right)
    }
    #[doc(hidden)]
    fn __expand_times(scope: &Scope, left: NativeExpand<Self>, right: NativeExpand<Self>) -> NativeExpand<Self> {
        device::times::expand::<Self>(scope, left, right)
    }
    #[doc(hidden)]
    fn __expand_lesser(scope: &Scope, left: NativeExpand<Self>, right: NativeExpand<Self>) -> NativeExpand<Self> {
        device::lesser::expand::<Self>(scope, left, right)
    }
    #[doc(hidden)]
    fn __expand_greater(scope: &Scope, left: NativeExpand<Self>, right: NativeExpand<Self>) -> NativeExpand<Self> {
        device::greater::expand::<Self>(scope, left, right)
    }
    #[doc(hidden)]
    fn __expand_whole(scope: &Scope, value: NativeExpand<i64>) -> NativeExpand<Self> {
        Self::__expand_from_int(scope, value)
    }
}

/// A floating-point [`Element`] with the elementary functions, the same source on both sides.
///
/// `exp` and `ln` are promised to the accuracy of the device, not to the bit.
pub trait Real: Element + Float {
    /// The exponential.
    fn exponential(value: Self) -> Self;
    /// The natural logarithm.
    fn logarithm(value: Self) -> Self;
    /// The square root, correctly rounded on the host; as the device rounds it elsewhere.
    fn root(value: Self) -> Self;
    /// `part / whole` for a normal positive whole, to a few units in the last place. For `f32` without a division, which
    /// some compilers make slow: three steps of Newton's method from a guess at the bits. The quotient for `f64`.
    fn ratio(part: Self, whole: Self) -> Self;
    /// The nearest value to a whole number of 64 bits, rounded once more where `f32` drops low bits.
    fn of_wide(value: Wide) -> Self;
    /// The NaN that marks a missing value.
    fn missing() -> Self;
    /// `value` itself, its bits through an xor with `zero`, which must be 0 and unknown until run time: no
    /// compiler can then fuse or cancel what is on its two sides.
    fn veiled(value: Self, zero: u32) -> Self;
    /// The constant nearest to `value`.
    fn constant(value: f64) -> Self;
    /// The value as `f64`.
    #[inline]
    fn widen(self) -> f64 {
        num_traits::ToPrimitive::to_f64(&self).unwrap_or(f64::NAN)
    }

    #[doc(hidden)]
    fn __expand_ratio(scope: &Scope, part: NativeExpand<Self>, whole: NativeExpand<Self>) -> NativeExpand<Self>;
    #[doc(hidden)]
    fn __expand_missing(scope: &Scope) -> NativeExpand<Self>;
    #[doc(hidden)]
    fn __expand_veiled(scope: &Scope, value: NativeExpand<Self>, zero: NativeExpand<u32>) -> NativeExpand<Self>;
    /// The value, exactly.
    fn of_f32(value: f32) -> Self;

    #[doc(hidden)]
    fn __expand_of_f32(scope: &Scope, value: NativeExpand<f32>) -> NativeExpand<Self> {
        device::of_f32::expand::<Self>(scope, value)
    }
    #[doc(hidden)]
    fn __expand_of_wide(scope: &Scope, value: WideExpand) -> NativeExpand<Self> {
        device::of_wide::expand::<Self>(scope, value)
    }
    #[doc(hidden)]
    fn __expand_exponential(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<Self> {
        device::exponential::expand::<Self>(scope, value)
    }
    #[doc(hidden)]
    fn __expand_logarithm(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<Self> {
        device::logarithm::expand::<Self>(scope, value)
    }
    #[doc(hidden)]
    fn __expand_root(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<Self> {
        device::root::expand::<Self>(scope, value)
    }
}

/// The device's halves of the functions above.
mod device {
    use super::*;

    #[cube]
    pub fn plus<T: Numeric>(left: T, right: T) -> T {
        left + right
    }

    #[cube]
    pub fn times<T: Numeric>(left: T, right: T) -> T {
        left * right
    }

    #[cube]
    pub fn lesser<T: Element>(left: T, right: T) -> T {
        let ordered = select(left <= right, left, right);
        let right_first = select(T::not_a_number(right), right, ordered);
        select(T::not_a_number(left), left, right_first)
    }

    #[cube]
    pub fn greater<T: Element>(left: T, right: T) -> T {
        let ordered = select(left >= right, left, right);
        let right_first = select(T::not_a_number(right), right, ordered);
        select(T::not_a_number(left), left, right_first)
    }

    #[cube]
    pub fn smaller<T: Numeric>(left: T, right: T) -> T {
        min(left, right)
    }

    #[cube]
    pub fn larger<T: Numeric>(left: T, right: T) -> T {
        max(left, right)
    }

    #[cube]
    pub fn plus_or<T: Element>(left: T, right: T, absorbing: T) -> T {
        let sum = select(right == absorbing, absorbing, left + right);
        select(left == absorbing, absorbing, sum)
    }

    #[cube]
    pub fn of_f32<T: Float>(value: f32) -> T {
        T::cast_from(value)
    }

    #[cube]
    pub fn of_wide<T: Float>(value: Wide) -> T {
        T::cast_from(value.high) * T::cast_from(4294967296.0f32) + T::cast_from(value.low)
    }

    #[cube]
    #[inline]
    pub fn veiled_f32(value: f32, zero: u32) -> f32 {
        f32::from_bits(value.to_bits() ^ zero)
    }

    #[cube]
    #[inline]
    pub fn veiled_f64(value: f64, zero: u32) -> f64 {
        f64::from_bits(value.to_bits() ^ (zero as u64))
    }

    #[cube]
    #[inline]
    pub fn ratio_f32(part: f32, whole: f32) -> f32 {
        let guess = f32::from_bits(0x7ef3_11c7u32 - whole.to_bits());
        let once = guess * (2.0f32 - whole * guess);
        let twice = once * (2.0f32 - whole * once);
        part * (twice * (2.0f32 - whole * twice))
    }

    #[cube]
    #[inline]
    pub fn ratio_f64(part: f64, whole: f64) -> f64 {
        part / whole
    }

    #[cube]
    pub fn from_bits_f32(#[comptime] bits: u64) -> f32 {
        f32::from_bits(comptime!(bits as u32).runtime())
    }

    #[cube]
    pub fn from_bits_f64(#[comptime] bits: u64) -> f64 {
        f64::from_bits(bits.runtime())
    }

    #[cube]
    pub fn exponential<T: Float>(value: T) -> T {
        value.exp()
    }

    #[cube]
    pub fn logarithm<T: Float>(value: T) -> T {
        value.ln()
    }

    #[cube]
    pub fn root<T: Float>(value: T) -> T {
        value.sqrt()
    }

    #[cube]
    pub fn is_nan_f32(value: f32) -> bool {
        (value.to_bits() & 0x7fff_ffffu32) > 0x7f80_0000u32
    }

    #[cube]
    pub fn is_nan_f64(value: f64) -> bool {
        (value.to_bits() & 0x7fff_ffff_ffff_ffffu64) > 0x7ff0_0000_0000_0000u64
    }
}

/// The host's `left + right`, or `absorbing` if either operand is.
#[inline]
fn plus_or<T: Element>(left: T, right: T, absorbing: T) -> T {
    if left == absorbing || right == absorbing { absorbing } else { T::plus(left, right) }
}

macro_rules! integers {
    ($($scalar:ty),*) => {$(
        impl Element for $scalar {
            const HIGHEST: Self = <$scalar>::MAX;
            const LOWEST: Self = <$scalar>::MIN;

            #[inline]

            fn plus(left: Self, right: Self) -> Self { left.wrapping_add(right) }
            #[inline]
            fn times(left: Self, right: Self) -> Self { left.wrapping_mul(right) }
            #[inline]
            fn lesser(left: Self, right: Self) -> Self { Ord::min(left, right) }
            #[inline]
            fn greater(left: Self, right: Self) -> Self { Ord::max(left, right) }
            #[inline]
            fn smaller(left: Self, right: Self) -> Self { Ord::min(left, right) }
            #[inline]
            fn larger(left: Self, right: Self) -> Self { Ord::max(left, right) }
            #[inline]
            fn highest() -> Self { Self::HIGHEST }
            #[inline]
            fn lowest() -> Self { Self::LOWEST }
            #[inline]
            fn plus_or_highest(left: Self, right: Self) -> Self { plus_or(left, right, Self::HIGHEST) }
            #[inline]
            fn plus_or_lowest(left: Self, right: Self) -> Self { plus_or(left, right, Self::LOWEST) }
            #[inline]
            fn nearer(kept: Self, left: Self, right: Self) -> Self {
                Self::smaller(kept, Self::plus_or_highest(left, right))
            }
            #[inline]
            fn farther(kept: Self, left: Self, right: Self) -> Self {
                Self::larger(kept, Self::plus_or_lowest(left, right))
            }
            #[inline]
            fn not_a_number(_: Self) -> bool { false }
            #[inline]
            fn whole(value: i64) -> Self { value as $scalar }
            fn __expand_not_a_number(_: &Scope, _: NativeExpand<Self>) -> NativeExpand<bool> { false.into() }
            fn __expand_highest(_: &Scope) -> NativeExpand<Self> { Self::HIGHEST.into() }
            fn __expand_lowest(_: &Scope) -> NativeExpand<Self> { Self::LOWEST.into() }
            fn __expand_plus_or_highest(
                scope: &Scope,
                left: NativeExpand<Self>,
                right: NativeExpand<Self>,
            ) -> NativeExpand<Self> {
                device::plus_or::expand::<Self>(scope, left, right, Self::HIGHEST.into())
            }
            fn __expand_plus_or_lowest(
                scope: &Scope,
                left: NativeExpand<Self>,
                right: NativeExpand<Self>,
            ) -> NativeExpand<Self> {
                device::plus_or::expand::<Self>(scope, left, right, Self::LOWEST.into())
            }
        }
    )*};
}

macro_rules! floats {
    ($($scalar:ident, $is_nan:ident, $veiled:ident, $from_bits:ident, $ratio:ident);*) => {$(
        impl Element for $scalar {
            const HIGHEST: Self = $scalar::INFINITY;
            const LOWEST: Self = $scalar::NEG_INFINITY;

            #[inline]

            fn plus(left: Self, right: Self) -> Self { left + right }
            #[inline]
            fn times(left: Self, right: Self) -> Self { left * right }
            #[inline]
            fn lesser(left: Self, right: Self) -> Self {
                if left.is_nan() || (!right.is_nan() && left <= right) { left } else { right }
            }
            #[inline]
            fn greater(left: Self, right: Self) -> Self {
                if left.is_nan() || (!right.is_nan() && left >= right) { left } else { right }
            }
            #[inline]
            fn smaller(left: Self, right: Self) -> Self { $scalar::min(left, right) }
            #[inline]
            fn larger(left: Self, right: Self) -> Self { $scalar::max(left, right) }
            #[inline]
            fn highest() -> Self { Self::HIGHEST }
            #[inline]
            fn lowest() -> Self { Self::LOWEST }
            #[inline]
            fn plus_or_highest(left: Self, right: Self) -> Self { plus_or(left, right, Self::HIGHEST) }
            #[inline]
            fn plus_or_lowest(left: Self, right: Self) -> Self { plus_or(left, right, Self::LOWEST) }
            // Opposite infinities make a NaN, which is not less: what is kept stays, as it does beside infinity.
            #[inline]
            fn nearer(kept: Self, left: Self, right: Self) -> Self {
                let sum = left + right;
                if sum < kept { sum } else { kept }
            }
            #[inline]
            fn farther(kept: Self, left: Self, right: Self) -> Self {
                let sum = left + right;
                if sum > kept { sum } else { kept }
            }
            #[inline]
            fn not_a_number(value: Self) -> bool { value.is_nan() }
            #[inline]
            fn whole(value: i64) -> Self { value as $scalar }
            fn __expand_not_a_number(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<bool> {
                device::$is_nan::expand(scope, value)
            }
            fn __expand_highest(scope: &Scope) -> NativeExpand<Self> {
                device::$from_bits::expand(scope, Self::HIGHEST.to_bits().into())
            }
            fn __expand_lowest(scope: &Scope) -> NativeExpand<Self> {
                device::$from_bits::expand(scope, Self::LOWEST.to_bits().into())
            }
            fn __expand_plus_or_highest(
                scope: &Scope,
                left: NativeExpand<Self>,
                right: NativeExpand<Self>,
            ) -> NativeExpand<Self> {
                device::plus::expand::<Self>(scope, left, right)
            }
            fn __expand_plus_or_lowest(
                scope: &Scope,
                left: NativeExpand<Self>,
                right: NativeExpand<Self>,
            ) -> NativeExpand<Self> {
                device::plus::expand::<Self>(scope, left, right)
            }
        }

        impl Real for $scalar {
            #[inline]
            fn exponential(value: Self) -> Self { $scalar::exp(value) }
            #[inline]
            fn logarithm(value: Self) -> Self { $scalar::ln(value) }
            #[inline]
            fn root(value: Self) -> Self { $scalar::sqrt(value) }
            #[inline]
            fn ratio(part: Self, whole: Self) -> Self { device::$ratio(part, whole) }
            fn __expand_ratio(
                scope: &Scope,
                part: NativeExpand<Self>,
                whole: NativeExpand<Self>,
            ) -> NativeExpand<Self> {
                device::$ratio::expand(scope, part, whole)
            }
            #[inline]
            fn of_wide(value: Wide) -> Self { value.high as $scalar * 4294967296.0 + value.low as $scalar }
            #[inline]
            fn missing() -> Self { $scalar::NAN }
            #[inline]
            fn veiled(value: Self, zero: u32) -> Self { device::$veiled(value, zero) }
            fn __expand_missing(scope: &Scope) -> NativeExpand<Self> {
                device::$from_bits::expand(scope, $scalar::NAN.to_bits().into())
            }
            fn __expand_veiled(scope: &Scope, value: NativeExpand<Self>, zero: NativeExpand<u32>) -> NativeExpand<Self> {
                device::$veiled::expand(scope, value, zero)
            }
            #[inline]
            fn of_f32(value: f32) -> Self { $scalar::from(value) }
            #[inline]
            fn constant(value: f64) -> Self { value as $scalar }
        }
    )*};
}

integers!(i32, u32, i64, u64);
floats!(
    f32, is_nan_f32, veiled_f32, from_bits_f32, ratio_f32;
    f64, is_nan_f64, veiled_f64, from_bits_f64, ratio_f64
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_quotient_to_a_few_units_in_the_last_place() {
        for whole in [f32::MIN_POSITIVE, 1e-30, 0.1, 0.999_999_9, 1.0, 1.5, 3.0, 1e10, 1e37] {
            for part in [0.0f32, whole / 3.0, whole / 2.0, whole] {
                let (ratio, quotient) = (f32::ratio(part, whole), part / whole);
                assert!((ratio - quotient).abs() <= 4.0 * f32::EPSILON * quotient, "{part:e} / {whole:e}: {ratio:e}");
            }
        }
        assert_eq!(f64::ratio(5e-324, 1e-323), 0.5);
    }
}
