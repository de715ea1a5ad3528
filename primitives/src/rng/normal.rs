//! Uniform and normal numbers from words of random bits.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

use crate::{wrapping_add, wrapping_mul};

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
pub fn uniform(word: u32) -> f32 {
    (word as f32 + 0.5f32) * 2.328_306_4e-10f32
}

/// Two standard normal numbers from two words (Box and Muller 1958).
///
/// The radius reaches 6.7: its tail is not cut at the 24 bits of an f32. Never infinite or NaN.
#[cube]
pub fn normal_pair(radius_word: u32, angle_word: u32) -> NormalPair {
    let radius = (-2.0f32 * uniform(radius_word).ln()).sqrt();
    let point = on_circle(angle_word);
    NormalPair { first: radius * point.first, second: radius * point.second }
}

/// Cosine and sine of `word / 2^32` turns, to 1e-7.
///
/// The word is cut to the nearest quarter turn exactly, as an integer, and what is left is at most an eighth: no device's own
/// reduction or bound of error matters, and nothing branches. Polynomials: S. L. Moshier, Cephes, `sinf.c` (1985).
#[cube]
fn on_circle(word: u32) -> NormalPair {
    let quarter = wrapping_add(word, comptime!(1u32 << 29).runtime()) >> 30u32;
    // Less the quarters: −2^30 is 2^31 + 2^30 modulo 2^32.
    let rest = wrapping_add(word, wrapping_mul(quarter, comptime!(3u32 << 30).runtime()));
    let angle = (rest as i32) as f32 * 1.462_918_1e-9f32;
    let square = angle * angle;
    let sine = ((-1.951_529_6e-4f32 * square + 8.332_161e-3f32) * square - 1.666_665_5e-1f32) * square * angle + angle;
    let cosine = ((2.443_315_7e-5f32 * square - 1.388_731_6e-3f32) * square + 4.166_664_6e-2f32) * square * square
        - 0.5f32 * square
        + 1.0f32;
    let odd = quarter % 2u32 == 1u32;
    let (across, up) = (select(odd, sine, cosine), select(odd, cosine, sine));
    NormalPair {
        first: select((quarter + 1u32) & 2u32 != 0u32, -across, across),
        second: select(quarter & 2u32 != 0u32, -up, up),
    }
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
        let words = (0..1 << 16).map(|step| step << 16).chain((0..1 << 12).map(|step| (1 << 29) - 2048 + step));
        for word in words.chain([0, 1, u32::MAX, 1 << 29, 3 << 29, 5 << 29, 7 << 29]) {
            let turn = f64::from(word) / 4_294_967_296.0 * std::f64::consts::TAU;
            let point = on_circle(word);
            assert!((f64::from(point.first) - turn.cos()).abs() < 1.2e-7, "{word:#x}");
            assert!((f64::from(point.second) - turn.sin()).abs() < 1.2e-7, "{word:#x}");
        }
        assert_eq!([0, 1 << 30, 1 << 31, 3 << 30].map(|word| on_circle(word).first), [1.0, 0.0, -1.0, 0.0]);
        assert_eq!([0, 1 << 30, 1 << 31, 3 << 30].map(|word| on_circle(word).second), [0.0, 1.0, 0.0, -1.0]);
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
