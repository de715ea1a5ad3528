//! The operator that counts what is kept, and the host's loop.

use std::marker::PhantomData;

use cubecl::prelude::*;
use cubefold_derive::Operator;
use rayon::prelude::*;

use crate::ops::{choose, zeroed};
use crate::views::{HostView, Mapping, MappingExpand};
use crate::{Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State, wrapping_add};

/// There is no last item.
pub const NONE: u32 = 0;
/// The last item is not kept.
pub const DROPPED: u32 = 1;
/// The last item is kept.
pub const KEPT: u32 = 2;

/// Items that a host task goes through at a time.
const CHUNK: u64 = 1 << 14;

/// How many items are kept so far, and the last one. Words of an item follow the two others.
#[derive(Debug, Clone, Copy, PartialEq, State)]
pub struct Pick<T: State> {
    /// Items kept, this one too.
    pub kept: u32,
    /// Whether there is a last item, and whether it is kept.
    pub last: u32,
    /// The last item; zeros where there is none.
    pub item: T,
}

/// Counts the items for which a predicate is not 0, and remembers the last.
#[derive(Debug, Clone, Operator)]
pub struct Picking<T: State, P: Mapping<T, Output = u32>> {
    predicate: P,
    item: PhantomData<T>,
}

impl<T: State, P: Mapping<T, Output = u32>> Picking<T, P> {
    pub fn new(predicate: P) -> Self {
        Picking { predicate, item: PhantomData }
    }
}

#[cube]
impl<T: State, P: Mapping<T, Output = u32>> Monoid for Picking<T, P> {
    type State = Pick<T>;

    fn identity(&self) -> Pick<T> {
        Pick::<T> { kept: 0u32, last: comptime!(NONE).runtime(), item: zeroed::<T>() }
    }

    fn combine(&self, left: Pick<T>, right: Pick<T>) -> Pick<T> {
        let there = right.last != comptime!(NONE);
        Pick::<T> {
            kept: wrapping_add(left.kept, right.kept),
            last: select(there, right.last, left.last),
            item: choose::<T>(there, right.item, left.item),
        }
    }
}

#[cube]
impl<T: State, P: Mapping<T, Output = u32>> Lift<T> for Picking<T, P> {
    fn lift(&self, item: T) -> Pick<T> {
        let keep = self.predicate.map(item) != 0u32;
        let last = select(keep, comptime!(KEPT).runtime(), comptime!(DROPPED).runtime());
        Pick::<T> { kept: select(keep, 1u32, 0u32), last, item }
    }
}

#[cube]
impl<T: State, P: Mapping<T, Output = u32>> Lower for Picking<T, P> {
    type Output = Pick<T>;

    fn lower(&self, state: Pick<T>) -> Pick<T> {
        state
    }
}

/// The kept ones of `len` items.
pub fn kept_on_host<V: HostView, P: Mapping<V::Item, Output = u32>>(view: &V, len: u64, predicate: &P) -> Vec<V::Item> {
    let chunks = (0..len.div_ceil(CHUNK)).into_par_iter();
    let kept: Vec<Vec<V::Item>> = chunks
        .map(|chunk| {
            let items = (chunk * CHUNK..len.min((chunk + 1) * CHUNK)).map(|index| view.read(index));
            items.filter(|&item| predicate.map(item) != 0).collect()
        })
        .collect();
    kept.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_laws;

    /// Keeps odd numbers.
    #[derive(Debug, Clone, Operator)]
    struct Odd;

    #[cube]
    impl Mapping<u32> for Odd {
        type Output = u32;

        fn map(&self, item: u32) -> u32 {
            item & 1u32
        }
    }

    #[test]
    fn the_laws_hold() {
        let op = Picking::new(Odd);
        let mut samples: Vec<Pick<u32>> = [0, 1, 7, u32::MAX].map(|item| op.lift(item)).to_vec();
        samples.extend([op.identity(), op.combine(op.lift(3), op.lift(4))]);
        check_laws(&op, &samples).unwrap();
    }
}
