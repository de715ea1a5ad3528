//! States in shared memory: word `w` of slot `s` lies at `w · slots + s`, so that neighbouring units hit
//! neighbouring banks whatever the state's size.

use cubecl::prelude::*;

use crate::{State, state_of, words_of};

/// Writes a state to a slot.
#[cube]
pub fn shared_store<S: State>(shared: &mut Shared<[u32]>, slot: u32, state: S, #[comptime] slots: u32) {
    let words = words_of::<S>(state);
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        shared[slot as usize + comptime!(word * slots as usize)] = words[word];
    }
}

/// Reads the state of a slot.
#[cube]
pub fn shared_load<S: State>(shared: &Shared<[u32]>, slot: u32, #[comptime] slots: u32) -> S {
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for word in 0..comptime!(S::WORDS) {
        words.push(shared[slot as usize + comptime!(word * slots as usize)]);
    }
    state_of::<S>(&words)
}
