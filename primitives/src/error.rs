//! [`Error`]: everything that can go wrong in a primitive, with its numbers and the remedy.

use cubecl::server::{IoError, LaunchError, ServerError};

/// What a device lacks for what was asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Feature {
    /// 64-bit floats.
    #[error("64-bit floats")]
    Float64,
    /// 64-bit signed integers.
    #[error("64-bit signed integers")]
    Int64,
    /// 64-bit unsigned integers.
    #[error("64-bit unsigned integers")]
    UInt64,
    /// Atomic 32-bit integers.
    #[error("atomic 32-bit integers")]
    Atomic32,
    /// Cubes of enough units.
    #[error("cubes of {0} units")]
    Units(u32),
    /// Enough shared memory.
    #[error("{0} bytes of shared memory")]
    SharedMemory(usize),
    /// Cubes that surely run at the same time, and can tell one another words.
    #[error("barrier across cubes")]
    CubeBarrier,
    /// Matrix units that multiply TF32.
    #[error("matrix units for TF32")]
    Tf32,
    /// Recordings of launches that other threads' work cannot spoil.
    #[error("recordings of launches")]
    Recordings,
}

/// Why a primitive did not run, or its result cannot be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The device lacks a feature that the operator or the strategy needs.
    #[error("{device} has no {feature}: choose another device, strategy or element type")]
    Unsupported {
        /// The device.
        device: String,
        /// What it lacks.
        feature: Feature,
    },
    /// A buffer is larger than the device can bind at once.
    #[error(
        "a buffer of {bytes} bytes is over the {limit} bytes that {device} binds: split the data, or compute the items"
    )]
    BindingTooLarge {
        /// The device.
        device: String,
        /// Bytes asked for.
        bytes: u64,
        /// The device's limit.
        limit: u64,
    },
    /// The device has no memory left.
    #[error("{device} is out of memory at {bytes} more bytes: free buffers or use smaller ones")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        bytes: u64,
    },
    /// A strategy that groups items by the device was asked for reproducible bits.
    #[error(
        "a {strategy} scan groups items by the device: ask for Auto or DecoupledLookback to have reproducible bits"
    )]
    NotReproducible {
        /// The strategy.
        strategy: &'static str,
    },
    /// An option that this primitive does not have.
    #[error("{what} cannot be {option}: leave the option out")]
    NoOption {
        /// The primitive.
        what: &'static str,
        /// What its result cannot be.
        option: &'static str,
    },
    /// Two inputs do not fit together.
    #[error("{what} has {got} items where {expected} are needed")]
    Length {
        /// Which input.
        what: &'static str,
        /// Items it has.
        got: u64,
        /// Items it should have.
        expected: u64,
    },
    /// A sequence of no dimensions, or of more than it has.
    #[error("a sequence of {got} dimensions: it has 1 to {limit}")]
    Dimensions {
        /// Dimensions asked for.
        got: u32,
        /// The most there are.
        limit: u32,
    },
    /// A path of no steps, or of more than a unit keeps.
    #[error("a path of {got} steps: give 1 to {limit}")]
    Steps {
        /// Steps asked for.
        got: u64,
        /// The most there are.
        limit: u32,
    },
    /// A time that is not after the one before.
    #[error("time {index} is {time}, which is not after {before}: give finite times that rise from above 0")]
    Time {
        /// Which of the times.
        index: u64,
        /// The time.
        time: f64,
        /// The time before it.
        before: f64,
    },
    /// Items whose bin a histogram does not have.
    #[error(
        "{items} items are outside the {bins} bins: give more bins, or let what is outside be ignored or counted in the last"
    )]
    Outside {
        /// How many items.
        items: u64,
        /// How many bins there are.
        bins: u32,
    },
    /// A window without items.
    #[error("the window is 0 items; give at least 1")]
    EmptyWindow,
    /// Offsets of segments that do not cut the items.
    #[error(
        "offset {index} is {offset}, which is not in {low}..={high}: offsets begin at 0, never fall and end with the items"
    )]
    Offset {
        /// Which of the offsets.
        index: u64,
        /// The offset.
        offset: u64,
        /// The smallest that it may be.
        low: u64,
        /// The largest.
        high: u64,
    },
    /// An index that does not exist.
    #[error("index {index} is past the end of {len} items")]
    OutOfBounds {
        /// The index.
        index: u64,
        /// The length.
        len: u64,
    },
    /// A stored output or a strategy cannot hold so many items.
    #[error("{len} items are over the {limit} that {what} takes: split the data")]
    TooLong {
        /// What has the limit.
        what: &'static str,
        /// Items asked for.
        len: u64,
        /// The limit.
        limit: u64,
    },
    /// A buffer of one device was given to another.
    #[error("the buffer lives on {home}, not on {device}: copy it with `to_vec` and `upload`")]
    ForeignBuffer {
        /// Where the buffer lives.
        home: String,
        /// Where it was used.
        device: String,
    },
    /// The host was asked to read what lives on a device.
    #[error("the buffer lives on {home}: copy it with `to_vec` before the host uses it")]
    NotOnHost {
        /// Where the buffer lives.
        home: String,
    },
    /// Results would go into memory that the same call reads.
    #[error("results would go into memory that the items come from: give another buffer")]
    Overlap,
    /// The runtime found a buffer too large that passed the device's own limits.
    #[error("{device} cannot make a buffer of {bytes} bytes: split the data, or compute the items")]
    BufferTooLarge {
        /// The device.
        device: String,
        /// Bytes asked for.
        bytes: u64,
    },
    /// A launch found no memory left, and the runtime does not say for how much.
    #[error("{device} has no memory left for a launch: free buffers or use smaller ones")]
    LaunchOutOfMemory {
        /// The device.
        device: String,
    },
    /// The device is gone or poisoned: nothing on it can be trusted.
    #[error("{device} was lost: make the device anew")]
    DeviceLost {
        /// The device.
        device: String,
    },
    /// The kernel did not compile for the device.
    #[error("a kernel does not compile on {device}: {first_line}")]
    Compilation {
        /// The device.
        device: String,
        /// The first line of what the compiler said.
        first_line: String,
    },
    /// Any other failure of the runtime.
    #[error("{device} failed: {first_line}")]
    Runtime {
        /// The device.
        device: String,
        /// The first line of what the runtime said.
        first_line: String,
    },
    /// A block that no tree of pairs fits.
    #[error("a block of {len} items: give a power of two, {least} or more")]
    Block {
        /// Items asked for.
        len: u64,
        /// The fewest.
        least: u32,
    },
    /// Not as many folds as a step of a loop can have.
    #[error("a step of {keys} folds; give 1 to {limit}")]
    Keys {
        /// Folds asked for.
        keys: u32,
        /// The most.
        limit: u32,
    },
}

