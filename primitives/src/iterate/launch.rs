//! The launches of a loop.

use cubecl::prelude::*;
use cubecl::server::Handle;

use super::messages::{Broad, Messages, Narrow};
use super::plan::{Plan, Refusal, Task, ahead, looks, patience};
use super::steps::Steps;
use super::totals::Blueprint;
use super::watch::Watch;
use super::{Feedback, Way, kernel, resident as staying, states};
use crate::device::{Gpu, Launch, argument};
use crate::views::Source;
use crate::{Buffer, Device, Error, State};

/// Runs the loops and gives their histories.
pub fn iterate<S: Source + ?Sized, O: Feedback<S::Item>>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    task: &Task,
    way: Way,
    mut watch: Watch<O::Shared>,
) -> Result<Buffer<O::Shared>, Error> {
    let unsupported = |feature| Error::Unsupported { device: device.label(), feature };
    let lacks = [gpu.profile.lacks::<S::Item>(), gpu.profile.lacks::<O::State>(), gpu.profile.lacks::<O::Setting>()];
    if let Some(feature) = lacks.into_iter().flatten().next() {
        return Err(unsupported(feature));
    }
    let plan = plan::<O::State>(device, gpu, task, way)?;
    // Refuses a history that does not fit, before it is counted in 32 bits.
    device.fitting::<O::Shared>(gpu, states(task))?;
    let len = states(task) as usize;
    let history = device.allocate::<O::Shared>(gpu, len)?;
    let watch = &mut watch;
    let whole = match plan.way {
        Way::Launches => {
            Steps::new::<O::State>(device, gpu, task, &plan, &history)?.launch(source, op, watch).map(|()| true)?
        }
        Way::Recorded => Steps::new::<O::State>(device, gpu, task, &plan, &history)?.record(source, op, watch)?,
        Way::Resident => {
            let stay = if gpu.profile.atomic_u64 { resident::<S, O, Broad> } else { resident::<S, O, Narrow> };
            stay(device, gpu, source, op, task, &plan, &history, watch)?
        }
        _ => whole(device, gpu, source, op, task, &plan, &history, watch)?,
    };
    if whole {
        return Ok(Buffer::on_device(device, history, len));
    }
    // The same cubes, so that items are folded in the same grouping; what is left of the attempt may be spoiled.
    let plan = Plan { way: Way::Launches, ..plan };
    let history = device.allocate::<O::Shared>(gpu, len)?;
    Steps::new::<O::State>(device, gpu, task, &plan, &history)?.launch(source, op, watch)?;
    Ok(Buffer::on_device(device, history, len))
}

/// The plan for a task whose folds are states `S`, or why there is none.
pub fn plan<S: State>(device: &Device, gpu: &Gpu, task: &Task, way: Way) -> Result<Plan, Error> {
    let unsupported = |feature| Error::Unsupported { device: device.label(), feature };
    if let Some(feature) = gpu.profile.lacks::<S>() {
        return Err(unsupported(feature));
    }
    Plan::new::<S>(task, way, &gpu.profile).map_err(|refusal| match refusal {
        Refusal::Lacks(feature) => unsupported(feature),
        Refusal::Asked(error) => error,
    })
}

/// The shared state of loop 0 after a step.
pub fn shared_at<T: State>(device: &Device, history: &Handle, task: &Task, step: u32) -> Result<T, Error> {
    Buffer::on_device(device, history.clone(), states(task) as usize).get(step as usize)
}

/// What a plan compiles for folds that are states `S`.
pub fn blueprint<S: State>(task: &Task, plan: &Plan) -> Blueprint {
    let (listening, looks) = (plan.listening(), looks::<S>(task, plan));
    let pitch = plan.cubes.next_multiple_of(looks * listening);
    let (ahead, full) = (ahead(task, plan), pitch == plan.cubes);
    Blueprint { units: plan.units, plane: plan.plane, keys: task.keys, ahead, listening, looks, pitch, full }
}

/// All steps in one launch, or as many as a launch may take, a cube a loop.
#[allow(clippy::too_many_arguments)]
fn whole<S: Source + ?Sized, O: Feedback<S::Item>>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    task: &Task,
    plan: &Plan,
    history: &Handle,
    watch: &mut Watch<O::Shared>,
) -> Result<bool, Error> {
    let at_once = gpu.profile.max_cubes.0;
    for member in (0..task.members).step_by(at_once as usize) {
        let cubes = at_once.min(task.members - member);
        let mut first = 0;
        loop {
            let end = watch.until(first, first + plan.steps.min(task.steps - first));
            let (view, op) = (source.bind(device, 1)?, op.bind(device)?);
            let strategy = plan.way.name();
            device.notify(&Launch { kernel: "iterate::whole", strategy, cubes: cubes.into(), units: plan.units });
            // SAFETY: a unit reads items below `len`, the source's length. The history has room for `steps + 1` shared states
            // of each member; a cube reads and writes those of its own. Loops end after a unit's items, times the steps.
            unsafe {
                kernel::launch_whole::<S::View, O>(
                    &gpu.client,
                    CubeCount::Static(cubes, 1, 1),
                    CubeDim::new_1d(plan.units),
                    view,
                    op,
                    argument(history.clone(), states(task) as usize * O::Shared::WORDS),
                    task.len as u32,
                    member,
                    task.steps,
                    first,
                    end,
                    blueprint::<O::State>(task, plan),
                );
            }
            first = end;
            if member == 0 {
                watch.reached(first, |step| shared_at(device, history, task, step))?;
            }
            if first == task.steps {
                break;
            }
        }
    }
    Ok(true)
}

/// All steps by cubes that wait for one another. False where they gave up, and the history is not whole.
#[allow(clippy::too_many_arguments)]
fn resident<S: Source + ?Sized, O: Feedback<S::Item>, M: Messages>(
    device: &Device,
    gpu: &Gpu,
    source: &S,
    op: &O,
    task: &Task,
    plan: &Plan,
    history: &Handle,
    watch: &mut Watch<O::Shared>,
) -> Result<bool, Error> {
    // Two sets, of a slot for each cube.
    let blueprint = blueprint::<O::State>(task, plan);
    let count = M::memory(u64::from(2 * blueprint.pitch * M::atomics(blueprint.words::<O::State>())));
    let mut first = 0;
    loop {
        let end = watch.until(first, first + plan.steps.min(task.steps - first));
        let (view, op) = (source.bind(device, 1)?, op.bind(device)?);
        let (messages, fault) = (gpu.zeros(count), gpu.zeros(1));
        let strategy = plan.way.name();
        let (cubes, units) = (plan.cubes, plan.units);
        device.notify(&Launch { kernel: "iterate::resident", strategy, cubes: cubes.into(), units });
        // SAFETY: a unit reads items below `len`, the source's length. The history has room for `steps + 1` shared states, the
        // messages for two of each cube. Every loop ends: the wait after a number of looks.
        unsafe {
            staying::launch_resident::<S::View, O, M>(
                &gpu.client,
                CubeCount::Static(cubes, 1, 1),
                CubeDim::new_1d(units),
                view,
                op,
                argument(history.clone(), states(task) as usize * O::Shared::WORDS),
                M::argument(messages, count),
                argument(fault.clone(), 1),
                task.len as u32,
                cubes,
                first,
                end,
                patience(&gpu.profile),
                blueprint,
            );
        }
        if Buffer::<u32>::on_device(device, fault, 1).to_vec()? != [0] {
            return Ok(false);
        }
        first = end;
        watch.reached(first, |step| shared_at(device, history, task, step))?;
        if first == task.steps {
            return Ok(true);
        }
    }
}
