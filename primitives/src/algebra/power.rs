//! [`power`]: a state combined with itself many times over.

use super::Monoid;

/// `state` combined with itself, `exponent` times over; the identity for 0.
///
/// At most `2 log2 exponent` combines, by squaring. Powers of one state commute, so their order is of no matter.
///
/// # Examples
///
/// ```
/// use cubefold_primitives::{ops::Product, power};
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
    use crate::ops::{Affine, AffineMap, Sum};

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
