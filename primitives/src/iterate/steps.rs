//! A launch a step, and one for the last shared state: each on its own, or recorded and played again.

use cubecl::client::{Client, Graph};
use cubecl::prelude::*;
use cubecl::server::{Handle, ServerError};

use super::launch::{blueprint, shared_at};
use super::plan::{Plan, RECORDED, Task};
use super::watch::Watch;
use super::{Feedback, kernel, states};
use crate::device::{Gpu, Launch, argument};
use crate::views::{Source, View};
use crate::{Device, Error, State};

/// What the launches of a loop have alike.
pub struct Steps<'a> {
    device: &'a Device,
    gpu: &'a Gpu,
    task: &'a Task,
    plan: &'a Plan,
    history: &'a Handle,
    /// A state of each cube and key, for two launches.
    partials: Handle,
    /// The steps of two launches.
    cursor: Handle,
}

/// The arguments of a launch: of the items, and of the operator.
type Arguments<V, O> = (<V as LaunchArg>::RuntimeArg, <O as LaunchArg>::RuntimeArg);

impl<'a> Steps<'a> {
    /// Memory for the launches of a task whose folds are states `S`, of its own: no other work waits for it, or is harmed.
    pub fn new<S: State>(
        device: &'a Device,
        gpu: &'a Gpu,
        task: &'a Task,
        plan: &'a Plan,
        history: &'a Handle,
    ) -> Result<Self, Error> {
        let partials = device.allocate::<S>(gpu, count(task, plan))?;
        Ok(Steps { device, gpu, task, plan, history, partials, cursor: gpu.zeros(2) })
    }

    /// Launches all steps.
    pub fn launch<S: Source + ?Sized, O: Feedback<S::Item>>(
        &self,
        source: &S,
        op: &O,
        watch: &mut Watch<O::Shared>,
    ) -> Result<(), Error> {
        self.launch_some(0..=self.task.steps, source, op, watch)
    }

    fn launch_some<S: Source + ?Sized, O: Feedback<S::Item>>(
        &self,
        mut steps: std::ops::RangeInclusive<u32>,
        source: &S,
        op: &O,
        watch: &mut Watch<O::Shared>,
    ) -> Result<(), Error> {
        steps.try_for_each(|step| {
            let bound = self.bind(source, op)?;
            self.notify();
            self.enqueue::<S::View, O>(&self.gpu.client, step, bound);
            watch.reached(step, |step| self.shared_at(step))
        })
    }

    fn shared_at<T: State>(&self, step: u32) -> Result<T, Error> {
        shared_at(self.device, self.history, self.task, step)
    }

    /// Launches the first steps, records as many as are played again for the others, and plays them. False where the recording
    /// failed: then the history is not to be read.
    pub fn record<S: Source + ?Sized, O: Feedback<S::Item>>(
        &self,
        source: &S,
        op: &O,
        watch: &mut Watch<O::Shared>,
    ) -> Result<bool, Error> {
        let (launches, last) = (self.task.steps + 1, self.task.steps);
        let apart = launches % RECORDED + RECORDED;
        if launches < apart + RECORDED {
            return self.launch(source, op, watch).map(|()| true);
        }
        // What is bound anew for every launch must be there already: nothing is uploaded while a recording runs.
        let before = self.device.allocations();
        self.launch_some(0..=apart - 1, source, op, watch)?;
        if self.device.allocations() != before {
            return self.launch_some(apart..=last, source, op, watch).map(|()| true);
        }
        let bound = (0..RECORDED).map(|_| self.bind(source, op)).collect::<Result<Vec<_>, _>>()?;
        match self.recording::<S::View, O>(apart, bound) {
            Ok(graph) => {
                for first in (apart..launches).step_by(RECORDED as usize) {
                    (0..RECORDED).for_each(|_| self.notify());
                    // SAFETY: the memory of the launches is held by this value and by the source and the operator, and no
                    // other thread's work touches it.
                    let played = unsafe { graph.replay() };
                    played.map_err(|error| Error::from_server(&self.device.label(), &error))?;
                    watch.reached(first + RECORDED - 1, |step| self.shared_at(step))?;
                }
                Ok(true)
            }
            Err(_) => Ok(false),
        }
    }

    /// The launches from step `first` on, not run.
    fn recording<V: View, O: Feedback<V::Item>>(
        &self,
        first: u32,
        bound: Vec<Arguments<V, O>>,
    ) -> Result<Graph, ServerError> {
        let client = &self.gpu.client;
        // Alone on the device, so that no other thread's launch gets in.
        client.exclusive(|| {
            client.graph_prepare()?;
            if let Err(error) = client.start_capture() {
                // Ends what was prepared; there is nothing else to be had of it.
                let _ = client.stop_capture();
                return Err(error);
            }
            for (step, arguments) in (first..).zip(bound) {
                self.enqueue::<V, O>(client, step, arguments);
            }
            client.stop_capture()
        })?
    }

    fn bind<S: Source + ?Sized, O: Feedback<S::Item>>(
        &self,
        source: &S,
        op: &O,
    ) -> Result<Arguments<S::View, O>, Error> {
        Ok((source.bind(self.device, 1)?, op.bind(self.device)?))
    }

    fn notify(&self) {
        let Plan { way, units, cubes, .. } = *self.plan;
        let strategy = way.name();
        self.device.notify(&Launch { kernel: "iterate::step", strategy, cubes: cubes.into(), units });
    }

    fn enqueue<V: View, O: Feedback<V::Item>>(&self, client: &Client, step: u32, (view, op): Arguments<V, O>) {
        let (task, plan) = (self.task, self.plan);
        // SAFETY: a unit reads items below `len`, the source's length. The history has room for `steps + 1` shared states, the
        // partials for two of each cube and key, of which a launch reads those that the launch before it wrote. The loops of a
        // unit are as many as its items, and the partials of a key.
        unsafe {
            kernel::launch_step::<V, O>(
                client,
                CubeCount::Static(plan.cubes, 1, 1),
                CubeDim::new_1d(plan.units),
                view,
                op,
                argument(self.history.clone(), states(task) as usize * O::Shared::WORDS),
                argument(self.partials.clone(), count(task, plan) * O::State::WORDS),
                argument(self.cursor.clone(), 2),
                task.len as u32,
                plan.cubes,
                if step > 0 { plan.cubes } else { 0 },
                step % 2,
                task.steps,
                blueprint::<O::State>(task, plan),
            );
        }
    }
}

/// States of all cubes and keys, for two launches.
fn count(task: &Task, plan: &Plan) -> usize {
    2 * plan.cubes as usize * task.keys as usize
}
