//! PCG32: M. E. O'Neill, "PCG: a family of simple fast space-efficient statistically good algorithms for random number
//! generation", Harvey Mudd College HMC-CS-2014-0905 (2014); the variant XSH RR 64/32.
//!
//! A step is the affine map `s -> multiplier s + increment` modulo 2^64, and so is any power of it: Brown, "Random Number
//! Generation with Arbitrary Strides" (1994). Streams that differ in the increment alone may be correlated; for independent
//! ones take [`philox()`](super::philox()).
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

use crate::{Wide, wide_add, wide_mul};

/// The multiplier, 6364136223846793005: Knuth's, "The Art of Computer Programming" 3.3.4.
const MULTIPLIER: [u32; 2] = [0x4c95_7f2d, 0x5851_f42d];

/// A generator as a value: its next word and where it goes from there. Bits are those of `rand_pcg::Pcg32`, on every device and
/// the host.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::rng::Pcg32;
///
/// let start = Pcg32::new(42, 54);
/// assert_eq!(start.word(), 0xa15c_02b7);
/// assert_eq!(start.next().word(), 0x7b47_f409);
/// // Any draw is reached at once.
/// assert_eq!(start.after(5u64.into()).word(), 0xcbed_606e);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, cubefold_derive::State)]
pub struct Pcg32 {
    /// The state that the next word comes from.
    pub state: Wide,
    /// What a step adds; odd.
    pub increment: Wide,
}

impl Pcg32 {
    /// The generator of a seed and a stream, of which the highest bit is not used; the host's way to [`pcg32_stream()`].
    pub fn new(seed: u64, stream: u64) -> Self {
        pcg32_stream(seed.into(), stream.into())
    }
}

/// The generator of a seed and a stream, of which the highest bit is not used.
#[cube]
pub fn pcg32_stream(seed: Wide, stream: Wide) -> Pcg32 {
    let increment = Wide { low: (stream.low << 1u32) | 1u32, high: (stream.high << 1u32) | (stream.low >> 31u32) };
    Pcg32 { state: wide_add(seed, increment), increment }.next()
}

#[cube]
impl Pcg32 {
    /// The next word, which leaves the generator as it is.
    pub fn word(&self) -> u32 {
        let low = self.state.low ^ ((self.state.low >> 18u32) | (self.state.high << 14u32));
        let high = self.state.high ^ (self.state.high >> 18u32);
        let mixed = (low >> 27u32) | (high << 5u32);
        let turn = self.state.high >> 27u32;
        // A turn by 0 is one by 32, whose shift would be undefined.
        (mixed >> turn) | (mixed << ((32u32 - turn) & 31u32))
    }

    /// The generator one word later.
    pub fn next(&self) -> Pcg32 {
        let scaled = wide_mul(self.state, multiplier());
        Pcg32 { state: wide_add(scaled, self.increment), increment: self.increment }
    }

    /// The generator `words` words later: at most 64 squarings of the step, whatever their number.
    pub fn after(&self, words: Wide) -> Pcg32 {
        let mut state = self.state;
        // The step's power of 2^k, as a map.
        let mut scale = multiplier();
        let mut shift = self.increment;
        let mut rest = words;
        while (rest.low | rest.high) != 0u32 {
            if (rest.low & 1u32) == 1u32 {
                // Powers of one map commute.
                state = wide_add(wide_mul(scale, state), shift);
            }
            shift = wide_add(wide_mul(scale, shift), shift);
            scale = wide_mul(scale, scale);
            rest = Wide { low: (rest.low >> 1u32) | (rest.high << 31u32), high: rest.high >> 1u32 };
        }
        Pcg32 { state, increment: self.increment }
    }
}

#[cube]
fn multiplier() -> Wide {
    Wide { low: comptime!(MULTIPLIER[0]).runtime(), high: comptime!(MULTIPLIER[1]).runtime() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Affine, AffineMap};
    use crate::power;

    /// Known answers of the author's library, `pcg32-demo` of pcg-c-basic.
    #[test]
    fn the_known_answers_come_out() {
        let known = [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
        let mut generator = Pcg32::new(42, 54);
        for (index, word) in known.into_iter().enumerate() {
            assert_eq!((generator.word(), Pcg32::new(42, 54).after((index as u64).into())), (word, generator));
            generator = generator.next();
        }
    }

    #[test]
    fn a_jump_is_a_power_of_the_step() {
        let start = Pcg32::new(7, u64::MAX);
        let step = AffineMap { scale: 0x5851_f42d_4c95_7f2du64, shift: start.increment.into() };
        for words in [0, 1, 2, 3, 1000, u64::from(u32::MAX), 1 << 32, 0x0123_4567_89ab_cdef, u64::MAX] {
            let map = power(&Affine::<u64>::new(), step, words);
            let state = map.scale.wrapping_mul(start.state.into()).wrapping_add(map.shift);
            assert_eq!(u64::from(start.after(words.into()).state), state, "{words} words");
        }
    }
}
