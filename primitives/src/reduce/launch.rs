//! The launches of a reduction.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::kernel::{self, Blueprint};
use super::plan::{Cut, Plan, parts};
use crate::device::{Gpu, Launch, Use, argument};
use crate::ops::Resume;
use crate::tile::Tile;
use crate::views::Source;
use crate::{Buffer, Device, Error, Lift, Lower, Profile, State};

/// Folds `source` and stores the output as item `slot` of `output`.
pub fn reduce<S: Source + ?Sized, O: Lift<S::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    output: &Handle,
    slot: u32,
) -> Result<(), Error> {
    let unsupported = |feature| Error::Unsupported { device: device.label(), feature };
    let plan = plan::<S, O>(device, gpu, source.len())?;
    let words = output.size_in_used() as usize / 4;
    let out = argument(output.clone(), words);
    let cubes = plan.cubes();
    if cubes == 1 {
        let blueprint = Blueprint { tile: plan.tile, lowered: true };
        return fold(device, gpu, source, op, out, slot, plan.cut, blueprint);
    }
    let partials = partials::<O::State>(device, gpu, cubes, 0)?;
    let blueprint = Blueprint { tile: plan.tile, lowered: false };
    if plan.ends_at_once(&gpu.profile) {
        return fold_once(device, gpu, source, op, out, slot, partials, &plan);
    }
    let words = cubes as usize * O::State::WORDS;
    fold(device, gpu, source, op, argument(partials.clone(), words), 0, plan.cut, blueprint)?;
    // One cube folds the partial states.
    let states = Buffer::<O::State>::on_device(device, partials, cubes as usize);
    let resume = Resume::new(op.clone());
    let tile = Tile::fitting::<O::State, O::State>(&gpu.profile, plan.tile, 0, O::State::WORDS).map_err(unsupported)?;
    let cut = parts(cubes.into(), tile, 1).expect("the partials are few");
    fold(device, gpu, &states, &resume, out, slot, cut, Blueprint { tile, lowered: true })
}

/// The plan for `len` items, or why there is none.
pub fn plan<S: Source + ?Sized, O: Lift<S::Item> + Lower>(device: &Device, gpu: &Gpu, len: u64) -> Result<Plan, Error> {
    check_types::<S::Item, O>(device, gpu)?;
    Plan::new::<S::Item, O::State>(len, S::STORED, &gpu.profile)
        .map_err(|feature| Error::Unsupported { device: device.label(), feature })?
        .map_err(|limit| Error::TooLong { what: "a reduction", len, limit })
}

/// Refuses element types that the device lacks.
pub fn check_types<T: State, O: Lower>(device: &Device, gpu: &Gpu) -> Result<(), Error> {
    let lacks = [gpu.profile.lacks::<T>(), gpu.profile.lacks::<O::State>(), gpu.profile.lacks::<O::Output>()];
    match lacks.into_iter().flatten().next() {
        None => Ok(()),
        Some(feature) => Err(Error::Unsupported { device: device.label(), feature }),
    }
}

/// Scratch for `count` states at a depth of a recursion.
pub fn partials<S: State>(device: &Device, gpu: &Gpu, count: impl Into<u64>, depth: u32) -> Result<Handle, Error> {
    let count = count.into();
    device.fitting::<S>(gpu, count)?;
    let words = count * S::WORDS as u64;
    let make = |words: u64| gpu.client.empty(words as usize * 4);
    Ok(gpu.scratch.piece(Use::Partials(depth), words, make, |piece| piece.handle.clone()))
}

/// `cubes` cubes in rows that the device can launch; the last row may run over.
pub fn cube_grid(cubes: u32, profile: &Profile) -> CubeCount {
    let width = cubes.min(profile.max_cubes.0).max(1);
    CubeCount::Static(width, cubes.div_ceil(width).max(1), 1)
}

/// One launch of the fold kernel.
#[allow(clippy::too_many_arguments)]
pub fn fold<S: Source + ?Sized, O: Lift<S::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    output: BufferArg,
    slot: u32,
    cut: Cut,
    blueprint: Blueprint,
) -> Result<(), Error> {
    let view = source.bind(device, blueprint.tile.run)?;
    let op = op.bind(device)?;
    let units = blueprint.tile.units;
    let cubes = cut.cubes.div_ceil(blueprint.tile.groups());
    device.notify(&Launch { kernel: "reduce::fold", strategy: "Tree", cubes: cubes.into(), units });
    // SAFETY: a unit reads items below `full_tiles · part + tail`, which is the source's length, and cube `c` of
    // `cubes` writes item `slot + c`, which the output was made for. Loops end after `tiles_per_cube` steps.
    unsafe {
        kernel::launch_fold::<S::View, O>(
            &gpu.client,
            cube_grid(cubes, &gpu.profile),
            CubeDim::new_1d(units),
            view,
            op,
            output,
            slot,
            cubes,
            cut.tiles_per_cube,
            cut.full_tiles,
            cut.tail,
            blueprint,
        );
    }
    Ok(())
}

/// The launch whose last cube folds the partials of all.
#[allow(clippy::too_many_arguments)]
fn fold_once<S: Source + ?Sized, O: Lift<S::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    output: BufferArg,
    slot: u32,
    partials: Handle,
    plan: &Plan,
) -> Result<(), Error> {
    let (cubes, units, cut) = (plan.cubes(), plan.tile.units, plan.cut);
    let (view, op) = (source.bind(device, plan.tile.run)?, op.bind(device)?);
    device.notify(&Launch { kernel: "reduce::fold_once", strategy: "Tree", cubes: cubes.into(), units });
    // SAFETY: as `fold`; the partials have room for a state of each of the `cubes` that are launched, and the ticket for a word.
    unsafe {
        kernel::launch_fold_once::<S::View, O>(
            &gpu.client,
            CubeCount::Static(cubes, 1, 1),
            CubeDim::new_1d(units),
            view,
            op,
            output,
            slot,
            argument(partials, cubes as usize * O::State::WORDS),
            argument(gpu.ticket(), 1),
            cubes,
            cut.tiles_per_cube,
            cut.full_tiles,
            cut.tail,
            plan.tile,
        );
    }
    Ok(())
}
