//! Results in the host's memory, written in parallel.

use std::any::Any;

use rayon::prelude::*;

/// `len` results. `write` gets each run of `run` of them, where it begins, and must write all of it; `blank` is any result.
pub fn filled<T: Copy + Send + Sync + 'static>(
    len: usize,
    run: usize,
    blank: T,
    write: impl Fn(usize, &mut [T]) + Sync,
) -> Vec<T> {
    // New pages are touched first where they are written, so in parallel: for scalars by `write` itself, as the system
    // gives zeroed pages; else by filling them.
    let mut results = zeroed(len).unwrap_or_else(|| rayon::iter::repeat_n(blank, len).collect());
    results.par_chunks_mut(run).enumerate().for_each(|(index, places)| write(index * run, places));
    results
}

/// Zeros, of which no page is touched yet; none for types that are no scalars.
fn zeroed<T: 'static>(len: usize) -> Option<Vec<T>> {
    fn of<S: Default + Copy + 'static, T: 'static>(len: usize) -> Option<Vec<T>> {
        let mut none: Option<Vec<T>> = None;
        let place: &mut dyn Any = &mut none;
        *place.downcast_mut::<Option<Vec<S>>>()? = Some(vec![S::default(); len]);
        none
    }
    of::<f32, T>(len).or_else(|| of::<f64, T>(len)).or_else(|| of::<u32, T>(len)).or_else(|| of::<i32, T>(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static>(blank: T, made: fn(usize) -> T) {
        for (len, run) in [(0, 3), (1, 3), (3, 3), (10, 3), (100_000, 1 << 10)] {
            let found = filled(len, run, blank, |start, places| {
                for (offset, place) in places.iter_mut().enumerate() {
                    *place = made(start + offset);
                }
            });
            assert_eq!(found, (0..len).map(made).collect::<Vec<_>>(), "{len} in runs of {run}");
        }
    }

    #[test]
    fn every_place_holds_what_was_written() {
        check(f64::NAN, |place| place as f64 + 0.5);
        check(f32::NAN, |place| place as f32);
        check(7u32, |place| place as u32);
        check(7i32, |place| -(place as i32));
        check((1u8, 7u64), |place| (place as u8, place as u64));
    }
}
