//! One child process: printed as a shell line, run in the workspace root, its exit code handed on.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A command with its arguments and the variables it adds to the environment.
pub struct Step {
    shown: String,
    program: OsString,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Step {
    /// A program found on the path.
    pub fn new(program: &str, arguments: &[&str]) -> Self {
        let step =
            Self { shown: program.to_string(), program: program.into(), arguments: Vec::new(), variables: Vec::new() };
        step.args(arguments)
    }

    /// A cargo command written as on a command line, for the cargo that started this program, so
    /// that the toolchain stays the same.
    pub fn cargo(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut step = Self::new("cargo", &words);
        step.program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        step
    }

    /// Appends arguments.
    pub fn args(mut self, arguments: &[impl AsRef<str>]) -> Self {
        self.arguments.extend(arguments.iter().map(|a| a.as_ref().to_string()));
        self
    }

    /// Adds a variable to the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_string(), value.to_string()));
        self
    }

    /// Prints the command, runs it with this process's output and no input, and returns its exit
    /// code: 127 when it cannot be started, 1 when a signal ended it.
    pub fn run(&self) -> i32 {
        eprintln!("$ {self}");
        let status = Command::new(&self.program)
            .args(&self.arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(workspace_root())
            .stdin(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => 0,
            Ok(status) => {
                eprintln!("xtask: `{self}` failed: {status}");
                status.code().unwrap_or(1)
            }
            Err(error) => {
                eprintln!("xtask: `{}` cannot be started: {error}", self.shown);
                127
            }
        }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        write!(f, "{}", self.shown)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

/// The standard output of a program that is only asked a question; `None` when it fails or is absent.
pub fn answer(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=,.:/+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The folder above xtask's own, which cargo names at run time.
fn workspace_root() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR")
        .and_then(|manifest| PathBuf::from(manifest).parent().map(PathBuf::from))
        .unwrap_or_else(|| PathBuf::from("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_shown_as_a_line_to_paste_into_a_shell() {
        let step = Step::cargo("test --workspace").args(&["--", "it's a name"]).env("DEVICES", "host,lavapipe");
        assert_eq!(step.to_string(), r"DEVICES=host,lavapipe cargo test --workspace -- 'it'\''s a name'");
    }

    #[cfg(unix)]
    #[test]
    fn exit_codes_pass_through() {
        assert_eq!(Step::new("sh", &["-c", "exit 0"]).run(), 0);
        assert_eq!(Step::new("sh", &["-c", "exit 101"]).run(), 101);
        assert_eq!(Step::new("sh", &["-c", "kill -9 $$"]).run(), 1);
        assert_eq!(Step::new("no-such-program-here", &[]).run(), 127);
    }
}
