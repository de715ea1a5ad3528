//! What `cubefold bench` and the criterion benches time.
//!
//! A [`Case`] lists [`Spec`]s: an operator, a strategy, a length. Preparing one uploads seeded data, runs the call once
//! and compares its result with a computation of the host that shares no code with it; only then is it timed, as
//! [`measure`] says. A wrong result ends the run.
//!
//! | case | operators | rate counts |
//! |---|---|---|
//! | [`reduce`] | sum, moments | bytes: the items read once |
//! | [`scan`] | sum by every strategy, three moving averages, one down 20 columns, the sum of segments, a sliding maximum, and a plain copy as the roofline | bytes: items read once, results written once |
//! | [`gemm`] | plus-times, min-plus | 2 m³ operations of a product of m × m matrices |
//! | [`frontier`] | return, risk and ratio of portfolios of 500 assets, and with their weights drawn anew | 2 n m² operations of the product `W·Sigma` |
//! | [`mc`] | the mean payoff of a European call | paths |
//! | [`ema`] | the moving average of 20 columns, end to end | bytes: prices read, averages written, in f64 |
//! | [`cov`] | the covariance of 2,520 rows, end to end | 2 n m² operations of `XᵀX` |
//! | [`market`] | 500 steps of the agent market by every way, and of many markets at once, end to end | agents times steps |

pub mod check;
mod cov;
mod ema;
mod error;
mod frontier;
mod gemm;
mod input;
mod market;
mod mc;
pub mod measure;
mod reduce;
mod scan;

use std::collections::HashSet;

use cubefold::Device;
use serde::Serialize;

pub use error::BenchError;
use measure::{Clock, Pace};

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Fold a whole array.
    Reduce,
    /// Running fold of an array.
    Scan,
    /// Matrix product over a semiring.
    Gemm,
    /// Monte-Carlo mean.
    Mc,
    /// Moving averages of a table.
    Ema,
    /// Covariance of a table.
    Cov,
    /// The agent market.
    Market,
    /// Portfolios of many assets.
    Frontier,
}

impl Case {
    /// All of them.
    #[allow(dead_code, reason = "the benches name theirs")]
    pub const ALL: [Case; 8] =
        [Case::Reduce, Case::Scan, Case::Gemm, Case::Mc, Case::Ema, Case::Cov, Case::Frontier, Case::Market];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Case::Reduce => "reduce",
            Case::Scan => "scan",
            Case::Gemm => "gemm",
            Case::Mc => "mc",
            Case::Ema => "ema",
            Case::Cov => "cov",
            Case::Market => "market",
            Case::Frontier => "frontier",
        }
    }

    /// What a length counts.
    pub fn length_name(self) -> &'static str {
        match self {
            Case::Reduce | Case::Scan => "items",
            Case::Gemm => "rows and columns of the matrices",
            Case::Mc => "paths",
            Case::Ema => "rows (20 columns)",
            Case::Cov => "assets (2,520 rows)",
            Case::Market => "agents (500 steps)",
            Case::Frontier => "portfolios (500 assets)",
        }
    }

    /// The names of its operators.
    pub fn operators(self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.all(Scale::Full).into_iter().map(|spec| spec.operator).collect();
        names.dedup();
        names
    }

    fn all(self, scale: Scale) -> Vec<Spec> {
        match self {
            Case::Reduce => reduce::specs(scale),
            Case::Scan => scan::specs(scale),
            Case::Gemm => gemm::specs(scale),
            Case::Mc => mc::specs(scale),
            Case::Ema => ema::specs(scale),
            Case::Cov => cov::specs(scale),
            Case::Market => market::specs(scale),
            Case::Frontier => frontier::specs(scale),
        }
    }

    /// What there is to time on `device`. The host has one strategy.
    pub fn specs(self, device: &Device, scale: Scale) -> Vec<Spec> {
        let mut specs = self.all(scale);
        if device.is_host() {
            let mut seen = HashSet::new();
            specs.retain(|spec| seen.insert((spec.operator, spec.length)));
            specs.iter_mut().for_each(|spec| spec.strategy = HOST_STRATEGY);
        }
        specs
    }
}

/// The name of the host's one strategy.
const HOST_STRATEGY: &str = "host";

/// How large the lengths are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Lengths that fill a GPU.
    Full,
    /// At most 2^20 items: the host and software devices.
    Small,
    /// Only to see that everything runs: the tests, and `cargo test --benches`.
    #[cfg_attr(not(test), allow(dead_code, reason = "the program is never that small"))]
    Tiny,
}

impl Scale {
    /// The largest scale that suits `device`.
    pub fn of(device: &Device) -> Self {
        if device.is_host() || is_software(&device.label()) { Scale::Small } else { Scale::Full }
    }
}

/// Whether a label names a device that computes on the processor.
fn is_software(label: &str) -> bool {
    let label = label.to_lowercase();
    let renderers = ["llvmpipe", "lavapipe", "swiftshader", "basic render"];
    label.starts_with("cpu") || renderers.iter().any(|name| label.contains(name))
}

/// What one call does, for rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Bytes that must be read and written.
    Bytes(u64),
    /// Multiplications and combinations of a matrix product.
    Operations(u64),
    /// Simulated paths.
    Paths(u64),
    /// Agents times steps.
    AgentSteps(u64),
}

