//! The exponential moving average.
//!
//! `s_t = (1 − α)·s_{t−1} + α·x_t` with a weight `0 < α ≤ 1` of the newest value. Pandas' four ways
//! to say α are in [`Decay`]; its `adjust=False` is [`Init::First`]. [`Ewm`] has all the other figures.

use std::f64::consts::LN_2;

use cubefold_primitives::Device;

use crate::data::Table;
use crate::error::{FinanceError, finite};
use crate::ewm::Ewm;

/// How fast old values are forgotten, in one of pandas' four words (`DataFrame.ewm`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// The weight α itself, in (0, 1].
    Alpha(f64),
    /// `α = 2 / (span + 1)`, span ≥ 1: about the window of a simple average of the same lag.
    Span(f64),
    /// `α = 1 / (1 + com)`, com ≥ 0: the centre of mass of the weights, in rows back.
    Com(f64),
    /// `α = 1 − exp(−ln 2 / halflife)`, halflife > 0: the rows after which a weight has halved.
    HalfLife(f64),
}

impl Decay {
    /// The weight α of the newest value.
    ///
    /// # Errors
    /// [`FinanceError::NotFinite`], or [`FinanceError::OutOfRange`] outside the ranges above.
    ///
    /// ```
    /// use cubefold_finance::Decay;
    /// assert_eq!(Decay::Span(9.0).alpha()?, 0.2);
    /// # Ok::<(), cubefold_finance::FinanceError>(())
    /// ```
    pub fn alpha(self) -> Result<f64, FinanceError> {
        let (name, value, accepted, range) = match self {
            Decay::Alpha(alpha) => ("alpha", alpha, alpha > 0.0 && alpha <= 1.0, "in (0, 1]"),
            Decay::Span(span) => ("span", span, span >= 1.0, "at least 1"),
            Decay::Com(com) => ("com", com, com >= 0.0, "at least 0"),
            Decay::HalfLife(halflife) => ("halflife", halflife, halflife > 0.0, "above 0"),
        };
        finite(name, value)?;
        if !accepted {
            return Err(FinanceError::OutOfRange { name, value, range });
        }
        Ok(match self {
            Decay::Alpha(alpha) => alpha,
            Decay::Span(span) => 2.0 / (span + 1.0),
            Decay::Com(com) => 1.0 / (1.0 + com),
            // The same as 1 − exp(…), with all its digits where the half-life is long.
            Decay::HalfLife(halflife) => -(-LN_2 / halflife).exp_m1(),
        })
    }
}

/// What the average starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Init {
    /// The first value, `s_0 = x_0` (pandas' `adjust=False`).
    #[default]
    First,
    /// Zero before the first value, `s_0 = α·x_0`.
    Zero,
    /// The mean of as many first values as the span says, `2/α − 1` rounded; nothing is shown before (TA-Lib).
    Sma,
    /// The mean of so many first values; nothing is shown before. Wilder's averages are this with `α = 1/n`.
    SmaOver(usize),
}

/// Smooths every column of `prices`; the primitive is `scan`. The host computes in f64, devices in f32.
///
/// The recurrence of [`Ewm`]. A missing value (NaN) repeats the last result; before the first value the result is
/// missing, or 0 where the series starts at zero. Where it starts at a value, a missing row still takes time, as in
/// pandas (`ignore_na=False`): after `g` missing rows, `s <- (β·s + α·x) / (β + α)` with `β = (1 − α)^(g + 1)`.
///
/// # Errors
/// What [`Decay::alpha`] refuses, and what goes wrong on the device.
pub fn ema(device: &Device, prices: &Table, decay: Decay, init: Init) -> Result<Table, FinanceError> {
    Ewm { adjust: false, init, ..Ewm::new(decay) }.mean(device, prices)
}

#[cfg(test)]
mod tests {
    use super::Decay::{Alpha, Com, HalfLife, Span};
    use super::*;

    #[test]
    fn each_decay_is_its_formula() {
        let table = [
            (Alpha(0.2), 0.2),
            (Alpha(1.0), 1.0),
            (Span(1.0), 1.0),
            (Span(20.0), 2.0 / 21.0),
            (Com(0.0), 1.0),
            (Com(2.0), 1.0 / 3.0),
            (HalfLife(1.0), 0.5),
            (HalfLife(2.0), 1.0 - f64::sqrt(0.5)),
            (HalfLife(f64::from_bits(1)), 1.0),
        ];
        for (decay, expected) in table {
            let found = decay.alpha().expect("a valid decay");
            assert!((found - expected).abs() < 1e-15, "{decay:?}: {found}");
        }
    }

    #[test]
    fn a_long_half_life_keeps_its_digits() {
        let found = HalfLife(1e12).alpha().expect("a valid decay");
        assert!((found / (LN_2 * 1e-12) - 1.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn every_accepted_decay_gives_an_alpha_in_its_range() {
        let tiny = f64::from_bits(1);
        for decay in [Alpha(tiny), Span(f64::MAX), Com(f64::MAX), HalfLife(f64::MAX), HalfLife(tiny), Com(-0.0)] {
            let alpha = decay.alpha().expect("a valid decay");
            assert!(alpha > 0.0 && alpha <= 1.0, "{decay:?}: {alpha}");
        }
    }

    #[test]
    fn the_first_value_outside_each_range_is_refused() {
        let tiny = f64::from_bits(1);
        type Word = fn(f64) -> Decay;
        let table: [(Word, &str, &[f64]); 4] = [
            (Alpha, "alpha", &[0.0, -tiny, 1.0f64.next_up()]),
            (Span, "span", &[1.0f64.next_down(), 0.0, -3.0]),
            (Com, "com", &[-tiny, -1.0]),
            (HalfLife, "halflife", &[0.0, -tiny]),
        ];
        for (decay, field, values) in table {
            for &wrong in values {
                let error = decay(wrong).alpha().unwrap_err();
                let FinanceError::OutOfRange { name, value, .. } = error else {
                    panic!("{field}: {error}");
                };
                assert_eq!((name, value), (field, wrong));
            }
            for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let error = decay(wrong).alpha().unwrap_err();
                assert!(matches!(error, FinanceError::NotFinite { name, .. } if name == field), "{error}");
            }
        }
    }
}
