//! Every figure of the README's table of results has a line in `benches/results/`: a row of that primitive, device and length
//! which, rounded to as many digits, is the figure. The last column is of other programs, whose lines are text.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A measured row that figures may stand for.
struct Measured {
    case: String,
    device: String,
    length: u64,
    row: Value,
}

/// What `benches/results/` holds.
struct Results {
    rows: Vec<Measured>,
    /// The files of other programs.
    text: String,
}

impl Results {
    fn read() -> Self {
        let folder = root().join("benches/results");
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let (mut rows, mut text) = (Vec::new(), String::new());
        for path in files {
            let content = fs::read_to_string(&path).unwrap();
            if path.extension().is_some_and(|extension| extension == "json") {
                let file: Value = serde_json::from_str(&content).unwrap();
                rows.extend(file["runs"].as_array().into_iter().flatten().flat_map(rows_of));
            } else {
                text.push_str(&content);
            }
        }
        Results { rows, text }
    }

    /// Whether a row says what the cell of this job and column does.
    fn has(&self, job: &Job, column: &str, figure: &Figure) -> bool {
        let Some(device) =
            ["cuda", "wgpu", "vulkan"].into_iter().zip(["CUDA", "WGSL", "SPIR-V"]).find(|d| d.1 == column)
        else {
            return self.text.lines().any(|line| figure.is_in(line));
        };
        let fits = |row: &&Measured| row.device.starts_with(device.0) && job.fits(&row.case, row.length);
        self.rows.iter().filter(fits).any(|row| figure.is_of(&row.row))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn rows_of(run: &Value) -> Vec<Measured> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let row = |row: &Value| Measured {
        case: text(&row["case"]),
        device: text(&row["device"]),
        length: row["length"].as_u64().unwrap(),
        row: row.clone(),
    };
    run["rows"].as_array().unwrap().iter().map(row).collect()
}

/// What a line of the table is about: the bench, where the first word names it, and the power of two among the lengths.
struct Job {
    case: Option<&'static str>,
    bits: Option<u32>,
}

impl Job {
    /// "The same" is what the line before was about, at its own length if it has one.
    fn new(text: &str, before: Option<&Job>) -> Self {
        const CASES: [(&str, &str); 6] = [
            ("reduce", "reduce"),
            ("scan", "scan"),
            ("copy", "scan"),
            ("GEMM", "gemm"),
            ("Monte Carlo", "mc"),
            ("market", "market"),
        ];
        let named = CASES.iter().find(|(word, _)| text.starts_with(word)).map(|(_, case)| *case);
        let digits =
            text.split_once("2^").map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
        let bits = digits.map(|digits| digits.parse().unwrap());
        match before.filter(|_| text.starts_with("the same")) {
            Some(before) => Job { case: before.case, bits: bits.or(before.bits) },
            None => Job { case: named, bits },
        }
    }

    /// A matrix of 2^22 rows and 20 columns has a length of 20 · 2^22.
    fn fits(&self, case: &str, length: u64) -> bool {
        let unit = self.bits.map_or(1, |bits| 1 << bits);
        self.case.is_none_or(|named| named == case) && length % unit == 0 && (self.bits.is_none() || length < 32 * unit)
    }
}

/// A number with its digits after the point, and its unit.
struct Figure {
    value: f64,
    digits: usize,
    unit: String,
}

impl Figure {
    fn read(cell: &str) -> Option<Self> {
        let mut words = cell.split_whitespace();
        let (number, unit) = (words.next()?, words.next()?);
        let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
        Some(Figure { value: number.parse().unwrap(), digits, unit: unit.to_owned() })
    }

    fn is(&self, value: f64) -> bool {
        // A half rounds either way.
        (value - self.value).abs() <= 0.5 * 10f64.powi(-(self.digits as i32)) * (1.0 + 1e-9)
    }

    fn is_of(&self, row: &Value) -> bool {
        let (field, scale) = match self.unit.as_str() {
            "us" => ("seconds", 1e-6),
            "ms" => ("seconds", 1e-3),
            "TB/s" => ("bytes_per_second", 1e12),
            "TFLOP/s" | "Top/s" => ("flops", 1e12),
            "Gpaths/s" => ("items_per_second", 1e9),
            unit => panic!("a unit that no row has: {unit}"),
        };
        row[field].as_f64().is_some_and(|value| self.is(value / scale))
    }

    /// A number of the line before a unit of the same kind.
    fn is_in(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let scaled = |number: f64, unit: &str| match (unit, self.unit.as_str()) {
            ("GB/s", "TB/s") | ("us", "ms") => Some(number / 1e3),
            (unit, wanted) => (unit == wanted).then_some(number),
        };
        words
            .windows(2)
            .any(|pair| pair[0].parse().ok().and_then(|number| scaled(number, pair[1])).is_some_and(|n| self.is(n)))
    }
}

/// The figures of a README that no line stands for, each with its job and column.
fn unmeasured(readme: &str, results: &Results) -> Vec<String> {
    let table = readme.lines().skip_while(|line| !line.starts_with("| job |")).take_while(|line| line.starts_with('|'));
    let mut lines = table.map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let columns = lines.next().expect("the README has a table of results");
    let (mut missing, mut before) = (Vec::new(), None);
    for cells in lines.skip(1) {
        let job = Job::new(cells[0], before.as_ref());
        for (column, cell) in columns.iter().zip(&cells).skip(1) {
            let figure = Figure::read(cell);
            if figure.is_some_and(|figure| !results.has(&job, column, &figure)) {
                missing.push(format!("{}, {column}: {cell}", cells[0]));
            }
        }
        before = Some(job);
    }
    missing
}

#[test]
fn every_figure_of_the_readme_has_been_measured() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert_eq!(unmeasured(&readme, &Results::read()), [""; 0]);
}

#[test]
fn a_figure_that_nobody_measured_is_found() {
    let results = Results::read();
    let table = |row: &str| format!("| job | CUDA | WGSL | SPIR-V | CUB |\n|---|---|---|---|---|\n{row}\n");
    let right = "| reduce, f32 sum, 2^28 | 4.41 TB/s | | | 4.45 TB/s |";
    assert_eq!(unmeasured(&table(right), &results), [""; 0]);
    for (from, to) in [
        ("4.41", "4.42"),
        ("4.45", "4.99"),
        ("2^28", "2^10"),
        ("reduce", "GEMM"),
        ("CUB", "CUB"),
        ("4.41 TB/s |", "|4.41 TB/s"),
    ] {
        let found = unmeasured(&table(&right.replace(from, to)), &results).len();
        assert_eq!(found, usize::from(from != to), "{from} -> {to}");
    }
}
