//! Scans and reductions of segments: runs of neighbouring items that are folded on their own.
//!
//! | segments | given as | read with the items |
//! |---|---|---|
//! | [`scan_segments`](Device::scan_segments) | the offsets of their first items | a bit an item |
//! | [`scan_by_key`](Device::scan_by_key) | a key an item; a segment is a run of equal ones | the keys |
//! | [`scan_by_heads`](Device::scan_by_heads) | a flag an item | the flags |
//!
//! All are one flat scan by [`Segmented`], whatever the lengths of the segments. An exclusive one is the inclusive scan of
//! the items moved on by one, with nothing at heads: it starts from the identity at each.

mod folds;
mod kernel;
mod keys;
mod launch;
mod marks;
mod shifted;

use crate::ops::{Opposite, Segmented};
use crate::sliding::{Unlowered, words};
use crate::views::{Backwards, Source};
use crate::{Buffer, Captured, Device, Error, Lift, Lower, ScanOptions};
use folds::Folds;
use keys::KeyHeads;
use marks::Marks;
use shifted::{Ends, Optionally, Shifted};

impl Device {
    /// Scans segments of `source` that begin at `offsets`, each on its own. Result `i` is the fold of the items from the
    /// beginning of its segment to `i`, lowered, or as `options` say.
    ///
    /// Offsets are those of compressed sparse rows: the first is 0, none is smaller than the one before it, and the number
    /// of items may stand at the end. Equal ones make empty segments, which have no results.
    ///
    /// Work and bytes are those of [`scan_with`](Device::scan_with), with one word more a state; before it one launch
    /// searches the offsets for every 128 items and writes a bit an item. Offsets on the host are checked and uploaded.
    ///
    /// # Errors
    ///
    /// [`Error::Offset`] for offsets on the host that do not cut the items into segments; those on a device are not looked
    /// at, and where they are wrong so are the segments. Else as [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ScanOptions, ops::Sum};
    ///
    /// let (items, offsets) = (vec![1u32, 2, 3, 4, 5], vec![0u32, 2, 2, 5]);
    /// let sums = Device::host().scan_segments(&items, &offsets, &Sum::new(), &ScanOptions::default())?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 3, 7, 12]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn scan_segments<S, F, O>(
        &self,
        source: &S,
        offsets: &F,
        op: &O,
        options: &ScanOptions,
    ) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        F: Source<Item = u32> + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        self.scan_headed(Marks::new(self, offsets, source.len())?, source, op, options)
    }

    /// Scans runs of equal neighbouring `keys`, each on its own. Result `i` is the fold of the items from the first of its
    /// run to `i`, lowered, or as `options` say.
    ///
    /// Keys are equal where all their bits are: a NaN equals itself, and 0.0 is not -0.0. Work and bytes are those of
    /// [`scan_with`](Device::scan_with), with one word more a state, and the keys read with the items.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where there are not as many keys as items. Else as [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ScanOptions, ops::Sum};
    ///
    /// let (days, items) = (vec![7u32, 7, 8, 8, 8], vec![1u32, 2, 3, 4, 5]);
    /// let options = ScanOptions { exclusive: true, ..ScanOptions::default() };
    /// let sums = Device::host().scan_by_key(&days, &items, &Sum::new(), &options)?;
    /// assert_eq!(sums.to_vec()?, [0, 1, 0, 3, 7]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn scan_by_key<K, S, O>(
        &self,
        keys: &K,
        source: &S,
        op: &O,
        options: &ScanOptions,
    ) -> Result<Buffer<O::Output>, Error>
    where
        K: Source + ?Sized,
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        same_length("the keys", keys.len(), source.len())?;
        self.scan_headed(KeyHeads::new(keys), source, op, options)
    }

    /// Scans segments that begin where `heads` is not 0, each on its own; the first item begins one whatever its flag.
    /// Result `i` is the fold of the items from the last head to `i`, lowered, or as `options` say.
    ///
    /// Work and bytes are those of [`scan_with`](Device::scan_with), with one word more a state, and the flags read with
    /// the items.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where there are not as many flags as items. Else as [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ScanOptions, ops::Sum};
    ///
    /// let (heads, items) = (vec![1u32, 0, 1, 0, 0], vec![1u32, 2, 3, 4, 5]);
    /// let options = ScanOptions { reverse: true, ..ScanOptions::default() };
    /// let sums = Device::host().scan_by_heads(&heads, &items, &Sum::new(), &options)?;
    /// assert_eq!(sums.to_vec()?, [3, 2, 12, 9, 5]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn scan_by_heads<H, S, O>(
        &self,
        heads: &H,
        source: &S,
        op: &O,
        options: &ScanOptions,
    ) -> Result<Buffer<O::Output>, Error>
    where
        H: Source<Item = u32> + ?Sized,
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        same_length("the head flags", heads.len(), source.len())?;
        self.scan_headed(heads, source, op, options)
    }

    /// Folds segments of `source`: result `s` is the fold of the items from offset `s` to before offset `s + 1`, lowered;
    /// that of an empty segment is the identity's. There is one result less than offsets.
    ///
    /// A scan of the segments and one `collect`: work and bytes are those of
    /// [`scan_segments`](Device::scan_segments), which writes a state an item, and a read of one state a segment.
    ///
    /// # Errors
    ///
    /// [`Error::Offset`] for offsets on the host that do not begin at 0, fall, or do not end with the number of items; those
    /// on a device are not looked at. [`Error::Length`] where there is no offset at all, [`Error::TooLong`] past 2^32 - 1
    /// items. Else as [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Sum};
    ///
    /// let (items, offsets) = (vec![1u32, 2, 3, 4, 5], vec![0u32, 2, 2, 5]);
    /// let sums = Device::host().reduce_segments(&items, &offsets, &Sum::new())?;
    /// assert_eq!(sums.to_vec()?, [3, 0, 12]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn reduce_segments<S, F, O>(&self, source: &S, offsets: &F, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        F: Source<Item = u32> + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        let (items, limit) = (source.len(), u64::from(u32::MAX));
        let len = u32::try_from(items).map_err(|_| Error::TooLong { what: "segments", len: items, limit })?;
        let Some(segments) = offsets.len().checked_sub(1) else {
            return Err(Error::Length { what: "the list of offsets", got: 0, expected: 1 });
        };
        let marks = Marks::ending(self, offsets, items)?;
        let states = self.scan_headed(marks, source, &Unlowered::new(op.clone()), &ScanOptions::default())?;
        let folds = Folds::new(op.clone(), Captured::from(words(self, &states)?), len);
        let bounds = Source::slice(offsets, 0, segments)?.zip(Source::slice(offsets, 1, segments)?);
        self.collect(&bounds.map(folds))
    }

    /// In reverse, a segment begins at what was its last item, and its operands are exchanged.
    fn scan_headed<H, S, O>(
        &self,
        heads: H,
        source: &S,
        op: &O,
        options: &ScanOptions,
    ) -> Result<Buffer<O::Output>, Error>
    where
        H: Source<Item = u32>,
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        options.check_lines("a scan of segments")?;
        if options.reverse {
            let ends = Ends::new(heads).reversed();
            return self.scan_runs(ends, source.reversed(), &Opposite::new(op.clone()), options);
        }
        self.scan_runs(heads, source, op, options)
    }

    /// Scans from head to head, inclusively or exclusively. In reverse, items and heads come from the last to the first,
    /// and results are written backwards.
    pub(crate) fn scan_runs<H, S, O>(
        &self,
        heads: H,
        source: S,
        op: &O,
        options: &ScanOptions,
    ) -> Result<Buffer<O::Output>, Error>
    where
        H: Source<Item = u32>,
        S: Source,
        O: Lift<S::Item> + Lower,
    {
        if options.exclusive {
            let op = Segmented::new(Optionally::new(op.clone()));
            return self.scan_placed(&Shifted::new(heads, source), &op, options);
        }
        self.scan_placed(&heads.zip(source), &Segmented::new(op.clone()), options)
    }

    fn scan_placed<S, O>(&self, source: &S, op: &O, options: &ScanOptions) -> Result<Buffer<O::Output>, Error>
    where
        S: Source,
        O: Lift<S::Item> + Lower,
    {
        let forward = ScanOptions { exclusive: false, reverse: false, ..*options };
        let mut output = self.room_for::<S::Item, O>(source.len())?;
        if options.reverse {
            let mut backwards = Backwards::new(&mut output, source.len());
            self.scan_forward(source, op, &mut backwards, &forward)?;
        } else {
            self.scan_forward(source, op, &mut output, &forward)?;
        }
        Ok(output)
    }
}

fn same_length(what: &'static str, got: u64, expected: u64) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Length { what, got, expected }) }
}
