//! Results against the host's: an obvious loop in f64 that knows no plan and no kernel.

use cubefold::Buffer;

use super::BenchError;

/// Results up to which every one is compared.
const ALL: usize = 1 << 26;

/// Windows of [`WINDOW`] results that are compared of longer ones.
const WINDOWS: usize = 64;
const WINDOW: usize = 4096;

/// Refuses a result further than `tolerance` from `expected`; a NaN is never near.
///
/// # Errors
/// [`BenchError::Wrong`].
pub fn close(index: usize, got: f64, expected: f64, tolerance: f64) -> Result<(), BenchError> {
    if (got - expected).abs() <= tolerance { Ok(()) } else { Err(BenchError::Wrong { index, got, expected }) }
}

/// Compares `results` with `expected`, one for one: all of up to 2^26, or else windows from the first to the last, which
/// depend on everything before them. Gives the number compared.
///
/// # Errors
/// [`BenchError::Wrong`], also where there are fewer results than expected ones; or a read-back that fails.
pub fn results(
    results: &Buffer<f32>,
    expected: impl ExactSizeIterator<Item = f64>,
    tolerance: f64,
) -> Result<u64, BenchError> {
    let len = expected.len();
    close(len, results.len() as f64, len as f64, 0.0)?;
    let (mut expected, mut at, mut compared) = (expected, 0, 0);
    for (start, len) in windows(len) {
        if start > at {
            expected.nth(start - at - 1);
        }
        let window = results.range(start, len)?;
        for (offset, (got, expected)) in window.into_iter().zip(expected.by_ref()).enumerate() {
            close(start + offset, got.into(), expected, tolerance)?;
        }
        at = start + len;
        compared += len as u64;
    }
    Ok(compared)
}

/// Start and length of the windows that are compared, in order and apart.
fn windows(len: usize) -> Vec<(usize, usize)> {
    if len <= ALL {
        return vec![(0, len)];
    }
    let start = |window: usize| (len - WINDOW) / (WINDOWS - 1) * window;
    let mut windows: Vec<_> = (0..WINDOWS - 1).map(|window| (start(window), WINDOW)).collect();
    windows.push((len - WINDOW, WINDOW));
    windows
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold::Device;

    #[test]
    fn windows_start_at_the_first_and_end_at_the_last_result() {
        assert_eq!(windows(5), [(0, 5)]);
        let long = windows(ALL + 1);
        assert_eq!((long.len(), long[0]), (WINDOWS, (0, WINDOW)));
        assert!(long.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
        assert_eq!(long.last().map(|(start, len)| start + len), Some(ALL + 1));
    }

    #[test]
    fn wrong_results_are_refused_wherever_they_are() {
        let right = [0.5f64, 1.5, 2.5, 3.5];
        let check = |items: &[f32]| {
            let buffer = Device::host().upload(items).expect("the host takes all");
            results(&buffer, right.into_iter(), 1e-6)
        };
        assert!(matches!(check(&[0.5, 1.5, 2.5, 3.5]), Ok(4)));
        for wrong in 0..right.len() {
            let mut items = right.map(|item| item as f32);
            items[wrong] += 0.001;
            assert!(matches!(check(&items), Err(BenchError::Wrong { index, .. }) if index == wrong));
            items[wrong] = f32::NAN;
            assert!(check(&items).is_err());
        }
        assert!(check(&[0.5, 1.5, 2.5]).is_err());
    }
}
