//! `cubefold bench compare A.json B.json`: the rows that two runs share, and how their times relate.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::error::CliError;
use super::output::{Answer, cell, csv_bytes};
use super::session::Session;
use crate::report::table::{Side, TextTable, duration, grouped, significant};

/// Two runs side by side.
#[derive(Debug, Serialize)]
struct CompareAnswer {
    devices: [String; 2],
    rows: Vec<Pair>,
}

/// What both runs timed.
#[derive(Debug, Serialize)]
struct Pair {
    case: String,
    operator: String,
    strategy: String,
    length: u64,
    seconds: [f64; 2],
    /// The first time by the second: above 1, the second is faster.
    speedup: f64,
    /// Whether the quartiles of the two lie apart.
    apart: bool,
}

impl Answer for CompareAnswer {
    const NAME: &'static str = "compare";

    fn table(&self) -> String {
        let right = ["length", "A", "B", "A by B"].map(|name| (name, Side::Right));
        let left = ["case", "operator", "strategy"].map(|name| (name, Side::Left));
        let mut table = TextTable::new(left.into_iter().chain(right).chain([("quartiles", Side::Left)]));
        for pair in &self.rows {
            table.row([
                pair.case.clone(),
                pair.operator.clone(),
                pair.strategy.clone(),
                grouped(pair.length),
                duration(pair.seconds[0]),
                duration(pair.seconds[1]),
                format!("{}×", significant(pair.speedup, 3)),
                (if pair.apart { "apart" } else { "overlap" }).to_owned(),
            ]);
        }
        format!("A: {}\nB: {}\n{}", self.devices[0], self.devices[1], table.render())
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = ["case", "operator", "strategy", "length", "seconds_a", "seconds_b", "speedup", "apart"];
        let record = |pair: &Pair| {
            let numbers = [pair.seconds[0], pair.seconds[1], pair.speedup].map(cell);
            let names = [&pair.case, &pair.operator, &pair.strategy].map(Clone::clone);
            let length = [pair.length.to_string()];
            names.into_iter().chain(length).chain(numbers).chain([pair.apart.to_string()]).collect::<Vec<_>>()
        };
        let header = header.map(str::to_owned).to_vec();
        csv_bytes(std::iter::once(header).chain(self.rows.iter().map(record)))
    }
}

/// Compares two files; touches no device.
///
/// # Errors
/// Not two files, or ones that no bench has written.
pub fn run(files: &[PathBuf], session: &Session) -> Result<(), CliError> {
    let [first, second] = files else {
        return Err(CliError::CompareFiles { given: files.len() });
    };
    let (first, second) = (read(first)?, read(second)?);
    session.print(&compare(&first, &second))
}

/// An object with rows that have times.
fn read(path: &Path) -> Result<Value, CliError> {
    let refused = |reason: String| CliError::NoBench { path: path.to_owned(), reason };
    let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let run: Value = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    match run["rows"].as_array() {
        Some(rows) if rows.iter().all(|row| row["seconds"].is_number() && row["length"].is_u64()) => Ok(run),
        _ => Err(refused("it has no rows with a length and seconds".to_owned())),
    }
}

fn compare(first: &Value, second: &Value) -> CompareAnswer {
    let rows = |run: &Value| run["rows"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let others = rows(second);
    let same = |row: &Value, other: &&Value| {
        ["case", "operator", "strategy", "length"].iter().all(|key| row[*key] == other[*key])
    };
    let pair = |row: Value| {
        let other = others.iter().find(|other| same(&row, other))?;
        let seconds = [&row, other].map(|row| row["seconds"].as_f64().unwrap_or(f64::NAN));
        let quartile = |row: &Value, which: usize| row["quartiles"][which].as_f64().unwrap_or(f64::NAN);
        Some(Pair {
            case: text(&row["case"]),
            operator: text(&row["operator"]),
            strategy: text(&row["strategy"]),
            length: row["length"].as_u64().unwrap_or(0),
            seconds,
            speedup: seconds[0] / seconds[1],
            apart: quartile(&row, 1) < quartile(other, 0) || quartile(other, 1) < quartile(&row, 0),
        })
    };
    CompareAnswer {
        devices: [text(&first["device"]), text(&second["device"])],
        rows: rows(first).into_iter().filter_map(pair).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_of_both_runs_are_compared_and_others_left_out() {
        let row = |length: u64, seconds: f64| {
            json!({"case": "scan", "operator": "sum", "strategy": "Tree", "length": length,
            "seconds": seconds, "quartiles": [seconds * 0.9, seconds * 1.1]})
        };
        let first = json!({"device": "one", "rows": [row(8, 4.0), row(16, 1.0)]});
        let second = json!({"device": "two", "rows": [row(8, 2.0), row(32, 1.0)]});
        let found = compare(&first, &second);
        assert_eq!(found.rows.len(), 1);
        assert_eq!((found.rows[0].length, found.rows[0].speedup, found.rows[0].apart), (8, 2.0, true));
        assert!(found.table().contains("2.00×"));
    }
}
