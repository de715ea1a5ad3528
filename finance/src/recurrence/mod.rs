//! Linear recurrences as scans over affine maps: AR(1), GARCH(1,1), order 2, and powers of a map.
//!
//! `s <- a s + b` looks sequential, but the composition of two such steps is a step again, and composition is
//! associative. Blelloch, "Prefix Sums and Their Applications" (1990), section 1.4.

mod ar1;
mod garch;
mod lcg;
mod second_order;

use cubefold_primitives::Monoid;

pub use ar1::{Ar1, ar1};
pub use garch::{Garch, garch};
pub use lcg::Lcg;
pub use second_order::{SecondOrder, StepMap, second_order};

/// `state` combined with itself, `exponent` times over; the identity for 0.
///
/// At most `2 log2 exponent` combines, by squaring. Powers of one state commute, so their order is of no matter.
///
/// # Examples
///
/// ```
/// use cubefold_finance::recurrence::power;
/// use cubefold_primitives::ops::Product;
///
/// assert_eq!(power(&Product::new(), 3u32, 5), 243);
/// ```
pub fn power<M: Monoid>(op: &M, state: M::State, exponent: u64) -> M::State {
    let (mut result, mut square, mut rest) = (op.identity(), state, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = op.combine(result, square);
        }
        rest >>= 1;
        if rest > 0 {
            square = op.combine(square, square);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_primitives::ops::{Affine, AffineMap, Sum};

    #[test]
    fn a_power_is_so_many_combines() {
        let op = Affine::<u32>::new();
        let step = AffineMap { scale: 0x9e37_79b1, shift: 77 };
        let mut expected = op.identity();
        for exponent in 0..70 {
            assert_eq!(power(&op, step, exponent), expected, "{exponent}");
            expected = op.combine(expected, step);
        }
        assert_eq!(power(&Sum::<u64>::new(), 3, u64::MAX), 3u64.wrapping_mul(u64::MAX));
    }
}
