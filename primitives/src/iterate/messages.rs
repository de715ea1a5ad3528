//! Messages: what each cube that stays tells all others of a step.
//!
//! The bits of a message travel in atomics, the same number in each, under a tag of two bits that says of which step they are: an
//! atomic with another tag is not there yet. Hence no flag, no fence and no clearing, and it is right under any memory model.
//!
//! Two sets of messages take turns, and a cube posts one of a set only after it has heard what all others posted in the other set
//! since. So a reader finds in a set what it waits for, or what it was two steps before, or, at first, zeros: as each atomic is read by
//! the same unit at every step, nothing older. The tags 1, 2 and 3 in turn tell these apart.
//!
//! | form | bits in an atomic | needs |
//! |---|---|---|
//! | [`Narrow`] | 30 | 32-bit atomics |
//! | [`Broad`] | 62 | 64-bit atomics |
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubefold_derive::Argument;

use crate::Both;
use crate::device::argument;
use crate::views::both;

/// Bits of an atomic's upper word that are not its tag.
const UPPER: u32 = 30;

/// Memory for messages.
#[cube]
pub trait Messages: Form + LaunchArg + Send + Sync {
    /// Stores an atomic of a lower and an upper word.
    fn post(&mut self, place: u32, lower: u32, upper: u32);

    /// The atomic's lower and upper word.
    fn look(&self, place: u32) -> Both<u32, u32>;
}

/// A form of messages and how its memory is bound.
pub trait Form: LaunchArg {
    /// Bits of a message in an atomic: those of the upper word, or of both.
    const BITS: u32;

    /// Binds so many 32-bit words of memory.
    fn argument(handle: Handle, words: u64) -> Self::RuntimeArg;

    /// Atomics of a message of `words` words.
    fn atomics(words: u32) -> u32 {
        (32 * words).div_ceil(Self::BITS)
    }

    /// 32-bit words of memory for so many atomics.
    fn memory(atomics: u64) -> u64 {
        atomics * u64::from(Self::BITS.div_ceil(32))
    }
}

/// 32-bit atomics, which have no lower word.
#[derive(Argument)]
pub struct Narrow {
    atomics: Box<[Atomic<u32>]>,
}

impl Form for Narrow {
    const BITS: u32 = UPPER;

    fn argument(handle: Handle, words: u64) -> Self::RuntimeArg {
        (argument(handle, words as usize),)
    }
}

#[cube]
impl Messages for Narrow {
    fn post(&mut self, place: u32, _lower: u32, upper: u32) {
        self.atomics[place as usize].store(upper);
    }

    fn look(&self, place: u32) -> Both<u32, u32> {
        both::<u32, u32>(0u32.runtime(), self.atomics[place as usize].load())
    }
}

/// 64-bit atomics.
#[derive(Argument)]
pub struct Broad {
    atomics: Box<[Atomic<u64>]>,
}

impl Form for Broad {
    const BITS: u32 = 32 + UPPER;

    fn argument(handle: Handle, words: u64) -> Self::RuntimeArg {
        (argument(handle, words as usize / 2),)
    }
}

#[cube]
impl Messages for Broad {
    fn post(&mut self, place: u32, lower: u32, upper: u32) {
        self.atomics[place as usize].store((lower as u64) | ((upper as u64) << 32u64));
    }

    fn look(&self, place: u32) -> Both<u32, u32> {
        let bits = self.atomics[place as usize].load();
        both::<u32, u32>(bits as u32, (bits >> 32u64) as u32)
    }
}

/// Where the messages of a step lie: atomic `a` of slot `s` at `first + a · pitch + s`, so that neighbouring units look at
/// neighbouring memory.
#[derive(CubeType, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Turn {
    first: u32,
    tag: u32,
}

/// Where the messages of a launch's step `step`, counted from 0, lie: of `words` words each, in slots of which a set has `pitch`.
#[cube]
pub fn turn<M: Messages>(step: u32, #[comptime] pitch: u32, #[comptime] words: u32) -> Turn {
    Turn { first: step % 2u32 * comptime!(pitch * M::atomics(words)), tag: step / 2u32 % 3u32 + 1u32 }
}

/// Posts a message in a slot.
#[cube]
pub fn tell<M: Messages>(
    messages: &mut M,
    turn: Turn,
    slot: u32,
    message: &Array<u32>,
    #[comptime] pitch: u32,
    #[comptime] words: u32,
) {
    #[unroll]
    for atomic in 0..comptime!(M::atomics(words)) {
        let start = comptime!(atomic * M::BITS);
        let mut lower = 0u32.runtime();
        if comptime!(M::BITS > UPPER) {
            lower = bits(message, start, 32u32, words);
        }
        let upper = bits(message, comptime!(start + M::BITS - UPPER), UPPER, words) | (turn.tag << UPPER);
        messages.post(turn.first + comptime!(atomic * pitch) + slot, lower, upper);
    }
}

/// Looks at a slot once: puts the message into `found`, from word `at` on. 1 if all of it is there, else 0.
#[cube]
pub fn hear<M: Messages>(
    messages: &M,
    turn: Turn,
    slot: u32,
    found: &mut Array<u32>,
    #[comptime] at: u32,
    #[comptime] pitch: u32,
    #[comptime] words: u32,
) -> u32 {
    #[unroll]
    for word in 0..words {
        found[comptime!((at + word) as usize)] = 0u32.runtime();
    }
    let mut there = 1u32;
    #[unroll]
    for atomic in 0..comptime!(M::atomics(words)) {
        let start = comptime!(atomic * M::BITS);
        let seen = messages.look(turn.first + comptime!(atomic * pitch) + slot);
        if comptime!(M::BITS > UPPER) {
            put(found, seen.left, at, start, words);
        }
        put(found, seen.right & comptime!((1u32 << UPPER) - 1), at, comptime!(start + M::BITS - UPPER), words);
        there &= select(seen.right >> UPPER == turn.tag, 1u32, 0u32);
    }
    there
}

/// `count` bits of a message of `words` words, from bit `start` on; zeros past its end.
#[cube]
fn bits(message: &Array<u32>, #[comptime] start: u32, #[comptime] count: u32, #[comptime] words: u32) -> u32 {
    let word = comptime!(start / 32);
    let shift = comptime!(start % 32);
    let mut found = 0u32.runtime();
    if comptime!(word < words) {
        found = message[comptime!(word as usize)] >> shift;
    }
    if comptime!(shift + count > 32 && word + 1 < words) {
        found |= message[comptime!((word + 1) as usize)] << comptime!(32 - shift);
    }
    found & comptime!(u32::MAX >> (32 - count))
}

/// Puts bits, of which those past the count are zeros, into a message of `words` words at `at` that has zeros there, from bit `start`
/// on.
#[cube]
fn put(found: &mut Array<u32>, bits: u32, #[comptime] at: u32, #[comptime] start: u32, #[comptime] words: u32) {
    let word = comptime!(start / 32);
    let shift = comptime!(start % 32);
    if comptime!(word < words) {
        found[comptime!((at + word) as usize)] |= bits << shift;
    }
    if comptime!(shift > 0 && word + 1 < words) {
        found[comptime!((at + word + 1) as usize)] |= bits >> comptime!(32 - shift);
    }
}
