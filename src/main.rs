//! The command `cubefold`: the five finance jobs on any device, and the report that compares them.

mod bench;
mod cli;
mod explain;
mod report;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(std::env::args_os())
}
