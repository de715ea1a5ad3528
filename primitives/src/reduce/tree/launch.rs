//! The launches of the reproducible reduction: one for every power of a cube's leaves.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::kernel;
use super::plan::Tree;
use crate::device::{Gpu, Launch, argument};
use crate::ops::Resume;
use crate::reduce::Cut;
use crate::reduce::launch::{check_types, cube_grid, partials};
use crate::views::Source;
use crate::{Buffer, Device, Error, Lift, Lower, State};

/// Folds every `block` items of `source`, two to the power of a number, or all of them, and stores the outputs from item `slot` of
/// `output` on.
pub fn reduce<S: Source + ?Sized, O: Lift<S::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    output: &Handle,
    slot: u32,
    block: Option<u64>,
) -> Result<(), Error> {
    let unsupported = |feature| Error::Unsupported { device: device.label(), feature };
    check_types::<S::Item, O>(device, gpu)?;
    let mut tree = Tree::of_items::<S::Item, O::State>(source.len(), S::STORED, &gpu.profile).map_err(unsupported)?;
    // Items, and then states, of an output.
    let mut each = block.unwrap_or(1 << 63);
    tree = tree.within(each, &gpu.profile);
    let ends = |tree: Tree, each: u64, cut: &Cut| each == u64::from(tree.len()) || (block.is_none() && cut.cubes == 1);
    let cut = cut(tree, source.len(), gpu)?;
    tree.lowered = ends(tree, each, &cut);
    if tree.lowered {
        return fold(device, gpu, source, op, whole(output), slot, cut, tree);
    }
    let mut states = partials::<O::State>(device, gpu, cut.cubes, 0)?;
    fold(device, gpu, source, op, argument(states.clone(), words::<O>(cut.cubes)), 0, cut, tree)?;
    let resume = Resume::new(op.clone());
    let states_tree = Tree::of_states::<O::State>(&gpu.profile).map_err(unsupported)?;
    let (mut count, mut depth) = (cut.cubes, 1);
    loop {
        each /= u64::from(tree.len());
        tree = states_tree.within(each, &gpu.profile);
        let level = self::cut(tree, count.into(), gpu)?;
        tree.lowered = ends(tree, each, &level);
        let items = Buffer::<O::State>::on_device(device, states, count as usize);
        if tree.lowered {
            return fold(device, gpu, &items, &resume, whole(output), slot, level, tree);
        }
        // Two depths in turn: a launch reads the one and writes the other.
        states = partials::<O::State>(device, gpu, level.cubes, depth % 2)?;
        fold(device, gpu, &items, &resume, argument(states.clone(), words::<O>(level.cubes)), 0, level, tree)?;
        (count, depth) = (level.cubes, depth + 1);
    }
}

fn cut(tree: Tree, len: u64, gpu: &Gpu) -> Result<Cut, Error> {
    tree.cut(len, &gpu.profile).map_err(|limit| Error::TooLong { what: "a reduction", len, limit })
}

fn words<O: Lower>(states: u32) -> usize {
    states as usize * O::State::WORDS
}

fn whole(output: &Handle) -> BufferArg {
    argument(output.clone(), output.size_in_used() as usize / 4)
}

/// One launch.
#[allow(clippy::too_many_arguments)]
fn fold<S: Source + ?Sized, O: Lift<S::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    output: BufferArg,
    slot: u32,
    cut: Cut,
    tree: Tree,
) -> Result<(), Error> {
    let (view, op) = (source.bind(device, tree.run)?, op.bind(device)?);
    device.notify(&Launch {
        kernel: "reduce::fold_tree",
        strategy: "Reproducible",
        cubes: cut.cubes.into(),
        units: tree.units,
    });
    // SAFETY: a unit reads items below `full_tiles · block + tail`, which is the source's length, and cube `c` of `cubes` writes
    // item `slot + c`, which the output was made for. The one loop ends after the items of a run.
    unsafe {
        kernel::launch_fold_tree::<S::View, O>(
            &gpu.client,
            cube_grid(cut.cubes, &gpu.profile),
            CubeDim::new_1d(tree.units),
            view,
            op,
            output,
            slot,
            cut.cubes,
            cut.full_tiles,
            cut.tail,
            tree,
        );
    }
    Ok(())
}
