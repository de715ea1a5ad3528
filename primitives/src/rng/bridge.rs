//! The Brownian bridge: a path from normal numbers in the order of their importance, the end first, then the middle, then the
//! middles of the halves.
//!
//! Given its values at two times, a Brownian motion between them is normal:
//!
//! ```text
//! W(t) = W(l) (r − t) / (r − l) + W(r) (t − l) / (r − l) + Z √((t − l) (r − t) / (r − l))
//! ```
//!
//! The first few numbers then decide most of the path, and those are the dimensions in which quasi-random points are best. R. E.
//! Caflisch and B. Moskowitz, "Modified Monte Carlo methods using quasi-random sequences" (1995); P. Jäckel, "Monte Carlo methods
//! in finance" (2002), section 10.8.3.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use std::collections::VecDeque;

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Captured, Device, Error, Fixed, Local};

/// Words of a step: its places, then what the two neighbours and the normal number count.
const STRIDE: usize = 4;

/// Bits of a place.
const PLACE: u32 = 8;

/// The construction of a path at up to 64 times, to be a field of an operator.
///
/// A body takes a path, places a normal number of each rank in it, from 0 up, and reads the values in the order of time:
///
/// ```
/// use cubefold_primitives::cubecl::prelude::*;
/// use cubefold_primitives::rng::{Bridge, Sobol, normal_from};
/// use cubefold_primitives::views::{Mapping, MappingExpand};
/// use cubefold_primitives::{Counter, Device, Operator, Source, Wide, cubecl};
///
/// /// The highest value on path `index`.
/// #[derive(Clone, Operator)]
/// struct Highest {
///     sobol: Sobol,
///     bridge: Bridge,
/// }
///
/// #[cube]
/// impl Mapping<Wide> for Highest {
///     type Output = f32;
///     fn map(&self, index: Wide) -> f32 {
///         let mut path = self.bridge.path();
///         for rank in 0..self.bridge.steps() {
///             self.bridge.place(&mut path, rank, normal_from(self.sobol.point(index.low, rank)));
///         }
///         let mut highest = path.get(0u32);
///         for step in 1..self.bridge.steps() {
///             highest = max(highest, path.get(step));
///         }
///         highest
///     }
/// }
///
/// let highest = Highest { sobol: Sobol::scrambled(12, 1)?, bridge: Bridge::even(12, 1.0)? };
/// assert_eq!(Device::host().collect(&Counter::new(1024).map(highest))?.len(), 1024);
/// # Ok::<(), cubefold_primitives::Error>(())
/// ```
///
/// A step takes two reads and a write of the path, and four reads of a table. Kernels are compiled for the number of steps.
#[derive(Debug, Clone, Operator)]
pub struct Bridge {
    table: Captured<u32>,
    steps: Fixed<u32>,
}

impl Bridge {
    /// How many steps there are at most.
    pub const STEPS: u32 = 64;

    /// A path from 0 at time 0 through `times`, which rise.
    ///
    /// # Errors
    ///
    /// [`Error::Steps`] for none or more than 64, and [`Error::Time`] for one that is not after the one before, or not finite.
    pub fn new(times: &[f64]) -> Result<Self, Error> {
        let limit = Self::STEPS;
        let steps = u32::try_from(times.len()).unwrap_or(u32::MAX);
        if steps == 0 || steps > limit {
            return Err(Error::Steps { got: times.len() as u64, limit });
        }
        let mut before = 0.0;
        for (index, &time) in times.iter().enumerate() {
            if !(time > before && time.is_finite()) {
                return Err(Error::Time { index: index as u64, time, before });
            }
            before = time;
        }
        Ok(Bridge { table: table(times).into(), steps: Fixed(steps) })
    }

    /// A path of `steps` equal steps up to time `end`.
    ///
    /// # Errors
    ///
    /// As [`new`](Bridge::new).
    pub fn even(steps: u32, end: f64) -> Result<Self, Error> {
        if steps > Self::STEPS {
            return Err(Error::Steps { got: u64::from(steps), limit: Self::STEPS });
        }
        Self::new(&(1..=steps).map(|step| end * f64::from(step) / f64::from(steps)).collect::<Vec<_>>())
    }

    /// The same with its table uploaded to `device`, for many launches there.
    ///
    /// # Errors
    ///
    /// What goes wrong on the device, and [`Error::ForeignBuffer`] where the table is on another one.
    pub fn on(&self, device: &Device) -> Result<Self, Error> {
        Ok(Bridge { table: self.table.on(device)?, steps: self.steps })
    }
}

#[cube]
impl Bridge {
    /// How many steps a path has.
    pub fn steps(&self) -> u32 {
        comptime!(self.steps.0).runtime()
    }

    /// A path with nothing placed in it yet.
    pub fn path(&self) -> Local<f32> {
        Local::<f32>::new(comptime!(self.steps.0))
    }

