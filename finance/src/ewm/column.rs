//! The figures of one column: which operator computes them, of which weights, and where they are shown.

use cubefold_primitives::ops::{Ewma, Start};
use cubefold_primitives::views::Source;
use cubefold_primitives::{Both, Buffer, Counter, Device, Lift, Lower, Real};

use super::even::EvenSteps;
use super::fade::Step;
use super::mean::Weighted;
use super::pace::{Rules, Steps, pace};
use super::spread::{Figure, Spread};
use super::{Ewm, Missing};
use crate::columns::{narrow, present, wide};
use crate::ema::{Decay, Init};
use crate::error::FinanceError;

impl Ewm {
    /// The mean of one column: of even rows by the catalogue's operator, which reads nothing but the values.
    pub(super) fn mean_of<T: Real>(
        &self,
        device: &Device,
        values: Vec<f64>,
        column: usize,
    ) -> Result<Vec<f64>, FinanceError> {
        let observed = present(&values);
        let start = match self.init {
            Init::Zero => Some(Start::Zero),
            Init::First if self.adjust => Some(Start::Adjusted),
            Init::First => Some(Start::First),
            Init::Sma | Init::SmaOver(_) => None,
        };
        // From zero missing rows take no time, so that the plain operator is right for them.
        let even = self.ignore_na || self.init == Init::Zero || !has_gaps(&observed);
        let found = match start {
            Some(start) if even && self.times.is_none() => {
                let alpha = self.alpha(column)?;
                // An α that f32 takes for zero would be a series without items.
                let alpha = if device.is_host() { alpha } else { alpha.max(f64::from(f32::MIN_POSITIVE)) };
                wide(device.scan(&narrow::<T>(values)?, &Ewma::new(T::constant(alpha), start))?)?
            }
            _ => {
                let pace = Pace::of(&observed, &self.steps(column)?, self.rules(column)?);
                wide(paced(device, narrow::<T>(values)?, pace, &Weighted::mean())?)?
            }
        };
        Ok(self.shown(found, &observed, self.first_shown(column)?))
    }

    /// The sum of one column, which fades over missing rows.
    pub(super) fn sum_of<T: Real>(
        &self,
        device: &Device,
        values: Vec<f64>,
        column: usize,
    ) -> Result<Vec<f64>, FinanceError> {
        let observed = present(&values);
        let rules = Rules { at_once: true, ..self.rules(column)? };
        let pace = Pace::of(&observed, &self.steps(column)?, rules);
        let found = wide(paced(device, narrow::<T>(values)?, pace, &Weighted::sum())?)?;
        Ok(self.shown(found, &observed, 1))
    }

    /// The figure of two columns; of one with itself where there are no others. A start at zero is a row of zeros before
    /// the first.
    pub(super) fn spread_of<T: Real>(
        &self,
        device: &Device,
        mut values: Vec<f64>,
        mut others: Option<Vec<f64>>,
        column: usize,
        figure: Figure,
    ) -> Result<Vec<f64>, FinanceError> {
        let mut observed = present(&values);
        for (observed, other) in observed.iter_mut().zip(others.iter().flatten()) {
            *observed &= !other.is_nan();
        }
        let before = usize::from(self.init == Init::Zero);
        if before == 1 {
            values.insert(0, 0.0);
            others.iter_mut().for_each(|others| others.insert(0, 0.0));
            observed.insert(0, true);
        }
        let pace = Pace::of(&observed, &self.steps(column)?, self.rules(column)?);
        let (values, others) = (narrow::<T>(values)?, others.map(narrow::<T>).transpose()?);
        let pairs = (&values).zip(others.as_ref().unwrap_or(&values));
        let mut found = wide(paced(device, pairs, pace, &Spread::<T>::new(figure))?)?;
        found.drain(..before);
        Ok(self.shown(found, &observed[before..], self.first_shown(column)?))
    }

