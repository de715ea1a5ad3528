//! The one error type of the command line.

use std::io;
use std::path::PathBuf;

use cubefold::DeviceError;
use cubefold_finance::FinanceError;
use cubefold_finance::data::DataError;

use crate::bench::BenchError;
use crate::report::PlotError;

/// Why a command was refused. Every message is one line once [`one_line`] has seen it.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Clap found the mistake (or was asked for help).
    #[error("{}", usage_line(.0))]
    Usage(#[from] clap::Error),
    /// Not exactly one decay.
    #[error("exactly one of --alpha, --span, --com and --halflife is needed, {given} given")]
    DecayCount { given: usize },
    /// Times between which nothing says how weights fade.
    #[error("--times needs --halflife with a unit: 23d, 36h, 90m or 30s")]
    TimesWithoutDuration,
    /// A duration where rows have no times.
    #[error("--halflife with a unit needs --times; without it give a number of rows")]
    DurationWithoutTimes,
    /// A flag of no use beside another one.
    #[error("{flag} is of no use with {with}; leave it out")]
    NotFor { flag: &'static str, with: String },
    /// A payoff that lacks a flag.
    #[error("{what} needs {flag}")]
    Needs { what: String, flag: &'static str },
    /// A list of another length than that of the spots.
    #[error("{flag} has {given} numbers and --spots {spots}; give as many")]
    ListLength { flag: &'static str, given: usize, spots: usize },
    /// A file of numbers that cannot be read.
    #[error("cannot read {}: {}", path.display(), unread(source))]
    ReadNumbers { path: PathBuf, source: csv::Error },
    /// A cell that is no number.
    #[error("{}: line {line}: \"{text}\" is not a number", path.display())]
    NotANumber { path: PathBuf, line: usize, text: String },
    /// A style that is none.
    #[error("{}: line {line}: \"{text}\" is no style; give call or put", path.display())]
    GridStyle { path: PathBuf, line: usize, text: String },
    /// A grid without options.
    #[error("{} has no options; give rows of strike and expiry below the header", path.display())]
    GridEmpty { path: PathBuf },
    /// A number or option that the finance layer refuses.
    #[error(transparent)]
    Finance(#[from] FinanceError),
    /// A price file that cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A name that is no device of ours, or a device that cannot be used here.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A bench that cannot go on, or a wrong result.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// No operator of a bench has such a name.
    #[error("bench {case} has no operator like '{only}': it has {operators}")]
    NoOperator { case: &'static str, only: String, operators: String },
    /// Sizes for more than one case.
    #[error("--sizes needs one primitive or job: a size counts other things in each of them")]
    SizesOfAll,
    /// A size that a case does not take.
    #[error("--sizes {size}: bench {case} takes {least} to {most} {what}")]
    Size { size: u64, case: &'static str, least: u64, most: u64, what: &'static str },
    /// Not exactly two files to compare, or files beside a bench.
    #[error("bench compare takes two files, A.json B.json, and other benches none: {given} given")]
    CompareFiles { given: usize },
    /// A file that cannot be read, or is no answer of a bench.
    #[error("cannot read {} as the bench.json of a run: {reason}", path.display())]
    NoBench { path: PathBuf, reason: String },
    /// An output directory that cannot be made.
    #[error("cannot make the directory {}: {source}", path.display())]
    MakeDirectory { path: PathBuf, source: io::Error },
    /// An output file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Standard output that cannot be written.
    #[error("cannot write standard output: {0}")]
    StandardOutput(#[source] io::Error),
    /// An answer that does not fit into JSON.
    #[error("cannot form the JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// An answer that does not fit into CSV.
    #[error("cannot form the CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A picture that cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

impl CliError {
    /// Whether the reader of standard output left, which is no mistake of ours or of the user.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, CliError::StandardOutput(source) if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Clap's message without its heading, and with the command whose help says more in place of its usage and hints, which take
/// lines of their own. What the standard library calls an invalid digit is told as what to give.
fn usage_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let told = rendered.lines().take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let words: Vec<&str> = told.map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = words.join(" ");
    let mut text = text.strip_prefix("error: ").unwrap_or(&text).to_owned();
    for (parser, plain) in [
        ("invalid digit found in string", "give a whole number"),
        ("invalid float literal", "give a number"),
        ("number too large to fit in target type", "the number is too large"),
        (" tip: ", "; "),
    ] {
        text = text.replace(parser, plain);
    }
    let usage = rendered.lines().find_map(|line| line.strip_prefix("Usage: "));
    let command = usage.map(|usage| usage.split(' ').take_while(|word| word.starts_with(char::is_alphabetic)));
    match command.map(|words| words.collect::<Vec<_>>().join(" ")) {
        Some(command) => format!("{text}; see {command} --help"),
        None => text,
    }
}

/// What the `csv` crate found, without its names for it.
fn unread(source: &csv::Error) -> String {
    match source.kind() {
        csv::ErrorKind::Io(error) => error.to_string(),
        csv::ErrorKind::Deserialize { pos: Some(place), err } => format!("line {}: {err}", place.line()),
        _ => source.to_string(),
    }
}

/// `text` with line breaks and other control characters escaped, so that a name or cell in it cannot start a new line.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.trim().chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Arguments;
    use clap::Parser;

    fn message(line: &[&str]) -> String {
        let error = Arguments::try_parse_from(line).expect_err("the line holds a mistake");
        one_line(&CliError::from(error).to_string())
    }

    #[test]
    fn what_clap_finds_is_told_in_one_line_without_usage() {
        let lines: [&[&str]; 5] = [
            &["cubefold"],
            &["cubefold", "prise"],
            &["cubefold", "price", "--path", "3"],
            &["cubefold", "price", "--paths", "three"],
            &["cubefold", "cov"],
        ];
        for line in lines {
            let told = message(line);
            assert!(!told.is_empty() && !told.contains('\n') && !told.contains("Usage"), "{told}");
            assert!(!told.starts_with("error"), "{told}");
        }
    }

    #[test]
    fn numbers_are_asked_for_and_the_help_is_named() {
        let told = message(&["cubefold", "price", "--paths", "1e6"]);
        assert_eq!(told, "invalid value '1e6' for '--paths <COUNT>': give a whole number");
        assert!(message(&["cubefold", "price", "--vol", "high"]).ends_with(": give a number"));
        assert!(message(&["cubefold", "prise"]).contains("'prise'; a similar subcommand exists: 'price'"));
        assert!(message(&["cubefold", "bench"]).ends_with("<CASE>; see cubefold bench --help"));
    }

    #[test]
    fn control_characters_cannot_start_a_line() {
        assert_eq!(one_line("a\nb\tc\r"), "a\\nb\\tc");
    }
}
