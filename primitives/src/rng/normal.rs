//! Uniform and normal numbers from words of random bits.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

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
/// The radius reaches 6.7: its tail is not cut at the 24 bits of an f32. The angle stays within [−π, π], where WGSL
/// bounds the error of sine and cosine. Never infinite or NaN.
#[cube]
pub fn normal_pair(radius_word: u32, angle_word: u32) -> NormalPair {
    let radius = (-2.0f32 * uniform(radius_word).ln()).sqrt();
    // The largest f32 below π, over 2^31.
    let angle = (angle_word as i32) as f32 * 1.462_918e-9f32;
    NormalPair { first: radius * angle.cos(), second: radius * angle.sin() }
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
    fn the_extremes_are_finite_and_the_angle_stays_within_pi() {
        for radius in [0, 1, u32::MAX] {
            for angle in [0, 1, i32::MIN.cast_unsigned(), i32::MAX.cast_unsigned(), u32::MAX] {
                let pair = normal_pair(radius, angle);
                assert!(pair.first.is_finite() && pair.second.is_finite());
                assert!(pair.first.abs() < 6.8 && pair.second.abs() < 6.8);
            }
        }
        assert!(f64::from(i32::MIN as f32 * 1.462_918e-9f32) >= -std::f64::consts::PI);
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
