//! `histogram`: how many items fall into each bin.
//!
//! `collect` with a sink that counts its results: each adds 1, atomically, to its bin in one of several copies, which are then
//! summed. Additions of integers commute, so counts are exact and the same every run.

mod host;
mod sink;
mod total;

use crate::collect;
use crate::device::{Gpu, Launch};
use crate::views::{Mapping, Source};
use crate::{Buffer, Counter, Device, Error, Feature, Wide};
use sink::{Counts, copies};
use total::{Added, Binned, Total};

/// Items counted before the 32 bits of a bin are added to its 64.
const PART: u64 = 1 << 30;

/// What becomes of an item whose bin there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Outside {
    /// It is not counted.
    #[default]
    Ignore,
    /// It is counted in the last bin.
    Last,
    /// It is an error, for which the number of them is read back.
    Refuse,
}

impl Device {
    /// Counts the items of each of `bins` bins; `binning` says the bin of an item.
    ///
    /// Work n and a sum over at most 2^16 copies of bins; bytes: the items once. Counts have 64 bits.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for a device without atomic integers; [`Error::TooLong`] for more than 2^32 - 2 bins;
    /// [`Error::Outside`] for items outside where they are refused. Else as [`collect`](Device::collect).
    ///
    /// # Examples
    ///
    /// ```
    /// use cubefold_primitives::cubecl::prelude::*;
    /// use cubefold_primitives::views::{Mapping, MappingExpand};
    /// use cubefold_primitives::{Device, Operator, Outside, cubecl};
    ///
    /// #[derive(Clone, Operator)]
    /// struct Percent;
    ///
    /// #[cube]
    /// impl Mapping<f32> for Percent {
    ///     type Output = u32;
    ///     fn map(&self, weight: f32) -> u32 {
    ///         (weight * 100.0f32) as u32
    ///     }
    /// }
    ///
    /// let counts = Device::host().histogram(&vec![0.015f32, 0.031, 0.012, 7.0], &Percent, 4, Outside::Ignore)?;
    /// assert_eq!(counts.to_vec()?.into_iter().map(u64::from).collect::<Vec<_>>(), [0, 2, 0, 1]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn histogram<S, B>(&self, source: &S, binning: &B, bins: u32, outside: Outside) -> Result<Buffer<Wide>, Error>
    where
        S: Source + ?Sized,
        B: Mapping<S::Item, Output = u32>,
    {
        if bins > u32::MAX - 2 {
            return Err(Error::TooLong { what: "a histogram", len: bins.into(), limit: u64::from(u32::MAX - 2) });
        }
        // One bin more, for what is outside.
        let binned =
            Binned::new(binning.clone(), bins, if outside == Outside::Last { bins.saturating_sub(1) } else { bins });
        let counts = match self.gpu() {
            None => {
                self.notify(&Launch { kernel: "host", strategy: "Histogram", cubes: 0, units: 0 });
                let view = source.on_host()?;
                binning.check_host()?;
                Buffer::on_host(host::counts(&view, source.len(), &binned, bins as usize + 1))
            }
            Some(gpu) => self.counted(gpu, source, &binned, bins + 1)?,
        };
        if outside == Outside::Refuse {
            let beyond = u64::from(counts.get(bins as usize)?);
            if beyond > 0 {
                return Err(Error::Outside { items: beyond, bins });
            }
        }
        Ok(counts.first(bins as usize))
    }

    /// Counts part after part, on the device.
    fn counted<S, B>(&self, gpu: &Gpu, source: &S, binned: &Binned<B>, bins: u32) -> Result<Buffer<Wide>, Error>
    where
        S: Source + ?Sized,
        B: Mapping<S::Item, Output = u32>,
    {
        if !gpu.profile.atomic_u32 {
            return Err(Error::Unsupported { device: self.label(), feature: Feature::Atomic32 });
        }
        let copies = copies(bins);
        let words = u64::from(bins) * u64::from(copies);
        self.fitting::<u32>(gpu, words)?;
        let mut sums: Option<Buffer<Wide>> = None;
        for start in (0..source.len().max(1)).step_by(PART as usize) {
            let part = Source::slice(source, start, PART.min(source.len() - start))?;
            let mut counts = Counts::new(Buffer::on_device(self, gpu.zeros(words), words as usize), bins, copies);
            collect::launch::collect(self, gpu, &part.map(binned.clone()), &mut counts)?;
            let total = Counter::new(bins.into()).map(Total::new(counts.into_buffer().into(), bins, copies));
            sums = Some(match sums {
                None => self.collect(&total)?,
                Some(before) => self.collect(&before.zip(total).map(Added))?,
            });
        }
        Ok(sums.expect("there is one part at least"))
    }
}
