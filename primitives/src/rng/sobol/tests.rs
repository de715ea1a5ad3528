//! Against SciPy, and what makes points a net.

use super::*;
use crate::rng::uniform;

/// Point 0x89abcdef of `scipy.stats.qmc.Sobol(64, scramble=False, bits=32)` of SciPy 1.17.1, after `fast_forward`.
const FAR: [u32; 64] = [
    0x18d4_7eb3,
    0xfff9_fb85,
    0x2f66_12cb,
    0xd5f3_12c1,
    0x0d7e_8ff7,
    0x876c_9bbd,
    0x3d12_38a1,
    0xcdcc_4bb3,
    0xa797_c783,
    0xf708_d743,
    0x7ee9_6067,
    0x1af5_298f,
    0x6add_1a3d,
    0xf43c_2291,
    0xfaf6_1557,
    0x9816_ae43,
    0xc894_1611,
    0x5cfc_82db,
    0xf66f_a395,
    0x6bf2_bc15,
    0x6f24_6833,
    0xe84d_541b,
    0x5b41_6373,
    0x093d_68df,
    0xba9f_2997,
    0x88fd_d631,
    0xc992_a5b9,
    0x5a2d_bdb3,
    0x1012_5b8b,
    0xde53_158f,
    0xda56_b987,
    0xa59d_3c8d,
    0xdf2a_d981,
    0x6d7b_928f,
    0x3f9f_8789,
    0x8ca1_7087,
    0x6b62_be83,
    0xb91f_3cb7,
    0x6111_3ba7,
    0x3bee_3abb,
    0x6a4b_e603,
    0x40d9_30ab,
    0x80af_c491,
    0xdf76_31c7,
    0xd137_6373,
    0x5c73_d67f,
    0xb9e2_c123,
    0xe490_0867,
    0x0cea_cc75,
    0xffbc_7e09,
    0x3d46_beaf,
    0xc5d3_76c5,
    0x16d9_19a5,
    0x48f4_a2c7,
    0x64ce_9105,
    0x6168_469b,
    0xd06e_3c53,
    0xfb94_3f3d,
    0x9999_1797,
    0xe93c_5105,
    0x5927_7bd9,
    0x0854_95c9,
    0xe16a_54fd,
    0xe472_423b,
];

/// FNV-1a over the words of the 4096 points from 0x89abc000, point by point, of the same.
const HASH: u64 = 0xcd54_e978_9b42_e325;

#[test]
fn points_are_scipys_in_all_dimensions() {
    let sobol = Sobol::new(64).unwrap();
    for (dimension, expected) in (0..).zip(FAR) {
        assert_eq!(sobol.point(0x89ab_cdef, dimension), expected, "dimension {dimension}");
    }
    let words = (0..4096).flat_map(|index| (0..64).map(move |dimension| (0x89ab_c000 + index, dimension)));
    let hash = words.fold(0xcbf2_9ce4_8422_2325u64, |hash, (index, dimension)| {
        (hash ^ u64::from(sobol.point(index, dimension))).wrapping_mul(0x100_0000_01b3)
    });
    assert_eq!(hash, HASH);
}

#[test]
fn a_sequence_has_one_to_64_dimensions() {
    assert!(Sobol::new(1).is_ok() && Sobol::scrambled(64, 1).is_ok());
    assert_eq!(Sobol::new(0).unwrap_err(), Error::Dimensions { got: 0, limit: 64 });
    assert_eq!(Sobol::scrambled(65, 1).unwrap_err(), Error::Dimensions { got: 65, limit: 64 });
}

/// How many points fall into each of 2^left by 2^right boxes, where every box should hold one.
fn fills(points: &[(u32, u32)], left: u32, right: u32) -> bool {
    let mut boxes = vec![false; 1 << (left + right)];
    for &(x, y) in points {
        // In 64 bits, for a shift by 32 where there is one row or column.
        let place = (u64::from(x) >> (32 - left) << right) | (u64::from(y) >> (32 - right));
        boxes[place as usize] = true;
    }
    points.len() == boxes.len() && boxes.into_iter().all(|filled| filled)
}

