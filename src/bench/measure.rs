//! How a call is timed.
//!
//! Device time is what the device's own clock says of one call: timestamps around it, by `client.profile`. Calls are
//! queued a few at a time, behind work that takes longer than queueing them: so the device neither falls idle, and slows
//! down, between them, nor waits for the host within one. Wall time is the host's: one call and the wait for its end.
//! Both are medians, taken after the device has been kept busy with the same call for a while.

use std::time::{Duration, Instant};

use cubecl::client::Client;
use cubecl::future::block_on;
use cubecl::profile::TimingMethod;
use cubefold::ops::Maximum;
use cubefold::prelude::*;
use serde::Serialize;

use super::{BenchError, Call, Ready, Scale};

/// Calls whose times are read together: below the 28 clocks that Metal has at a time.
const QUEUED: usize = 8;

/// How long a burst of calls may be before the host waits for it.
const BURST: Duration = Duration::from_millis(10);

/// How long a case is warmed up and timed.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Time of continuous work before the first time is taken.
    pub warm_up: Duration,
    /// Calls that are timed,
    pub repeats: usize,
    /// unless they take longer than this.
    pub budget: Duration,
}

impl Pace {
    /// Half a second of warm-up where clocks have to rise, little on processors.
    pub fn of(device: &Device) -> Self {
        let milliseconds = match Scale::of(device) {
            Scale::Full => 500,
            Scale::Small | Scale::Tiny => 50,
        };
        Pace { warm_up: Duration::from_millis(milliseconds), repeats: 50, budget: Duration::from_secs(1) }
    }

    /// A tenth of the calls and of the time: figures to look at, not to publish.
    #[allow(dead_code, reason = "the benches have a pace of their own")]
    pub fn quick(self) -> Self {
        Pace { warm_up: self.warm_up / 10, repeats: self.repeats / 10, budget: self.budget / 10 }
    }
}

/// Whose clock took a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Timestamps of the device.
    Device,
    /// The runtime has none: the host's clock, from an idle device to an idle device.
    Host,
    /// The host's clock, around a call and the wait for its end.
    Wall,
}

/// Median and quartiles of some times, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The median.
    pub median: f64,
    /// Lower and upper quartile.
    pub quartiles: [f64; 2],
    /// How many times there were.
    pub repeats: usize,
}

impl Times {
    /// Of at least one sample; the upper one of two in the middle.
    fn of(mut samples: Vec<f64>) -> Result<Self, BenchError> {
        samples.sort_by(f64::total_cmp);
        let at = |quarter: usize| samples.get(samples.len() * quarter / 4).copied();
        match (at(1), at(2), at(3)) {
            (Some(lower), Some(median), Some(upper)) => {
                Ok(Times { median, quartiles: [lower, upper], repeats: samples.len() })
            }
            _ => Err(BenchError::NoTime),
        }
    }
}

/// The times of one case.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// By the best clock there is.
    pub times: Times,
    /// Which one that is.
    pub clock: Clock,
    /// Median seconds of a call and the wait for its end.
    pub wall: f64,
}

/// Warms up, then times by the device's clock where there is one, and by the host's.
///
/// # Errors
/// What goes wrong in a call, and clocks that fail.
pub fn time(device: &Device, ready: &Ready, pace: &Pace) -> Result<Timed, BenchError> {
    warm_up(device, &ready.call, pace.warm_up)?;
    let on_device = match device.client() {
        Some(client) if !ready.ends_on_host => Some(profile(device, client, &ready.call, pace)?),
        _ => None,
    };
    let wall = Times::of(repeat(pace, 1, |_| wall_times(device, ready, 1))?)?;
    let (times, clock) = on_device.unwrap_or((wall, Clock::Wall));
    Ok(Timed { times, clock, wall: wall.median })
}

/// Keeps the device busy with `call` for at least `duration`.
///
/// # Errors
/// What goes wrong in a call.
pub fn warm_up(device: &Device, call: &Call, duration: Duration) -> Result<(), BenchError> {
    let start = Instant::now();
    let mut burst = 1;
    while start.elapsed() < duration {
        let began = Instant::now();
        for _ in 0..burst {
            call()?;
        }
        device.synchronize()?;
        if began.elapsed() < BURST {
            burst *= 2;
        }
    }
    Ok(())
}

