//! `scan`: the fold of every prefix of a source.
//!
//! | strategy | work | span | bytes (n items) | launches |
//! |---|---|---|---|---|
//! | [`Strategy::HillisSteele`] | n log t within tiles of t | log t · levels | items twice, results once | 2 · levels − 1 |
//! | [`Strategy::Blelloch`] | 2 n within tiles | 2 log t · levels | items twice, results once | 2 · levels − 1 |
//! | [`Strategy::DecoupledLookback`] | 3 n + n / t · w | log t + look-back | items once from memory and most once more from the cache, results once | 1 |
//!
//! where levels = log_t n and w tiles lie between two anchors. Every strategy may read an item twice: a computed source then
//! computes it twice. A look-back scan must not be captured in a graph and replayed: each call has a tag of its own. The
//! host scans fixed chunks on rayon: it folds them, scans their totals, and scans each on from its total.
//!
//! The grouping of items depends on the device's planes, units and shared memory, and on the host on its chunks.
//! [`ScanOptions::reproducible`] gives it up for one grouping everywhere, that of tiles of 256 units in planes of 32: its
//! tiles are shorter than others, and slow where planes are played through shared memory.

mod axis;
pub(crate) mod blueprint;
mod cost;
mod descriptor;
mod explain;
mod host;
mod launch;
mod lookback;
mod plan;
mod tiles;
mod tree;
mod window;

use crate::device::Launch;
use crate::ops::Opposite;
use crate::reduce::launch::check_types;
use crate::views::{Backwards, Sink, Source};
use crate::{Buffer, Device, Error, Lift, Lower, Operator, State};

pub(crate) use blueprint::Kind;
pub use blueprint::{ScanOptions, Strategy};
pub use explain::ScanPlan;
pub(crate) use host::addressable;

impl Device {
    /// Scans `source` inclusively: result `i` is the fold of items `0..=i`, lowered.
    ///
    /// Order is kept for every operator; the same call on the same device gives the same bits.
    ///
    /// # Errors
    ///
    /// As [`scan_with`](Device::scan_with).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::{Device, ops::Sum};
    ///
    /// let sums = Device::host().scan(&vec![1u32, 2, 3, 4], &Sum::new())?;
    /// assert_eq!(sums.to_vec()?, [1, 3, 6, 10]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn scan<S, O>(&self, source: &S, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        self.scan_anew(source, op, &ScanOptions::default())
    }

    /// Scans `source` exclusively: result `i` is the fold of items `0..i`, lowered; result 0 is the identity's.
    ///
    /// # Errors
    ///
    /// As [`scan_with`](Device::scan_with).
    pub fn scan_exclusive<S, O>(&self, source: &S, op: &O) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        self.scan_anew(source, op, &ScanOptions { exclusive: true, ..ScanOptions::default() })
    }

    /// Scans `source` as `options` say, into a new buffer. The strategy that was asked for is the one that runs.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for an element type or a feature that the device lacks,
    /// [`Error::BindingTooLarge`] for results that it cannot hold, [`Error::ForeignBuffer`] or
    /// [`Error::NotOnHost`] for items that live elsewhere, [`Error::NotReproducible`] for a strategy that cannot be.
    pub fn scan_with<S, O>(&self, source: &S, op: &O, options: &ScanOptions) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        if !options.reverse {
            return self.scan_anew(source, op, options);
        }
        let mut output = self.room_for::<S::Item, O>(options.results(source.len()))?;
        self.scan_back(source, op, &mut output, options)?;
        Ok(output)
    }

    /// A scan forward, into a new buffer.
    fn scan_anew<S, O>(&self, source: &S, op: &O, options: &ScanOptions) -> Result<Buffer<O::Output>, Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
    {
        let mut output = self.room_for::<S::Item, O>(options.results(source.len()))?;
        self.scan_forward(source, op, &mut output, options)?;
        Ok(output)
    }

    /// A new buffer for `len` results; the host's grows with them.
    pub(crate) fn room_for<T: State, O: Lower>(&self, len: u64) -> Result<Buffer<O::Output>, Error> {
        let Some(gpu) = self.gpu() else {
            self.check_host_memory::<O::Output>(len)?;
            return Ok(Buffer::on_host(Vec::new()));
        };
        check_types::<T, O>(self, gpu)?;
        self.fitting::<O::Output>(gpu, len)?;
        let len = len as usize;
        Ok(Buffer::on_device(self, self.allocate::<O::Output>(gpu, len)?, len))
    }

    /// Scans `source` as `options` say, into `sink`: an existing buffer, or evenly spaced items of one.
    ///
    /// # Errors
    ///
    /// As [`scan_with`](Device::scan_with); [`Error::Length`] where `sink` has not room for exactly the results, and
    /// [`Error::Overlap`] where its memory is read by the source or the operator.
    pub fn scan_into<S, O, K>(&self, source: &S, op: &O, sink: &mut K, options: &ScanOptions) -> Result<(), Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
        K: Sink<Item = O::Output> + ?Sized,
    {
        check_sink(source, options.results(source.len()), op, sink)?;
        if options.reverse {
            self.scan_back(source, op, sink, options)?;
        } else {
            self.scan_forward(source, op, sink, options)?;
        }
        self.settle(sink.memory())
    }

    /// A scan in reverse is one of the reversed items by the opposite operator, written backwards.
    fn scan_back<S, O, K>(&self, source: &S, op: &O, sink: &mut K, options: &ScanOptions) -> Result<(), Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
        K: Sink<Item = O::Output> + ?Sized,
    {
        let forward = ScanOptions { reverse: false, ..*options };
        let (items, op) = (source.reversed(), Opposite::new(op.clone()));
        let mut backwards = Backwards::new(sink, options.results(source.len()));
        self.scan_forward(&items, &op, &mut backwards, &forward)
    }

    pub(crate) fn scan_forward<S, O, K>(
        &self,
        source: &S,
        op: &O,
        sink: &mut K,
        options: &ScanOptions,
    ) -> Result<(), Error>
    where
        S: Source + ?Sized,
        O: Lift<S::Item> + Lower,
        K: Sink<Item = O::Output> + ?Sized,
    {
        let Some(gpu) = self.gpu() else {
            op.check_host()?;
            self.notify(&Launch { kernel: "host", strategy: options.strategy.name(), cubes: 0, units: 0 });
            let len = addressable(source.len())?;
            if options.reproducible {
                plan::check_grouping(options.strategy, true).map_err(|refusal| launch::refused(self, len, refusal))?;
                return sink.put(tree::scan(&source.on_host()?, len, op, options.kind()));
            }
            return sink.put(host::scan(&source.on_host()?, len, op, options.kind()));
        };
        launch::scan(self, gpu, source, op, sink, options)
    }
}

/// Whether `results` of `source` fit into `sink` and do not overwrite what is still to be read.
pub(crate) fn check_sink<S, O, K>(source: &S, results: u64, op: &O, sink: &K) -> Result<(), Error>
where
    S: Source + ?Sized,
    O: Operator,
    K: Sink + ?Sized,
{
    if sink.room() != results {
        return Err(Error::Length { what: "the sink", got: sink.room(), expected: results });
    }
    match sink.memory() {
        Some(memory) if source.reads(memory) || op.reads(memory) => Err(Error::Overlap),
        _ => Ok(()),
    }
}
