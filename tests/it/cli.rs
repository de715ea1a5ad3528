//! The command line as a user meets it: the program itself, its exit code, its two streams and its files.
#![allow(clippy::unwrap_used, reason = "these are tests, and what they are written with")]

use std::ffi::OsStr;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

mod answers;
mod benches;
mod completions;
mod devices;
mod explain;
mod files;
mod help;
mod markets;
mod numbers;
mod price;
mod series;
mod tables;

/// A folder of one test, in which the program runs; gone with the test.
struct Folder {
    path: PathBuf,
}

/// Four prices of two assets.
const PRICES: &str = "Date,A,B\n2020-01-01,1,2\n2020-01-02,1.1,2.1\n2020-01-03,1.2,2.0\n2020-01-06,1.3,1.9\n";

impl Folder {
    /// A folder with the prices in `ok.csv`.
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        let folder = Folder { path };
        folder.write("ok.csv", PRICES);
        folder
    }

    fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        fs::write(self.path.join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path.join(name)).unwrap()
    }

    /// Runs the program with exactly these arguments.
    fn run_bare<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Outcome {
        let output = Command::new(env!("CARGO_BIN_EXE_cubefold"))
            .args(arguments)
            .current_dir(&self.path)
            .env_remove("RUST_LOG")
            .output()
            .unwrap();
        let shown: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
        Outcome {
            line: shown.join(" "),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the program on the host.
    fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_bare(&[arguments, &["--device", "host"]].concat())
    }

    /// The message with which the program refuses these arguments, on the host.
    fn refuses(&self, arguments: &[&str]) -> String {
        self.run(arguments).refused()
    }

    /// What the program prints for these arguments, on the host.
    fn prints(&self, arguments: &[&str]) -> String {
        self.run(arguments).accepted()
    }

    /// The JSON object that the program prints for these arguments, on the host.
    fn json(&self, arguments: &[&str]) -> Value {
        let printed = self.prints(&[arguments, &["--format", "json"]].concat());
        assert_eq!(printed.lines().count(), 1, "{arguments:?}: one object on one line: {printed}");
        let value: Value = serde_json::from_str(&printed).unwrap();
        assert!(value.is_object(), "{arguments:?}: {printed}");
        value
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind fails no test.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// What a run of the program left.
struct Outcome {
    /// The arguments, for messages.
    line: String,
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Outcome {
    /// Exit code 2, one line `cubefold: …` on standard error, nothing on standard output; gives what follows.
    fn refused(self) -> String {
        let Outcome { line, code, stdout, stderr } = self;
        assert_eq!(code, Some(2), "[{line}]: exit code; standard error: {stderr}");
        assert_eq!(stdout, "", "[{line}]: standard output");
        let message =
            stderr.strip_suffix('\n').unwrap_or_else(|| panic!("[{line}] ends with no line break: {stderr:?}"));
        assert!(!message.contains(['\n', '\r']), "[{line}] takes more than a line: {stderr:?}");
        let message =
            message.strip_prefix("cubefold: ").unwrap_or_else(|| panic!("[{line}] begins otherwise: {stderr:?}"));
        assert!(!message.trim().is_empty(), "[{line}] says nothing");
        message.to_owned()
    }

    /// Exit code 0 and the device as the one line on standard error; gives standard output.
    fn accepted(self) -> String {
        let Outcome { line, code, stdout, stderr } = self;
        assert_eq!(code, Some(0), "[{line}]: exit code; standard error: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "[{line}]: the device is one line: {stderr:?}");
        assert!(stderr.contains("host"), "[{line}]: {stderr:?}");
        stdout
    }
}

/// The names of an object's fields, sorted.
fn fields(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// The numbers of an array; null is NaN.
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// A number; null is NaN.
fn number(value: &Value) -> f64 {
    if value.is_null() { f64::NAN } else { value.as_f64().unwrap() }
}

/// The records of a CSV text, the header first; all are of one length.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn the_checks_reject_what_is_not_exactly_a_refusal_or_an_answer() {
    let outcome = |code, stdout: &str, stderr: &str| Outcome {
        line: String::new(),
        code,
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
    };
    let rejected = |check: fn(Outcome) -> String, outcome| catch_unwind(AssertUnwindSafe(|| check(outcome))).is_err();
    assert!(!rejected(Outcome::refused, outcome(Some(2), "", "cubefold: no\n")));
    for (code, stdout, stderr) in [
        (Some(1), "", "cubefold: no\n"),
        (Some(0), "", "cubefold: no\n"),
        (None, "", "cubefold: no\n"),
        (Some(2), "0\n", "cubefold: no\n"),
        (Some(2), "", ""),
        (Some(2), "", "cubefold: no"),
        (Some(2), "", "cubefold: \n"),
        (Some(2), "", "error: no\n"),
        (Some(2), "", "cubefold: no\nnever\n"),
        (Some(2), "", "warning\ncubefold: no\n"),
    ] {
        assert!(rejected(Outcome::refused, outcome(code, stdout, stderr)), "{code:?}, {stdout:?}, {stderr:?}");
    }
    assert!(!rejected(Outcome::accepted, outcome(Some(0), "0\n", "device: host\n")));
    for (code, stderr) in [(Some(2), "device: host\n"), (Some(0), ""), (Some(0), "device: host\nwarning\n")] {
        assert!(rejected(Outcome::accepted, outcome(code, "0\n", stderr)), "{code:?}, {stderr:?}");
    }
}
