//! A measurement: rows of one question, each of them verified and timed, and what they mean for this library.

use std::time::Duration;

use cubefold::{Buffer, Device};
use serde::Serialize;

use crate::bench::measure::{self, Clock, Pace};
use crate::bench::{BenchError, Ready, Scale, Work, check};

/// What is measured, how large and for how long.
pub(super) struct Course<'a> {
    /// On what.
    pub device: &'a Device,
    /// How large.
    pub scale: Scale,
    /// For how long.
    pub pace: Pace,
}

impl Course<'_> {
    /// Times a call whose result was right.
    pub fn time(&self, setting: impl Into<String>, ready: &Ready, work: Work) -> Result<Row, BenchError> {
        let timed = measure::time(self.device, ready, &self.pace)?;
        let seconds = timed.times.median;
        Ok(Row {
            setting: setting.into(),
            seconds,
            clock: timed.clock,
            rate: work.amount() as f64 / seconds,
            unit: if matches!(work, Work::Bytes(_)) { "B/s" } else { "FLOP/s" },
            fraction: 1.0,
            best: false,
            verified: true,
            compared: ready.compared,
        })
    }
}

/// Runs a call once, compares every result with what the host expects, and hands the same call out.
pub(super) fn compared(
    expected: impl ExactSizeIterator<Item = f64>,
    call: impl Fn() -> Result<Buffer<f32>, BenchError> + Send + Sync + 'static,
) -> Result<Ready, BenchError> {
    let results = call()?;
    let compared = check::results(&results, expected, 0.0)?;
    Ok(Ready::new(Duration::ZERO, [compared, results.len() as u64], move || call().map(drop)))
}

/// One setting.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// What is set, such as `stride 32`.
    pub setting: String,
    /// Median seconds of a call.
    pub seconds: f64,
    /// What took the time.
    pub clock: Clock,
    /// Useful bytes, or operations, a second.
    pub rate: f64,
    /// Of what.
    pub unit: &'static str,
    /// The rate against that of the setting that its measurement compares with.
    pub fraction: f64,
    /// Whether it is the fastest, of a measurement that looks for one.
    pub best: bool,
    /// Whether the result was right. Always: a wrong one ends the run.
    pub verified: bool,
    /// How many results were compared with the host's.
    pub compared: u64,
}

/// Rows of one question.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// What was varied, or what is measured.
    pub name: &'static str,
    /// The settings.
    pub rows: Vec<Row>,
    /// The setting that [`Row::fraction`] compares with; none where rows stand alone.
    pub against: Option<String>,
    /// What it means for the tile or the width of a cube that this library takes.
    pub meaning: String,
}

/// What the rows of a measurement are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// The first row.
    First,
    /// The fastest row.
    Best,
    /// Nothing: they are of different kinds.
    Nothing,
}

impl Measurement {
    /// Compares the rows, and says what they mean.
    pub(super) fn new(
        name: &'static str,
        mut rows: Vec<Row>,
        against: Against,
        meaning: impl FnOnce(&[Row]) -> String,
    ) -> Self {
        let best = (0..rows.len()).max_by(|&left, &right| rows[left].rate.total_cmp(&rows[right].rate));
        let reference = match against {
            Against::First => Some(0).filter(|_| !rows.is_empty()),
            Against::Best => best,
            Against::Nothing => None,
        };
        let compared = reference.map(|index| (rows[index].setting.clone(), rows[index].rate));
        if let Some((_, rate)) = &compared {
            rows.iter_mut().for_each(|row| row.fraction = row.rate / rate);
        }
        if let (Against::Best, Some(best)) = (against, best) {
            rows[best].best = true;
        }
        let meaning = meaning(&rows);
        Measurement { name, rows, against: compared.map(|(setting, _)| setting), meaning }
    }
}

/// A measurement or a table that does not apply.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// What.
    pub name: &'static str,
    /// Why.
    pub reason: String,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row that took so long for one operation.
    pub fn row(setting: &str, seconds: f64) -> Row {
        Row {
            setting: setting.to_owned(),
            seconds,
            clock: Clock::Device,
            rate: 1.0 / seconds,
            unit: "B/s",
            fraction: 1.0,
            best: false,
            verified: true,
            compared: 1,
        }
    }

    #[test]
    fn rows_are_compared_with_the_first_or_with_the_best() {
        let of = |against| {
            let rows = vec![row("a", 2.0), row("b", 1.0), row("c", 4.0)];
            Measurement::new("speed", rows, against, |rows| rows.len().to_string())
        };
        let fractions = |measured: &Measurement| measured.rows.iter().map(|row| row.fraction).collect::<Vec<_>>();
        let (first, best, alone) = (of(Against::First), of(Against::Best), of(Against::Nothing));
        assert_eq!((fractions(&first), first.against.as_deref()), (vec![1.0, 2.0, 0.5], Some("a")));
        assert_eq!((fractions(&best), best.against.as_deref()), (vec![0.5, 1.0, 0.25], Some("b")));
        assert_eq!((alone.against, best.meaning.as_str()), (None, "3"));
        assert!(first.rows.iter().all(|row| !row.best));
        assert_eq!(best.rows.iter().map(|row| row.best).collect::<Vec<_>>(), [false, true, false]);
    }
}
