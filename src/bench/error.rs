//! Why a bench stopped.

use cubecl::server::ProfileError;
use cubefold::finance::FinanceError;

/// Why a bench stopped.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// What was being timed, and what happened to it.
    #[error("{operator} by {strategy}, length {length}: {source}")]
    Case {
        /// The operator.
        operator: &'static str,
        /// The strategy.
        strategy: &'static str,
        /// The length.
        length: u64,
        /// What happened.
        source: Box<BenchError>,
    },
    /// A result that differs from the host's.
    #[error("result {index} is {got}, the host computes {expected}")]
    Wrong {
        /// Which result.
        index: usize,
        /// The result.
        got: f64,
        /// What it should be.
        expected: f64,
    },
    /// What of a device was being measured, and what happened to it.
    #[error("measuring {what}: {source}")]
    Measuring {
        /// What was measured.
        what: &'static str,
        /// What happened.
        source: Box<BenchError>,
    },
    /// A primitive failed.
    #[error(transparent)]
    Primitive(#[from] cubefold::Error),
    /// A finance job failed.
    #[error(transparent)]
    Finance(#[from] FinanceError),
    /// The device's clock failed.
    #[error("the device's clock failed: {}", without_backtrace(.0))]
    Clock(#[from] ProfileError),
    /// The device gave no time for a call.
    #[error("the device's clock gave no time")]
    NoTime,
}

impl BenchError {
    /// Whether the device cannot do this at all: no reason to stop, the rest can still be timed.
    pub fn is_beyond_the_device(&self) -> bool {
        use cubefold::Error;
        match self {
            BenchError::Case { source, .. } => source.is_beyond_the_device(),
            BenchError::Primitive(error) | BenchError::Finance(FinanceError::Primitive(error)) => {
                matches!(
                    error,
                    Error::BindingTooLarge { .. }
                        | Error::OutOfMemory { .. }
                        | Error::TooLong { .. }
                        | Error::Unsupported { .. }
                )
            }
            _ => false,
        }
    }
}

fn without_backtrace(error: &ProfileError) -> String {
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.starts_with("Backtrace"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_device_cannot_do_is_left_out() {
        let of =
            |source| BenchError::Case { operator: "sum f32", strategy: "Tree", length: 8, source: Box::new(source) };
        let large = cubefold::Error::BindingTooLarge { device: "small".to_owned(), bytes: 32, limit: 16 };
        assert!(of(large.into()).is_beyond_the_device());
        let wrong = of(BenchError::Wrong { index: 3, got: 1.0, expected: 2.0 });
        assert!(!wrong.is_beyond_the_device());
        assert_eq!(wrong.to_string(), "sum f32 by Tree, length 8: result 3 is 1, the host computes 2");
    }
}
