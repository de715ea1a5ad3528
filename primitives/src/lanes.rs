//! States of several folds that the host advances abreast, a lane of its vectors each.

use std::array::from_fn;

use crate::State;

/// Folds abreast: the lanes of the widest vectors of words.
pub const LANES: usize = 16;

/// Words of the largest state that is folded so.
pub const MOST_WORDS: usize = 16;

/// A state a lane, word by word: a vector holds one word of all lanes. A loop over lanes in which each takes and puts its own becomes
/// vectors, where what it does between calls nothing.
pub struct Lanes<const WORDS: usize = MOST_WORDS>([[u32; LANES]; WORDS]);

impl<const WORDS: usize> Lanes<WORDS> {
    /// Lanes whose words are all 0.
    #[inline(always)]
    pub fn zeroed() -> Self {
        Lanes([[0; LANES]; WORDS])
    }

    /// The same state in every lane.
    #[inline(always)]
    pub fn all<S: State>(state: S) -> Self {
        let mut lanes = Self::zeroed();
        for lane in 0..LANES {
            lanes.put(lane, state);
        }
        lanes
    }

    /// The state of a lane.
    #[inline(always)]
    pub fn take<S: State>(&self, lane: usize) -> S {
        let mut own = [0; WORDS];
        for (word, lanes) in own.iter_mut().zip(&self.0).take(S::WORDS) {
            *word = lanes[lane];
        }
        S::unpack(&own, 0)
    }

    /// Makes a state that of a lane.
    #[inline(always)]
    pub fn put<S: State>(&mut self, lane: usize, state: S) {
        let mut own = [0; WORDS];
        state.pack(&mut own, 0);
        for (lanes, word) in self.0.iter_mut().zip(own).take(S::WORDS) {
            lanes[lane] = word;
        }
    }

    /// The words of the states, each of all lanes.
    #[inline(always)]
    pub fn words(&self) -> &[[u32; LANES]; WORDS] {
        &self.0
    }

    /// The states of all lanes, in order.
    #[inline(always)]
    pub fn states<S: State>(&self) -> [S; LANES] {
        from_fn(|lane| self.take(lane))
    }
}
