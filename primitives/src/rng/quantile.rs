//! Normal numbers from one word each, by the inverse of the normal distribution function.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

/// 2^−32.
const UNIT: f32 = 2.328_306_4e-10;

/// The normal quantile of `(word + 1/2) / 2^32`, to a relative error of 5e-7: rising with the word, as quasi-random points
/// need it.
///
/// From −6.338 to 6.338, never infinite or NaN; `normal_from(!word)` is `−normal_from(word)`. Distances from the middle and from
/// the nearer end are made of integers, so that neither loses bits. M. J. Wichura, "Algorithm AS 241: the percentage points of
/// the normal distribution", Appl. Statist. 37 (1988), PPND7; its third range is beyond 32 bits.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::rng::normal_from;
///
/// assert!((normal_from(0xf999_9999) - 1.959_964).abs() < 1e-6); // 0.975
/// assert_eq!(normal_from(5), -normal_from(!5));
/// ```
#[cube]
pub fn normal_from(word: u32) -> f32 {
    // The word or its complement, whichever is below one half.
    let mirrored = word ^ 0xffff_ffffu32;
    let near = select(mirrored < word, mirrored, word);
    let middle = ((0x7fff_ffffu32 - near) as f32 + 0.5f32) * UNIT;
    let mut size = of_middle(middle);
    if middle > 0.425f32 {
        size = of_end((near as f32 + 0.5f32) * UNIT);
    }
    select(mirrored < word, size, -size)
}

/// The quantile of `1/2 + middle`, up to 0.425.
#[cube]
fn of_middle(middle: f32) -> f32 {
    let r = 0.180_625f32 - middle * middle;
    let over = ((59.109_375f32 * r + 159.291_13f32) * r + 50.434_27f32) * r + 3.387_132_6f32;
    let under = ((67.187_56f32 * r + 78.757_76f32) * r + 17.895_17f32) * r + 1.0f32;
    middle * over / under
}

/// The quantile of `1 − end`, for an end of at most 0.075.
#[cube]
fn of_end(end: f32) -> f32 {
    let r = (-(end.ln())).sqrt() - 1.6f32;
    let over = ((0.170_238_21f32 * r + 1.306_728_5f32) * r + 2.756_815_4f32) * r + 1.423_437_3f32;
    let under = (0.120_211_33f32 * r + 0.737_001_64f32) * r + 1.0f32;
    over / under
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.special.ndtri((word + 0.5) / 2**32)` of SciPy 1.17.1.
    const TABLE: [(u32, f64); 12] = [
        (0x0000_0000, -6.3379577545537895),
        (0x0000_0001, -6.166429517819751),
        (0x0000_03e8, -5.039851125968712),
        (0x0010_0000, -3.48710397659169),
        (0x0ccc_cccc, -1.6448536276287282),
        (0x1333_3332, -1.4395314720898171),
        (0x1333_3334, -1.439531468800213),
        (0x4000_0000, -0.6744897498297384),
        (0x7fff_fff0, -9.046108056041531e-09),
        (0x7fff_ffff, -2.918099372916623e-10),
        (0x8000_0003, 2.042669561041636e-09),
        (0xf999_9999, 1.959963984141679),
    ];

    #[test]
    fn quantiles_are_scipys_to_five_in_ten_million() {
        for (word, expected) in TABLE {
            let found = f64::from(normal_from(word));
            assert!((found / expected - 1.0).abs() < 5e-7, "{word:#x}: {found} is not {expected}");
            assert_eq!(normal_from(!word), -normal_from(word), "{word:#x}");
        }
    }

    #[test]
    fn quantiles_rise_with_the_word_and_stay_finite() {
        let mut before = f32::NEG_INFINITY;
        let steps = (0..1 << 16).map(|step| step << 16);
        // Where the two formulas meet, 0.425 from the middle, and the last words of either end.
        let seams = (0..4096).flat_map(|step| [322_122_547 - 2048 + step, 3_972_844_748 - 2048 + step, step, !step]);
        let mut words: Vec<u32> = steps.chain(seams).collect();
        words.sort_unstable();
        for word in words {
            let quantile = normal_from(word);
            assert!(quantile.abs() < 6.34, "{word:#x}: {quantile}");
            // A rounding is not yet a fall.
            assert!(quantile >= before - 4e-7 * before.abs(), "{word:#x}: {quantile} after {before}");
            before = quantile;
        }
    }
}
