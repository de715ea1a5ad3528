//! [`multiply_then_add`]: a product that no compiler fuses with the addition after it.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

use crate::Real;

/// `a b + c` with two roundings, on the host and on every device.
///
/// As written, `a * b + c` has one rounding where a compiler fuses it, and two where none does. Here the product's
/// bits go through an xor with `hidden_zero` before the addition. The operator that calls this keeps it as a field
/// that is 0, so that no compiler knows it. Bits then agree across devices, subnormals excepted. A `#[cube]` body names
/// the type: `multiply_then_add::<f32>(a, b, c, self.hidden_zero)`.
#[cube]
pub fn multiply_then_add<T: Real>(a: T, b: T, c: T, hidden_zero: u32) -> T {
    T::veiled(a * b, hidden_zero) + c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_rounded_before_the_addition() {
        let (a, b) = (1.0e8f32 / 3.0, 0.7f32);
        assert_eq!(multiply_then_add(a, b, -(a * b), 0), 0.0);
        assert_ne!(a.mul_add(b, -(a * b)), 0.0);
    }
}
