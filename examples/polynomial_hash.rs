//! A polynomial hash of every prefix by one scan; any two stretches of a text then compare in a few instructions.
//!
//! `cargo run --example polynomial_hash`
//!
//! `hash(uv) = hash(u) B^|v| + hash(v)` modulo the prime 2^31 - 1: a pair (power, hash) composes as affine maps do (Rabin and Karp).

use cubefold::prelude::*;
use cubefold::{multiply_high, wrapping_mul};

const PRIME: u64 = (1 << 31) - 1;

#[derive(Clone, Copy, Debug, PartialEq, State)]
struct Hash {
    power: u32,
    hash: u32,
}

#[derive(Clone, Debug, Operator)]
struct Polynomial;

// `value` below 2 · prime, made smaller than the prime.
#[cube]
fn reduced(value: u32) -> u32 {
    value - select(value >= 0x7fff_ffffu32, 0x7fff_ffffu32, 0u32)
}

/// The product modulo the prime: 2^31 is 1, so the bits above the 31st are added to those below.
#[cube]
fn times(left: u32, right: u32) -> u32 {
    let (low, high) = (wrapping_mul(left, right), multiply_high(left, right));
    reduced((low & 0x7fff_ffffu32) + ((high << 1u32) | (low >> 31u32)))
}

#[cube]
impl Monoid for Polynomial {
    type State = Hash;
    fn identity(&self) -> Hash {
        Hash { power: 1u32.runtime(), hash: 0u32.runtime() }
    }
    fn combine(&self, left: Hash, right: Hash) -> Hash {
        Hash { power: times(left.power, right.power), hash: reduced(times(left.hash, right.power) + right.hash) }
    }
}

#[cube]
impl Lift<u32> for Polynomial {
    fn lift(&self, letter: u32) -> Hash {
        Hash { power: 257_813u32.runtime(), hash: letter + 1u32 }
    }
}

#[cube]
impl Lower for Polynomial {
    type Output = Hash;
    fn lower(&self, state: Hash) -> Hash {
        state
    }
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let op = Polynomial;
    check_laws(&op, &[op.identity(), op.lift(255), op.combine(op.lift(9), op.lift(7))])?;
    let mut text: Vec<u32> = (1..60_000u32).map(|place| place.wrapping_pow(5) % 10_007 % 26).collect();
    text.copy_within(1_000..1_300, 45_000); // a passage that stands in the text twice
    let hashes = device.scan(&text, &op)?.to_vec()?;
    let next = |hash, &letter| (hash * 257_813 + u64::from(letter) + 1) % PRIME;
    assert_eq!(u64::from(hashes[text.len() - 1].hash), text.iter().fold(0, next), "letter by letter");
    let before = |place: usize| place.checked_sub(1).map_or(0, |last| u64::from(hashes[last].hash));
    let skipped = |from, len: usize| before(from) * u64::from(hashes[len - 1].power) % PRIME;
    let of = |from: usize, len| (before(from + len) + PRIME - skipped(from, len)) % PRIME;
    let found: Vec<usize> = (0..=text.len() - 300).filter(|&at| of(at, 300) == of(1_000, 300)).collect();
    println!("{}: the 300 letters at 1000 stand in the text at {found:?}", device.label());
    assert_eq!(found, [1_000, 45_000]);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
