//! [`Halves`]: 16-bit floats in memory, `f32` items.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use super::{HostView, Source, View, ViewExpand};
use crate::tile::keep;
use crate::{Device, Error, Fixed, Wide};

/// A format of 16-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// IEEE 754's binary16: 5 bits of exponent.
    F16,
    /// The upper half of an `f32`: 8 bits of exponent.
    BF16,
}

/// 16-bit floats, two to a word of the source inside, as the `f32` items that they are exactly: half the memory is read.
///
/// The first of two is in the low half of its word. The bits are taken apart with integers, so that no device needs a feature
/// for it; subnormal numbers, infinities and NaN are kept.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{Device, ops::PlusTimes, views::{Dense, Half, Halves}};
///
/// let words = Halves::packed(&[0x3c00, 0x4000, 0xc200]); // 1, 2 and -3
/// let row = Dense::new(Halves::new(&words, 3, Half::F16)?, 1, 3)?;
/// let column = Dense::new(vec![1.0f32, 10.0, 100.0], 3, 1)?;
/// assert_eq!(Device::host().tiled_gemm(&row, &column, &PlusTimes::new())?.to_vec()?, [-279.0]);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Halves<S> {
    words: S,
    len: u64,
    format: Half,
}

impl Halves<()> {
    /// The words of 16-bit floats that are given by their bits.
    pub fn packed(bits: &[u16]) -> Vec<u32> {
        let word = |pair: &[u16]| u32::from(pair[0]) | pair.get(1).map_or(0, |&high| u32::from(high) << 16);
        bits.chunks(2).map(word).collect()
    }
}

impl<S: Source<Item = u32>> Halves<S> {
    /// `len` floats of a format in the words of a source.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where that is not how many the words hold.
    pub fn new(words: S, len: u64, format: Half) -> Result<Self, Error> {
        let (got, expected) = (words.len(), len.div_ceil(2));
        if got != expected {
            return Err(Error::Length { what: "the source of 16-bit floats", got, expected });
        }
        Ok(Halves { words, len, format })
    }
}

/// The device's half of [`Halves`].
#[derive(Argument)]
pub struct HalvesView<V: View<Item = u32>> {
    words: V,
    format: Fixed<Half>,
}

#[cube]
impl<V: View<Item = u32>> View for HalvesView<V> {
    type Item = f32;

    fn read(&self, index: Wide) -> f32 {
        let word = self.words.read(Wide { low: (index.low >> 1u32) | (index.high << 31u32), high: index.high >> 1u32 });
        widened((word >> ((index.low & 1u32) * 16u32)) & 0xffffu32, comptime!(self.format.0))
    }

    fn read_run(&self, start: Wide, registers: &mut Array<u32>, #[comptime] at: u32, #[comptime] count: u32) {
        if comptime!(count % 2 == 0) {
            let mut words = Array::<u32>::new(comptime!(count as usize / 2));
            let first = Wide { low: (start.low >> 1u32) | (start.high << 31u32), high: start.high >> 1u32 };
            self.words.read_run(first, &mut words, 0u32, comptime!(count / 2));
            #[unroll]
            for pair in 0..comptime!(count / 2) {
                let word = words[comptime!(pair as usize)];
                let (low, high) = (word & 0xffffu32, word >> 16u32);
                keep::<f32>(registers, widened(low, comptime!(self.format.0)), comptime!(at + 2 * pair));
                keep::<f32>(registers, widened(high, comptime!(self.format.0)), comptime!(at + 2 * pair + 1));
            }
        } else {
            #[unroll]
            for item in 0..count {
                let index = crate::wide_add(start, Wide { low: item.runtime(), high: 0u32.runtime() });
                keep::<f32>(registers, self.read(index), comptime!(at + item));
            }
        }
    }
}

/// The float of these 16 bits.
#[cube]
fn widened(bits: u32, #[comptime] format: Half) -> f32 {
    match comptime!(format) {
        Half::F16 => of_binary16(bits),
        Half::BF16 => f32::from_bits(bits << 16u32),
    }
}

/// A subnormal number is its mantissa times 2^-24; others have their exponents moved, that of infinities and NaN to the end.
#[cube]
fn of_binary16(bits: u32) -> f32 {
    let (sign, exponent, mantissa) = ((bits & 0x8000u32) << 16u32, (bits >> 10u32) & 31u32, bits & 0x3ffu32);
    let moved = select(exponent == 31u32, 255u32, exponent + 112u32);
    let small = (mantissa as f32) * 5.960_464_5e-8f32;
    f32::from_bits(sign | select(exponent == 0u32, small.to_bits(), (moved << 23u32) | (mantissa << 13u32)))
}

/// The host's half of [`Halves`].
#[derive(Debug, Clone, Copy)]
pub struct HostHalves<V> {
    words: V,
    format: Half,
}

impl<V: HostView<Item = u32>> HostView for HostHalves<V> {
    type Item = f32;

    fn read(&self, index: u64) -> f32 {
        let word = self.words.read(index / 2);
        widened((word >> (index as u32 % 2 * 16)) & 0xffff, self.format)
    }
}

impl<S: Source<Item = u32>> Source for Halves<S> {
    type Item = f32;
    type View = HalvesView<S::View>;
    type Host<'a>
        = HostHalves<S::Host<'a>>
    where
        Self: 'a;

    fn len(&self) -> u64 {
        self.len
    }

    fn bind(&self, device: &Device, run: u32) -> Result<<Self::View as LaunchArg>::RuntimeArg, Error> {
        let words = if run.is_multiple_of(2) { run / 2 } else { 1 };
        Ok((self.words.bind(device, words)?, Fixed(self.format)))
    }

    fn on_host(&self) -> Result<Self::Host<'_>, Error> {
        Ok(HostHalves { words: self.words.on_host()?, format: self.format })
    }

    fn reads(&self, memory: &Handle) -> bool {
        self.words.reads(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_two_and_the_last_one_may_be_alone() {
        let words = Halves::packed(&[1, 2, 3]);
        assert_eq!(words, [0x0002_0001, 3]);
        let refused = |len| Halves::new(&words, len, Half::F16).map(|halves| halves.len());
        assert_eq!((refused(3), refused(4)), (Ok(3), Ok(4)));
        let error = |expected| Err(Error::Length { what: "the source of 16-bit floats", got: 2, expected });
        assert_eq!((refused(2), refused(5)), (error(1), error(3)));
    }
}
