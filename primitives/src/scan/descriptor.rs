//! Descriptors: what a tile publishes for later tiles.
//!
//! Each tile has two slots, one for its own fold and one for the fold of everything up to it, so that words of the
//! two never mix. A word of payload is stored as two 32-bit atomics of 16 bits payload each, so that it needs nothing
//! that a device may lack. It carries the tag of the call above its payload, hence needs no flag, no fence and no clearing
//! pass: a word with another call's tag is a word not yet there. All writers of a slot write the same bits.

use cubecl::prelude::*;

use crate::{State, state_of, words_of};

/// 32-bit atomics for one word of payload.
pub const ATOMICS: usize = 2;
/// Calls that the tag tells apart before descriptors must be cleared.
pub const TAGS: u32 = 0xffff;
/// The slot of a tile's own fold.
pub const AGGREGATE: u32 = 0;
/// The slot of the fold up to and with a tile.
pub const PREFIX: u32 = 1;

/// The first 32-bit word of payload of a slot.
#[cube]
fn first_word(tile: u32, slot: u32, #[comptime] width: u32) -> u32 {
    (tile * 2 + slot) * width
}

/// Publishes a state.
#[cube]
pub fn publish<S: State>(descriptors: &mut [Atomic<u32>], tile: u32, slot: u32, tag: u32, state: S) {
    let words = words_of::<S>(state);
    let first = first_word(tile, slot, comptime!(S::WORDS as u32));
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        let payload = words[word];
        let place = (first + comptime!(word as u32)) as usize * 2;
        descriptors[place].store((tag << 16u32) | (payload & 0xffffu32));
        descriptors[place + 1].store((tag << 16u32) | (payload >> 16u32));
    }
}

/// Looks at a slot up to `patience` times. The words of the state, and then 1 if they are all there.
#[cube]
pub fn poll<S: State>(descriptors: &[Atomic<u32>], tile: u32, slot: u32, tag: u32, patience: u32) -> Array<u32> {
    let width = comptime!(S::WORDS);
    let mut found = Array::<u32>::new(comptime!(width + 1));
    let first = first_word(tile, slot, comptime!(S::WORDS as u32));
    let mut looks = 0u32;
    let mut there = 0u32;
    while there == 0u32 && looks < patience {
        there = 1u32;
        #[unroll]
        for word in 0..width {
            let place = (first + comptime!(word as u32)) as usize * 2;
            let low = descriptors[place].load();
            let high = descriptors[place + 1].load();
            if (low >> 16u32) != tag || (high >> 16u32) != tag {
                there = 0u32;
            }
            found[word] = (low & 0xffffu32) | (high << 16u32);
        }
        looks += 1u32;
    }
    found[width] = there;
    found
}

/// The state among polled words.
#[cube]
pub fn polled<S: State>(found: &Array<u32>) -> S {
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        words.push(found[word]);
    }
    state_of::<S>(&words)
}

/// Whether the polled words are all there.
#[cube]
pub fn is_there<S: State>(found: &Array<u32>) -> bool {
    found[comptime!(S::WORDS)] != 0u32
}
