//! `cargo xtask test`: a Vulkan device first, then every test of the workspace in strict mode.

use std::env;

use crate::command::Step;
use crate::devices::{self, Choice, Devices, VARIABLE};
use crate::install::{self, Refusal};
use crate::vulkan::Survey;

/// Runs the tests; `arguments` follow `cargo test --workspace` as they are. Returns the exit code.
///
/// Left alone, cargo links every example as well, which the tests have compiled in. So it is asked for the test targets and
/// then for the doc tests, unless the arguments name targets of their own.
pub fn run(arguments: &[String]) -> i32 {
    let named = env::var(VARIABLE).ok().filter(|names| !names.trim().is_empty());
    let devices = match must_not_be_skipped(named) {
        Ok(devices) => devices,
        Err((code, refusal)) => {
            eprintln!("xtask: {refusal}");
            return code;
        }
    };
    let remind = || {
        if let Some(remark) = &devices.not_covered {
            eprintln!("xtask: not covered: {remark}");
        }
    };
    let targets: &[&[&str]] = if names_targets(arguments) { &[&[]] } else { &[&["--tests"], &["--doc"]] };
    remind();
    let run = |targets: &&[&str]| {
        Step::cargo("test --workspace").args(targets).args(arguments).env(VARIABLE, &devices.names).run()
    };
    let code = targets.iter().map(run).find(|&code| code != 0).unwrap_or(0);
    remind(); // the tests have scrolled the first one away
    code
}

/// Whether cargo's arguments say which targets to test.
fn names_targets(arguments: &[String]) -> bool {
    const FLAGS: [&str; 11] = [
        "--lib",
        "--bin",
        "--bins",
        "--example",
        "--examples",
        "--test",
        "--tests",
        "--bench",
        "--benches",
        "--all-targets",
        "--doc",
    ];
    let for_cargo = arguments.iter().take_while(|argument| *argument != "--");
    for_cargo.map(|argument| argument.split('=').next().unwrap_or(argument)).any(|flag| FLAGS.contains(&flag))
}

/// The devices that this machine has or gets. A refusal ends the run, with its exit code, where the
/// user named lavapipe or the package manager failed; elsewhere the host's tests still run.
fn must_not_be_skipped(named: Option<String>) -> Result<Devices, (i32, Refusal)> {
    if !cfg!(target_os = "linux") {
        return Ok(devices::elsewhere(named, env::consts::OS));
    }
    let machine = Survey::of_this_machine();
    let named = match devices::on_linux(named, machine) {
        Choice::Run(devices) => return Ok(devices),
        Choice::Bring { named } => named,
    };
    match (install::lavapipe(machine), named) {
        (Ok(()), named) => Ok(Devices::all(named.as_deref().unwrap_or("host,lavapipe"))),
        (Err(refusal @ Refusal::Failed(code)), _) => Err((code, refusal)),
        (Err(refusal), Some(_)) => Err((1, refusal)),
        (Err(refusal), None) => {
            eprintln!("xtask: {refusal}");
            Ok(Devices::host_only("every device: only the host's tests must pass in this run."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_of_cargo_name_targets() {
        let names = |line: &str| names_targets(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(names("--test it") && names("--features cuda --doc -- scan") && names("--example=viterbi"));
        assert!(!names("--features vulkan,cuda") && !names("-- --test-threads 1") && !names("-- --test"));
    }
}
