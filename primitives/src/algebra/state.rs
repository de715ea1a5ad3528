//! [`State`]: a value that a monoid folds, a buffer stores and a plane shuffles.

use cubecl::prelude::*;

/// The words of a state while a kernel is being written: one run-time `u32` each.
pub type WordsExpand = Vec<NativeExpand<u32>>;

/// The 64-bit scalars among the fields of a state; a device must support them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WideFields {
    /// A field is an `f64`.
    pub f64: bool,
    /// A field is an `i64`.
    pub i64: bool,
    /// A field is a `u64`.
    pub u64: bool,
}

/// A scalar, or a struct of states under `#[derive(State)]`, laid out as 32-bit words.
///
/// The words are the fields' bits in order; 64-bit scalars take two, the low one first. That one layout serves
/// buffers, shared memory, plane shuffles and look-back words. Packing and unpacking cost nothing on a device.
pub trait State:
    CubeType<ExpandType: Assign + RuntimeAssign<Expand = Self::ExpandType> + Copy + IntoMut> + Copy + Send + Sync + 'static
{
    /// How many 32-bit words the state takes.
    const WORDS: usize;

    /// Writes the state's words to `words[offset..offset + WORDS]`.
    fn pack(self, words: &mut [u32], offset: usize);

    /// Reads a state from `words[offset..offset + WORDS]`.
    fn unpack(words: &[u32], offset: usize) -> Self;

    /// Adds the 64-bit scalars among the fields to `found`.
    fn wide_fields(found: &mut WideFields);

    /// The largest relative difference of a field: 0 where all are equal (two NaN are), infinite where
    /// integers differ.
    fn gap(self, other: Self) -> f64;

    #[doc(hidden)]
    fn __expand_pack(scope: &Scope, state: Self::ExpandType, words: &mut WordsExpand);

    #[doc(hidden)]
    fn __expand_unpack(scope: &Scope, words: &WordsExpand, offset: usize) -> Self::ExpandType;
}

/// The words of a state, in a kernel.
pub fn words_of<S: State>(state: S) -> Sequence<u32> {
    let mut words = vec![0; S::WORDS];
    state.pack(&mut words, 0);
    let mut sequence = Sequence::new();
    words.into_iter().for_each(|word| sequence.push(word));
    sequence
}

#[doc(hidden)]
pub mod words_of {
    use super::*;

    pub fn expand<S: State>(scope: &Scope, state: S::ExpandType) -> SequenceExpand<u32> {
        let mut words = Vec::with_capacity(S::WORDS);
        S::__expand_pack(scope, state, &mut words);
        let mut sequence = Sequence::<u32>::__expand_new(scope);
        words.into_iter().for_each(|word| sequence.__expand_push_method(scope, word));
        sequence
    }
}

/// The state that `words` hold, in a kernel.
pub fn state_of<S: State>(words: &Sequence<u32>) -> S {
    let words: Vec<u32> = (0..S::WORDS).map(|word| *words.index(word)).collect();
    S::unpack(&words, 0)
}

#[doc(hidden)]
pub mod state_of {
    use super::*;

    pub fn expand<S: State>(scope: &Scope, words: &SequenceExpand<u32>) -> S::ExpandType {
        let words =
            (0..S::WORDS).map(|word| words.__expand_index_method(scope, word.into()).clone_unchecked()).collect();
        S::__expand_unpack(scope, &words, 0)
    }
}

#[cube]
fn low_word(bits: u64) -> u32 {
    bits as u32
}

#[cube]
fn high_word(bits: u64) -> u32 {
    (bits >> 32u64) as u32
}

#[cube]
fn joined(low: u32, high: u32) -> u64 {
    (low as u64) | ((high as u64) << 32u64)
}

