//! `cargo xtask test`: a Vulkan device first, then every test of the workspace in strict mode.

use std::env;

use crate::command::Step;
use crate::devices::{self, Choice, Devices, VARIABLE};
use crate::install::{self, Refusal};
use crate::vulkan::Survey;

/// Runs the tests; `arguments` follow `cargo test --workspace` as they are. Returns the exit code.
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
    let tests = Step::cargo("test --workspace").args(arguments).env(VARIABLE, &devices.names);
    remind();
    let code = tests.run();
    remind(); // the tests have scrolled the first one away
    code
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
