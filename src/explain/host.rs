//! Chains of multiply-adds on all threads of the host, in the widest vectors that its processor has.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use crate::bench::{BenchError, Ready, Scale, check};

/// Vectors of a thread whose chains do not wait for one another.
const CHAINS: usize = 10;

/// Times that a thread runs its chains in a call, so that its start costs little.
const RUNS: u32 = 32;

/// How vectors are multiplied and added: their lanes, and the steps of chains from 0 on, whose lanes are summed.
#[derive(Clone, Copy)]
struct Vectors {
    lanes: usize,
    run: fn(steps: u32, scale: f32, shift: f32) -> f32,
}

impl Vectors {
    /// The widest that the processor has.
    fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the instructions.
                return Vectors { lanes: 16, run: |steps, scale, shift| unsafe { x86::wide(steps, scale, shift) } };
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the processor has the instructions.
                return Vectors { lanes: 8, run: |steps, scale, shift| unsafe { x86::fused(steps, scale, shift) } };
            }
        }
        Vectors { lanes: 1, run: plain }
    }
}

/// Multiplications and additions one after another, in whatever the compiler makes of them.
fn plain(steps: u32, scale: f32, shift: f32) -> f32 {
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

    use super::CHAINS;

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
        let mut lanes = [0.0; 8];
        values
            .into_iter()
            .map(|value| {
                // SAFETY: there is room for the lanes.
                unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), value) };
                lanes.iter().sum::<f32>()
            })
            .sum()
    }
}

/// Chains on every thread, and how many operations they are in all.
pub fn chains(scale: Scale) -> Result<(Ready, u64), BenchError> {
    let steps = match scale {
        // The ends of all chains are summed, exactly below 2^24.
        Scale::Full | Scale::Small => 1 << 16,
        Scale::Tiny => 1 << 8,
    };
    let (vectors, threads) = (Vectors::widest(), thread::available_parallelism().map_or(1, usize::from));
    let chains = (CHAINS * vectors.lanes * threads) as u64;
    let call = move || check_all(vectors, steps, threads);
    call()?;
    let ready = Ready::on_host(Duration::ZERO, [threads as u64; 2], call);
    Ok((ready, 2 * u64::from(RUNS) * u64::from(steps) * chains))
}

/// Runs the chains on every thread; each counts its steps.
fn check_all(vectors: Vectors, steps: u32, threads: usize) -> Result<(), BenchError> {
    let expected = f64::from(steps) * (CHAINS * vectors.lanes) as f64;
    let once = || (vectors.run)(steps, black_box(1.0), black_box(1.0));
    // Every run is checked by its thread; the first that is wrong is told.
    let run = || (0..RUNS).map(|_| once()).find(|&sum| f64::from(sum) != expected).unwrap_or(expected as f32);
    let sums: Vec<f32> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        let others = others.into_iter().map(|thread| thread.join().unwrap_or(f32::NAN));
        std::iter::once(own).chain(others.collect::<Vec<_>>()).collect()
    });
    sums.into_iter().enumerate().try_for_each(|(index, sum)| check::close(index, sum.into(), expected, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_every_width_count_their_steps() {
        assert_eq!(plain(3, 1.0, 2.0), 6.0 * CHAINS as f32);
        let widest = Vectors::widest();
        assert_eq!((widest.run)(5, 1.0, 1.0), (5 * CHAINS * widest.lanes) as f32);
        assert!(check_all(widest, 1 << 8, 2).is_ok());
        let broken = Vectors { run: |steps, _, _| steps as f32, ..widest };
        assert!(matches!(check_all(broken, 1 << 8, 2), Err(BenchError::Wrong { .. })));
    }
}
