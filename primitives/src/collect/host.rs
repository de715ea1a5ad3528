//! Results in the host's memory, written in parallel.

use rayon::prelude::*;

/// `len` results. `write` gets each run of `run` of them and where it begins; what it leaves is `blank`.
pub fn filled<T: Copy + Send + Sync>(
    len: usize,
    run: usize,
    blank: T,
    write: impl Fn(usize, &mut [T]) + Sync,
) -> Vec<T> {
    // In parallel, as the memory is first touched here.
    let mut results: Vec<T> = rayon::iter::repeat_n(blank, len).collect();
    results.par_chunks_mut(run).enumerate().for_each(|(index, places)| write(index * run, places));
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_holds_what_was_written_or_the_blank() {
        for (len, run) in [(0, 3), (1, 3), (3, 3), (10, 3), (100_000, 1 << 10)] {
            let found = filled(len, run, 7, |start, places| {
                for (offset, place) in places.iter_mut().enumerate().skip(1) {
                    *place = start + offset;
                }
            });
            let expected: Vec<usize> = (0..len).map(|place| if place % run == 0 { 7 } else { place }).collect();
            assert_eq!(found, expected, "{len} in runs of {run}");
        }
    }
}