impl Error {
    /// Reads what CubeCL reports, down to the root that started it.
    pub(crate) fn from_server(device: &str, error: &ServerError) -> Self {
        let device = device.to_owned();
        if error.is_device_poisoned() {
            return Error::DeviceLost { device };
        }
        match root(error) {
            ServerError::Io(IoError::BufferTooBig { size, .. }) => Error::BufferTooLarge { device, bytes: *size },
            ServerError::Io(IoError::OutOfMemory { size, .. }) => Error::OutOfMemory { device, bytes: *size },
            ServerError::Launch(LaunchError::OutOfMemory { .. }) => Error::LaunchOutOfMemory { device },
            ServerError::Launch(LaunchError::CompilationError(error)) => {
                Error::Compilation { device, first_line: first_line(&error.to_string()) }
            }
            other => Error::Runtime { device, first_line: first_line(&other.to_string()) },
        }
    }
}

fn root(error: &ServerError) -> &ServerError {
    match error {
        ServerError::Unwritten { root: inner, .. } => root(inner),
        ServerError::Several { errors, .. } => errors.first().map_or(error, root),
        other => other,
    }
}

/// One line that says something: where a compiler found an error, or the first that is not a heading.
fn first_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let heading = |line: &str| line.ends_with(':') || line.contains("happened") || line.starts_with("An error caused");
    let found = lines.iter().find(|line| line.contains("error: "));
    let telling = found.or_else(|| lines.iter().find(|line| !heading(line)));
    telling.or(lines.first()).copied().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compilers_line_is_told_without_its_headings() {
        let report = "An error caused the compilation to fail\nCaused by:\n  WGSL compilation failed for kernel `k`: Validation \
                      Error\n\nShader 'k' parsing error: expected expression, found \"+\"\n";
        assert_eq!(first_line(report), "Shader 'k' parsing error: expected expression, found \"+\"");
        assert_eq!(first_line("An error caused the compilation to fail\nno such instruction"), "no such instruction");
    }

    #[test]
    fn reports_of_the_runtime_keep_their_numbers() {
        let named = |error: ServerError| Error::from_server("gpu", &error);
        let device = || "gpu".to_owned();
        let large = ServerError::Io(IoError::BufferTooBig { size: 1 << 40, backtrace: Default::default() });
        assert_eq!(named(large), Error::BufferTooLarge { device: device(), bytes: 1 << 40 });
        let full = ServerError::Io(IoError::OutOfMemory { size: 4096, backtrace: Default::default() });
        assert_eq!(named(full), Error::OutOfMemory { device: device(), bytes: 4096 });
        let reason = "no room".to_owned();
        let launch = ServerError::Launch(LaunchError::OutOfMemory { reason, backtrace: Default::default() });
        assert_eq!(named(launch), Error::LaunchOutOfMemory { device: device() });
        let reason = "Something happened:\n  the clock stopped".to_owned();
        let other = ServerError::Generic { reason, backtrace: Default::default() };
        assert!(named(other).to_string().starts_with("gpu failed: "), "any other report has one line");
    }
}
