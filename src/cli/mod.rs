//! The command line: one file a subcommand, each of the same three steps.
//!
//! 1. Check the input, before any device is touched.
//! 2. Run the job through [`Session::run`], which chooses the device, says which one and shows progress.
//! 3. Hand the [`Answer`](output::Answer) to [`Session::finish`], which prints it and writes the files of `-o`.
//!
//! A mistake is one [`CliError`]; it leaves exactly one line on standard error and exit code 2.

pub mod args;
mod bench;
mod bench_compare;
mod bench_page;
mod completions;
mod cov;
mod demo;
mod devices;
mod drawdown;
mod ema;
pub mod error;
mod explain;
mod frontier;
mod market;
pub mod output;
mod price;
mod rolling;
mod series;
pub mod session;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Arguments, Command};
use error::{CliError, one_line};
use session::Session;

/// Exit code of every refused command.
const REFUSED: u8 = 2;

/// Parses the command line, runs the subcommand and turns its result into an exit code.
///
/// `--help` and `--version` go to standard output with code 0. Errors go to standard error as one line `cubefold: …`
/// with code 2. A reader that closes the pipe early (`cubefold … | head`) ends the command quietly with code 0.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    quiet_wayland();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Usage(asked)) if is_answer(asked.kind()) => {
            // Help that nobody reads to its end is no failure.
            let _ = asked.print();
            ExitCode::SUCCESS
        }
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; the exit code still tells.
            let _ = writeln!(std::io::stderr(), "cubefold: {}", one_line(&error.to_string()));
            ExitCode::from(REFUSED)
        }
    }
}

/// Names a folder that holds no Wayland socket where the session names none. A search for graphics adapters asks
/// Wayland's library too, and without a folder that one adds lines of its own to standard error.
fn quiet_wayland() {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    if cfg!(target_os = "linux") && std::env::var_os(FOLDER).is_none_or(|folder| folder.is_empty()) {
        // SAFETY: the program has a single thread yet, so none reads the environment meanwhile.
        unsafe { std::env::set_var(FOLDER, "/nonexistent") };
    }
}

/// Whether clap's "error" is the answer to `--help` or `--version`.
fn is_answer(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

/// Parses and dispatches; every subcommand takes its own arguments and the session.
fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), CliError> {
    let arguments = Arguments::try_parse_from(arguments)?;
    let session = Session::new(&arguments.shared)?;
    match &arguments.command {
        Command::Devices(arguments) if arguments.explain => explain::run(&session),
        Command::Devices(_) => devices::run(&session),
        Command::Price(arguments) => price::run(arguments, &session),
        Command::Ema(arguments) => ema::run(arguments, &session),
        Command::Rolling(arguments) => rolling::run(arguments, &session),
        Command::Drawdown(arguments) => drawdown::run(arguments, &session),
        Command::Cov(arguments) => cov::run(arguments, &session),
        Command::Frontier(arguments) => frontier::run(arguments, &session),
        Command::Market(arguments) => market::run(arguments, &session),
        Command::Bench(arguments) => bench::run(arguments, &session),
        Command::Demo(arguments) => demo::run(arguments, &session),
        Command::Completions(arguments) => completions::run(arguments.shell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declared_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn help_is_an_answer_and_a_missing_subcommand_is_not() {
        let parse = |line: &[&str]| Arguments::try_parse_from(line).expect_err("no command runs").kind();
        assert!(is_answer(parse(&["cubefold", "--help"])));
        assert!(is_answer(parse(&["cubefold", "price", "--help"])));
        assert!(!is_answer(parse(&["cubefold"])));
    }
}
