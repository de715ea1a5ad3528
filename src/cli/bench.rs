//! `cubefold bench`: one primitive or job over sizes and strategies, verified and then timed.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::args::{BenchArgs, BenchCase};
use super::bench_compare;
use super::bench_page;
use super::error::CliError;
use super::output::{self, Answer, cell, csv_bytes};
use super::session::{Progress, Session};
use crate::bench::crossover::{self, Crossover};
use crate::bench::measure::{Clock, Pace};
use crate::bench::{self, BenchError, Case, Extent, Row, Scale, Work};
use crate::explain::roofline;
use crate::report::table::{Side, TextTable, duration, grouped, percent, significant};
use crate::report::throughput::{self, Series};
use cubefold::{Device, device};

/// Seconds of a call on the host that are worth waiting for, again and again.
const LONG: f64 = 0.5;

/// The cases that a name on the command line stands for; none for `compare`.
fn cases(case: BenchCase) -> Vec<Case> {
    match case {
        BenchCase::Reduce => vec![Case::Reduce],
        BenchCase::Scan => vec![Case::Scan],
        BenchCase::Gemm => vec![Case::Gemm],
        BenchCase::Mc => vec![Case::Mc],
        BenchCase::Ema => vec![Case::Ema],
        BenchCase::Cov => vec![Case::Cov],
        BenchCase::Market => vec![Case::Market],
        BenchCase::Frontier => vec![Case::Frontier],
        BenchCase::All => Case::ALL.to_vec(),
        BenchCase::Compare => Vec::new(),
    }
}

/// Measured rows as they are printed, with what they were measured on.
#[derive(Debug, Serialize)]
pub struct BenchAnswer {
    pub case: &'static str,
    pub device: String,
    /// The device's driver and its version, where they are told.
    pub driver: Option<String>,
    /// Bytes that a copy reads and writes in a second, where rows count bytes.
    pub copy_bytes_per_second: Option<f64>,
    /// Operations of multiply-adds in a second without memory in between, where rows count operations.
    pub fma_flops: Option<f64>,
    /// Version of this program.
    pub cubefold: &'static str,
    /// The commit, where `CUBEFOLD_COMMIT` told it as this program was built or started.
    pub commit: Option<String>,
    /// Seconds since 1970 when the run ended.
    pub unix_time: u64,
    /// Whether lengths and calls were few.
    pub quick: bool,
    pub rows: Vec<Row>,
    /// From which length on the device is faster than the host; empty where the host is the device, or was left out.
    pub crossovers: Vec<Crossover>,
}

