//! Or-and: `or (a and b)`, reachability. The identity is 0: not reachable. Class: exact.
//!
//! Elements are 0 or 1. The operations are bitwise, so that any words hold: 32 relations at once, one a bit.

use cubecl::prelude::*;
use cubefold_derive::Operator;

use crate::{
    Commutative, CommutativeProduct, Idempotent, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Semiring,
    SemiringExpand,
};

/// `or (a and b)`, bit by bit; 0 for no products.
#[derive(Debug, Clone, Copy, Default, Operator)]
pub struct OrAnd;

#[cube]
impl Monoid for OrAnd {
    type State = u32;

    fn identity(&self) -> u32 {
        0u32
    }

    fn combine(&self, left: u32, right: u32) -> u32 {
        left | right
    }
}

#[cube]
impl Semiring<u32, u32> for OrAnd {
    fn multiply(&self, left: u32, right: u32) -> u32 {
        left & right
    }
}

#[cube]
impl Lift<u32> for OrAnd {
    fn lift(&self, item: u32) -> u32 {
        item
    }
}

#[cube]
impl Lower for OrAnd {
    type Output = u32;

    fn lower(&self, state: u32) -> u32 {
        state
    }
}

impl Commutative for OrAnd {}

impl CommutativeProduct<u32> for OrAnd {}

impl Idempotent for OrAnd {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, check_idempotent, check_semiring, views::Dense};

    #[test]
    fn the_laws_hold() {
        let samples = [0, 1, u32::MAX, 0x55aa_55aa];
        check_semiring(&OrAnd, &samples).unwrap();
        check_idempotent(&OrAnd, &samples).unwrap();
    }

    #[test]
    fn a_product_of_relations_is_two_steps() {
        // 0 -> 1 -> 2, and 2 -> 0.
        let steps = Dense::new(vec![0u32, 1, 0, 0, 0, 1, 1, 0, 0], 3, 3).unwrap();
        let two = Device::host().tiled_gemm(&steps, &steps, &OrAnd).unwrap();
        assert_eq!(two.to_vec().unwrap(), [0, 0, 1, 1, 0, 0, 0, 1, 0]);
    }
}
