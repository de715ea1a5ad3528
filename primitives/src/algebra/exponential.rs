//! [`exp`], with a body for the host that a loop can turn into vectors.
#![allow(missing_docs)] // of what #[cube] writes beside each documented function

use cubecl::prelude::*;

/// `e^x`: the device's own function, and on the host one without a call or a branch, within 1 unit in the last place.
///
/// The same for infinities, NaN, results that are subnormal and those that are too large. On the host a loop over it becomes
/// vectors, which one over `x.exp()` does not.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // e^x = 2^n e^r with a whole n and |r| ≤ ln(2) / 2. Adding 1.5 · 2^23 rounds to a whole number, and leaves it in the low bits.
    const WHOLE: f32 = 12_582_912.0;
    // ln 2 in two parts; n times the first, of 15 bits, is exact.
    const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
    // Beyond these the result is 0 or infinite.
    let near = if x > 89.0 { 89.0 } else { x };
    let near = if near < -104.0 { -104.0 } else { near };
    let shifted = near * std::f32::consts::LOG2_E + WHOLE;
    let n = shifted - WHOLE;
    let r = near - n * LN_2[0] - n * LN_2[1];
    // Minimax for (e^r − 1 − r) / r², with a relative error of 3e-9 in e^r.
    let mut p = r * 0.001_381_454 + 0.008_368_745;
    p = p * r + 0.041_668_39;
    p = p * r + 0.166_665_21;
    p = p * r + 0.499_999_94;
    let e_to_r = p * r * r + r + 1.0;
    // In two steps, neither of which leaves the range of exponents.
    let n = shifted.to_bits().wrapping_sub(WHOLE.to_bits()).cast_signed();
    let half = n >> 1;
    let power = |n: i32| f32::from_bits((n.wrapping_add(127) << 23).cast_unsigned());
    e_to_r * power(half) * power(n.wrapping_sub(half))
}

#[doc(hidden)]
pub mod exp {
    use super::*;

    pub fn expand(scope: &Scope, x: NativeExpand<f32>) -> NativeExpand<f32> {
        native::expand(scope, x)
    }

    #[cube]
    fn native(x: f32) -> f32 {
        x.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn it_is_within_one_unit_in_the_last_place() {
        // Every 37th float, of either sign.
        for bits in (0..f32::INFINITY.to_bits()).step_by(37).flat_map(|bits| [bits, bits | 1 << 31]) {
            let x = f32::from_bits(bits);
            let (found, exact) = (exp(x), f64::from(x).exp());
            let nearest = exact as f32;
            if nearest.is_infinite() {
                let next = f64::from(f32::MAX) + 2f64.powi(104);
                assert!(found.is_infinite() || (found == f32::MAX && exact < next), "exp({x:e}) = {found:e}");
                continue;
            }
            let unit = f64::from(nearest.next_up()) - f64::from(nearest);
            assert!((f64::from(found) - exact).abs() <= unit, "exp({x:e}) = {found:e}, not {exact:e}");
        }
    }

    #[test]
    fn the_ends_are_those_of_the_function() {
        assert_eq!([exp(0.0), exp(-0.0), exp(f32::INFINITY), exp(f32::NEG_INFINITY)], [1.0, 1.0, f32::INFINITY, 0.0]);
        assert_eq!([exp(f32::MAX), exp(f32::MIN), exp(89.0), exp(-104.0)], [f32::INFINITY, 0.0, f32::INFINITY, 0.0]);
        assert!(exp(f32::NAN).is_nan() && exp(-f32::NAN).is_nan());
        assert_eq!(exp(-103.5).to_bits(), 1);
    }
}
