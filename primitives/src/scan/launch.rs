//! The launches of a scan.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::blueprint::{Kind, LookbackBlueprint, ScanOptions, Strategy, TilesBlueprint, Within};
use super::descriptor::{Descriptors, Halves, MEMORY, SlotsLaunch, Wholes};
use super::lookback::{self, ExtentLaunch};
use super::plan::{PATIENCE, Plan, Refusal};
use super::tiles;
use crate::device::{Gpu, Launch, Use, argument};
use crate::ops::States;
use crate::reduce::Blueprint;
use crate::reduce::launch::{check_types, cube_grid, fold, partials};
use crate::views::{Sink, Source};
use crate::{Buffer, Device, Error, Lift, Lower, Monoid, State};

type PlaceArg<K> = <<K as Sink>::Place as LaunchArg>::RuntimeArg;

/// Scans `source` into `sink`, which has as much room.
pub fn scan<S: Source + ?Sized, O: Lift<S::Item> + Lower, K: Sink<Item = O::Output> + ?Sized>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    sink: &mut K,
    options: &ScanOptions,
) -> Result<(), Error> {
    let plan = plan::<S, O>(device, gpu, source.len(), options)?;
    // A total has its place among the last results: they are written item by item.
    let run = if options.kind() == Kind::Offsets { 1 } else { plan.tile.run };
    let place = sink.bind_place(device, run)?;
    if source.is_empty() && options.kind() != Kind::Offsets {
        return Ok(());
    }
    match plan.strategy {
        Strategy::DecoupledLookback if gpu.profile.atomic_u64 => {
            lookback::<S, O, K, Wholes>(device, gpu, source, op, place, &plan, options)
        }
        Strategy::DecoupledLookback => lookback::<S, O, K, Halves>(device, gpu, source, op, place, &plan, options),
        _ => recursive::<S, O, K>(device, gpu, source, op, place, &plan, options.kind()),
    }
}

/// The plan for `len` items, or why there is none.
pub fn plan<S: Source + ?Sized, O: Lift<S::Item> + Lower>(
    device: &Device,
    gpu: &Gpu,
    len: u64,
    options: &ScanOptions,
) -> Result<Plan, Error> {
    check_types::<S::Item, O>(device, gpu)?;
    let ScanOptions { strategy, reproducible, .. } = *options;
    Plan::new::<S::Item, O::State>(len, S::STORED, O::LIGHT, strategy, reproducible, &gpu.profile)
        .map_err(|refusal| refused(device, len, refusal))
}

pub fn refused(device: &Device, len: u64, refusal: Refusal) -> Error {
    match refusal {
        Refusal::Lacks(feature) => Error::Unsupported { device: device.label(), feature },
        Refusal::Grouping(strategy) => Error::NotReproducible { strategy },
        Refusal::TooLong(limit) => Error::TooLong { what: "a scan", len, limit },
    }
}

/// One launch.
fn lookback<S: Source + ?Sized, O: Lift<S::Item> + Lower, K: Sink<Item = O::Output> + ?Sized, D: Form>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    place: PlaceArg<K>,
    plan: &Plan,
    options: &ScanOptions,
) -> Result<(), Error> {
    let slots = plan.slots();
    let (descriptors, held, tag) = descriptors::<D>(gpu, slots * O::State::WORDS as u64 * MEMORY as u64);
    let ticket = gpu.ticket();
    let blueprint = LookbackBlueprint {
        tile: plan.tile,
        window: plan.window,
        kind: options.kind(),
        patience: if options.withhold > 0 { 4 } else { PATIENCE },
        withhold: options.withhold,
    };
    let grid = cube_grid(plan.cut.cubes, &gpu.profile);
    let cubes = cubes_in(&grid);
    let extent = ExtentLaunch::new(
        plan.cut.cubes,
        plan.cut.full_tiles,
        plan.cut.tail,
        SlotsLaunch::new(slots as u32, tag),
        cubes,
    );
    let (view, op) = (source.bind(device, plan.tile.run)?, op.bind(device)?);
    notify(device, "scan::lookback", plan, cubes);
    // SAFETY: a unit reads items below `full_tiles · tile + tail`, which is the source's length, and writes results at
    // the same indices, for which the place has room. Descriptors of all `slots` are there. Every loop is bounded:
    // polls by the patience, and rounds by the tiles and anchors: each round publishes one of those that were missing,
    // which the cube that posted it then sees.
    unsafe {
        lookback::launch_scan_lookback::<S::View, O, K::Place, D>(
            &gpu.client,
            grid,
            CubeDim::new_1d(plan.tile.units),
            view,
            op,
            D::argument(descriptors, held),
            argument(ticket, 1),
            place,
            extent,
            blueprint,
        );
    }
    Ok(())
}

/// Descriptors of at least `words` words, how many there are, and the tag of this call. Cleared when tags run out.
pub fn descriptors<D: Form>(gpu: &Gpu, words: u64) -> (Handle, u64, u32) {
    gpu.scratch.piece(
        Use::Descriptors,
        words,
        |words| gpu.zeros(words),
        |piece| {
            if piece.calls == D::TAGS {
                piece.handle = gpu.zeros(piece.words);
                piece.calls = 0;
            }
            piece.calls += 1;
            (piece.handle.clone(), piece.words, piece.calls)
        },
    )
}

