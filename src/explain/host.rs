//! Chains of multiply-adds on all threads of the host, in the widest vectors that its processor has.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use super::launch_vectors::Vectors;
use crate::bench::{BenchError, Ready, Scale, check};

/// Vectors of a thread whose chains do not wait for one another.
pub const CHAINS: usize = 10;

/// Times that a thread runs its chains in a call, so that its start costs little.
const RUNS: u32 = 32;

/// Chains on every thread, and how many operations they are in all.
pub fn chains(scale: Scale) -> Result<(Ready, u64), BenchError> {
    let steps = match scale {
        // The ends of all chains are summed, exactly below 2^24.
        Scale::Full | Scale::Small => 1 << 16,
        Scale::Tiny => 1 << 8,
    };
    let (vectors, threads) = (Vectors::all()[0], thread::available_parallelism().map_or(1, usize::from));
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
        for vectors in Vectors::all() {
            assert_eq!((vectors.run)(5, 1.0, 1.0), (5 * CHAINS * vectors.lanes) as f32);
            assert_eq!((vectors.run)(2, 3.0, 1.0), (4 * CHAINS * vectors.lanes) as f32, "0, 1, 3 · 1 + 1");
            assert!(check_all(vectors, 1 << 8, 2).is_ok());
        }
        let widest = Vectors::all()[0];
        let broken = Vectors { run: |steps, _, _| steps as f32, ..widest };
        assert!(matches!(check_all(broken, 1 << 8, 2), Err(BenchError::Wrong { .. })));
    }
}
