//! `iterate`: a loop over steps, each of which folds many items that see a small shared state, and makes the next shared state
//! of the folds. Nothing is read back between steps.
//!
//! Work n a step, span log n; bytes: the items once a step, and a shared state. The ways differ in what the steps cost beside:
//!
//! | way | launches | for |
//! |---|---|---|
//! | [`Way::Launches`] | one a step: every cube first makes the shared state of the last step's partials, so that no cube waits for another | many items |
//! | [`Way::Recorded`] | the same ones, of which a few are recorded and played again and again | many steps, where the runtime records |
//! | [`Way::OneCube`] | one: a cube has all items, and only its own units wait | few items |
//! | [`Way::Ensemble`] | one for all loops, a cube each | many loops |
//! | [`Way::Resident`] | one: as many cubes as surely run at the same time tell one another their folds between steps | more items than one cube takes in that time, where the multiprocessors are told |
//!
//! The host folds fixed chunks on rayon.

mod explain;
mod feedback;
mod host;
mod kernel;
mod launch;
mod messages;
mod plan;
mod prepared;
mod resident;
mod steps;
mod team;
mod totals;
mod watch;

pub use explain::LoopPlan;
pub use feedback::{Feedback, FeedbackExpand, Moment, MomentExpand, PREPARED, recall, total};

use plan::Task;
use watch::Watch;

use crate::device::Launch;
use crate::views::Source;
use crate::{Buffer, Device, Error};

/// How the steps of a loop follow one another on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Way {
    /// By the number of items and of loops, and by whether the device tells its multiprocessors.
    #[default]
    Auto,
    /// A launch a step, over as many cubes as keep the device busy.
    Launches,
    /// The same, of which some are recorded once and played for those after them, where the runtime records by itself (wgpu). A launch
    /// a step where the steps are too few for that, or the items do not lie on the device.
    Recorded,
    /// All steps of one loop in one cube.
    OneCube,
    /// All steps of every loop in a cube of its own.
    Ensemble,
    /// All steps of one loop in a launch of no more cubes than there are multiprocessors. Where they do not run at the same time
    /// after all, the wait ends, and a launch a step does the work.
    Resident,
}

impl Way {
    /// The name that observers see.
    pub fn name(self) -> &'static str {
        match self {
            Way::Auto => "Auto",
            Way::Launches => "Launches",
            Way::Recorded => "Recorded",
            Way::OneCube => "OneCube",
            Way::Ensemble => "Ensemble",
            Way::Resident => "Resident",
        }
    }
}

/// How often a loop goes round, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iteration {
    /// Steps; 0 leaves the shared state of the start alone.
    pub steps: u32,
    /// Folds of a step, `K`: 1 to 32. Each is held in registers.
    pub keys: u32,
    /// Loops that run together, each with a setting of its own.
    pub members: u32,
    /// How the steps follow one another.
    pub way: Way,
}

impl Default for Iteration {
    fn default() -> Self {
        Iteration { steps: 1, keys: 1, members: 1, way: Way::Auto }
    }
}

