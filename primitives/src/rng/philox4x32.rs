//! Philox4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

use crate::{multiply_high, wrapping_add, wrapping_mul};

/// The multipliers of a round.
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// What the key grows by after a round: the golden ratio, and the square root of 3 less 1.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// A key of 64 bits: the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, cubefold_derive::State)]
pub struct Key {
    /// The low word.
    pub low: u32,
    /// The high word.
    pub high: u32,
}

/// Four independent words of 32 random bits; or a counter, their address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, cubefold_derive::State)]
pub struct Random {
    /// Word 0.
    pub a: u32,
    /// Word 1.
    pub b: u32,
    /// Word 2.
    pub c: u32,
    /// Word 3.
    pub d: u32,
}

/// The four words at `counter` under `key`. Bits are the same on every device and the host.
///
/// Ten rounds of two 32 × 32 → 64 multiplications.
#[cube]
#[inline(always)] // in loops that become vectors
pub fn philox(key: Key, counter: Random) -> Random {
    let mut words = counter;
    let mut key = key;
    #[unroll]
    for round in 0..10u32 {
        if comptime!(round > 0) {
            key = Key {
                low: wrapping_add(key.low, comptime!(WEYL[0]).runtime()),
                high: wrapping_add(key.high, comptime!(WEYL[1]).runtime()),
            };
        }
        words = round_of(words, key);
    }
    words
}

#[cube]
#[inline(always)]
fn round_of(words: Random, key: Key) -> Random {
    let first = comptime!(MULTIPLIERS[0]).runtime();
    let second = comptime!(MULTIPLIERS[1]).runtime();
    Random {
        a: multiply_high(second, words.c) ^ words.b ^ key.low,
        b: wrapping_mul(second, words.c),
        c: multiply_high(first, words.a) ^ words.d ^ key.high,
        d: wrapping_mul(first, words.a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the authors' library, Random123 `kat_vectors`.
    #[test]
    fn the_known_answers_come_out() {
        let words = |key: [u32; 2], counter: [u32; 4]| {
            let [a, b, c, d] = counter;
            let random = philox(Key { low: key[0], high: key[1] }, Random { a, b, c, d });
            [random.a, random.b, random.c, random.d]
        };
        assert_eq!(words([0, 0], [0; 4]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            words([0xa409_3822, 0x299f_31d0], [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
        assert_eq!(words([u32::MAX; 2], [u32::MAX; 4]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }
}
