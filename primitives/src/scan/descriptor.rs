//! Descriptors: what a tile publishes for later tiles.
//!
//! A tile's own fold and the prefix of an anchor have slots of their own, so that words of the two never mix. A word of
//! payload travels with the tag of the call: a word with another call's tag is a word not yet there. Hence no flag, no
//! fence and no clearing pass, and it is right under any memory model. All writers of a slot write the same bits.
//!
//! | form | a word of payload is | calls told apart | needs |
//! |---|---|---|---|
//! | [`Halves`] | two atomics of 16 bits payload under a tag of 16 bits | 65,535 | 32-bit atomics |
//! | [`Wholes`] | one atomic of 32 bits payload under a tag of 32 bits | 2^31 | 64-bit atomics |
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;
use cubefold_derive::Argument;

use crate::views::both;
use crate::{Both, State, words_of};

/// 32-bit words of memory for one word of payload, in either form.
pub const MEMORY: usize = 2;

/// Words of payload that tiles leave for one another.
#[cube]
pub trait Descriptors: Tags + LaunchArg + Send + Sync {
    /// Publishes a word.
    fn post(&mut self, word: u32, payload: u32, tag: u32);

    /// The word's payload, and whether it is of this call: 1 or 0.
    fn look(&self, word: u32, tag: u32) -> Both<u32, u32>;
}

/// How many calls a form tells apart.
pub trait Tags {
    /// Calls before descriptors must be cleared.
    const TAGS: u32;
}

/// Two 32-bit atomics a word.
#[derive(Argument)]
pub struct Halves {
    words: Box<[Atomic<u32>]>,
}

impl Tags for Halves {
    const TAGS: u32 = 0xffff;
}

#[cube]
impl Descriptors for Halves {
    fn post(&mut self, word: u32, payload: u32, tag: u32) {
        let place = word as usize * 2;
        self.words[place].store((tag << 16u32) | (payload & 0xffffu32));
        self.words[place + 1].store((tag << 16u32) | (payload >> 16u32));
    }

    fn look(&self, word: u32, tag: u32) -> Both<u32, u32> {
        let place = word as usize * 2;
        let low = self.words[place].load();
        let high = self.words[place + 1].load();
        let differs = ((low >> 16u32) ^ tag) | ((high >> 16u32) ^ tag);
        both::<u32, u32>((low & 0xffffu32) | (high << 16u32), select(differs == 0u32, 1u32, 0u32))
    }
}

/// One 64-bit atomic a word.
#[derive(Argument)]
pub struct Wholes {
    words: Box<[Atomic<u64>]>,
}

impl Tags for Wholes {
    const TAGS: u32 = 0x7fff_ffff;
}

#[cube]
impl Descriptors for Wholes {
    fn post(&mut self, word: u32, payload: u32, tag: u32) {
        self.words[word as usize].store((payload as u64) | ((tag as u64) << 32u64));
    }

    fn look(&self, word: u32, tag: u32) -> Both<u32, u32> {
        let bits = self.words[word as usize].load();
        let found = (bits >> 32u64) as u32;
        both::<u32, u32>(bits as u32, select(found == tag, 1u32, 0u32))
    }
}

/// Where descriptors lie: word `w` of slot `s` at `w · slots + s`, so that neighbouring units look at neighbouring words.
#[derive(CubeType, CubeLaunch, Clone, Copy)]
#[expand(derive(Clone, Copy))]
pub struct Slots {
    /// How many there are.
    pub count: u32,
    /// The call.
    pub tag: u32,
}

/// Publishes a state in a slot.
#[cube]
pub fn publish<S: State, D: Descriptors>(descriptors: &mut D, slots: Slots, slot: u32, state: S) {
    let words = words_of::<S>(state);
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        descriptors.post(comptime!(word as u32) * slots.count + slot, words[word], slots.tag);
    }
}

/// Looks at a slot once: puts the state's words into `found`, as item `at`. 1 if they are all there, else 0.
#[cube]
pub fn look<S: State, D: Descriptors>(
    descriptors: &D,
    slots: Slots,
    slot: u32,
    found: &mut Array<u32>,
    #[comptime] at: u32,
) -> u32 {
    let mut there = 1u32;
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        let seen = descriptors.look(comptime!(word as u32) * slots.count + slot, slots.tag);
        found[comptime!(at as usize * S::WORDS + word)] = seen.left;
        there &= seen.right;
    }
    there
}