/// A form of descriptors and how its memory is bound.
pub trait Form: Descriptors {
    fn argument(handle: Handle, words: u64) -> Self::RuntimeArg;
}

impl Form for Halves {
    fn argument(handle: Handle, words: u64) -> Self::RuntimeArg {
        (argument(handle, words as usize),)
    }
}

impl Form for Wholes {
    fn argument(handle: Handle, words: u64) -> Self::RuntimeArg {
        (argument(handle, words as usize / MEMORY),)
    }
}

/// Tiles are folded, their folds scanned, and each tile scanned on from there.
fn recursive<S: Source + ?Sized, O: Lift<S::Item> + Lower, K: Sink<Item = O::Output> + ?Sized>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    place: PlaceArg<K>,
    plan: &Plan,
    kind: Kind,
) -> Result<(), Error> {
    let prefixes = prefixes(device, gpu, source, op, &States::new(op.clone()), plan, 0)?;
    scan_tiles::<S, O, K>(device, gpu, source, op, &prefixes, place, plan, kind)
}

/// What comes before each tile. A single tile starts from nothing: it gets a state that is not read.
fn prefixes<S: Source + ?Sized, O: Lift<S::Item> + Lower, B: Monoid<State = O::State>>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    bare: &States<B>,
    plan: &Plan,
    depth: u32,
) -> Result<Handle, Error> {
    let tiles = plan.cut.cubes;
    let prefixes = partials::<O::State>(device, gpu, tiles, 2 * depth)?;
    if tiles > 1 {
        let totals = partials::<O::State>(device, gpu, tiles, 2 * depth + 1)?;
        let blueprint = Blueprint { tile: plan.tile, lowered: false };
        let words = tiles as usize * O::State::WORDS;
        fold(device, gpu, source, op, argument(totals.clone(), words), 0, plan.cut, blueprint)?;
        let totals = Buffer::<O::State>::on_device(device, totals, tiles as usize);
        scan_states(device, gpu, &totals, bare, &prefixes, plan.strategy, depth + 1)?;
    }
    Ok(prefixes)
}

/// Scans states exclusively. The operator keeps its type at every depth of the recursion.
fn scan_states<B: Monoid>(
    device: &Device,
    gpu: &Gpu,
    states: &Buffer<B::State>,
    bare: &States<B>,
    output: &Handle,
    strategy: Strategy,
    depth: u32,
) -> Result<(), Error> {
    let len = states.len() as u64;
    let plan = Plan::new::<B::State, B::State>(len, B::State::WORDS, B::LIGHT, strategy, false, &gpu.profile)
        .map_err(|refusal| refused(device, len, refusal))?;
    let prefixes = prefixes(device, gpu, states, bare, bare, &plan, depth)?;
    let mut output = Buffer::<B::State>::on_device(device, output.clone(), states.len());
    let place = output.bind_place(device, plan.tile.run)?;
    scan_tiles::<_, _, Buffer<B::State>>(device, gpu, states, bare, &prefixes, place, &plan, Kind::Exclusive)
}

/// One launch over all tiles.
#[allow(clippy::too_many_arguments)]
fn scan_tiles<S: Source + ?Sized, O: Lift<S::Item> + Lower, K: Sink<Item = O::Output> + ?Sized>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    prefixes: &Handle,
    place: PlaceArg<K>,
    plan: &Plan,
    kind: Kind,
) -> Result<(), Error> {
    let carried = plan.cut.cubes > 1;
    let within = if plan.strategy == Strategy::HillisSteele { Within::Doubling } else { Within::Sweeps };
    let kernel = match within {
        Within::Doubling => "scan::tiles by doubling",
        Within::Sweeps => "scan::tiles by sweeps",
    };
    let blueprint = TilesBlueprint { tile: plan.tile, within, kind, carried };
    let grid = cube_grid(plan.cut.cubes, &gpu.profile);
    let (view, op) = (source.bind(device, plan.tile.run)?, op.bind(device)?);
    notify(device, kernel, plan, cubes_in(&grid));
    // SAFETY: a unit reads items below `full_tiles · tile + tail`, which is the source's length, and writes results at
    // the same indices, for which the place has room; tile `c` reads prefix `c` of as many. No loops but unrolled ones.
    unsafe {
        tiles::launch_scan_tiles::<S::View, O, K::Place>(
            &gpu.client,
            grid,
            CubeDim::new_1d(plan.tile.units),
            view,
            op,
            argument(prefixes.clone(), plan.cut.cubes as usize * O::State::WORDS),
            place,
            plan.cut.cubes,
            plan.cut.full_tiles,
            plan.cut.tail,
            blueprint,
        );
    }
    Ok(())
}

pub fn cubes_in(grid: &CubeCount) -> u32 {
    match grid {
        CubeCount::Static(x, y, z) => x * y * z,
        CubeCount::Dynamic(_) => 0,
    }
}

fn notify(device: &Device, kernel: &'static str, plan: &Plan, cubes: u32) {
    let strategy = plan.strategy.name();
    device.notify(&Launch { kernel, strategy, cubes: u64::from(cubes), units: plan.tile.units });
}
