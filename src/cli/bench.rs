//! `cubefold bench`: one primitive or job over sizes and strategies, verified and then timed.

use serde::Serialize;

use super::args::{BenchArgs, BenchCase};
use super::error::CliError;
use super::output::{self, Answer, cell, csv_bytes};
use super::session::{Progress, Session};
use crate::bench::measure::{Clock, Pace};
use crate::bench::{self, Case, Row, Scale, Work};
use crate::report::table::{Side, TextTable, duration, grouped, significant};
use crate::report::throughput::{self, Series};
use cubefold::Device;

impl From<BenchCase> for Case {
    fn from(case: BenchCase) -> Self {
        match case {
            BenchCase::Reduce => Case::Reduce,
            BenchCase::Scan => Case::Scan,
            BenchCase::Gemm => Case::Gemm,
            BenchCase::Mc => Case::Mc,
            BenchCase::Market => Case::Market,
            BenchCase::Frontier => Case::Frontier,
        }
    }
}

/// Measured rows as they are printed, with what they were measured on.
#[derive(Debug, Serialize)]
struct BenchAnswer {
    case: &'static str,
    device: String,
    /// Version of this program.
    cubefold: &'static str,
    /// The commit, where `CUBEFOLD_COMMIT` told it as this program was built or started.
    commit: Option<String>,
    rows: Vec<Row>,
}

impl BenchAnswer {
    /// The rows as lines of a picture, one an operator and strategy.
    fn series(&self) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for row in &self.rows {
            let name = format!("{}, {}", row.operator, row.strategy);
            let point = (row.length as f64, row.seconds);
            match series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name, points: vec![point] }),
            }
        }
        series
    }
}

impl Answer for BenchAnswer {
    const NAME: &'static str = "bench";

    fn table(&self) -> String {
        let mut table = TextTable::new([
            ("operator", Side::Left),
            ("strategy", Side::Left),
            ("length", Side::Right),
            ("time", Side::Right),
            ("quartiles", Side::Right),
            ("clock", Side::Left),
            ("with wait", Side::Right),
            ("rate", Side::Right),
            ("results compared", Side::Right),
        ]);
        for row in &self.rows {
            let [lower, upper] = row.quartiles.map(duration);
            table.row([
                row.operator,
                row.strategy,
                &grouped(row.length),
                &duration(row.seconds),
                &format!("{lower} – {upper}"),
                clock_name(row.clock),
                &duration(row.seconds_wall),
                &rate_text(row),
                &compared_text(row),
            ]);
        }
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = "case,operator,strategy,device,length,seconds,seconds_lower_quartile,\
                      seconds_upper_quartile,repeats,clock,seconds_wall,bytes_per_second,flops,\
                      items_per_second,verified,compared,results";
        let header = header.split(',').map(str::to_owned).collect();
        csv_bytes(std::iter::once(header).chain(self.rows.iter().map(record)))
    }
}

fn record(row: &Row) -> Vec<String> {
    let optional = |value: Option<f64>| cell(value.unwrap_or(f64::NAN));
    vec![
        row.case.to_owned(),
        row.operator.to_owned(),
        row.strategy.to_owned(),
        row.device.clone(),
        row.length.to_string(),
        cell(row.seconds),
        cell(row.quartiles[0]),
        cell(row.quartiles[1]),
        row.repeats.to_string(),
        clock_name(row.clock).to_owned(),
        cell(row.seconds_wall),
        optional(row.bytes_per_second),
        optional(row.flops),
        optional(row.items_per_second),
        row.verified.to_string(),
        row.compared.to_string(),
        row.results.to_string(),
    ]
}

fn clock_name(clock: Clock) -> &'static str {
    match clock {
        Clock::Device => "device",
        Clock::Host => "host",
        Clock::Wall => "wall",
    }
}

/// The rate with its unit.
fn rate_text(row: &Row) -> String {
    let rate = row.work.amount() as f64 / row.seconds;
    let (scale, unit) = match row.work {
        Work::Bytes(_) => (1e9, "GB/s"),
        Work::Operations(_) if rate >= 1e12 => (1e12, "TFLOP/s"),
        Work::Operations(_) => (1e9, "GFLOP/s"),
        Work::Paths(_) => (1e9, "Gpaths/s"),
        Work::AgentSteps(_) => (1e9, "Gagent-steps/s"),
    };
    format!("{} {unit}", significant(rate / scale, 3))
}

fn compared_text(row: &Row) -> String {
    if row.compared == row.results {
        format!("all {}", grouped(row.results))
    } else {
        format!("{} of {}", grouped(row.compared), grouped(row.results))
    }
}

