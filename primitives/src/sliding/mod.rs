//! `sliding`: the fold of every window of a source, for any monoid.
//!
//! Nothing is taken out of a window, so the operator needs no inverse: minima slide as sums do, and a sum does not
//! drift. Cut the items into blocks as long as the window. A window reaches over two neighbouring blocks at most, so
//! it is a suffix of the one followed by a prefix of the other:
//!
//! ```text
//! window w at row i  =  suffix(i − w + 1) prefix(i)      prefix alone where the window is a block, or not yet full
//! ```
//!
//! Both are scans that start anew at every block, the suffixes' over the reversed source with its operands exchanged;
//! one more combine a row joins them. The host folds short blocks directly. van Herk, "A fast algorithm for local minimum
//! and maximum filters" (1992); Gil and Werman, "Computing 2-D min, median, and max filters" (1993).

mod blocks;
mod host;
mod windows;

use crate::device::Launch;
use crate::ops::{Opposite, Segmented};
use crate::views::Source;
use crate::{Buffer, Captured, Counter, Device, Error, Lift, Lower, State};
pub(crate) use blocks::{Heads, Unlowered};
use windows::Windows;

impl Device {
    /// Folds the last `window` items of every row: result `i` is the fold of items `i + 1 - window ..= i`, lowered.
    ///
    /// The first `window - 1` results are folds of what there is, so a window longer than the source gives the
    /// inclusive scan. Order is kept for every operator; the same call on the same device gives the same bits.
    ///
    /// Work 3 n combines, whatever the window; span that of a scan. Bytes: the items twice, states of the operator
    /// twice in and out, the results once. Two scans and one `collect`.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyWindow`] for a window of 0, [`Error::TooLong`] past 2^32 - 1 items, and as
    /// [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Maximum};
    ///
    /// let highest = Device::host().sliding(&vec![3u32, 1, 2, 0, 5, 4], 3, &Maximum::new())?;
    /// assert_eq!(highest.to_vec()?, [3, 3, 3, 2, 5, 5]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn sliding<S, O>(&self, source: &S, window: u64, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        let (len, block) = plan(source.len(), window)?;
        if self.is_host() && block <= host::LONGEST {
            op.check_host()?;
            self.notify(&Launch { kernel: "host", strategy: "Sliding", cubes: 0, units: 0 });
            return Ok(Buffer::on_host(host::slide(&source.on_host()?, len as usize, block as usize, op)));
        }
        self.slide(source, len, block, op)
    }

    /// Two scans that start anew at every block, and one combine a row.
    fn slide<S, O>(&self, source: &S, len: u32, block: u32, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        let rows = Counter::new(u64::from(len));
        let states = Unlowered::new(op.clone());
        let prefixes = self.scan(&rows.map(Heads::first_of(block)).zip(source), &Segmented::new(states.clone()))?;
        let backwards = rows.map(Heads::last_of(block, len)).zip(Source::reversed(source));
        let suffixes = self.scan(&backwards, &Segmented::new(Opposite::new(states)))?;
        let windows = Windows::new(op.clone(), Captured::from(words(self, &suffixes)?), block, len);
        self.collect(&rows.zip(&prefixes).map(windows))
    }
}

/// The length, and the length of a block: the window, at most the length.
fn plan(len: u64, window: u64) -> Result<(u32, u32), Error> {
    if window == 0 {
        return Err(Error::EmptyWindow);
    }
    let limit = u64::from(u32::MAX);
    let narrow = u32::try_from(len).map_err(|_| Error::TooLong { what: "a sliding fold", len, limit })?;
    Ok((narrow, window.min(len).max(1) as u32))
}

