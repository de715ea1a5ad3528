//! The mean payoff over random paths, with its error bar.
//!
//! The price is `exp(−r·T)` times the mean payoff over `n` independent paths. With the sample
//! variance `s²` of the payoffs (divisor `n − 1`) its standard error is `exp(−r·T) · s / √n`, and
//! `value ± 1.96 · std_error` covers the true price in 95 of 100 runs.

use serde::Serialize;

use crate::error::{FinanceError, at_least_one};

/// How many paths are drawn, and from which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonteCarlo {
    /// Paths, at least 1. One path has no standard error.
    pub paths: u64,
    /// Names the stream of random numbers; path `i` sees the same draws on every device.
    pub seed: u64,
}

impl Default for MonteCarlo {
    fn default() -> Self {
        MonteCarlo {
            paths: 20_000_000,
            seed: 42,
        }
    }
}

impl MonteCarlo {
    /// Accepts 1 path or more.
    ///
    /// # Errors
    /// [`FinanceError::Zero`] for no paths.
    pub fn check(&self) -> Result<(), FinanceError> {
        at_least_one("paths", self.paths)
    }
}

/// A price by simulation. Serialises to the JSON of `cubefold price`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The discounted mean payoff, in the currency of the spot.
    pub value: f64,
    /// Standard error of `value`; NaN for one path.
    pub std_error: f64,
    /// `value ∓ 1.96 · std_error`: low, high.
    pub ci95: [f64; 2],
    /// Paths drawn.
    pub paths: u64,
    /// The seed of the stream.
    pub seed: u64,
    /// The label of the device.
    pub device: String,
    /// Seconds of the first call, compilation included.
    pub seconds_cold: f64,
    /// Seconds of a call after that.
    pub seconds_warm: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_path_is_accepted_and_none_is_refused() {
        assert!(MonteCarlo { paths: 1, seed: 0 }.check().is_ok());
        assert!(
            MonteCarlo {
                paths: u64::MAX,
                seed: 0
            }
            .check()
            .is_ok()
        );
        assert!(matches!(
            MonteCarlo { paths: 0, seed: 0 }.check(),
            Err(FinanceError::Zero { name: "paths" })
        ));
    }
}
