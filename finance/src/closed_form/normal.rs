//! The normal distribution of one and two variables.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

/// The standard normal distribution function, `erfc(−x/√2)/2`: both tails keep their relative accuracy.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The standard normal density.
pub(super) fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

/// `P(X ≤ a, Y ≤ b)` of two standard normal variables of correlation `rho`, to about 1e-12.
///
/// `N(a) N(b) + 1/2π ∫₀^{asin ρ} exp(−(a² + b² − 2ab sin θ) / 2cos² θ) dθ`: Drezner and Wesolowsky 1990, after Plackett 1954.
pub(super) fn bivariate(a: f64, b: f64, rho: f64) -> f64 {
    match rho {
        rho if rho >= 1.0 => normal_cdf(a.min(b)),
        rho if rho <= -1.0 => (normal_cdf(a) + normal_cdf(b) - 1.0).max(0.0),
        _ if a.is_infinite() || b.is_infinite() => normal_cdf(a) * normal_cdf(b),
        _ => {
            let density = |angle: f64| {
                let cosine = angle.cos();
                (-(a * a + b * b - 2.0 * a * b * angle.sin()) / (2.0 * cosine * cosine)).exp()
            };
            normal_cdf(a) * normal_cdf(b) + integral(density, 0.0, rho.asin(), 16) / (2.0 * PI)
        }
    }
}

/// Nodes and weights of the Gauss–Legendre rule of 16 points on (−1, 1), the positive half: Abramowitz and Stegun, table 25.4.
const RULE: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_59),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_88),
    (0.865_631_202_387_831_8, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_9),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_1),
];

/// The integral of a smooth function, on `panels` equal parts.
pub(super) fn integral(function: impl Fn(f64) -> f64, from: f64, to: f64, panels: u32) -> f64 {
    let half = (to - from) / f64::from(panels) / 2.0;
    let panel = |panel: u32| {
        let centre = from + half * f64::from(2 * panel + 1);
        let pair =
            |&(node, weight): &(f64, f64)| weight * (function(centre - half * node) + function(centre + half * node));
        half * RULE.iter().map(pair).sum::<f64>()
    };
    (0..panels).map(panel).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 digits of mpmath 1.3 (`ncdf` at 40 digits).
    #[test]
    fn the_distribution_function_has_fifteen_digits() {
        let table = [
            (0.0, 0.5),
            (0.5, 0.691_462_461_274_013_1),
            (1.0, 0.841_344_746_068_542_9),
            (1.96, 0.975_002_104_851_779_5),
            (-1.0, 0.158_655_253_931_457_05),
            (-3.0, 1.349_898_031_630_094_5e-3),
            (-8.0, 6.220_960_574_271_784e-16),
            (-20.0, 2.753_624_118_606_233_7e-89),
            (-37.0, 5.725_571_222_524_577e-300),
            (9.0, 1.0),
            (f64::NEG_INFINITY, 0.0),
            (f64::INFINITY, 1.0),
        ];
        for (x, expected) in table {
            let found = normal_cdf(x);
            assert!((found - expected).abs() <= f64::min(2e-16, 1e-12 * expected), "{x}: {found} is not {expected}");
        }
    }

    #[test]
    fn a_quadrant_has_the_share_that_its_angle_has() {
        for rho in [-0.999, -0.5, 0.0, 0.3, 0.9, 0.999] {
            let expected = 0.25 + f64::asin(rho) / TAU;
            assert!((bivariate(0.0, 0.0, rho) - expected).abs() < 1e-12, "{rho}");
        }
        assert!((bivariate(0.7, 40.0, 0.4) - normal_cdf(0.7)).abs() < 1e-12);
        assert_eq!(bivariate(0.5, 0.2, 1.0), normal_cdf(0.2));
        // Counting both sides of each: the four parts are the whole.
        let whole: f64 = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
            .iter()
            .map(|(x, y)| bivariate(0.3 * x, -1.2 * y, 0.6 * x * y))
            .sum();
        assert!((whole - 1.0).abs() < 1e-12, "{whole}");
    }
}
