//! [`Feedback`]: what one step of a loop does.
#![allow(missing_docs)] // of what #[cube] writes beside each documented method

use cubecl::prelude::*;

use crate::rng::{Random, RandomExpand};
use crate::tile::fetch;
use crate::{Commutative, MonoidExpand, State};

/// Steps for which items are prepared at once.
pub const PREPARED: u32 = 4;

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

impl Moment {
    /// A step of a loop, to ask an operator on the host what it does then.
    pub fn new(member: u32, step: u32) -> Self {
        Moment { member, step, origin: 0 }
    }
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
///
/// Written out as `#[cube]` would, which has no provided methods.
pub trait Feedback<T: State>:
    Commutative + CubeType<ExpandType: FeedbackExpand<T, Setting = Self::Setting, Shared = Self::Shared>>
{
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

    /// What [`respond_prepared`](Feedback::respond_prepared) needs of the item whatever the shared state is, such as the bits of random
    /// numbers: a word for each of [`PREPARED`] steps, from `now.step` on, which is a multiple of them. Units make it for some of their
    /// items, while they wait for a shared state; the host for all, and keeps 16 bytes an item where any word is not 0. Also asked for
    /// items of no key.
    #[inline(always)]
    fn prepare(&self, _item: T, _setting: Self::Setting, _now: Moment) -> Random {
        Random { a: 0, b: 0, c: 0, d: 0 }
    }

    /// The same as [`respond`](Feedback::respond), given the step's word of what [`prepare`](Feedback::prepare) found. Both are given,
    /// or neither.
    #[inline(always)]
    fn respond_prepared(
        &self,
        item: T,
        _prepared: u32,
        setting: Self::Setting,
        shared: Self::Shared,
        now: Moment,
    ) -> Self::State {
        self.respond(item, setting, shared, now)
    }

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

type Expanded<T> = <T as CubeType>::ExpandType;

/// The kernel's half of [`Feedback`].
pub trait FeedbackExpand<T: State>: MonoidExpand {
    type Setting: State;
    type Shared: State;

    fn __expand_setting_method(&self, scope: &Scope, member: Expanded<u32>) -> Expanded<Self::Setting>;

    fn __expand_start_method(&self, scope: &Scope, setting: Expanded<Self::Setting>) -> Expanded<Self::Shared>;

    fn __expand_key_method(
        &self,
        scope: &Scope,
        item: Expanded<T>,
        setting: Expanded<Self::Setting>,
        shared: Expanded<Self::Shared>,
        now: Expanded<Moment>,
    ) -> Expanded<u32>;

    fn __expand_respond_method(
        &self,
        scope: &Scope,
        item: Expanded<T>,
        setting: Expanded<Self::Setting>,
        shared: Expanded<Self::Shared>,
        now: Expanded<Moment>,
    ) -> Expanded<Self::State>;

    fn __expand_prepare_method(
        &self,
        _scope: &Scope,
        _item: Expanded<T>,
        _setting: Expanded<Self::Setting>,
        _now: Expanded<Moment>,
    ) -> Expanded<Random> {
        RandomExpand { a: 0.into(), b: 0.into(), c: 0.into(), d: 0.into() }
    }

    fn __expand_respond_prepared_method(
        &self,
        scope: &Scope,
        item: Expanded<T>,
        _prepared: Expanded<u32>,
        setting: Expanded<Self::Setting>,
        shared: Expanded<Self::Shared>,
        now: Expanded<Moment>,
    ) -> Expanded<Self::State> {
        self.__expand_respond_method(scope, item, setting, shared, now)
    }

    fn __expand_update_method(
        &self,
        scope: &Scope,
        totals: &Expanded<[u32]>,
        history: &Expanded<[u32]>,
        setting: Expanded<Self::Setting>,
        shared: Expanded<Self::Shared>,
        now: Expanded<Moment>,
    ) -> Expanded<Self::Shared>;
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
