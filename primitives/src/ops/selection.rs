//! Whole states: a choice between two without a branch, and one of zeros.

use cubecl::prelude::*;

use crate::{Monoid, MonoidExpand, State, WordsExpand};

/// `then` where `condition` holds, else `or_else`, for any state; both are evaluated. `select` for structs.
#[inline]
pub fn choose<S: State>(condition: bool, then: S, or_else: S) -> S {
    if condition { then } else { or_else }
}

#[doc(hidden)]
pub mod choose {
    use super::*;

    pub fn expand<S: State>(
        scope: &Scope,
        condition: NativeExpand<bool>,
        then: S::ExpandType,
        or_else: S::ExpandType,
    ) -> S::ExpandType {
        let (mut left, mut right) = (WordsExpand::new(), WordsExpand::new());
        S::__expand_pack(scope, then, &mut left);
        S::__expand_pack(scope, or_else, &mut right);
        let words = left
            .into_iter()
            .zip(right)
            .map(|(left, right)| select::expand::<u32>(scope, condition.clone_unchecked(), left, right))
            .collect();
        S::__expand_unpack(scope, &words, 0)
    }
}

/// The state whose words are all zero: a value to hold where there is none yet.
pub fn zeroed<S: State>() -> S {
    S::unpack(&vec![0; S::WORDS], 0)
}

#[doc(hidden)]
pub mod zeroed {
    use super::*;

    pub fn expand<S: State>(scope: &Scope) -> S::ExpandType {
        let words = (0..S::WORDS).map(|_| 0u32.into()).collect();
        S::__expand_unpack(scope, &words, 0)
    }
}

/// The state that a loop carries to its next round, in which `always` holds. CubeCL 0.11.3 writes SPIR-V with a hole in it
/// where what a loop carries folds to a constant, as a field does that every item has alike; of a choice it does not know.
#[cube]
pub fn carried<O: Monoid>(op: &O, always: bool, state: O::State) -> O::State {
    choose::<O::State>(always, state, op.identity())
}
