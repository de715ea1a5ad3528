//! One run of the command: the device that was asked for, the notes on standard error, the end of every subcommand.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use cubefold::device::{self, Reason, Refusal};
use cubefold::{Device, DeviceError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{Format, SharedArgs};
use super::error::CliError;
use super::output::{self, Answer};

/// How long a job may run before it has to show that it lives.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the progress bar is drawn.
const TICK: Duration = Duration::from_millis(120);

/// What all subcommands need to know of the command line.
#[derive(Debug)]
pub struct Session {
    device_name: String,
    format: Format,
    /// The line that tells of the device, until it is told.
    untold: RefCell<Option<String>>,
}

impl Session {
    /// Checks the device's name; touches no hardware.
    ///
    /// # Errors
    /// [`DeviceError::UnknownName`].
    pub fn new(shared: &SharedArgs) -> Result<Self, CliError> {
        let name = &shared.device;
        if !device::is_known_name(name) {
            return Err(DeviceError::UnknownName { name: name.clone() }.into());
        }
        Ok(Session { device_name: name.clone(), format: shared.format, untold: RefCell::new(None) })
    }

    /// Chooses the device; [`Session::print`] tells of it. Commands that compute call [`Session::run`] instead.
    ///
    /// # Errors
    /// [`CliError::Device`] with the reason when the named device cannot be used here.
    pub fn choose(&self) -> Result<Device, CliError> {
        if self.device_name != "auto" {
            let device = device::by_name(&self.device_name)?;
            self.untold.replace(Some(format!("device: {}", device.label())));
            return Ok(device);
        }
        let choice = device::auto();
        let line = format!("device: {}{}", choice.device.label(), passed_over(&choice.refused));
        self.untold.replace(Some(line));
        Ok(choice.device)
    }

    /// Runs `job` of `steps` steps on the chosen device.
    ///
    /// The device is told on standard error: after [`PATIENCE`] together with a progress bar (where standard error is a
    /// terminal), or else before the answer is printed. So a command that is refused at once leaves its error as the only
    /// line.
    ///
    /// # Errors
    /// What choosing the device or `job` gives.
    pub fn run<T>(
        &self,
        steps: u64,
        job: impl FnOnce(&Device, &Progress) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let device = self.choose()?;
        let line = self.untold.take().unwrap_or_default();
        let progress = Progress::hidden(steps);
        let (finish, finished) = mpsc::channel::<()>();
        let (result, told) = thread::scope(|scope| {
            let (line, progress) = (&line, &progress);
            let watcher = scope.spawn(move || watch(&finished, line, progress));
            let result = job(&device, progress);
            drop(finish);
            (result, watcher.join().unwrap_or(false))
        });
        progress.bar.finish_and_clear();
        self.untold.replace((!told).then_some(line));
        result
    }

    /// Writes NAME.json, NAME.csv and NAME.svg into `directory` where one is given, then prints `answer`.
    ///
    /// # Errors
    /// A file or standard output that cannot be written.
    pub fn finish(&self, answer: &impl Answer, directory: Option<&Path>, picture: &str) -> Result<(), CliError> {
        if let Some(directory) = directory {
            output::save(answer, directory, picture)?;
        }
        self.print(answer)
    }

    /// Tells of the device where that was not done yet, and prints `answer` in the format that was asked for.
    ///
    /// # Errors
    /// Standard output that cannot be written.
    pub fn print(&self, answer: &impl Answer) -> Result<(), CliError> {
        if let Some(line) = self.untold.take() {
            note(&line);
        }
        output::print(answer, self.format)
    }
}

/// Why `auto` did not take the devices it prefers; those left out of the build share one reason.
fn passed_over(refused: &[Refusal]) -> String {
    let left_out = |refusal: &&Refusal| matches!(refusal.reason, Reason::NotBuilt { .. });
    let (left_out, there): (Vec<&Refusal>, Vec<&Refusal>) = refused.iter().partition(left_out);
    let mut reasons: Vec<String> =
        there.iter().map(|refusal| format!("{}: {}", refusal.name, refusal.reason)).collect();
    if !left_out.is_empty() {
        let names: Vec<&str> = left_out.iter().map(|refusal| refusal.name.as_str()).collect();
        reasons.push(format!("not in this build: {}", names.join(", ")));
    }
    if reasons.is_empty() { String::new() } else { format!(" [{}]", reasons.join("; ")) }
}

/// Waits for the end of the job; true if it took so long that the device had to be told before.
fn watch(finished: &mpsc::Receiver<()>, line: &str, progress: &Progress) -> bool {
    let late = finished.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
    if late {
        note(line);
        progress.show();
    }
    late
}

/// Writes one line to standard error.
fn note(line: &str) {
    // A closed standard error must not stop the job.
    let _ = writeln!(io::stderr(), "{}", super::error::one_line(line));
}

/// How far a job has come. Hidden until [`PATIENCE`] is over, and always where standard error is no terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn hidden(steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        let template = if steps > 1 { "{bar:24} {pos}/{len} {msg} {elapsed}" } else { "{spinner} {msg} {elapsed}" };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
        Progress { bar }
    }

    fn show(&self) {
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.enable_steady_tick(TICK);
    }

    /// Says what is being done now.
    pub fn say(&self, doing: &'static str) {
        self.bar.set_message(doing);
    }

    /// Writes one line to standard error, above the bar.
    pub fn note(&self, line: &str) {
        self.bar.suspend(|| note(line));
    }

    /// Counts as many steps as done.
    pub fn reach(&self, steps: u32) {
        self.bar.set_position(steps.into());
    }

    /// Counts one step as done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(device: &str) -> SharedArgs {
        SharedArgs { device: device.to_owned(), format: Format::Json }
    }

    #[test]
    fn an_unknown_device_is_refused_by_its_name_alone() {
        assert!(Session::new(&shared("host")).is_ok());
        assert!(Session::new(&shared("auto")).is_ok());
        let refused = Session::new(&shared("abacus")).expect_err("there is no such device");
        assert!(refused.to_string().contains("abacus"), "{refused}");
    }

    #[test]
    fn devices_left_out_of_the_build_share_one_reason() {
        let refusal = |name: &str, reason| Refusal { name: name.to_owned(), reason };
        let refused = [
            refusal("cuda", Reason::NotBuilt { feature: "cuda" }),
            refusal("hip", Reason::NotBuilt { feature: "hip" }),
            refusal("wgpu", Reason::NotThere { available: 0 }),
        ];
        let told = passed_over(&refused);
        assert!(told.starts_with(" [wgpu: ") && told.ends_with("not in this build: cuda, hip]"), "{told}");
        assert_eq!(passed_over(&[]), "");
    }

    #[test]
    fn a_job_gets_the_device_that_was_named() {
        let session = Session::new(&shared("host")).expect("the host is a device");
        let host = session.run(1, |device, _| Ok(device.is_host())).expect("the host runs");
        assert!(host);
    }
}
