//! Uniform and normal numbers from words of random bits.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

use crate::wrapping_add;

/// Two independent standard normal numbers.
#[derive(Debug, Clone, Copy, PartialEq, cubefold_derive::State)]
pub struct NormalPair {
    /// The first.
    pub first: f32,
    /// The second.
    pub second: f32,
}

/// A uniform number in (0, 1] from 32 random bits: `(word + 1/2) / 2^32`, so that small values keep all their bits.
/// Never 0.
#[cube]
#[inline(always)] // as the others: in loops that become vectors
pub fn uniform(word: u32) -> f32 {
    (word as f32 + 0.5f32) * 2.328_306_4e-10f32
}

/// Two standard normal numbers from two words (Box and Muller 1958), each to 4e-7 of the radius.
///
/// The radius reaches 6.7: its tail is not cut at the 24 bits of an f32. Never infinite or NaN. Logarithm, root, sine and cosine
/// are minimax polynomials on ranges that integers reduce to exactly: no device's own function or bound of error matters, and
/// nothing branches. The first two have the leading coefficient 1, which saves a step; the last two make up for it.
#[cube]
#[inline(always)]
pub fn normal_pair(radius_word: u32, angle_word: u32) -> NormalPair {
    let radius = root(minus_two_ln(radius_word));
    // The first bit turns the point by half a turn; the others are its angle, within a quarter of the first axis.
    let signed = f32::from_bits(radius.to_bits() ^ (angle_word & 0x8000_0000u32));
    let quarters = ((angle_word << 1u32) as i32) as f32 * 4.656_613e-10f32;
    let square = quarters * quarters;
    NormalPair { first: signed * cosine(square), second: signed * (sine(square) * quarters) }
}

/// `−2 ln u / 0.31381310` for the uniform number of a word.
///
/// As `−2 e ln 2 − 2 ln(1 + f)`, where `u = 2^e (1 + f)` and `f` lies in [−1/3, 1/3).
#[cube]
#[inline(always)]
fn minus_two_ln(word: u32) -> f32 {
    // Less the bits of 2^32 · 2/3, modulo 2^32: the exponent is above the 23 bits of the fraction.
    let from_two_thirds = wrapping_add((word as f32 + 0.5f32).to_bits(), 0xb0d5_5555u32);
    let exponent = ((from_two_thirds & 0xff80_0000u32) as i32) as f32;
    let f = f32::from_bits((from_two_thirds & 0x007f_ffffu32) + 0x3f2a_aaabu32) - 1.0f32;
    let mut p = f - 1.082_970_5f32;
    p = p * f + 1.042_699_7f32;
    p = p * f - 1.263_035f32;
    p = p * f + 1.593_977_7f32;
    p = p * f - 2.124_624_3f32;
    p = p * f + 3.186_604_3f32;
    p = p * f - 6.373_220_4f32;
    exponent * -5.266_165_3e-7f32 + f * p
}

/// `√x / 0.27541654`, 0 for 0: a guess by the bits, and what it is off by as a polynomial.
#[cube]
#[inline(always)]
fn root(x: f32) -> f32 {
    let guess = f32::from_bits(0x5f37_5a86u32 - (x.to_bits() >> 1u32));
    let near = x * guess;
    // Within 0.07 of 0: the root is `near · (1 − off)^(−1/2)`.
    let off = 1.0f32 - near * guess;
    let mut p = off + 1.140_237f32;
    p = p * off + 1.361_557_4f32;
    p = p * off + 1.815_425f32;
    p = p * off + 3.630_864f32;
    near * p
}

/// `0.15428566 cos(x π/2)` given `x²` in [0, 1]: the factor is 0.27541654 √0.31381310.
#[cube]
#[inline(always)]
fn cosine(square: f32) -> f32 {
    let mut p = 1.324_065_1e-4f32 * square - 3.210_781_4e-3f32;
    p = p * square + 3.913_467_4e-2f32;
    p = p * square - 0.190_341_93f32;
    p * square + 0.154_285_65f32
}

