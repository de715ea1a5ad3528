//! The launches: blocks of 2^16 paths, each folded in one tree, and their moments added up in order.
//!
//! Neither how many blocks a launch has nor where a run was broken off changes a bit: a block is folded alike wherever it
//! stands, and the host adds blocks in order.

use cubefold_primitives::ops::{JointMoments, JointMomentsState, States};
use cubefold_primitives::rng::{Bridge, Sobol};
use cubefold_primitives::views::{Dense, Source};
use cubefold_primitives::{Buffer, Counter, Device, Fixed};

use super::paths::Paths;
use super::quasi::QuasiPaths;
use super::shape::Shape;
use super::table::Table;
use super::tally::Tally;
use crate::error::FinanceError;

/// Paths of a block, as a power of two.
pub(super) const BLOCK_BITS: u32 = 16;

/// Units' results of a launch, as a power of two: 28 MiB of moments.
const LAUNCH_BITS: u32 = 20;

/// Results that one unit folds: a run that is never cut.
const FOLD_BITS: u32 = 6;

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

/// Launches a stretch, along quasi-random points where there are some, and gives for every launch the moments of its blocks, still on the device.
pub(super) fn launch(
    device: &Device,
    table: &Table,
    shape: Shape,
    stretch: Stretch,
    points: Option<&(Sobol, Bridge)>,
) -> Result<Vec<Buffer<JointMomentsState<f32>>>, FinanceError> {
    let each = BLOCK_BITS - shape.block_bits;
    // Of many options one launch has all the paths.
    let most = if stretch.options > 1 { u64::MAX } else { 1 << (LAUNCH_BITS - each) };
    let end = stretch.paths.div_ceil(1 << BLOCK_BITS);
    let cells = device.upload(&table.cells)?;
    let mut launched = Vec::new();
    let mut block = stretch.from;
    while block < end {
        let blocks = most.min(end - block);
        let units = blocks << each;
        let all = units * u64::from(stretch.options);
        let paths = Paths {
            table: cells.clone().into(),
            shape: Fixed(shape),
            seed: stretch.seed.into(),
            first: (block << each).into(),
            paths: stretch.paths.into(),
            blocks: units as u32,
            scenarios: table.scenarios,
            width: table.width,
            steps: table.steps,
            row: table.row,
            jumps: table.jumps,
        };
        let moments = match points {
            None => device.collect(&Counter::new(all).map(paths))?,
            Some((sobol, bridge)) => {
                let (sobol, bridge) = (sobol.on(device)?, bridge.on(device)?);
                device.collect(&Counter::new(all).map(QuasiPaths { paths, sobol, bridge }))?
            }
        };
        launched.push(folded(device, moments, each)?);
        block += blocks;
    }
    Ok(launched)
}

/// Folds every two to the `bits` neighbours into one.
fn folded(
    device: &Device,
    moments: Buffer<JointMomentsState<f32>>,
    bits: u32,
) -> Result<Buffer<JointMomentsState<f32>>, FinanceError> {
    let mut moments = moments;
    let mut left = bits;
    while left > 0 {
        let fold = left.min(FOLD_BITS);
        let rows = (moments.len() >> fold) as u32;
        let matrix = Dense::new(&moments, rows, 1 << fold)?;
        moments = device.reduce_rows(&matrix, &States::new(JointMoments::new()))?;
        left -= fold;
    }
    Ok(moments)
}

/// Of every option the complete blocks, and beside them the last one, which is not full.
pub(super) fn gather(
    launched: &[Buffer<JointMomentsState<f32>>],
    options: usize,
) -> Result<Vec<[Tally; 2]>, FinanceError> {
    let mut tallies = vec![[Tally::default(); 2]; options];
    for buffer in launched {
        let blocks = buffer.to_vec()?;
        let each = blocks.len() / options;
        for (block, place) in blocks.into_iter().zip(0..) {
            let block = Tally::from(block);
            let [full, rest] = &mut tallies[place / each];
            match block.count == 1 << BLOCK_BITS {
                true => *full = full.and(block),
                false => *rest = rest.and(block),
            }
        }
    }
    Ok(tallies)
}