impl Device {
    /// Runs the loops of `op` over the items of `source`, and gives their shared states, still on the device: those of steps
    /// 0 to `steps` of loop 0, then of loop 1, and so on.
    ///
    /// The same call on the same device gives the same bits; where `combine` is exact, every device and way does. Items that lie
    /// on the host go to the device at every launch: [`upload`](Device::upload) them first.
    ///
    /// # Errors
    ///
    /// [`Error::Keys`] for no keys or over 32, [`Error::NoOption`] for a way that runs one loop where there are many,
    /// [`Error::TooLong`] for 2^32 items or a loop that one cube cannot take, [`Error::BindingTooLarge`] for a history that the
    /// device cannot hold, and as [`reduce`](Device::reduce).
    ///
    /// # Examples
    ///
    /// Newton's method for the mean: each step moves the guess by the mean distance of the items from it.
    ///
    /// ```
    /// use cubefold_primitives::cubecl::prelude::*;
    /// use cubefold_primitives::iterate::{Feedback, FeedbackExpand, Iteration, Moment, total};
    /// use cubefold_primitives::{Commutative, Device, Monoid, MonoidExpand, Operator, cubecl};
    ///
    /// #[derive(Clone, Operator)]
    /// struct Mean {
    ///     count: f32,
    /// }
    ///
    /// #[cube]
    /// impl Monoid for Mean {
    ///     type State = f32;
    ///     fn identity(&self) -> f32 {
    ///         0.0f32.runtime()
    ///     }
    ///     fn combine(&self, left: f32, right: f32) -> f32 {
    ///         left + right
    ///     }
    /// }
    /// impl Commutative for Mean {}
    ///
    /// #[cube]
    /// impl Feedback<f32> for Mean {
    ///     type Setting = u32;
    ///     type Shared = f32;
    ///     fn setting(&self, member: u32) -> u32 {
    ///         member
    ///     }
    ///     fn start(&self, _setting: u32) -> f32 {
    ///         0.0f32.runtime()
    ///     }
    ///     fn key(&self, _item: f32, _setting: u32, _guess: f32, _now: Moment) -> u32 {
    ///         0u32.runtime()
    ///     }
    ///     fn respond(&self, item: f32, _setting: u32, guess: f32, _now: Moment) -> f32 {
    ///         item - guess
    ///     }
    ///     fn update(&self, totals: &[u32], _history: &[u32], _setting: u32, guess: f32, _now: Moment) -> f32 {
    ///         guess + total::<f32>(totals, 0u32) / self.count
    ///     }
    /// }
    ///
    /// let iteration = Iteration { steps: 2, ..Iteration::default() };
    /// let guesses = Device::host().iterate(&vec![1.0f32, 2.0, 6.0], &Mean { count: 3.0 }, &iteration)?;
    /// assert_eq!(guesses.to_vec()?, [0.0, 3.0, 3.0]);
    /// # Ok::<(), cubefold_primitives::Error>(())
    /// ```
    pub fn iterate<S, O>(&self, source: &S, op: &O, iteration: &Iteration) -> Result<Buffer<O::Shared>, Error>
    where
        S: Source + ?Sized,
        O: Feedback<S::Item>,
    {
        self.iterate_for(source, op, iteration, Watch::nobody())
    }

    /// The same, and calls `tell` about every `every` steps with the number of steps done and the shared state of loop 0 after
    /// them, which is read back for it: for a progress bar. Steps are launched no more than `every` at a time; of a
    /// recording ([`Way::Recorded`]) it is told when it has been played.
    ///
    /// # Errors
    ///
    /// As [`iterate`](Device::iterate).
    pub fn iterate_watched<S, O>(
        &self,
        source: &S,
        op: &O,
        iteration: &Iteration,
        every: u32,
        tell: &mut (dyn FnMut(u32, O::Shared) + Send),
    ) -> Result<Buffer<O::Shared>, Error>
    where
        S: Source + ?Sized,
        O: Feedback<S::Item>,
    {
        self.iterate_for(source, op, iteration, Watch::new(every, tell))
    }

    fn iterate_for<S, O>(
        &self,
        source: &S,
        op: &O,
        iteration: &Iteration,
        watch: Watch<O::Shared>,
    ) -> Result<Buffer<O::Shared>, Error>
    where
        S: Source + ?Sized,
        O: Feedback<S::Item>,
    {
        let Iteration { steps, keys, members, way } = *iteration;
        let task = Task { len: source.len(), steps, keys, members };
        match self.gpu() {
            None => {
                task.check()?;
                op.check_host()?;
                self.notify(&Launch { kernel: "host", strategy: "Iterate", cubes: 0, units: 0 });
                self.check_host_memory::<O::Shared>(states(&task))?;
                Ok(Buffer::on_host(host::iterate(&source.on_host()?, op, &task, watch)))
            }
            Some(gpu) => launch::iterate(self, gpu, source, op, &task, way, watch),
        }
    }
}

/// Shared states of the histories of all loops.
fn states(task: &Task) -> u64 {
    u64::from(task.members) * (u64::from(task.steps) + 1)
}
