//! The cases of `cubefold bench` under criterion, smaller, on the device that `CUBEFOLD_DEVICE` names (`auto` without it).
//!
//! Every result is verified before it is timed. Under `cargo test --benches`, and with `--test`, lengths are tiny and
//! every case runs once.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use cubefold::{Device, DeviceChoice};

#[allow(dead_code, unused_imports, reason = "the program uses the rows, and runs the tests")]
#[path = "../../src/bench/mod.rs"]
mod cases;

pub use cases::Case;
use cases::measure::{device_times, wall_times};
use cases::{BenchError, Extent, Ready, Scale, Spec, Work};

/// Calls whose times are read together: below the 28 clocks that Metal has at a time.
const QUEUED: u64 = 8;

/// Verifies and times the specs of `cases`.
///
/// # Panics
/// Where there is no such device, or a result is wrong.
pub fn run(cases: &[Case]) {
    let device = device();
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let scale = if has("--bench") && !has("--test") { Scale::Small } else { Scale::Tiny };
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args();
    for case in cases {
        let mut group = criterion.benchmark_group(case.name());
        for spec in case.specs(&device, &Extent::usual(scale)) {
            let ready = match spec.prepare(&device) {
                Ok(ready) => ready,
                Err(error) if error.is_beyond_the_device() => {
                    eprintln!("left out: {error}");
                    continue;
                }
                Err(error) => panic!("{error}"),
            };
            group.throughput(throughput(spec.work));
            group.bench_function(name(&spec), |bencher| {
                bencher.iter_custom(|calls| elapsed(&device, &ready, calls).expect("it ran before"));
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

fn device() -> Device {
    let name = std::env::var("CUBEFOLD_DEVICE").unwrap_or_else(|_| "auto".to_owned());
    let device = Device::by_name(&name).unwrap_or_else(|error| panic!("{error}"));
    eprintln!("device: {}", device.label());
    device
}

fn name(spec: &Spec) -> BenchmarkId {
    BenchmarkId::new(format!("{}/{}", spec.operator, spec.strategy), spec.length)
}

fn throughput(work: Work) -> Throughput {
    match work {
        Work::Bytes(bytes) => Throughput::Bytes(bytes),
        _ => Throughput::Elements(work.amount()),
    }
}

/// The time of so many calls by the device's clock, or the host's where the device has none.
fn elapsed(device: &Device, ready: &Ready, calls: u64) -> Result<Duration, BenchError> {
    let mut seconds = 0.0;
    let mut left = calls;
    while left > 0 {
        let count = left.min(QUEUED);
        left -= count;
        let times = match device.client() {
            Some(client) if !ready.ends_on_host => device_times(client, &ready.call, count as usize)?.0,
            _ => wall_times(device, ready, count as usize)?,
        };
        seconds += times.iter().sum::<f64>();
    }
    Ok(Duration::from_secs_f64(seconds))
}