    /// Places the normal number of a rank, after those of all ranks before it: then the value at one more time is there.
    pub fn place(&self, path: &mut Local<f32>, rank: u32, normal: f32) {
        let first = rank * comptime!(STRIDE as u32);
        let places = self.table[first as usize];
        let mask = comptime!((1u32 << PLACE) - 1u32).runtime();
        let left = path.get((places >> comptime!(PLACE)) & mask);
        let right = path.get(places >> comptime!(2 * PLACE));
        let from_left = f32::from_bits(self.table[(first + 1u32) as usize]) * left;
        let from_right = f32::from_bits(self.table[(first + 2u32) as usize]) * right;
        let spread = f32::from_bits(self.table[(first + 3u32) as usize]) * normal;
        path.set(places & mask, from_left + from_right + spread);
    }
}

/// What is placed when, and between what.
fn table(times: &[f64]) -> Vec<u32> {
    let last = times.len() - 1;
    let mut table = Vec::with_capacity(times.len() * STRIDE);
    let mut put = |place: usize, left: usize, right: usize, weights: [f64; 3]| {
        table.push((place | left << PLACE | right << (2 * PLACE)) as u32);
        table.extend(weights.map(|weight| (weight as f32).to_bits()));
    };
    put(last, last, last, [0.0, 0.0, times[last].sqrt()]);
    // Gaps between two times that are placed, the widest first: the place after the left one, and the right one.
    let mut gaps = VecDeque::from([(0, last)]);
    while let Some((low, right)) = gaps.pop_front() {
        if low == right {
            continue;
        }
        let middle = (low + right - 1) / 2;
        // Before the first time stands 0, which counts nothing: any place that has a value will do.
        let (left, start) = if low == 0 { (right, 0.0) } else { (low - 1, times[low - 1]) };
        let (before, after) = (times[middle] - start, times[right] - times[middle]);
        let gap = times[right] - start;
        let from_left = if low == 0 { 0.0 } else { after / gap };
        put(middle, left, right, [from_left, before / gap, (before * (after / gap)).sqrt()]);
        gaps.extend([(low, middle), (middle + 1, right)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(bridge: &Bridge, normals: &[f32]) -> Vec<f32> {
        let mut path = bridge.path();
        for (rank, &normal) in (0..).zip(normals) {
            bridge.place(&mut path, rank, normal);
        }
        (0..bridge.steps()).map(|step| path.get(step)).collect()
    }

    /// `W = B Z` with independent `Z`: the covariance is `B Bᵀ`, and must be the lesser of the two times.
    fn check(times: &[f64]) {
        let bridge = Bridge::new(times).unwrap();
        let steps = times.len();
        let column = |rank: usize| {
            path(&bridge, &(0..steps).map(|other| f32::from(u8::from(other == rank))).collect::<Vec<_>>())
        };
        let columns: Vec<Vec<f32>> = (0..steps).map(column).collect();
        for (row, &s) in times.iter().enumerate() {
            for (other, &t) in times.iter().enumerate() {
                let covariance: f64 = columns.iter().map(|b| f64::from(b[row]) * f64::from(b[other])).sum();
                let expected = s.min(t);
                assert!((covariance / expected - 1.0).abs() < 1e-6, "{steps} times, {s} and {t}: {covariance}");
            }
        }
        // The first number decides the end alone, and each later one less than the first.
        assert_eq!(columns[0][steps - 1], (times[steps - 1].sqrt()) as f32);
        assert!(columns[1..].iter().all(|column| column[steps - 1] == 0.0));
    }

    #[test]
    fn the_covariance_is_the_lesser_time() {
        for steps in [1, 2, 3, 5, 12, 32, 50, 63, 64] {
            check(&(1..=steps).map(|step| 2.5 * f64::from(step) / f64::from(steps)).collect::<Vec<_>>());
            check(&(1..=steps).map(|step| 0.1 + f64::from(step * step) / 7.0).collect::<Vec<_>>());
        }
    }

    #[test]
    fn one_normal_a_rank_is_used_and_the_widest_gaps_come_first() {
        let bridge = Bridge::even(8, 8.0).unwrap();
        let places = |rank: usize| bridge.table[rank * STRIDE] & 0xff;
        assert_eq!((0..8).map(places).collect::<Vec<_>>(), [7, 3, 1, 5, 0, 2, 4, 6]);
    }

    #[test]
    fn times_that_do_not_rise_and_too_many_are_refused() {
        assert!(Bridge::even(64, 1.0).is_ok());
        assert_eq!(Bridge::even(65, 1.0).unwrap_err(), Error::Steps { got: 65, limit: 64 });
        assert_eq!(Bridge::new(&[]).unwrap_err(), Error::Steps { got: 0, limit: 64 });
        assert_eq!(Bridge::new(&[1.0, 1.0]).unwrap_err(), Error::Time { index: 1, time: 1.0, before: 1.0 });
        assert_eq!(Bridge::new(&[0.0]).unwrap_err(), Error::Time { index: 0, time: 0.0, before: 0.0 });
        assert!(matches!(Bridge::new(&[f64::NAN]), Err(Error::Time { .. })));
        assert!(Bridge::new(&[f64::MIN_POSITIVE]).is_ok());
        assert!(matches!(Bridge::even(3, f64::INFINITY), Err(Error::Time { index: 0, .. })));
    }
}
