//! The launches: blocks of 2^16 paths, each folded in one tree, and their moments added up in order.
//!
//! Neither how many blocks a launch has nor where a run was broken off changes a bit: a block is folded alike wherever it
//! stands, and the host adds blocks in order.

use std::marker::PhantomData;

use cubefold_primitives::rng::{Bridge, Sobol};
use cubefold_primitives::{Buffer, Counter, Device, Fixed};

use super::paths::{Extent, Paths, Sums};
use super::quasi::QuasiPaths;
use super::shape::{Any, BLOCK_BITS, Shape};
use super::table::Table;
use super::tally::Tally;
use crate::error::FinanceError;

/// Blocks of a launch, as a power of two, where a path has one step: a device of 2 Gpath/s takes a second;
const LEAPING_BITS: u32 = 15;
/// and where it has several.
const WALKING_BITS: u32 = 8;

/// The blocks from `from` on that paths up to `paths` lie in, of each option of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub seed: u64,
    /// The first block.
    pub from: u64,
    /// The paths of an option in all.
    pub paths: u64,
    /// Options in the table.
    pub options: u32,
}

/// A stretch whose table is on a device: it can be launched again and again, and moves nothing to the device but numbers.
#[derive(Debug, Clone)]
pub struct Staged {
    device: Device,
    paths: Paths<Any>,
    stretch: Stretch,
}

impl Staged {
    /// Uploads the table.
    pub(super) fn new(device: &Device, table: &Table, shape: Shape, stretch: Stretch) -> Result<Self, FinanceError> {
        let many = stretch.options > 1;
        let even = stretch.paths % (1 << if many { BLOCK_BITS } else { shape.item_bits() }) == 0;
        let shape = Shape { single: table.scenarios == 1, many, even, ..shape };
        let last = stretch.paths.div_ceil(1 << shape.item_bits()).saturating_sub(1);
        let paths = Paths {
            table: device.upload(&table.cells)?.into(),
            shape: Fixed(shape),
            compiled: PhantomData,
            seed: stretch.seed.into(),
            first: 0.into(),
            last: last.into(),
            rest: (stretch.paths - (last << shape.item_bits())) as u32,
            blocks: 0,
            block_bits: BLOCK_BITS - shape.item_bits(),
            extent: Extent::of(table),
        };
        Ok(Staged { device: device.clone(), paths, stretch })
    }

    /// Launches all paths, and leaves the sums of every block on the device: a buffer a launch.
    ///
    /// # Errors
    /// What goes wrong on the device.
    pub fn launch(&self) -> Result<Vec<Buffer<Sums>>, FinanceError> {
        self.launch_along(None)
    }

    /// The same along quasi-random points, where there are some.
    pub(super) fn launch_along(&self, points: Option<&(Sobol, Bridge)>) -> Result<Vec<Buffer<Sums>>, FinanceError> {
        let Staged { device, stretch, .. } = self;
        let (shape, block_bits) = (self.paths.shape.0, self.paths.block_bits);
        let items = stretch.paths.div_ceil(1 << shape.item_bits());
        let end = stretch.paths.div_ceil(1 << BLOCK_BITS);
        // Of many options one launch has all the paths.
        let most = match (shape.many, shape.leap) {
            (true, _) => u64::MAX,
            (_, true) => 1 << LEAPING_BITS,
            _ => 1 << WALKING_BITS,
        };
        let mut launched = Vec::new();
        let mut from = stretch.from;
        while from < end {
            let blocks = most.min(end - from);
            let first = from << block_bits;
            let each = if shape.many { blocks << block_bits } else { items.min((from + blocks) << block_bits) - first };
            let paths = Paths { first: first.into(), blocks: blocks as u32, ..self.paths.clone() };
            let all = Counter::new(each * u64::from(stretch.options));
            launched.push(match points {
                None => match paths.plain() {
                    Some(plain) => device.reduce_blocks(&all, 1 << block_bits, &plain)?,
                    None => device.reduce_blocks(&all, 1 << block_bits, &paths)?,
                },
                Some((sobol, bridge)) => {
                    let (sobol, bridge) = (sobol.on(device)?, bridge.on(device)?);
                    device.reduce_blocks(&all, 1 << block_bits, &QuasiPaths { paths, sobol, bridge })?
                }
            });
            from += blocks;
        }
        Ok(launched)
    }
}

/// Of every option the complete blocks, and beside them the last one, which is not full.
pub(super) fn gather(
    launched: &[Buffer<Sums>],
    table: &Table,
    stretch: Stretch,
) -> Result<Vec<[Tally; 2]>, FinanceError> {
    let options = stretch.options as usize;
    let mut tallies = vec![[Tally::default(); 2]; options];
    let mut from = stretch.from;
    for buffer in launched {
        let blocks = buffer.to_vec()?;
        let each = blocks.len() / options;
        for (place, sums) in blocks.into_iter().enumerate() {
            let (option, block) = (place / each, from + (place % each) as u64);
            let count = (stretch.paths - (block << BLOCK_BITS)).min(1 << BLOCK_BITS);
            let block = Tally::of(count, sums, table.centre(option));
            let [full, rest] = &mut tallies[option];
            match count == 1 << BLOCK_BITS {
                true => *full = full.and(block),
                false => *rest = rest.and(block),
            }
        }
        from += each as u64;
    }
    Ok(tallies)
}
