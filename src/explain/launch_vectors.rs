//! The host's chains of multiply-adds, in the widest vectors that its processor has: which ones is known at run time only.

use super::host::CHAINS;

/// How vectors are multiplied and added: their lanes, and the steps of chains from 0 on, whose lanes are summed.
#[derive(Clone, Copy)]
pub struct Vectors {
    /// Numbers of a vector.
    pub lanes: usize,
    /// Runs the chains.
    pub run: fn(steps: u32, scale: f32, shift: f32) -> f32,
}

impl Vectors {
    /// All that the processor has, the widest first; at last whatever the compiler makes of one number after another.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the instructions.
                all.push(Vectors { lanes: 16, run: |steps, scale, shift| unsafe { x86::wide(steps, scale, shift) } });
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has the instructions.
                all.push(Vectors { lanes: 8, run: |steps, scale, shift| unsafe { x86::fused(steps, scale, shift) } });
            }
        }
        all.push(Vectors { lanes: 1, run: one_by_one });
        all
    }
}

fn one_by_one(steps: u32, scale: f32, shift: f32) -> f32 {
    let mut values = [0.0f32; CHAINS];
    for _ in 0..steps {
        for value in &mut values {
            *value = *value * scale + shift;
        }
    }
    values.iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::super::host::CHAINS;

    #[target_feature(enable = "avx512f")]
    pub fn wide(steps: u32, scale: f32, shift: f32) -> f32 {
        let (scale, shift) = (_mm512_set1_ps(scale), _mm512_set1_ps(shift));
        let mut values = [_mm512_setzero_ps(); CHAINS];
        for _ in 0..steps {
            for value in &mut values {
                *value = _mm512_fmadd_ps(*value, scale, shift);
            }
        }
        values.iter().map(|&value| _mm512_reduce_add_ps(value)).sum()
    }

    #[target_feature(enable = "avx2,fma")]
    pub fn fused(steps: u32, scale: f32, shift: f32) -> f32 {
        let (scale, shift) = (_mm256_set1_ps(scale), _mm256_set1_ps(shift));
        let mut values = [_mm256_setzero_ps(); CHAINS];
        for _ in 0..steps {
            for value in &mut values {
                *value = _mm256_fmadd_ps(*value, scale, shift);
            }
        }
        values.iter().map(|&value| sum_of_eight(value)).sum()
    }

    #[target_feature(enable = "avx2,fma")]
    fn sum_of_eight(value: __m256) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps::<1>(value));
        let two = _mm_hadd_ps(four, four);
        _mm_cvtss_f32(_mm_hadd_ps(two, two))
    }
}
