//! What `cubefold bench` and the criterion benches time.
//!
//! A [`Case`] lists [`Spec`]s: an operator, a strategy, a length. Preparing one uploads seeded data, runs the call once
//! and compares its result with a computation of the host that shares no code with it; only then is it timed, as
//! [`measure`] says. A wrong result ends the run.
//!
//! | case | operators | rate counts |
//! |---|---|---|
//! | [`reduce`] | sum, moments; sums of rows and of columns; half of the items kept, all counted by bin | bytes: the items read once, and those kept written once |
//! | [`scan`] | sum by every strategy, three moving averages, one down 20 columns, the sum of segments, a sliding maximum, and a plain copy as the roofline | bytes: items read once, results written once |
//! | [`gemm`] | plus-times, min-plus | 2 m³ operations of a product of m × m matrices |
//! | [`frontier`] | return, risk and ratio of portfolios of 500 assets, and with their weights drawn anew | 2 n m² operations of the product `W·Sigma` |
//! | [`mc`] | the mean payoff of a European call, fused, or with its payoffs stored (`ToBuffer`) or brought to the host (`ToHost`); of an Asian call; of many calls at once | paths |
//! | [`ema`] | the moving average of 20 columns, end to end | bytes: prices read, averages written, in f64 |
//! | [`cov`] | the covariance of 2,520 rows, end to end | 2 n m² operations of `XᵀX` |
//! | [`market`] | 500 steps of the agent market by every way, with a round trip a step (`RoundTrips`), and of many markets at once, end to end | agents times steps |