/// A scalar of one word, by the bit cast CubeCL has for it.
macro_rules! one_word {
    ($scalar:ty, $to_word:expr, $from_word:expr, $gap:expr) => {
        impl State for $scalar {
            const WORDS: usize = 1;

            #[inline]
            fn pack(self, words: &mut [u32], offset: usize) {
                words[offset] = $to_word(self);
            }
            #[inline]
            fn unpack(words: &[u32], offset: usize) -> Self {
                $from_word(words[offset])
            }
            fn wide_fields(_: &mut WideFields) {}
            fn gap(self, other: Self) -> f64 {
                $gap(self, other)
            }
            fn __expand_pack(scope: &Scope, state: Self::ExpandType, words: &mut WordsExpand) {
                let value: NativeExpand<$scalar> = state.__expand_deref_method(scope);
                words.push(<u32 as Reinterpret>::__expand_reinterpret::<$scalar>(scope, value));
            }
            fn __expand_unpack(scope: &Scope, words: &WordsExpand, offset: usize) -> Self::ExpandType {
                let word = words[offset].__expand_deref_method(scope);
                <$scalar as Reinterpret>::__expand_reinterpret::<u32>(scope, word)
            }
        }
    };
}

/// A scalar of two words, through its 64 bits.
macro_rules! two_words {
    ($scalar:ty, $wide:ident, $to_bits:expr, $from_bits:expr, $gap:expr) => {
        impl State for $scalar {
            const WORDS: usize = 2;

            #[inline]
            fn pack(self, words: &mut [u32], offset: usize) {
                let bits: u64 = $to_bits(self);
                words[offset] = bits as u32;
                words[offset + 1] = (bits >> 32) as u32;
            }
            #[inline]
            fn unpack(words: &[u32], offset: usize) -> Self {
                $from_bits(u64::from(words[offset]) | (u64::from(words[offset + 1]) << 32))
            }
            fn wide_fields(found: &mut WideFields) {
                found.$wide = true;
            }
            fn gap(self, other: Self) -> f64 {
                $gap(self, other)
            }
            fn __expand_pack(scope: &Scope, state: Self::ExpandType, words: &mut WordsExpand) {
                let value: NativeExpand<$scalar> = state.__expand_deref_method(scope);
                let bits = <u64 as Reinterpret>::__expand_reinterpret::<$scalar>(scope, value);
                words.push(low_word::expand(scope, bits.clone_unchecked()));
                words.push(high_word::expand(scope, bits));
            }
            fn __expand_unpack(scope: &Scope, words: &WordsExpand, offset: usize) -> Self::ExpandType {
                let low = words[offset].__expand_deref_method(scope);
                let high = words[offset + 1].__expand_deref_method(scope);
                let bits = joined::expand(scope, low, high);
                <$scalar as Reinterpret>::__expand_reinterpret::<u64>(scope, bits)
            }
        }
    };
}

fn exact_gap<T: PartialEq>(left: T, right: T) -> f64 {
    if left == right { 0.0 } else { f64::INFINITY }
}

fn relative_gap(left: f64, right: f64) -> f64 {
    if left == right || (left.is_nan() && right.is_nan()) {
        return 0.0;
    }
    let gap = (left - right).abs() / left.abs().max(right.abs());
    if gap.is_nan() { f64::INFINITY } else { gap }
}

one_word!(u32, |word: u32| word, |word: u32| word, exact_gap);
one_word!(i32, |value: i32| value.cast_unsigned(), u32::cast_signed, exact_gap);
one_word!(f32, f32::to_bits, f32::from_bits, |left: f32, right: f32| {
    relative_gap(f64::from(left), f64::from(right))
});
two_words!(u64, u64, |bits: u64| bits, |bits: u64| bits, exact_gap);
two_words!(i64, i64, |value: i64| value.cast_unsigned(), u64::cast_signed, exact_gap);
two_words!(f64, f64, |value: f64| value.to_bits(), f64::from_bits, relative_gap);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_survive_packing() {
        let mut words = [0; 4];
        (-1.5f64).pack(&mut words, 1);
        assert_eq!(f64::unpack(&words, 1), -1.5);
        (-7i32).pack(&mut words, 3);
        assert_eq!(i32::unpack(&words, 3), -7);
        i64::MIN.pack(&mut words, 0);
        assert_eq!(i64::unpack(&words, 0), i64::MIN);
    }

    #[test]
    fn a_gap_is_relative_for_floats_and_all_or_nothing_for_integers() {
        assert_eq!(2.0f32.gap(2.0), 0.0);
        assert_eq!(f32::NAN.gap(f32::NAN), 0.0);
        assert_eq!(f32::NAN.gap(1.0), f64::INFINITY);
        assert!((4.0f64.gap(5.0) - 0.2).abs() < 1e-15);
        assert_eq!(3u32.gap(4), f64::INFINITY);
    }
}