/// Runs a call for the first time, to the end of its work, and says how long that took: with the compilation of the kernels that
/// no call before it had, by the host's clock.
///
/// # Errors
/// What goes wrong in the call.
pub fn first<T>(device: &Device, call: impl FnOnce() -> Result<T, BenchError>) -> Result<(T, Duration), BenchError> {
    device.synchronize()?;
    let start = Instant::now();
    let result = call()?;
    device.synchronize()?;
    Ok((result, start.elapsed()))
}

fn profile(device: &Device, client: &Client, call: &Call, pace: &Pace) -> Result<(Times, Clock), BenchError> {
    // CubeCL runs a profiled call on a thread of its own, for which scratch is made first. Slow calls are not queued.
    let (first, mut clock) = device_times(client, call, 1)?;
    let slow = first.iter().any(|&seconds| seconds > BURST.as_secs_f64());
    let queued = if slow { 1 } else { QUEUED };
    let samples = repeat(pace, queued, |count| {
        // The host's clock would count the work that is queued before a call.
        if !slow && clock == Clock::Device {
            occupy(device)?;
        }
        let (times, by) = device_times(client, call, count)?;
        clock = by;
        Ok(times)
    })?;
    Ok((Times::of(samples)?, clock))
}

/// The low word of an item's number.
#[derive(Debug, Clone, Operator)]
struct Low;

#[cube]
impl Mapping<Wide> for Low {
    type Output = u32;

    fn map(&self, index: Wide) -> u32 {
        index.low
    }
}

/// Queues work that takes longer than queueing a few calls.
fn occupy(device: &Device) -> Result<(), BenchError> {
    let items = match Scale::of(device) {
        Scale::Full => 1 << 32,
        Scale::Small | Scale::Tiny => 1 << 10,
    };
    device.reduce(&Counter::new(items).map(Low), &Maximum::<u32>::new())?;
    Ok(())
}

/// Batches of `most` samples until there are enough or they have taken too long.
fn repeat(
    pace: &Pace,
    most: usize,
    mut batch: impl FnMut(usize) -> Result<Vec<f64>, BenchError>,
) -> Result<Vec<f64>, BenchError> {
    let start = Instant::now();
    let mut samples = Vec::with_capacity(pace.repeats);
    while samples.len() < pace.repeats && (samples.is_empty() || start.elapsed() < pace.budget) {
        samples.extend(batch(most.min(pace.repeats - samples.len()))?);
    }
    Ok(samples)
}

/// Seconds of `count` calls by the device's clock, queued without a wait between them.
///
/// # Errors
/// What goes wrong in a call, and clocks that fail.
pub fn device_times(client: &Client, call: &Call, count: usize) -> Result<(Vec<f64>, Clock), BenchError> {
    let mut windows = Vec::with_capacity(count);
    for _ in 0..count {
        let (result, window) = client.profile(call, "bench")?;
        result?;
        windows.push(window);
    }
    let mut clock = Clock::Device;
    let mut times = Vec::with_capacity(count);
    for window in windows {
        if window.timing_method() == TimingMethod::System {
            clock = Clock::Host;
        }
        let ticks = block_on(window.resolve()).ok_or(BenchError::NoTime)?;
        times.push(ticks.duration().as_secs_f64());
    }
    Ok((times, clock))
}

/// Seconds of `count` calls by the host's clock, each with the wait for its end: a call that ends on the host has waited for it.
///
/// # Errors
/// What goes wrong in a call.
pub fn wall_times(device: &Device, ready: &Ready, count: usize) -> Result<Vec<f64>, BenchError> {
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        (ready.call)()?;
        if !ready.ends_on_host {
            device.synchronize()?;
        }
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_lies_between_its_quartiles() {
        let times = Times::of((0..101).rev().map(f64::from).collect()).expect("there are samples");
        assert_eq!((times.median, times.quartiles), (50.0, [25.0, 75.0]));
        assert_eq!(Times::of(vec![3.0]).map(|times| times.median).ok(), Some(3.0));
        assert!(Times::of(Vec::new()).is_err());
    }

    #[test]
    fn a_slow_case_is_timed_once_and_a_fast_one_often_enough() {
        let pace =
            |milliseconds| Pace { warm_up: Duration::ZERO, repeats: 20, budget: Duration::from_millis(milliseconds) };
        let count = |pace: &Pace| repeat(pace, 8, |count| Ok(vec![0.0; count])).map(|s| s.len());
        assert!(matches!(count(&pace(0)), Ok(8)));
        assert!(matches!(count(&pace(60_000)), Ok(20)));
    }
}
