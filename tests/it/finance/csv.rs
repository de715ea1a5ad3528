//! The seeds of the fuzz target, as they are and with a few bytes changed.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

#[path = "../../../fuzz/reads_back.rs"]
mod reads_back;

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/csv");
    let seeds: Vec<Vec<u8>> =
        fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(seeds.len() >= 25, "{} seeds", seeds.len());
    seeds
}

/// Bytes that mean something to a reader of CSV, among any others.
const TELLING: &[u8] = b"\",\n\r \t.-+eE0123456789NaATZ:/;\0\xef\xbb\xbf\xff";

/// One to eight bytes replaced, taken out, put in or copied from elsewhere.
fn changed(seed: &[u8], random: &mut Pcg32) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.next_u32() % 8 {
        let place = random.next_u32() as usize % (bytes.len() + 1);
        let telling = TELLING[random.next_u32() as usize % TELLING.len()];
        match random.next_u32() % 4 {
            0 if place < bytes.len() => bytes[place] = telling,
            1 if place < bytes.len() => drop(bytes.remove(place)),
            2 => bytes.insert(place, telling),
            _ => {
                let end = bytes.len().min(place + random.next_u32() as usize % 9);
                let copy = bytes[place..end].to_vec();
                let at = random.next_u32() as usize % (bytes.len() + 1);
                bytes.splice(at..at, copy);
            }
        }
    }
    bytes
}

#[test]
fn every_seed_is_refused_or_reads_back_equal() {
    seeds().iter().for_each(|seed| reads_back::check(seed));
}

#[test]
fn seeds_with_a_few_bytes_changed_are_refused_or_read_back_equal() {
    let mut random = Pcg32::seed_from_u64(5);
    for seed in seeds() {
        for _ in 0..1000 {
            let bytes = changed(&seed, &mut random);
            let held = catch_unwind(|| reads_back::check(&bytes));
            assert!(held.is_ok(), "{:?}", String::from_utf8_lossy(&bytes));
        }
    }
}
