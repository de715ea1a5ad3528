//! Developer commands of this workspace, run as `cargo xtask COMMAND`.
//!
//! `test` makes sure that a Vulkan device is there and runs every test; `ci` runs what must pass
//! before a change lands. Both print each command before they run it, and a failing command's exit
//! code becomes their own.

#![forbid(unsafe_code)]

mod command;
mod devices;
mod install;
mod test;
mod vulkan;

use std::process;

use command::Step;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test [CARGO ARGS] [-- TEST ARGS]   bring a software Vulkan device where there is none, run every test
  ci                                 formatting, lints, `test`, documentation; stops at the first failure

`test` passes CARGO ARGS to `cargo test --workspace` and TEST ARGS to the test binaries.
CUBEFOLD_TEST_DEVICES=host,lavapipe,... names the devices whose tests must not be skipped.";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    process::exit(dispatch(&arguments));
}

/// Runs the named command and returns the exit code of this process.
fn dispatch(arguments: &[String]) -> i32 {
    let Some((name, rest)) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return 2;
    };
    match (name.as_str(), rest) {
        ("test", rest) => test::run(rest),
        ("ci", []) => ci(),
        ("help" | "--help" | "-h", _) => {
            println!("{USAGE}");
            0
        }
        _ => {
            eprintln!("xtask: cannot run `{}`\n\n{USAGE}", arguments.join(" "));
            2
        }
    }
}

/// The steps of `.ci/run`, in its order. Returns the first exit code that is not zero.
fn ci() -> i32 {
    let steps: [fn() -> i32; 4] = [
        || Step::cargo("fmt --all --check").run(),
        || Step::cargo("clippy --workspace --all-targets -- -D warnings").run(),
        || test::run(&[]),
        || Step::cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-Dwarnings").run(),
    ];
    steps.into_iter().map(|step| step()).find(|&code| code != 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit_code(arguments: &[&str]) -> i32 {
        dispatch(&arguments.iter().map(|a| a.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn an_unknown_command_and_no_command_exit_with_2() {
        assert_eq!(exit_code(&[]), 2);
        assert_eq!(exit_code(&["tset"]), 2);
        assert_eq!(exit_code(&["ci", "extra"]), 2);
        assert_eq!(exit_code(&["--help"]), 0);
    }
}
