//! [`Element`] and [`Real`]: the scalars that the catalogue's operators are generic over.
//!
//! CubeCL's own traits for numbers have no host bodies for most functions, and `+` on integers panics in a
//! debug build where a device wraps. The functions here mean the same on both sides.

use cubecl::prelude::*;

use super::State;

/// A scalar with the arithmetic that operators need, the same on the host and on devices.
///
/// Integers wrap. `lesser` and `greater` return a NaN if either operand is one, and `left` on ties.
pub trait Element: Numeric + State + PartialOrd + std::fmt::Display {
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
    /// Whether the value is NaN, by its bits: compilers may assume that comparisons never see one.
    fn is_nan(value: Self) -> bool;
    /// A small integer as this scalar.
    fn whole(value: i64) -> Self;

    #[doc(hidden)]
    fn __expand_is_nan(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<bool>;
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
    /// The constant nearest to `value`.
    fn constant(value: f64) -> Self;
    /// The value as `f64`.
    fn to_f64(self) -> f64;

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
        let right_first = select(T::is_nan(right), right, ordered);
        select(T::is_nan(left), left, right_first)
    }

    #[cube]
    pub fn greater<T: Element>(left: T, right: T) -> T {
        let ordered = select(left >= right, left, right);
        let right_first = select(T::is_nan(right), right, ordered);
        select(T::is_nan(left), left, right_first)
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

macro_rules! integers {
    ($($scalar:ty),*) => {$(
        impl Element for $scalar {
            const HIGHEST: Self = <$scalar>::MAX;
            const LOWEST: Self = <$scalar>::MIN;

            fn plus(left: Self, right: Self) -> Self { left.wrapping_add(right) }
            fn times(left: Self, right: Self) -> Self { left.wrapping_mul(right) }
            fn lesser(left: Self, right: Self) -> Self { Ord::min(left, right) }
            fn greater(left: Self, right: Self) -> Self { Ord::max(left, right) }
            fn is_nan(_: Self) -> bool { false }
            fn whole(value: i64) -> Self { value as $scalar }
            fn __expand_is_nan(_: &Scope, _: NativeExpand<Self>) -> NativeExpand<bool> { false.into() }
        }
    )*};
}

macro_rules! floats {
    ($($scalar:ident, $is_nan:ident);*) => {$(
        impl Element for $scalar {
            const HIGHEST: Self = $scalar::INFINITY;
            const LOWEST: Self = $scalar::NEG_INFINITY;

            fn plus(left: Self, right: Self) -> Self { left + right }
            fn times(left: Self, right: Self) -> Self { left * right }
            fn lesser(left: Self, right: Self) -> Self {
                if left.is_nan() || (!right.is_nan() && left <= right) { left } else { right }
            }
            fn greater(left: Self, right: Self) -> Self {
                if left.is_nan() || (!right.is_nan() && left >= right) { left } else { right }
            }
            fn is_nan(value: Self) -> bool { value.is_nan() }
            fn whole(value: i64) -> Self { value as $scalar }
            fn __expand_is_nan(scope: &Scope, value: NativeExpand<Self>) -> NativeExpand<bool> {
                device::$is_nan::expand(scope, value)
            }
        }

        impl Real for $scalar {
            fn exponential(value: Self) -> Self { $scalar::exp(value) }
            fn logarithm(value: Self) -> Self { $scalar::ln(value) }
            fn root(value: Self) -> Self { $scalar::sqrt(value) }
            fn constant(value: f64) -> Self { value as $scalar }
            fn to_f64(self) -> f64 { f64::from(self) }
        }
    )*};
}

integers!(i32, u32, i64, u64);
floats!(f32, is_nan_f32; f64, is_nan_f64);