/// `0.15428566 sin(x π/2) / x` given `x²` in [0, 1].
#[cube]
#[inline(always)]
fn sine(square: f32) -> f32 {
    let mut p = 2.326_945e-5f32 * square - 7.208_577_6e-4f32;
    p = p * square + 1.229_479e-2f32;
    p = p * square - 9.966_289e-2f32;
    p * square + 0.242_351_34f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Random, philox};

    #[test]
    fn a_uniform_number_is_never_zero_and_never_above_one() {
        assert!(uniform(0) > 0.0);
        assert!(uniform(u32::MAX) <= 1.0);
    }

    #[test]
    fn words_lie_on_the_circle_where_sine_and_cosine_say() {
        // Where the radius is 1: exp(−1/2) of the way.
        let one = (4_294_967_296.0 * (-0.5f64).exp()) as u32;
        let words = (0..1 << 16).map(|step| step << 16).chain((0..1 << 12).map(|step| (1 << 30) - 2048 + step));
        for word in words.chain([0, 1, u32::MAX, 1 << 30, 1 << 31, 3 << 30]) {
            let turn = (f64::from((word << 1) as i32) / 4_294_967_296.0 + f64::from(word >> 31)) * std::f64::consts::PI;
            let point = normal_pair(one, word);
            assert!((f64::from(point.first) - turn.cos()).abs() < 4e-7, "{word:#x}");
            assert!((f64::from(point.second) - turn.sin()).abs() < 4e-7, "{word:#x}");
        }
    }

    #[test]
    fn radii_are_roots_of_the_logarithm() {
        let words = (0..1 << 16).map(|step| step << 16).chain((0..32).map(|bit| 1 << bit));
        for word in words.chain([3, u32::MAX, u32::MAX - 200, u32::MAX - 4000, 0xaaaa_aaaa, 0xaaaa_ab00]) {
            let (got, exact) = (f64::from(root(minus_two_ln(word))), (-2.0 * f64::from(uniform(word)).ln()).sqrt());
            assert!((0.154_285_658 * got - exact).abs() <= 3e-7 * exact, "{word:#x}: {got} {exact}");
        }
        assert_eq!(root(minus_two_ln(u32::MAX)), 0.0);
    }

    #[test]
    fn the_extremes_are_finite() {
        for radius in [0, 1, u32::MAX] {
            for angle in [0, 1, i32::MIN.cast_unsigned(), i32::MAX.cast_unsigned(), u32::MAX] {
                let pair = normal_pair(radius, angle);
                assert!(pair.first.is_finite() && pair.second.is_finite());
                assert!(pair.first.abs() < 6.8 && pair.second.abs() < 6.8);
            }
        }
    }

    #[test]
    fn a_million_normals_have_the_moments_of_the_normal() {
        let mut sums = [0.0f64; 4];
        let draws = 1 << 20;
        for index in 0..draws / 4 {
            let words = philox(Key { low: 7, high: 0 }, Random { a: index, b: 0, c: 0, d: 0 });
            for pair in [normal_pair(words.a, words.b), normal_pair(words.c, words.d)] {
                for value in [pair.first, pair.second].map(f64::from) {
                    (0..4).for_each(|power| sums[power] += value.powi(power as i32 + 1));
                }
            }
        }
        // Standard errors of the first four moments: sqrt(1, 2, 15, 96) / sqrt(n).
        for (power, (expected, variance)) in [(0.0, 1.0), (1.0, 2.0), (0.0, 15.0), (3.0, 96.0f64)].iter().enumerate() {
            let error = (variance / f64::from(draws)).sqrt();
            let moment = sums[power] / f64::from(draws);
            assert!((moment - expected).abs() < 5.0 * error, "moment {}: {moment}", power + 1);
        }
    }
}
