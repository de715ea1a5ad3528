//! `cubefold devices --explain`: what a device is, what it is fast at, and which strategies it has the means for.

use serde::Serialize;

use super::error::CliError;
use super::output::{Answer, cell, csv_bytes};
use super::session::Session;
use crate::bench::measure::Clock;
use crate::explain::{self, Facts, LeftOut, Measurement, Row, StrategyRow};
use crate::report::table::{Side, TextTable, duration, significant};

/// Everything about one device.
#[derive(Debug, Serialize)]
struct ExplainAnswer {
    device: String,
    facts: Facts,
    strategies: Vec<StrategyRow>,
    measurements: Vec<Measurement>,
    left_out: Vec<LeftOut>,
}

impl ExplainAnswer {
    fn facts_table(&self) -> String {
        let mut table = TextTable::new([("fact", Side::Left), ("value", Side::Left)]);
        self.facts.lines().into_iter().for_each(|(name, value)| table.row([name.to_owned(), value]));
        table.render()
    }

    fn strategies_table(&self) -> String {
        let header = ["primitive", "strategy", "needs", "there", "taken instead"];
        let mut table = TextTable::new(header.map(|name| (name, Side::Left)));
        self.strategies.iter().for_each(|row| table.row(strategy_cells(row)));
        table.render()
    }

    fn measurements_table(&self) -> String {
        let mut table = TextTable::new([
            ("measured", Side::Left),
            ("setting", Side::Left),
            ("time", Side::Right),
            ("clock", Side::Left),
            ("rate", Side::Right),
            ("part", Side::Right),
            ("of", Side::Left),
        ]);
        for measurement in &self.measurements {
            measurement.rows.iter().for_each(|row| table.row(measured_cells(measurement, row)));
        }
        table.render()
    }

    /// What is measured, and what is not, in a sentence each.
    fn sentences(&self) -> Vec<[&str; 3]> {
        let meanings = self.measurements.iter().map(|each| ["meaning", each.name, each.meaning.as_str()]);
        let left_out = self.left_out.iter().map(|each| ["left out", each.name, each.reason.as_str()]);
        meanings.chain(left_out).collect()
    }
}

fn strategy_cells(row: &StrategyRow) -> [String; 5] {
    let there = if row.usable { "yes" } else { "no" };
    let instead = row.instead.clone().unwrap_or_default();
    let needs = if row.needs.is_empty() { "nothing".to_owned() } else { row.needs.join(", ") };
    [row.primitive.to_owned(), row.strategy.clone(), needs, there.to_owned(), instead]
}

fn measured_cells(measurement: &Measurement, row: &Row) -> [String; 7] {
    let (part, of) = match &measurement.against {
        None => (String::new(), String::new()),
        Some(_) if row.best => (format!("{:.0} %", 100.0 * row.fraction), format!("{} ← best", against(measurement))),
        Some(_) => (format!("{:.0} %", 100.0 * row.fraction), against(measurement).to_owned()),
    };
    [
        measurement.name.to_owned(),
        row.setting.clone(),
        duration(row.seconds),
        clock_name(row.clock).to_owned(),
        rate(row),
        part,
        of,
    ]
}

fn against(measurement: &Measurement) -> &str {
    measurement.against.as_deref().unwrap_or_default()
}

/// A rate in the unit that people use.
fn rate(row: &Row) -> String {
    let (scaled, prefix) = match row.rate {
        rate if rate >= 1e12 => (rate / 1e12, "T"),
        rate if rate >= 1e9 => (rate / 1e9, "G"),
        rate => (rate / 1e6, "M"),
    };
    format!("{} {prefix}{}", significant(scaled, 3), row.unit)
}

fn clock_name(clock: Clock) -> &'static str {
    match clock {
        Clock::Device => "device",
        Clock::Host => "host",
        Clock::Wall => "wall",
    }
}

/// The columns of the CSV.
const HEADER: [&str; 9] = ["section", "name", "setting", "value", "unit", "seconds", "clock", "fraction", "note"];

/// A record of the CSV: section and name, and what else there is by its column.
fn record<const N: usize>(section: &str, name: &str, cells: [(&str, String); N]) -> [String; 9] {
    HEADER.map(|column| match column {
        "section" => section.to_owned(),
        "name" => name.to_owned(),
        _ => cells.iter().find(|(each, _)| *each == column).map_or(String::new(), |(_, cell)| cell.clone()),
    })
}

fn measured_record(measurement: &Measurement, row: &Row) -> [String; 9] {
    let fraction = if measurement.against.is_some() { row.fraction } else { f64::NAN };
    let note = if row.best { "best" } else { "" };
    record(
        "measurement",
        measurement.name,
        [
            ("setting", row.setting.clone()),
            ("value", cell(row.rate)),
            ("unit", row.unit.to_owned()),
            ("seconds", cell(row.seconds)),
            ("clock", clock_name(row.clock).to_owned()),
            ("fraction", cell(fraction)),
            ("note", note.to_owned()),
        ],
    )
}

