//! An automaton in parallel: where a pattern ends in a text, by composing functions from states to states.
//!
//! `cargo run --example automaton`
//!
//! A letter is a function from the state before it to the state after it. Functions compose in any grouping, so a scan runs the
//! automaton on all letters at once (Hillis and Steele, "Data Parallel Algorithms", 1986). Eight states of four bits fill a word.

use cubefold::prelude::*;

/// The functions of the letters, each packed into a word: four bits a state.
#[derive(Clone, Debug, Operator)]
struct Automaton {
    letters: Captured<u32>,
    accepting: u32,
}

#[cube]
impl Monoid for Automaton {
    type State = u32;
    /// Every state stays.
    fn identity(&self) -> u32 {
        0x7654_3210u32.runtime()
    }
    fn combine(&self, left: u32, right: u32) -> u32 {
        let mut composed = 0u32.runtime();
        for state in 0..8u32 {
            let between = (left >> (4u32 * state)) & 15u32;
            let after = (right >> (4u32 * between)) & 15u32;
            composed |= after << (4u32 * state);
        }
        composed
    }
}

#[cube]
impl Lift<u32> for Automaton {
    fn lift(&self, letter: u32) -> u32 {
        self.letters[letter as usize]
    }
}

/// From the first state, is it the accepting one that is reached?
#[cube]
impl Lower for Automaton {
    type Output = u32;
    fn lower(&self, function: u32) -> u32 {
        select(function & 15u32 == self.accepting, 1u32, 0u32)
    }
}

/// Knuth, Morris and Pratt's automaton: state k has seen the first k letters of the pattern, the longest such k.
fn of(pattern: &[u8]) -> Automaton {
    let longest = |seen: &[u8]| (0..=pattern.len()).rev().find(|&k| seen.ends_with(&pattern[..k])).unwrap_or(0);
    let after = |state: usize, letter: u8| longest(&[&pattern[..state.min(pattern.len())], &[letter]].concat());
    let function =
        |letter: u8| (0..8).fold(0, |word, state| word | ((after(state as usize, letter) as u32) << (4 * state)));
    Automaton { letters: Captured::from((0..=255).map(function).collect::<Vec<_>>()), accepting: pattern.len() as u32 }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let base = |place: u32| b"ACGT"[place.wrapping_pow(5) as usize % 10_007 % 4];
    let text: Vec<u8> = (0..200_000).map(base).collect();
    let letters: Vec<u32> = text.iter().copied().map(u32::from).collect();
    for pattern in [&b"GATTACA"[..], b"ACACA", b"TTTT"] {
        let op = of(pattern);
        check_laws(&op, &[b'A', b'C', b'G', b'T'].map(|letter| op.lift(u32::from(letter))))?;
        let ends = device.scan(&letters, &op)?.to_vec()?;
        for (place, &end) in ends.iter().enumerate() {
            assert_eq!(end == 1, text[..=place].ends_with(pattern), "letter {place}");
        }
        let (found, pattern) = (ends.iter().sum::<u32>(), String::from_utf8_lossy(pattern));
        println!("{}: {pattern} ends {found} times in {} letters", device.label(), text.len());
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