pub mod check;
mod compositions;
mod cov;
pub mod crossover;
mod ema;
mod error;
mod frontier;
mod gemm;
mod input;
mod lines;
mod market;
mod mc;
pub mod measure;
mod payoffs;
mod reduce;
mod round_trips;
mod scan;

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::Duration;

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

    /// The lengths that it takes: few enough paths have no error to compare by, and the host keeps what it compares.
    pub fn sizes(self) -> RangeInclusive<u64> {
        match self {
            Case::Reduce | Case::Scan => 1..=1 << 30,
            Case::Gemm => 1..=1 << 14,
            Case::Mc => 1 << 12..=1 << 40,
            Case::Ema => 1..=1 << 22,
            Case::Cov => 1..=1 << 12,
            Case::Market => 1..=1 << 26,
            Case::Frontier => 1..=1 << 24,
        }
    }

    /// The names of its operators.
    pub fn operators(self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.all(&Extent::usual(Scale::Full)).into_iter().map(|spec| spec.operator).collect();
        names.dedup();
        names
    }

    fn all(self, extent: &Extent) -> Vec<Spec> {
        match self {
            Case::Reduce => reduce::specs(extent)
                .into_iter()
                .chain(lines::specs(extent))
                .chain(compositions::specs(extent))
                .collect(),
            Case::Scan => scan::specs(extent),
            Case::Gemm => gemm::specs(extent),
            Case::Mc => mc::specs(extent).into_iter().chain(payoffs::specs(extent)).collect(),
            Case::Ema => ema::specs(extent),
            Case::Cov => cov::specs(extent),
            Case::Market => market::specs(extent),
            Case::Frontier => frontier::specs(extent),
        }
    }

    /// What there is to time on `device`. The host has one strategy; beside its scan stands the plain loop, and
    /// beside its Monte-Carlo mean a loop on rayon.
    pub fn specs(self, device: &Device, extent: &Extent) -> Vec<Spec> {
        let mut specs = self.all(extent);
        if device.is_host() {
            let mut seen = HashSet::new();
            specs.retain(|spec| seen.insert((spec.operator, spec.length)));
            specs.iter_mut().for_each(|spec| spec.strategy = HOST_STRATEGY);
            match self {
                Case::Scan => specs.extend(scan::sequential(extent)),
                Case::Mc => specs.extend(payoffs::rayon_loop(extent)),
                _ => {}
            }
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

/// Which lengths are timed.
#[derive(Debug, Clone)]
pub struct Extent {
    /// How large the usual ones are.
    pub scale: Scale,
    /// Those that are asked for in their place; none for the usual ones.
    pub sizes: Vec<u64>,
}

impl Extent {
    /// The usual lengths of a scale.
    pub fn usual(scale: Scale) -> Self {
        Extent { scale, sizes: Vec::new() }
    }

    /// Whether lengths were asked for. What has no length of its own, or is one of a kind, is left out then.
    pub fn given(&self) -> bool {
        !self.sizes.is_empty()
    }

    /// The lengths that are asked for, or else `usual`.
    fn lengths(&self, usual: impl IntoIterator<Item = u64>) -> Vec<u64> {
        if self.given() { self.sizes.clone() } else { usual.into_iter().collect() }
    }

    /// The same with powers of two for the usual ones.
    fn powers(&self, usual: &[u32]) -> Vec<u64> {
        self.lengths(usual.iter().map(|&bits| 1 << bits))
    }
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
    /// How long the first call took; zero where nobody asks.
    pub first: Duration,
    /// Whether a call ends with its answer on the host, so that only the host's clock can time it.
    pub ends_on_host: bool,
    /// Results that were compared with the host's.
    pub compared: u64,
    /// Results that there are.
    pub results: u64,
    /// Work and span of a scan, in combines.
    pub cost: Option<[u64; 2]>,
}

impl Ready {
    /// A call that leaves its results on the device, of which so many were compared, and so many there are.
    pub fn new(
        first: Duration,
        [compared, results]: [u64; 2],
        call: impl Fn() -> Result<(), BenchError> + Send + Sync + 'static,
    ) -> Self {
        Ready { call: Box::new(call), first, ends_on_host: false, compared, results, cost: None }
    }

    /// A call that ends with its answer on the host.
    pub fn on_host(
        first: Duration,
        counts: [u64; 2],
        call: impl Fn() -> Result<(), BenchError> + Send + Sync + 'static,
    ) -> Self {
        Ready { ends_on_host: true, ..Ready::new(first, counts, call) }
    }
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
    /// Seconds of the first call and the wait for its end, with the compilation of kernels that no earlier row had.
    pub seconds_first: f64,
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
    /// The rate as a part of what the device's memory or arithmetic does at most, where that was measured too.
    pub of_roofline: Option<f64>,
    /// Combines of a scan: its work.
    pub combines: Option<u64>,
    /// Combines of a scan that follow one another: its span.
    pub steps: Option<u64>,
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
        seconds_first: ready.first.as_secs_f64(),
        bytes_per_second: rate.filter(|_| matches!(spec.work, Work::Bytes(_))),
        flops: rate.filter(|_| matches!(spec.work, Work::Operations(_))),
        items_per_second: rate.filter(|_| matches!(spec.work, Work::Paths(_) | Work::AgentSteps(_))),
        verified: true,
        compared: ready.compared,
        results: ready.results,
        of_roofline: None,
        combines: ready.cost.map(|[work, _]| work),
        steps: ready.cost.map(|[_, span]| span),
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
    fn the_host_has_one_strategy_and_a_loop_beside_its_scan() {
        let specs = Case::Scan.specs(&Device::host(), &Extent::usual(Scale::Tiny));
        let of = |strategy| -> Vec<_> {
            let those = specs.iter().filter(|spec| spec.strategy == strategy);
            those.map(|spec| (spec.operator, spec.length)).collect()
        };
        let (host, loops) = (of("host"), of("Sequential"));
        assert_eq!(host.iter().collect::<HashSet<_>>().len(), host.len());
        assert!(!loops.is_empty() && loops.iter().all(|name| host.contains(name)));
        assert_eq!(host.len() + loops.len(), specs.len());
    }

    #[test]
    fn every_case_is_right_on_the_host() {
        for case in Case::ALL {
            for spec in case.specs(&Device::host(), &Extent::usual(Scale::Tiny)) {
                let ready = spec.prepare(&Device::host()).expect("the result is right");
                assert!(ready.compared > 0 && ready.compared <= ready.results);
            }
        }
    }
}
