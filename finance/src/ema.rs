//! The exponential moving average.
//!
//! `s_t = (1 − α)·s_{t−1} + α·x_t` with a weight `0 < α ≤ 1` of the newest value. Pandas' four ways
//! to say α are in [`Decay`]; its `adjust=False` is [`Init::First`].

use std::f64::consts::LN_2;

use cubecl::prelude::*;
use cubefold_primitives::ops::{Ewma, EwmaState, Start};
use cubefold_primitives::views::Source;
use cubefold_primitives::{Both, Device, Lift, LiftExpand, Lower, LowerExpand, Monoid, MonoidExpand, Operator, Real};

use crate::data::Table;
use crate::error::{FinanceError, finite};

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
}

/// Smooths every column of `prices`; the primitive is `scan`. The host computes in f64, devices in f32.
///
/// A missing value (NaN) repeats the last result; before the first value the result is missing, or 0 where the
/// series starts at zero. Where it starts at the first value, a missing row still takes time, as in pandas
/// (`ignore_na=False`): after `g` missing rows, `s <- (β·s + α·x) / (β + α)` with `β = (1 − α)^(g + 1)`.
///
/// # Errors
/// What [`Decay::alpha`] refuses, and what goes wrong on the device.
pub fn ema(device: &Device, prices: &Table, decay: Decay, init: Init) -> Result<Table, FinanceError> {
    let alpha = decay.alpha()?;
    let start = match init {
        Init::First => Start::First,
        Init::Zero => Start::Zero,
    };
    let mut values = vec![f64::NAN; prices.values.len()];
    for column in 0..prices.width() {
        let smooth = match device.is_host() {
            true => smooth_column::<f64>(device, prices, column, alpha, start)?,
            false => smooth_column::<f32>(device, prices, column, alpha, start)?,
        };
        for (row, value) in smooth.into_iter().enumerate() {
            values[row * prices.width() + column] = value;
        }
    }
    Ok(Table { values, ..prices.clone() })
}

fn smooth_column<T: Real>(
    device: &Device,
    prices: &Table,
    column: usize,
    alpha: f64,
    start: Start,
) -> Result<Vec<f64>, FinanceError> {
    let column = prices.column(column);
    let items: Vec<T> = column.iter().copied().map(T::constant).collect();
    // An α that f32 takes for zero would be a series without items.
    let alpha = if device.is_host() { alpha } else { alpha.max(f64::from(f32::MIN_POSITIVE)) };
    let ewma = Ewma::new(T::constant(alpha), start);
    let has_gaps = column.iter().skip_while(|value| value.is_nan()).any(|value| value.is_nan());
    let smooth = if has_gaps && start == Start::First {
        let weights: Vec<T> = weights(&column, alpha).into_iter().map(T::constant).collect();
        let (items, weights) = (device.upload(&items)?, device.upload(&weights)?);
        device.scan(&(&items).zip(&weights), &Weighted { ewma })?
    } else {
        device.scan(&items, &ewma)?
    };
    Ok(smooth.to_vec()?.into_iter().map(T::widen).collect())
}

/// By how much each row moves the average: α, more after missing rows, and not at all where it is missing itself.
fn weights(column: &[f64], alpha: f64) -> Vec<f64> {
    let mut missing = 0u32;
    let weight = |value: &f64| {
        if value.is_nan() {
            missing += 1;
            return 0.0;
        }
        let gap = std::mem::take(&mut missing);
        match gap {
            0 => alpha,
            gap => alpha / ((f64::from(gap + 1) * (-alpha).ln_1p()).exp() + alpha),
        }
    };
    column.iter().map(weight).collect()
}

/// [`Ewma`] of items that bring a weight of their own.
#[derive(Debug, Clone, Operator)]
struct Weighted<T: Real> {
    ewma: Ewma<T>,
}

#[cube]
impl<T: Real> Monoid for Weighted<T> {
    type State = EwmaState<T>;

    fn identity(&self) -> EwmaState<T> {
        self.ewma.identity()
    }

    fn combine(&self, left: EwmaState<T>, right: EwmaState<T>) -> EwmaState<T> {
        self.ewma.combine(left, right)
    }
}

#[cube]
impl<T: Real> Lift<Both<T, T>> for Weighted<T> {
    fn lift(&self, item: Both<T, T>) -> EwmaState<T> {
        let value = select(item.right > T::whole(0), item.left, T::whole(0));
        EwmaState::<T> { weight: item.right, mean: value, first: value }
    }
}

#[cube]
impl<T: Real> Lower for Weighted<T> {
    type Output = T;

    fn lower(&self, state: EwmaState<T>) -> T {
        self.ewma.lower(state)
    }
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

    /// pandas 3.1.1, `ewm(alpha=0.3, adjust=False).mean()` of [1, NaN, 3, NaN, NaN, 5, 9]: 1.759494, 3.271394, 4.989976.
    #[test]
    fn a_row_after_missing_ones_weighs_more() {
        let nan = f64::NAN;
        let weights = weights(&[nan, 1.0, nan, 3.0, nan, nan, 5.0, 9.0], 0.3);
        let moved = |from: f64, to: f64, end: f64| (end - from) / (to - from);
        let expected = [
            0.0,
            weights[1],
            0.0,
            moved(1.0, 3.0, 1.759493670886076),
            0.0,
            0.0,
            moved(1.759493670886076, 5.0, 3.2713939799594467),
            0.3,
        ];
        assert!(weights[1] > 0.0 && weights[1] <= 1.0);
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-12, "{weights:?}");
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