/// Verifies and times everything that the device can do.
///
/// # Errors
/// A wrong result, a device or output that cannot be used.
pub fn run(arguments: &BenchArgs, session: &Session) -> Result<(), CliError> {
    let directory = arguments.output.as_deref();
    output::prepare::<BenchAnswer>(directory)?;
    let case = Case::from(arguments.case);
    let wanted = Wanted::new(case, arguments.only.as_deref())?;
    let answer = session.run(1, |device, progress| measure(case, &wanted, device, progress))?;
    let picture = match directory {
        Some(_) => draw(case, &answer)?,
        None => String::new(),
    };
    session.finish(&answer, directory, &picture)
}

/// The operators that are asked for.
struct Wanted(Vec<&'static str>);

impl Wanted {
    fn new(case: Case, only: Option<&str>) -> Result<Self, CliError> {
        let text = only.unwrap_or_default().to_lowercase();
        let all = case.operators();
        let names: Vec<_> = all.iter().copied().filter(|name| name.to_lowercase().contains(&text)).collect();
        match only {
            Some(only) if names.is_empty() => {
                Err(CliError::NoOperator { case: case.name(), only: only.to_owned(), operators: all.join(", ") })
            }
            _ => Ok(Wanted(names)),
        }
    }
}

fn measure(case: Case, wanted: &Wanted, device: &Device, progress: &Progress) -> Result<BenchAnswer, CliError> {
    let pace = Pace::of(device);
    let mut rows = Vec::new();
    for spec in case.specs(device, Scale::of(device)).into_iter().filter(|spec| wanted.0.contains(&spec.operator)) {
        progress.say(spec.operator);
        match bench::run(case, &spec, device, &pace) {
            Ok(row) => rows.push(row),
            Err(error) if error.is_beyond_the_device() => {
                progress.note(&format!("left out: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(BenchAnswer {
        case: case.name(),
        device: device.label(),
        cubefold: env!("CARGO_PKG_VERSION"),
        commit: commit(),
        rows,
    })
}

/// The commit that this was built from, as far as the environment tells.
fn commit() -> Option<String> {
    let at_run_time = std::env::var("CUBEFOLD_COMMIT").ok();
    at_run_time.or_else(|| option_env!("CUBEFOLD_COMMIT").map(str::to_owned))
}

fn draw(case: Case, answer: &BenchAnswer) -> Result<String, CliError> {
    let clock = match answer.rows.first().map(|row| row.clock) {
        Some(Clock::Device) => "device time of one call",
        _ => "time of one call",
    };
    let title = format!("bench {}", case.name());
    Ok(throughput::draw(&title, case.length_name(), clock, &answer.series())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(strategy: &'static str, length: u64, work: Work) -> Row {
        Row {
            case: "scan",
            operator: "sum f32",
            strategy,
            device: "host".to_owned(),
            length,
            seconds: 2e-3,
            quartiles: [1e-3, 3e-3],
            repeats: 50,
            clock: Clock::Wall,
            seconds_wall: 2e-3,
            bytes_per_second: Some(4e6),
            flops: None,
            items_per_second: None,
            verified: true,
            compared: length,
            results: length,
            work,
        }
    }

    fn answer(rows: Vec<Row>) -> BenchAnswer {
        BenchAnswer { case: "scan", device: "host".to_owned(), cubefold: "0.0.0", commit: None, rows }
    }

    #[test]
    fn rates_that_do_not_apply_are_null_or_empty() {
        let answer = answer(vec![row("host", 1000, Work::Bytes(8000))]);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert!(json.contains("\"bytes_per_second\":4000000.0,\"flops\":null"));
        assert!(json.contains("\"commit\":null") && json.contains("\"clock\":\"wall\""));
        let csv = String::from_utf8(answer.csv().expect("equal lengths")).expect("it is text");
        assert!(csv.ends_with("50,wall,0.002,4000000.0,,,true,1000,1000\n"), "{csv}");
    }

    #[test]
    fn rates_have_their_units() {
        let of = |work| rate_text(&row("host", 1000, work));
        assert_eq!(of(Work::Bytes(4_000_000_000)), "2000 GB/s");
        assert_eq!(of(Work::Operations(8_000_000_000)), "4.00 TFLOP/s");
        assert_eq!(of(Work::Operations(8_000_000)), "4.00 GFLOP/s");
        assert_eq!(of(Work::Paths(1_000_000_000)), "500 Gpaths/s");
    }

    #[test]
    fn a_strategy_is_one_line() {
        let work = Work::Bytes(1);
        let rows = vec![row("Tree", 8, work), row("Other", 8, work), row("Tree", 16, work)];
        let series = answer(rows).series();
        let lengths: Vec<_> = series.iter().map(|series| series.points.len()).collect();
        assert_eq!(lengths, [2, 1]);
    }
}