#[test]
fn aligned_blocks_are_nets_also_when_scrambled() {
    for (sobol, start) in
        [(Sobol::new(64), 0u32), (Sobol::new(64), u32::MAX << 12), (Sobol::scrambled(64, 5), 77 << 12)]
    {
        let sobol = sobol.unwrap();
        let block = |x: u32, y: u32| -> Vec<(u32, u32)> {
            (0..1 << 12).map(|index| (sobol.point(start + index, x), sobol.point(start + index, y))).collect()
        };
        // The first two dimensions are a (0, m, 2)-net: one point in every elementary box.
        let pairs = block(0, 1);
        assert!((0..=12).all(|left| fills(&pairs, left, 12 - left)), "block {start}");
        // Every dimension alone is a (0, m, 1)-net.
        for dimension in 0..64 {
            assert!(fills(&block(dimension, dimension), 12, 0), "dimension {dimension}, block {start}");
        }
    }
}

#[test]
fn independent_points_are_no_net_so_that_the_check_can_fail() {
    let words = |index: u32| philox(Key { low: 1, high: 2 }, Random { a: index, b: 0, c: 0, d: 0 });
    let pairs: Vec<(u32, u32)> = (0..1 << 12).map(|index| (words(index).a, words(index).b)).collect();
    assert!(!(0..=12).any(|left| fills(&pairs, left, 12 - left)));
}

/// The average over 2^k points of a product over all dimensions whose integral is 1.
fn average(sobol: &Sobol, dimensions: u32, log: u32) -> f64 {
    let points = 1u32 << log;
    let value = |index: u32| -> f64 {
        let factor = |dimension| 1.0 + (f64::from(uniform(sobol.point(index, dimension))) - 0.5) * 0.75;
        (0..dimensions).map(factor).product()
    };
    (0..points).map(value).sum::<f64>() / f64::from(points)
}

#[test]
fn averages_converge_faster_than_by_a_root() {
    // The product's variance is (1 + 0.75²/12)⁵ − 1 = 0.257 in five dimensions, 0.507 by its root: independent points err by
    // 0.507 / √n. A fourth of that at 2^6 points, a hundredth at 2^14, as root mean square over 16 seeds.
    for (log, part) in [(6, 4.0), (10, 20.0), (14, 100.0)] {
        let squared = (0..16).map(|seed| (average(&Sobol::scrambled(5, seed).unwrap(), 5, log) - 1.0).powi(2));
        let error = (squared.sum::<f64>() / 16.0).sqrt();
        let independent = 0.507 / f64::from(1u32 << log).sqrt();
        assert!(error < independent / part, "2^{log} points: {error:e}, {independent:e} of independent ones");
    }
}

#[test]
fn scrambled_averages_are_right_on_average() {
    // 64 seeds of 16 points: their mean lies within four of its own standard errors of the integral.
    let averages: Vec<f64> = (0..64).map(|seed| average(&Sobol::scrambled(8, seed).unwrap(), 8, 4)).collect();
    let mean = averages.iter().sum::<f64>() / 64.0;
    let variance = averages.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 63.0;
    assert!((mean - 1.0).abs() < 4.0 * (variance / 64.0).sqrt(), "{mean}, {variance:e}");
}

#[test]
fn one_point_is_uniform_over_seeds() {
    // Of 4096 seeds, each sixteenth of the line has 256 ± 15.5: chi-squared with 15 degrees of freedom, whose one in a million
    // is 54.
    for (index, dimension) in [(0, 0), (12_345, 1), (u32::MAX, 3)] {
        let mut counts = [0f64; 16];
        for seed in 0..4096 {
            let point = Sobol::scrambled(dimension + 1, seed).unwrap().point(index, dimension);
            counts[(point >> 28) as usize] += 1.0;
        }
        let chi: f64 = counts.iter().map(|count| (count - 256.0).powi(2) / 256.0).sum();
        assert!(chi < 54.0, "point {index}, dimension {dimension}: {chi}");
    }
}
