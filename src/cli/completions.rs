//! `cubefold completions`: a script by which a shell completes the command line.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::args::Arguments;
use super::error::CliError;

/// Prints the script for `shell` on standard output. No device is touched.
///
/// # Errors
/// Standard output that cannot be written.
pub fn run(shell: Shell) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(&script(shell)).and_then(|()| stdout.flush()).map_err(CliError::StandardOutput)
}

fn script(shell: Shell) -> Vec<u8> {
    let mut bytes = Vec::new();
    generate(shell, &mut Arguments::command(), "cubefold", &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use cubefold::device::KINDS;

    #[test]
    fn every_shell_learns_the_subcommands_and_the_devices() {
        for shell in Shell::value_variants() {
            let text = String::from_utf8(script(*shell)).expect("a script is text");
            for command in Arguments::command().get_subcommands() {
                assert!(text.contains(command.get_name()), "{shell} does not know {}", command.get_name());
            }
            // Elvish and PowerShell complete flags, and no values of theirs.
            if !matches!(shell, Shell::Elvish | Shell::PowerShell) {
                let missing: Vec<_> = KINDS.iter().filter(|(name, _)| !text.contains(name)).collect();
                assert!(missing.is_empty(), "{shell} does not know {missing:?}");
            }
        }
    }
}
