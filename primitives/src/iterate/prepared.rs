//! What the host has prepared of items for the steps to come.

use super::feedback::PREPARED;
use crate::lanes::{LANES, Lanes};

/// Words of items abreast.
pub type Words = [u32; LANES];

/// What [`Feedback::prepare`](super::Feedback::prepare) found for items abreast.
pub type Found = Lanes<{ PREPARED as usize }>;

/// What is prepared of all items of a chunk, [`LANES`] by [`LANES`]. Where no word is other than 0, as in loops that prepare nothing,
/// none is kept.
#[derive(Default)]
pub struct Prepared {
    /// Where in `words` those of the items are, by the items' place.
    places: Vec<Option<u32>>,
    /// By step.
    words: [Vec<Words>; PREPARED as usize],
}

impl Prepared {
    /// The words of the items at `place` for a step.
    #[inline(always)]
    pub fn words(&self, place: usize, step: u32) -> Words {
        let kept = self.places.get(place).copied().flatten();
        kept.map_or([0; LANES], |at| self.words[(step % PREPARED) as usize][at as usize])
    }

    /// Keeps what is found for the items at `place`, instead of what was before.
    #[inline(always)]
    pub fn keep(&mut self, place: usize, found: &Found) {
        let found = found.words();
        if let Some(at) = self.places.get(place).copied().flatten() {
            self.words.iter_mut().zip(found).for_each(|(kept, words)| kept[at as usize] = *words);
        } else if found.iter().flatten().fold(0, |all, word| all | word) != 0 {
            self.places.resize(self.places.len().max(place + 1), None);
            self.places[place] = Some(self.words[0].len() as u32);
            self.words.iter_mut().zip(found).for_each(|(kept, words)| kept.push(*words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Random;

    /// `first` times the step's number times the lane's.
    fn found(first: u32) -> Found {
        let mut lanes = Found::zeroed();
        for lane in 0..LANES {
            let factor = first * lane as u32;
            lanes.put(lane, Random { a: factor, b: factor * 2, c: factor * 3, d: factor * 4 });
        }
        lanes
    }

    #[test]
    fn words_are_those_kept_last_and_nought_where_none_are() {
        let mut prepared = Prepared::default();
        prepared.keep(0, &found(0));
        assert!(prepared.words.iter().all(Vec::is_empty));
        for (place, first) in [(5, 1), (2, 7), (5, 3), (2, 0), (3, 2)] {
            prepared.keep(place, &found(first));
            let expected: Words = std::array::from_fn(|lane| 3 * first * lane as u32);
            assert_eq!(prepared.words(place, 6), expected, "{place}");
        }
        assert_eq!([0, 2, 3, 4, 5, 9].map(|place| prepared.words(place, 1)[10]), [0, 0, 40, 0, 60, 0]);
        assert_eq!(prepared.words[0].len(), 3);
    }
}