/// The words of states, where they are.
pub(crate) fn words<S: State>(device: &Device, states: &Buffer<S>) -> Result<Buffer<u32>, Error> {
    if let Some(handle) = states.handle() {
        return Buffer::from_handle(device, handle.clone(), states.len() * S::WORDS);
    }
    let mut words = vec![0; states.len() * S::WORDS];
    for (state, place) in states.to_vec()?.into_iter().zip((0..).step_by(S::WORDS)) {
        state.pack(&mut words, place);
    }
    device.upload(&words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Affine, Count, First, Last, Maximum, Moments, Pair, Sum};
    use crate::views::both;

    /// The fold of what is in the window, one item after another.
    fn oracle<T: State, O: Lift<T> + Lower>(items: &[T], window: usize, op: &O) -> Vec<O::Output> {
        let fold = |items: &[T]| items.iter().fold(op.identity(), |state, &item| op.combine(state, op.lift(item)));
        (0..items.len()).map(|row| op.lower(fold(&items[(row + 1).saturating_sub(window)..=row]))).collect()
    }

    fn items(len: u32) -> Vec<u32> {
        (0..len).map(|row| row.wrapping_mul(2_654_435_761) ^ 0x5bd1).collect()
    }

    /// One item, two, about a window of 5, block edges, and more than a chunk of the host's scan.
    const LENGTHS: [u32; 10] = [0, 1, 2, 4, 5, 6, 10, 11, 97, 20_000];

    #[test]
    fn windows_of_any_length_are_folds_of_what_is_in_them() {
        for len in LENGTHS {
            let items = items(len);
            for window in [1, 2, 3, 5, 7, u64::from(len), u64::from(len) + 1, u64::MAX] {
                if window == 0 || (len > 100 && window > 100) {
                    continue;
                }
                let found = Device::host().sliding(&items, window, &Sum::new()).unwrap().to_vec().unwrap();
                let expected = oracle(&items, window.min(1 << 30) as usize, &Sum::new());
                assert_eq!(found, expected, "{len} items, window {window}");
            }
        }
    }

    #[test]
    fn order_is_kept_for_operators_that_do_not_commute() {
        let maps: Vec<_> = items(301).into_iter().map(|word| both(word | 1, word ^ 77)).collect();
        let ends = Pair::new(First::<u32>::new(), Pair::new(Last::new(), Count));
        for window in [1, 2, 3, 50, 300, 301, 302] {
            let found = Device::host().sliding(&maps, window, &Affine::new()).unwrap().to_vec().unwrap();
            assert_eq!(found, oracle(&maps, window as usize, &Affine::new()), "window {window}");
            let rows: Vec<u32> = (0..301).collect();
            let found = Device::host().sliding(&rows, window, &ends).unwrap().to_vec().unwrap();
            for (row, ends) in found.into_iter().enumerate() {
                let first = (row + 1).saturating_sub(window as usize);
                assert_eq!((ends.left.get(), ends.right.left.get()), (Some(first as u32), Some(row as u32)));
                assert_eq!(u64::from(ends.right.right), (row + 1 - first) as u64);
            }
        }
    }

    #[test]
    fn blocks_that_are_folded_and_those_that_are_scanned_agree() {
        let maps: Vec<_> = items(20_011).into_iter().map(|word| both(word | 1, word ^ 77)).collect();
        let host = Device::host();
        for block in [1, 2, 3, 64, 1000, 16_383, 16_384] {
            let folded = host.sliding(&maps, block.into(), &Affine::new()).unwrap().to_vec().unwrap();
            let scanned = host.slide(&maps, 20_011, block, &Affine::new()).unwrap().to_vec().unwrap();
            assert_eq!(folded, scanned, "blocks of {block}");
        }
        let none = host.slide::<[u32], _>(&[], 0, 1, &Sum::new()).unwrap();
        assert_eq!(none.len(), 0);
    }

    #[test]
    fn a_window_longer_than_the_source_is_the_inclusive_scan() {
        let items = items(40_000);
        let scanned = Device::host().scan(&items, &Maximum::new()).unwrap().to_vec().unwrap();
        assert_eq!(Device::host().sliding(&items, 40_001, &Maximum::new()).unwrap().to_vec().unwrap(), scanned);
    }

    #[test]
    fn nothing_is_taken_out_so_that_a_constant_has_no_spread_behind_a_huge_item() {
        let mut prices = vec![0.1f32; 300];
        prices[17] = 1e30;
        let moments = Device::host().sliding(&prices, 20, &Moments::new()).unwrap().to_vec().unwrap();
        assert!(moments[37..].iter().all(|moments| moments.mean == 0.1 && moments.m2 == 0.0));
    }

    #[test]
    fn a_window_of_nothing_is_refused() {
        let refused = Device::host().sliding(&vec![1u32], 0, &Sum::new()).unwrap_err();
        assert_eq!(refused, Error::EmptyWindow);
        assert_eq!(refused.to_string(), "the window is 0 items; give at least 1");
    }

    #[test]
    fn plans_hold_up_to_the_last_row_that_a_word_counts() {
        assert_eq!(plan(0, 3), Ok((0, 1)));
        assert_eq!(plan(10, u64::MAX), Ok((10, 10)));
        assert_eq!(plan(u64::from(u32::MAX), 1 << 40), Ok((u32::MAX, u32::MAX)));
        assert!(matches!(plan(1 << 32, 3), Err(Error::TooLong { len: 0x1_0000_0000, .. })));
    }
}