impl Work {
    /// How much of it there is.
    pub fn amount(self) -> u64 {
        match self {
            Work::Bytes(amount) | Work::Operations(amount) | Work::Paths(amount) | Work::AgentSteps(amount) => amount,
        }
    }
}

/// A call that is timed again and again; it leaves its result on the device.
pub type Call = Box<dyn Fn() -> Result<(), BenchError> + Send + Sync>;

/// Verifies a call on a device and hands it out.
type Prepare = Box<dyn Fn(&Device) -> Result<Ready, BenchError>>;

/// One thing to time, before anything is done for it.
pub struct Spec {
    /// The operator and its element type.
    pub operator: &'static str,
    /// The strategy that is asked for.
    pub strategy: &'static str,
    /// Items, rows, paths or agents.
    pub length: u64,
    /// What one call does.
    pub work: Work,
    prepare: Prepare,
}

/// Something whose result was right, ready to be timed.
pub struct Ready {
    /// What is timed.
    pub call: Call,
    /// Whether a call ends with its answer on the host, so that only the host's clock can time it.
    pub ends_on_host: bool,
    /// Results that were compared with the host's.
    pub compared: u64,
    /// Results that there are.
    pub results: u64,
}

impl Spec {
    /// Uploads the data, runs the call once and compares its result with the host's.
    ///
    /// # Errors
    /// [`BenchError::Wrong`] within [`BenchError::Case`], or what goes wrong on the device.
    pub fn prepare(&self, device: &Device) -> Result<Ready, BenchError> {
        (self.prepare)(device).map_err(|source| self.blame(source))
    }

    /// `source` with what it happened to.
    fn blame(&self, source: BenchError) -> BenchError {
        BenchError::Case {
            operator: self.operator,
            strategy: self.strategy,
            length: self.length,
            source: Box::new(source),
        }
    }
}

/// One measured line of the answer.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The case's name.
    pub case: &'static str,
    /// The operator and its element type.
    pub operator: &'static str,
    /// The strategy that ran.
    pub strategy: &'static str,
    /// The device's label.
    pub device: String,
    /// Items, rows, paths or agents.
    pub length: u64,
    /// Median seconds of one call by [`clock`](Row::clock).
    pub seconds: f64,
    /// Lower and upper quartile of the same.
    pub quartiles: [f64; 2],
    /// How many calls the median is of.
    pub repeats: usize,
    /// What took the time.
    pub clock: Clock,
    /// Median seconds of one call and the wait for its end, by the host's clock.
    pub seconds_wall: f64,
    /// Bytes that must move, a second.
    pub bytes_per_second: Option<f64>,
    /// Operations of a matrix product a second, over any semiring.
    pub flops: Option<f64>,
    /// Paths, or agents times steps, a second.
    pub items_per_second: Option<f64>,
    /// Whether the result was right. Always: a wrong one ends the run.
    pub verified: bool,
    /// How many results were compared with the host's.
    pub compared: u64,
    /// How many results there are.
    pub results: u64,
    /// What one call does.
    #[serde(skip)]
    pub work: Work,
}

/// Verifies `spec` on `device`, then times it.
///
/// # Errors
/// What [`Spec::prepare`] gives, and clocks that fail.
pub fn run(case: Case, spec: &Spec, device: &Device, pace: &Pace) -> Result<Row, BenchError> {
    let ready = spec.prepare(device)?;
    let timed = measure::time(device, &ready, pace).map_err(|source| spec.blame(source))?;
    let rate = Some(spec.work.amount() as f64 / timed.times.median);
    Ok(Row {
        case: case.name(),
        operator: spec.operator,
        strategy: spec.strategy,
        device: device.label(),
        length: spec.length,
        seconds: timed.times.median,
        quartiles: timed.times.quartiles,
        repeats: timed.times.repeats,
        clock: timed.clock,
        seconds_wall: timed.wall,
        bytes_per_second: rate.filter(|_| matches!(spec.work, Work::Bytes(_))),
        flops: rate.filter(|_| matches!(spec.work, Work::Operations(_))),
        items_per_second: rate.filter(|_| matches!(spec.work, Work::Paths(_) | Work::AgentSteps(_))),
        verified: true,
        compared: ready.compared,
        results: ready.results,
        work: spec.work,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_devices_are_told_by_their_labels() {
        for label in ["lavapipe: llvmpipe (LLVM 19) (WGSL)", "cpu: cpu (cpu)"] {
            assert!(is_software(label), "{label}");
        }
        for label in ["cuda: NVIDIA H200 (cuda)", "wgpu: NVIDIA H200 (WGSL)"] {
            assert!(!is_software(label), "{label}");
        }
    }

    #[test]
    fn the_host_has_one_strategy_and_every_length_once() {
        let specs = Case::Scan.specs(&Device::host(), Scale::Tiny);
        let names: Vec<_> = specs.iter().map(|spec| (spec.operator, spec.length)).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        assert!(specs.iter().all(|spec| spec.strategy == "host"));
    }

    #[test]
    fn every_case_is_right_on_the_host() {
        for case in Case::ALL {
            for spec in case.specs(&Device::host(), Scale::Tiny) {
                let ready = spec.prepare(&Device::host()).expect("the result is right");
                assert!(ready.compared > 0 && ready.compared <= ready.results);
            }
        }
    }
}