impl Answer for ExplainAnswer {
    const NAME: &'static str = "explain";

    fn table(&self) -> String {
        let mut parts = vec![self.facts_table()];
        if !self.strategies.is_empty() {
            parts.push(self.strategies_table());
        }
        parts.push(self.measurements_table());
        let sentences = self.sentences().into_iter().map(|[kind, name, text]| match kind {
            "meaning" => format!("{name}: {text}.\n"),
            kind => format!("{name}: {kind}: {text}.\n"),
        });
        parts.push(sentences.collect());
        parts.join("\n")
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let facts = self.facts.lines().into_iter().map(|(name, value)| record("fact", name, [("value", value)]));
        let strategies = self.strategies.iter().map(|row| {
            let [primitive, strategy, needs, there, instead] = strategy_cells(row);
            let note = if row.usable { format!("needs {needs}") } else { format!("needs {needs}; instead {instead}") };
            record("strategy", &primitive, [("setting", strategy), ("value", there), ("note", note)])
        });
        let rows = self.measurements.iter().flat_map(|each| each.rows.iter().map(|row| measured_record(each, row)));
        let sentences =
            self.sentences().into_iter().map(|[kind, name, text]| record(kind, name, [("note", text.to_owned())]));
        let header = HEADER.map(str::to_owned);
        csv_bytes(std::iter::once(header).chain(facts).chain(strategies).chain(rows).chain(sentences))
    }
}

/// Explains the chosen device.
///
/// # Errors
/// A device that cannot be used, a measurement that goes wrong, output that cannot be written.
pub fn run(session: &Session) -> Result<(), CliError> {
    let answer = session.run(explain::MEASUREMENTS, |device, progress| {
        progress.say("measuring");
        let measured = explain::measure(device, || progress.step())?;
        let mut left_out = measured.left_out;
        if device.is_host() {
            left_out
                .push(LeftOut { name: "strategies", reason: "the host has one for every primitive: rayon".to_owned() });
        }
        Ok(ExplainAnswer {
            device: device.label(),
            facts: Facts::of(device),
            strategies: explain::strategies(device),
            measurements: measured.measurements,
            left_out,
        })
    })?;
    session.print(&answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> ExplainAnswer {
        let row = |setting: &str, rate, best| Row {
            setting: setting.to_owned(),
            seconds: 1e-3,
            clock: Clock::Device,
            rate,
            unit: "B/s",
            fraction: rate / 4e12,
            best,
            verified: true,
            compared: 8,
        };
        ExplainAnswer {
            device: "gpu".to_owned(),
            facts: Facts { units_per_cube: Some(256), ..Facts::default() },
            strategies: vec![StrategyRow {
                primitive: "scan",
                strategy: "DecoupledLookback".to_owned(),
                needs: vec!["atomic u32".to_owned(), "36 bytes of shared memory".to_owned()],
                usable: false,
                lacks: Some("atomic 32-bit integers".to_owned()),
                instead: Some("Blelloch".to_owned()),
            }],
            measurements: vec![Measurement {
                name: "stride",
                rows: vec![row("stride 1", 4e12, true), row("stride 32", 5e11, false)],
                against: Some("stride 1".to_owned()),
                meaning: "read rows".to_owned(),
            }],
            left_out: vec![LeftOut { name: "occupancy", reason: "no registers are told".to_owned() }],
        }
    }

    #[test]
    fn the_table_says_what_is_there_and_what_is_taken_instead() {
        let table = answer().table();
        assert!(table.contains("units a cube"), "{table}");
        let of = |start: &str| table.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
        let scan = of("scan");
        assert!(scan.contains("atomic u32, 36 bytes") && scan.ends_with("no     Blelloch"), "{scan}");
        assert!(of("stride    stride 1 ").ends_with("4.00 TB/s  100 %  stride 1 ← best"), "{table}");
        assert!(
            table.contains("500 GB/s   12 %  stride 1\n") || table.contains("500 GB/s   13 %  stride 1\n"),
            "{table}"
        );
        assert!(table.ends_with("stride: read rows.\noccupancy: left out: no registers are told.\n"), "{table}");
    }

    #[test]
    fn every_record_of_the_csv_has_every_column() {
        let text = String::from_utf8(answer().csv().expect("equal lengths")).expect("CSV is text");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], HEADER.join(","));
        assert!(lines.contains(&"measurement,stride,stride 32,500000000000.0,B/s,0.001,device,0.125,"), "{text}");
        let told =
            "strategy,scan,DecoupledLookback,no,,,,,\"needs atomic u32, 36 bytes of shared memory; instead Blelloch\"";
        assert!(lines.contains(&told), "{text}");
        assert!(lines.contains(&"left out,occupancy,,,,,,,no registers are told"), "{text}");
    }
}
