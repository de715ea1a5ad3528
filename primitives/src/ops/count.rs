//! Count: how many items, in two words. The identity is 0. Class: exact.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{Commutative, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, State, Wide, wide_add};

/// How many items there are, whatever they hold; past 2^32 too.
#[derive(Debug, Clone, Copy, Default, Operator)]
#[operator(light)]
pub struct Count;

#[cube]
impl Monoid for Count {
    type State = Wide;

    fn identity(&self) -> Wide {
        Wide { low: 0u32, high: 0u32 }
    }

    fn combine(&self, left: Wide, right: Wide) -> Wide {
        wide_add(left, right)
    }
}

#[cube]
impl<T: State> Lift<T> for Count {
    fn lift(&self, _item: T) -> Wide {
        Wide { low: 1u32, high: 0u32 }
    }
}

#[cube]
impl Lower for Count {
    type Output = Wide;

    fn lower(&self, state: Wide) -> Wide {
        state
    }
}

impl Commutative for Count {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Both, Counter, Device, check_commutative};

    #[test]
    fn the_laws_hold() {
        let samples = [0, 1, 0xffff_ffff, 0x1_0000_0000, u64::MAX].map(Wide::from);
        check_commutative(&Count, &samples).unwrap();
    }

    #[test]
    fn any_item_counts_one() {
        let host = Device::host();
        let count = |wide: Wide| u64::from(wide);
        assert_eq!(count(host.reduce(&Counter::new(100_000), &Count).unwrap().get(0).unwrap()), 100_000);
        assert_eq!(count(host.reduce(&vec![f32::NAN; 3], &Count).unwrap().get(0).unwrap()), 3);
        let pairs = vec![Both { left: 1u32, right: 2.0f32 }; 5];
        assert_eq!(count(host.reduce(&pairs, &Count).unwrap().get(0).unwrap()), 5);
    }
}
