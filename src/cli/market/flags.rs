//! Values of flags that only the market has.

use cubefold_finance::market::ensemble::Axis;
use cubefold_finance::{FinanceError, Shock};

/// Why a shock was not understood.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("\"{text}\" is no shock: write STEP:SIZE, such as 100:-0.2")]
pub struct ShockError {
    text: String,
}

/// Parses `STEP:SIZE`.
pub fn parse_shock(text: &str) -> Result<Shock, ShockError> {
    let parsed = text.split_once(':').and_then(|(step, size)| {
        let (step, size) = (step.trim().parse().ok()?, size.trim().parse::<f64>().ok()?);
        size.is_finite().then_some(Shock { step, size })
    });
    parsed.ok_or_else(|| ShockError { text: text.to_owned() })
}

/// Parses `PARAMETER=LOW:HIGH:COUNT`.
pub fn parse_axis(text: &str) -> Result<Axis, FinanceError> {
    text.parse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shock_is_a_step_and_a_finite_size() {
        assert_eq!(parse_shock("100:-0.2"), Ok(Shock { step: 100, size: -0.2 }));
        for text in ["", "100", ":1", "-1:1", "1.5:1", "1:x", "1:nan", "1:inf", "1:2:3"] {
            assert!(parse_shock(text).is_err(), "{text}");
        }
    }
}
