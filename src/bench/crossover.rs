//! From which length on a device is faster than the host.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Case, Row};

/// Where the device overtakes the host, both by the host's clock, each with its data where it computes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossover {
    /// The case's name.
    pub case: &'static str,
    /// The operator and its element type.
    pub operator: &'static str,
    /// The length from which on the device is faster at all longer ones: between two measured lengths, where lines through their
    /// times (both logarithmic) meet; the shortest where it is faster at all of them; none where it is not at the longest.
    pub device_faster_from: Option<f64>,
    /// The shortest and the longest length that both were timed at.
    pub measured: [u64; 2],
}

/// The crossovers of all operators that `host` and `device` rows share lengths of. Of several strategies the fastest counts.
pub fn of(host: &[Row], device: &[Row]) -> Vec<Crossover> {
    let mut all: Vec<Crossover> = Vec::new();
    for row in host {
        if all.iter().any(|found| (found.case, found.operator) == (row.case, row.operator)) {
            continue;
        }
        let best = |rows: &[Row], length: u64| {
            let same = |other: &&Row| (other.case, other.operator, other.length) == (row.case, row.operator, length);
            rows.iter().filter(same).map(|other| other.seconds_wall).min_by(f64::total_cmp)
        };
        let lengths: BTreeSet<u64> = host.iter().map(|row| row.length).collect();
        let ratio = |length| Some((length, (best(device, length)? / best(host, length)?).ln()));
        let points: Vec<(u64, f64)> = lengths.into_iter().filter_map(ratio).collect();
        if let (Some(&(shortest, _)), Some(&(longest, _))) = (points.first(), points.last()) {
            all.push(Crossover {
                case: row.case,
                operator: row.operator,
                device_faster_from: overtaken(&points),
                measured: [shortest, longest],
            });
        }
    }
    all
}

/// What its lengths count.
pub fn length_name(found: &Crossover) -> &'static str {
    Case::ALL.into_iter().find(|case| case.name() == found.case).map_or("items", Case::length_name)
}

/// Where the logarithm of a ratio falls below 0 for good.
fn overtaken(points: &[(u64, f64)]) -> Option<f64> {
    let slower = points.iter().rposition(|point| point.1 >= 0.0);
    match slower {
        None => points.first().map(|point| point.0 as f64),
        Some(last) => {
            let (before, ratio) = points[last];
            let (after, faster) = *points.get(last + 1)?;
            let [before, after] = [before, after].map(|length| (length as f64).ln());
            Some((before + (after - before) * ratio / (ratio - faster)).exp())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_meet_between_the_last_slower_length_and_the_next() {
        let at = |points: &[(u64, f64)]| overtaken(points);
        assert_eq!(at(&[(100, -1.0), (1000, -2.0)]), Some(100.0));
        assert_eq!(at(&[(100, 1.0), (1000, 0.5)]), None);
        let middle = at(&[(100, -0.5), (100, 1.0), (10_000, -1.0)]).expect("it is overtaken");
        assert!((middle - 1000.0).abs() < 1e-9, "{middle}");
        assert_eq!(at(&[]), None);
    }
}
