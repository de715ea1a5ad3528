//! [`Feedback`]: what one step of a loop does.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;

use crate::tile::fetch;
use crate::{Commutative, MonoidExpand, State};

/// Which loop, and which of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, State)]
pub struct Moment {
    /// The loop's number among those that run together; 0 where there is one.
    pub member: u32,
    /// The step, from 0.
    pub step: u32,
    /// Where the loop's first shared state lies in the history.
    pub(crate) origin: u32,
}

/// A loop whose every step folds items that see a shared state, and makes the next shared state of the folds.
///
/// ```text
/// shared(0)     = start
/// total(t, k)   = ⊕ over the items i with key(i) = k of respond(i, shared(t))
/// shared(t + 1) = update(total(t, 0), … , total(t, K − 1); shared(0), … , shared(t))
/// ```
///
/// Items are folded in an order that the device and the way fix, not in theirs: `combine` must commute. Where it is also exact,
/// as on integers, every device and every way gives the same bits; floats give the same bits for the same call on the same device.
///
/// An item whose key is K or more is left out of the step. Loops that run together differ by their settings: a seed, a parameter.
#[cube(expand_base_traits = "MonoidExpand")]
pub trait Feedback<T: State>: Commutative {
    /// What sets one loop apart from the others, read once a launch.
    type Setting: State;
    /// What every item sees, and what the history holds.
    type Shared: State;

    /// The setting of loop `member`.
    fn setting(&self, member: u32) -> Self::Setting;

    /// The shared state that the first step sees.
    fn start(&self, setting: Self::Setting) -> Self::Shared;

    /// Which of the K folds the item goes into.
    fn key(&self, item: T, setting: Self::Setting, shared: Self::Shared, now: Moment) -> u32;

    /// The state of the item where the shared state is `shared`.
    fn respond(&self, item: T, setting: Self::Setting, shared: Self::Shared, now: Moment) -> Self::State;

    /// The shared state of the next step. [`total()`] reads the folds; `shared` is what the items saw, and [`recall()`] reads
    /// what they saw at earlier steps.
    fn update(
        &self,
        totals: &[u32],
        history: &[u32],
        setting: Self::Setting,
        shared: Self::Shared,
        now: Moment,
    ) -> Self::Shared;
}

/// The fold of the items with this key.
#[cube]
pub fn total<S: State>(totals: &[u32], key: u32) -> S {
    fetch::<S>(totals, key)
}

/// The shared state that step `step` of the same loop saw, not later than `now.step`.
#[cube]
pub fn recall<S: State>(history: &[u32], now: Moment, step: u32) -> S {
    fetch::<S>(history, now.origin + step)
}
