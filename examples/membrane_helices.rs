//! A captured array: letters of a protein become numbers by a table that the operator holds; windows of 19 then show where a
//! helix may cross a membrane (Kyte and Doolittle, 1982).
//!
//! `cargo run --example membrane_helices`

use cubefold::ops::Sum;
use cubefold::prelude::*;
use cubefold::views::Mapping;

/// Letter and hydropathy, in tenths.
const HYDROPATHY: &[u8; 20] = b"ARNDCQEGHILKMFPSTWYV";
const TENTHS: [i32; 20] = [18, -45, -35, -35, 25, -35, -35, -4, -32, 45, 38, -39, 19, 28, -16, -8, -7, -9, -13, 42];

/// Bacteriorhodopsin of *Halobacterium salinarum*, the mature chain's first three helices (UniProt P02945).
const PROTEIN: &str =
    "QAQITGRPEWIWLALGTALMGLGTLYFLVKGMGVSDPDAKKFYAITTLVPAIAFTMYLSMLLGYGLTMVPFGGEQNPIYWARYADWLFTTPLLLLDLALLV";

const WINDOW: usize = 19;

/// Made of a `Vec`, the table is uploaded with every launch; made of a `Buffer`, it stays where it is.
#[derive(Clone, Debug, Operator)]
struct LookUp {
    table: Captured<i32>,
}

#[cube]
impl Mapping<u32> for LookUp {
    type Output = i32;

    fn map(&self, letter: u32) -> i32 {
        self.table[letter as usize]
    }
}

fn table() -> Vec<i32> {
    let mut table = vec![0; 128];
    for (&letter, tenths) in HYDROPATHY.iter().zip(TENTHS) {
        table[usize::from(letter)] = tenths;
    }
    table
}

pub(crate) fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let letters: Vec<u32> = PROTEIN.bytes().map(u32::from).collect();
    let op = LookUp { table: Captured::from(device.upload(&table())?) };
    // The look-up is part of the load: no array of numbers is written in between.
    let sums = device.sliding(&(&letters).map(op), WINDOW as u64, &Sum::<i32>::new())?.to_vec()?;
    let table = table();
    let numbers: Vec<i32> = PROTEIN.bytes().map(|letter| table[usize::from(letter)]).collect();
    for (end, &sum) in sums.iter().enumerate() {
        assert_eq!(sum, numbers[(end + 1).saturating_sub(WINDOW)..=end].iter().sum::<i32>());
    }
    // A mean of 1.6 and more over 19 residues: long enough, and greasy enough, to cross a membrane.
    let crosses = |end: usize| end + 1 >= WINDOW && sums[end] >= 16 * WINDOW as i32;
    println!("{}: {} residues; what may cross a membrane is in capitals", device.label(), letters.len());
    let within = |place: usize| (place..(place + WINDOW).min(sums.len())).any(crosses);
    let letter = |(place, letter): (usize, char)| if within(place) { letter } else { letter.to_ascii_lowercase() };
    let shown: String = PROTEIN.chars().enumerate().map(letter).collect();
    println!("  {shown}");
    assert!(shown.contains("ALGTALMGLGTLYFLV"), "the first helix is found");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    [Device::host(), Device::auto()].iter().try_for_each(run)
}