impl BenchAnswer {
    /// The rows of a case as lines of a picture, one an operator and strategy.
    pub fn series(&self, case: Case) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        for row in self.rows.iter().filter(|row| row.case == case.name()) {
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
        // Only scans count combines; one case needs no name.
        let counted = self.rows.iter().any(|row| row.combines.is_some());
        let several = self.rows.iter().any(|row| row.case != self.rows[0].case);
        let columns = [
            ("operator", Side::Left),
            ("strategy", Side::Left),
            ("length", Side::Right),
            ("time", Side::Right),
            ("quartiles", Side::Right),
            ("clock", Side::Left),
            ("with wait", Side::Right),
            ("first call", Side::Right),
            ("rate", Side::Right),
            ("of roof", Side::Right),
            ("results compared", Side::Right),
        ];
        let costs = ["combines", "in a row"].map(|name| (name, Side::Right));
        let case = Some(("case", Side::Left)).filter(|_| several);
        let columns = case.into_iter().chain(columns).chain(costs.into_iter().filter(|_| counted));
        let mut table = TextTable::new(columns);
        for row in &self.rows {
            let [lower, upper] = row.quartiles.map(duration);
            let cells = [
                row.operator.to_owned(),
                row.strategy.to_owned(),
                grouped(row.length),
                duration(row.seconds),
                format!("{lower} – {upper}"),
                clock_name(row.clock).to_owned(),
                duration(row.seconds_wall),
                duration(row.seconds_first),
                rate_text(row),
                row.of_roofline.map(percent).unwrap_or_default(),
                compared_text(row),
            ];
            let costs = [row.combines, row.steps].map(|count| count.map(grouped).unwrap_or_default());
            let case = Some(row.case.to_owned()).filter(|_| several);
            table.row(case.into_iter().chain(cells).chain(costs.into_iter().filter(|_| counted)));
        }
        let overtaking: Vec<_> = self.crossovers.iter().map(crossover_text).collect();
        let head =
            if overtaking.is_empty() { "" } else { "\nFaster than the host, each with its data where it computes:\n" };
        format!("{}{head}{}", table.render(), overtaking.concat())
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = "case,operator,strategy,device,length,seconds,seconds_lower_quartile,\
                      seconds_upper_quartile,repeats,clock,seconds_wall,seconds_first,bytes_per_second,flops,\
                      items_per_second,of_roofline,verified,compared,results,combines,steps";
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
        cell(row.seconds_first),
        optional(row.bytes_per_second),
        optional(row.flops),
        optional(row.items_per_second),
        optional(row.of_roofline),
        row.verified.to_string(),
        row.compared.to_string(),
        row.results.to_string(),
        row.combines.map(|count| count.to_string()).unwrap_or_default(),
        row.steps.map(|count| count.to_string()).unwrap_or_default(),
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
pub fn rate_text(row: &Row) -> String {
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

/// A line that says from which length on the device is faster.
pub fn crossover_text(found: &Crossover) -> String {
    let [shortest, longest] = found.measured.map(grouped);
    let name = crossover::length_name(found);
    let told = match found.device_faster_from {
        None => format!("not up to {longest} {name}"),
        Some(from) if from > found.measured[0] as f64 => {
            format!("from about {} {name} on, between {shortest} and {longest}", grouped(rounded(from)))
        }
        Some(_) if shortest == longest => format!("at {longest} {name}"),
        Some(_) => format!("from {shortest} {name} on, the fewest that were timed"),
    };
    format!("  {}: {}, {told}\n", found.case, found.operator)
}

/// Two digits, as much as two lines that meet can tell.
fn rounded(length: f64) -> u64 {
    let unit = 10f64.powf((length.max(1.0).log10().floor() - 1.0).max(0.0));
    ((length / unit).round() * unit) as u64
}

/// Verifies and times everything that the device can do.
///
/// # Errors
/// A wrong result, a device or output that cannot be used.
pub fn run(arguments: &BenchArgs, session: &Session) -> Result<(), CliError> {
    let directory = arguments.output.as_deref();
    if arguments.case == BenchCase::Compare {
        return bench_compare::run(&arguments.files, session);
    }
    if !arguments.files.is_empty() {
        return Err(CliError::CompareFiles { given: arguments.files.len() });
    }
    let cases = cases(arguments.case);
    check_sizes(&arguments.sizes, &cases)?;
    output::prepare::<BenchAnswer>(directory)?;
    let wanted = Wanted::new(&cases, arguments.only.as_deref())?;
    let answer = session.run(1, |device, progress| measure(&cases, &wanted, arguments, device, progress))?;
    let picture = match (directory, &cases[..]) {
        (Some(directory), _) => {
            let page = bench_page::render(&answer, &cases)?;
            output::write_file(&output::file_in(directory, BenchAnswer::NAME, "html"), page.as_bytes())?;
            if let [case] = cases[..] { draw(case, &answer)? } else { String::new() }
        }
        _ => String::new(),
    };
    session.finish(&answer, directory, &picture)
}

/// Refuses sizes that the one case does not take.
fn check_sizes(sizes: &[u64], cases: &[Case]) -> Result<(), CliError> {
    let (&[case], false) = (cases, sizes.is_empty()) else {
        return if sizes.is_empty() { Ok(()) } else { Err(CliError::SizesOfAll) };
    };
    let taken = case.sizes();
    match sizes.iter().find(|size| !taken.contains(size)) {
        None => Ok(()),
        Some(&size) => Err(CliError::Size {
            size,
            case: case.name(),
            least: *taken.start(),
            most: *taken.end(),
            what: case.length_name(),
        }),
    }
}

/// The operators that are asked for.
struct Wanted(Vec<&'static str>);

impl Wanted {
    fn new(cases: &[Case], only: Option<&str>) -> Result<Self, CliError> {
        let text = only.unwrap_or_default().to_lowercase();
        let all: Vec<_> = cases.iter().flat_map(|case| case.operators()).collect();
        let names: Vec<_> = all.iter().copied().filter(|name| name.to_lowercase().contains(&text)).collect();
        match only {
            Some(only) if names.is_empty() => {
                Err(CliError::NoOperator { case: named(cases), only: only.to_owned(), operators: all.join(", ") })
            }
            _ => Ok(Wanted(names)),
        }
    }
}

/// The one case's name, or that of all.
fn named(cases: &[Case]) -> &'static str {
    if let [case] = cases { case.name() } else { "all" }
}

fn measure(
    cases: &[Case],
    wanted: &Wanted,
    arguments: &BenchArgs,
    device: &Device,
    progress: &Progress,
) -> Result<BenchAnswer, CliError> {
    let scale = if arguments.quick { Scale::Small } else { Scale::of(device) };
    let extent = Extent { scale, sizes: arguments.sizes.clone() };
    let measure = |device| rows(cases, wanted, &extent, arguments.quick, device, progress);
    let mut rows = measure(device)?;
    let host = if device.is_host() || arguments.without_host { Vec::new() } else { measure(&Device::host())? };
    let crossovers = crossover::of(&host, &rows);
    let [copy, multiply_adds] = roofs(device, &mut rows)?;
    rows.extend(host);
    Ok(BenchAnswer {
        case: named(cases),
        device: device.label(),
        driver: device::driver(device),
        copy_bytes_per_second: copy,
        fma_flops: multiply_adds,
        cubefold: env!("CARGO_PKG_VERSION"),
        commit: commit(),
        unix_time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        quick: arguments.quick,
        rows,
        crossovers,
    })
}

/// Measures the device's copy and arithmetic, as far as rows count bytes or operations, and tells the rows what part of that they
/// reach.
fn roofs(device: &Device, rows: &mut [Row]) -> Result<[Option<f64>; 2], CliError> {
    let measured = |needed: bool, rate: fn(&Device) -> Result<f64, BenchError>| match needed.then(|| rate(device)) {
        None => Ok(None),
        Some(Err(error)) if error.is_beyond_the_device() => Ok(None),
        Some(rate) => rate.map(Some),
    };
    let copy = measured(rows.iter().any(|row| row.bytes_per_second.is_some()), roofline::copy_rate)?;
    let multiply_adds = measured(rows.iter().any(|row| row.flops.is_some()), roofline::fma_rate)?;
    for row in rows {
        let part = |rate: Option<f64>, roof: Option<f64>| Some(rate? / roof?);
        row.of_roofline = part(row.bytes_per_second, copy).or(part(row.flops, multiply_adds));
    }
    Ok([copy, multiply_adds])
}

/// The rows of one device. The host is spared lengths that would keep it for longer than [`LONG`] a call.
fn rows(
    cases: &[Case],
    wanted: &Wanted,
    extent: &Extent,
    quick: bool,
    device: &Device,
    progress: &Progress,
) -> Result<Vec<Row>, CliError> {
    let pace = if quick { Pace::of(device).quick() } else { Pace::of(device) };
    let specs = cases.iter().flat_map(|&case| case.specs(device, extent).into_iter().map(move |spec| (case, spec)));
    let mut rows: Vec<Row> = Vec::new();
    for (case, spec) in specs.filter(|(_, spec)| wanted.0.contains(&spec.operator)) {
        let shorter = rows.iter().rfind(|row| (row.case, row.operator) == (case.name(), spec.operator));
        let expected =
            shorter.map_or(0.0, |row| row.seconds_wall * spec.work.amount() as f64 / row.work.amount() as f64);
        if device.is_host() && !extent.given() && expected > LONG {
            continue;
        }
        progress.say(spec.operator);
        match bench::run(case, &spec, device, &pace) {
            Ok(row) => rows.push(row),
            Err(error) if error.is_beyond_the_device() => {
                progress.note(&format!("left out: {error}"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(rows)
}

/// The commit that this was built from, as far as the environment tells.
fn commit() -> Option<String> {
    let at_run_time = std::env::var("CUBEFOLD_COMMIT").ok();
    at_run_time.or_else(|| option_env!("CUBEFOLD_COMMIT").map(str::to_owned))
}

/// Times against lengths; of more lines than a legend can name, those of several lengths.
pub fn draw(case: Case, answer: &BenchAnswer) -> Result<String, CliError> {
    const NAMED: usize = 6;
    let mut drawn = answer.rows.iter().filter(|row| row.case == case.name());
    let by_device = drawn.all(|row| row.clock == Clock::Device);
    let clock = if by_device { "device time of one call" } else { "time of one call" };
    let title = format!("bench {}", case.name());
    let mut series = answer.series(case);
    if series.len() > NAMED && series.iter().any(|series| series.points.len() > 1) {
        series.retain(|series| series.points.len() > 1);
    }
    Ok(throughput::draw(&title, case.length_name(), clock, &series)?)
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
            seconds_first: 5e-3,
            bytes_per_second: Some(4e6),
            flops: None,
            items_per_second: None,
            verified: true,
            compared: length,
            results: length,
            of_roofline: None,
            combines: None,
            steps: None,
            work,
        }
    }

    fn answer(rows: Vec<Row>) -> BenchAnswer {
        BenchAnswer {
            case: "scan",
            device: "host".to_owned(),
            driver: None,
            copy_bytes_per_second: None,
            fma_flops: None,
            cubefold: "0.0.0",
            commit: None,
            unix_time: 0,
            quick: false,
            rows,
            crossovers: Vec::new(),
        }
    }

    #[test]
    fn rates_that_do_not_apply_are_null_or_empty() {
        let answer = answer(vec![row("host", 1000, Work::Bytes(8000))]);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert!(json.contains("\"bytes_per_second\":4000000.0,\"flops\":null"));
        assert!(json.contains("\"commit\":null") && json.contains("\"clock\":\"wall\""));
        let csv = String::from_utf8(answer.csv().expect("equal lengths")).expect("it is text");
        assert!(csv.ends_with("50,wall,0.002,0.005,4000000.0,,,,true,1000,1000,,\n"), "{csv}");
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
    fn a_crossover_is_told_as_far_as_it_was_measured() {
        let told = |device_faster_from, measured| {
            crossover_text(&Crossover { case: "scan", operator: "sum f32", device_faster_from, measured })
        };
        assert_eq!(told(None, [10, 1000]), "  scan: sum f32, not up to 1,000 items\n");
        assert_eq!(told(Some(10.0), [10, 10]), "  scan: sum f32, at 10 items\n");
        assert_eq!(told(Some(10.0), [10, 99]), "  scan: sum f32, from 10 items on, the fewest that were timed\n");
        let between = told(Some(20_737.4), [1024, 65536]);
        assert_eq!(between, "  scan: sum f32, from about 21,000 items on, between 1,024 and 65,536\n");
    }

    #[test]
    fn a_strategy_is_one_line() {
        let work = Work::Bytes(1);
        let rows = vec![row("Tree", 8, work), row("Other", 8, work), row("Tree", 16, work)];
        let series = answer(rows).series(Case::Scan);
        let lengths: Vec<_> = series.iter().map(|series| series.points.len()).collect();
        assert_eq!(lengths, [2, 1]);
    }
}
