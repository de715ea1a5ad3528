//! Seeded data: item `i` depends on `i` alone, so a shorter input is the start of a longer one.

use cubefold::finance::{FinanceError, Table};

/// Parts of 1 in which [`exact`] counts.
const PARTS: u32 = 512;

/// The PCG hash by which `measure/anchor.cu` fills its input too.
fn hash(index: u32) -> u32 {
    let state = index.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

/// Uniform in [0, 1), all 24 bits of an f32's significand; `stream` tells inputs of one case apart.
pub fn positive(len: usize, stream: u32) -> Vec<f32> {
    let offset = stream.wrapping_mul(0x9e37_79b9);
    let item = |index: u32| (hash(index.wrapping_add(offset)) >> 8) as f32 / 16_777_216.0;
    (0..len).map(|index| item(index as u32)).collect()
}

/// Uniform in [−1/2, 1/2).
pub fn centred(len: usize, stream: u32) -> Vec<f32> {
    let mut items = positive(len, stream);
    items.iter_mut().for_each(|item| *item -= 0.5);
    items
}

/// Odd multiples of 1/512 in (−1/2, 1/2), as likely positive as negative.
///
/// The sum of any run of them is a whole number of 1/512, and of a size that f32 holds exactly: below 2^24 of them for
/// the random walk of 2^28 items, seven standard deviations away. So f32 sums are exact in any grouping, and a
/// dropped or doubled item shows in the last bit.
pub fn exact(len: usize) -> Vec<f32> {
    let item = |index: u32| {
        let odd = 2 * (hash(index) >> 24) as i32 - (PARTS as i32 / 2 - 1);
        odd as f32 / PARTS as f32
    };
    (0..len).map(|index| item(index as u32)).collect()
}

/// A table of `level` and up to a half above or below it.
///
/// # Errors
/// None for a table with columns.
pub fn table(rows: usize, columns: usize, level: f64) -> Result<Table, FinanceError> {
    let index = (0..rows).map(|row| row.to_string()).collect();
    let names = (0..columns).map(|column| format!("c{column}")).collect();
    let values = centred(rows * columns, 0).into_iter().map(|item| level + f64::from(item)).collect();
    Ok(Table::new("row".to_owned(), index, names, values)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_exact_items_are_the_same_forwards_and_backwards() {
        let items = exact(1 << 16);
        let forwards: f32 = items.iter().sum();
        let backwards: f32 = items.iter().rev().sum();
        assert_eq!(forwards, backwards);
        assert!(items.iter().all(|item| item.abs() < 0.5 && *item != 0.0));
    }

    #[test]
    fn streams_differ_and_a_short_input_starts_a_long_one() {
        assert_ne!(positive(64, 0), positive(64, 1));
        assert_eq!(positive(64, 1), positive(128, 1)[..64]);
    }
}