    /// `found`, where it is shown: not before so many values, and not at missing ones that are preserved.
    fn shown(&self, mut found: Vec<f64>, observed: &[bool], least: usize) -> Vec<f64> {
        if least.max(self.min_periods) == 0 && self.missing == Missing::Carry {
            return found;
        }
        let mut seen = 0;
        for (value, &observed) in found.iter_mut().zip(observed) {
            seen += usize::from(observed);
            if seen < least.max(self.min_periods) || (self.missing == Missing::Preserve && !observed) {
                *value = f64::NAN;
            }
        }
        found
    }

    /// Values that the start itself needs.
    fn first_shown(&self, column: usize) -> Result<usize, FinanceError> {
        Ok(match self.init {
            Init::First | Init::Zero => 0,
            Init::Sma | Init::SmaOver(_) => self.rules(column)?.seeds,
        })
    }

    fn rules(&self, column: usize) -> Result<Rules, FinanceError> {
        let seeds = match self.init {
            Init::First | Init::Zero => 1,
            // The span that has this α.
            Init::Sma => ((2.0 / self.alpha(column)? - 1.0).round() as usize).max(1),
            Init::SmaOver(values) => values,
        };
        let ignore_na = self.ignore_na || self.init == Init::Zero;
        Ok(Rules { adjust: self.adjust, ignore_na, seeds, at_once: false })
    }

    fn steps(&self, column: usize) -> Result<Steps, FinanceError> {
        Ok(match (&self.times, self.decay(column)) {
            (Some(times), Decay::HalfLife(halflife)) => Steps::timed(times, halflife),
            _ => Steps::even(self.alpha(column)?),
        })
    }

    fn alpha(&self, column: usize) -> Result<f64, FinanceError> {
        self.decay(column).alpha()
    }

    fn decay(&self, column: usize) -> Decay {
        self.decays[if self.decays.len() == 1 { 0 } else { column }]
    }
}

/// The steps of a column.
enum Pace {
    /// The first row's, and that of all others.
    Even(Step<f64>, Step<f64>),
    /// One a row.
    Rows(Vec<Step<f64>>),
}

impl Pace {
    fn of(observed: &[bool], steps: &Steps, rules: Rules) -> Self {
        let alike = rules.adjust || rules.seeds == 1;
        match steps {
            Steps::Even(_) if alike && !observed.contains(&false) => {
                let rows = pace(&[true; 2], steps, rules);
                Pace::Even(rows[0], rows[1])
            }
            _ => Pace::Rows(pace(observed, steps, rules)),
        }
    }
}

/// The fold of items and their steps.
fn paced<T, S, O>(device: &Device, items: S, pace: Pace, op: &O) -> Result<Buffer<O::Output>, FinanceError>
where
    T: Real,
    S: Source,
    O: Lift<Both<S::Item, Step<T>>> + Lower<Output = T>,
{
    Ok(match pace {
        Pace::Even(first, other) => {
            let steps = Counter::new(items.len()).map(EvenSteps::new(first.narrow::<T>(), other.narrow()));
            device.scan(&items.zip(steps), op)?
        }
        Pace::Rows(rows) => {
            let steps: Vec<Step<T>> = rows.into_iter().map(Step::narrow).collect();
            device.scan(&items.zip(steps), op)?
        }
    })
}

/// Whether a value comes after a missing one that comes after a value.
fn has_gaps(observed: &[bool]) -> bool {
    let ends = observed.iter().position(|&observed| observed).zip(observed.iter().rposition(|&observed| observed));
    ends.is_some_and(|(first, last)| observed[first..=last].contains(&false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_lies_between_values() {
        let of = |marks: &str| has_gaps(&marks.bytes().map(|mark| mark == b'x').collect::<Vec<_>>());
        for marks in ["", ".", "x", "..x", "x..", ".xxx."] {
            assert!(!of(marks), "{marks}");
        }
        for marks in ["x.x", "..x.x", "xx...x."] {
            assert!(of(marks), "{marks}");
        }
    }
}
