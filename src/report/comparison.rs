//! The five jobs on the bundled prices, on the host and on a device, timed and compared.

use std::time::Instant;

use cubefold::Device;
use cubefold_finance::data::{Returns, Table, bundled_prices};
use cubefold_finance::frontier::{ExactFrontier, exact};
use cubefold_finance::{
    Covariance, CovarianceOptions, Decay, Estimate, European, FinanceError, Frontier, FrontierOptions, Init,
    MarketOptions, MarketRun, MonteCarlo, covariance, ema, frontier, market, price,
};
use serde::Serialize;

use super::answers::{
    best_points, describe_averages, describe_covariance, describe_frontier, describe_market, describe_price,
    relative_difference,
};

/// Number of jobs.
pub const JOBS: u64 = 5;

/// Span of the moving average in trading days.
pub const SPAN: f64 = 50.0;

/// What the jobs work on.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// Bundled prices.
    pub prices: Table,
    /// Their simple returns.
    pub returns: Table,
    /// The option that is priced.
    pub option: European,
    /// How it is priced.
    pub engine: MonteCarlo,
    /// The market that is simulated.
    pub market: MarketOptions,
}

impl Inputs {
    /// The bundled prices and the default options; only the market differs, so that bubbles grow in it.
    ///
    /// # Errors
    /// None on the bundled prices.
    pub fn bundled() -> Result<Self, FinanceError> {
        let prices = bundled_prices();
        let returns = prices.returns(Returns::Simple)?;
        Ok(Inputs {
            prices,
            returns,
            option: European::default(),
            engine: MonteCarlo::default(),
            market: bubbling_market(),
        })
    }
}

/// A market on the edge of its stability.
///
/// With a = λ · share · strength of the fundamentalists and b the same of the trend followers, the log price follows
/// `x[t+1] = (1 - a + b) x[t] - b x[t-20]`. Here a = 0.05 and b = 0.066: the largest root is 0.9993 with a period of about
/// 100 steps, so that the first distance of 0.25 and the noise swing for a long time and neither die out nor explode.
fn bubbling_market() -> MarketOptions {
    MarketOptions { strength: [0.25, 0.44, 60.0], initial_log_price: 0.25, ..MarketOptions::default() }
}

/// One row of the demo's table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Subcommand that runs the job.
    pub job: &'static str,
    /// The host's answer in a few words.
    pub answer: String,
    /// How long and how alike.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Times in seconds, and how far the device's numbers lie from the host's; none without a device.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// One call on the host.
    pub host_seconds: f64,
    /// The first call on the device, compilation included.
    pub device_seconds_cold: Option<f64>,
    /// A later call on the device.
    pub device_seconds_warm: Option<f64>,
    /// Largest difference over largest magnitude.
    pub relative_difference: Option<f64>,
}

/// The host's results, from which the pictures are drawn.
#[derive(Debug, Clone)]
pub struct Results {
    /// Price of the option.
    pub estimate: Estimate,
    /// Moving averages.
    pub averages: Table,
    /// Mean and covariance of the returns.
    pub covariance: Covariance,
    /// Portfolios.
    pub frontier: Frontier,
    /// The exact frontier beside them.
    pub exact: ExactFrontier,
    /// The simulated market.
    pub market: MarketRun,
}

/// Runs every job on `host` and, where there is one, twice on `device`; `done` is called after each job.
///
/// # Errors
/// The first job's that fails.
pub fn compare(
    inputs: &Inputs,
    host: &Device,
    device: Option<&Device>,
    done: impl Fn(),
) -> Result<(Vec<Line>, Results), FinanceError> {
    let on = |job| Pairing { job, host, device };
    let mut lines = Vec::new();
    let mut add = |line| {
        lines.push(line);
        done();
    };
    let (estimate, line) = compare_price(inputs, host, device)?;
    add(line);
    let run = |device: &Device| ema(device, &inputs.prices, Decay::Span(SPAN), Init::First);
    let (averages, line) = on("ema").measure(run, |table| table.values.clone(), describe_averages)?;
    add(line);
    let run = |device: &Device| covariance(device, &inputs.returns, &CovarianceOptions::default());
    let (covariance, line) = on("cov").measure(run, |found| found.covariance.clone(), describe_covariance)?;
    add(line);
    let run = |device: &Device| frontier(device, &inputs.returns, &FrontierOptions::default());
    let (frontier, line) = on("frontier").measure(run, best_points, describe_frontier)?;
    let exact = exact(&frontier, &FrontierOptions::default())?;
    add(line);
    let run = |device: &Device| market(device, &inputs.market);
    let (market, line) = on("market").measure(run, |run| run.log_price.clone(), describe_market)?;
    add(line);
    Ok((lines, Results { estimate, averages, covariance, frontier, exact, market }))
}

/// A job that is timed here.
struct Pairing<'a> {
    job: &'static str,
    host: &'a Device,
    device: Option<&'a Device>,
}

impl Pairing<'_> {
    /// Runs the job once on the host and twice on the device and compares `numbers` of the results.
    fn measure<T>(
        &self,
        run: impl Fn(&Device) -> Result<T, FinanceError>,
        numbers: impl Fn(&T) -> Vec<f64>,
        describe: impl Fn(&T) -> String,
    ) -> Result<(T, Line), FinanceError> {
        let (result, host_seconds) = timed(self.host, &run)?;
        let mut measured =
            Measured { host_seconds, device_seconds_cold: None, device_seconds_warm: None, relative_difference: None };
        if let Some(device) = self.device {
            let (_, cold) = timed(device, &run)?;
            let (other, warm) = timed(device, &run)?;
            measured.device_seconds_cold = Some(cold);
            measured.device_seconds_warm = Some(warm);
            measured.relative_difference = Some(relative_difference(&numbers(&result), &numbers(&other)));
        }
        let answer = describe(&result);
        Ok((result, Line { job: self.job, answer, measured }))
    }
}

fn timed<T>(device: &Device, run: impl Fn(&Device) -> Result<T, FinanceError>) -> Result<(T, f64), FinanceError> {
    let start = Instant::now();
    let result = run(device)?;
    Ok((result, start.elapsed().as_secs_f64()))
}

/// The price times itself, cold and warm, in one call.
fn compare_price(inputs: &Inputs, host: &Device, device: Option<&Device>) -> Result<(Estimate, Line), FinanceError> {
    let estimate = price(host, &inputs.option, &inputs.engine)?;
    let other = device.map(|device| price(device, &inputs.option, &inputs.engine)).transpose()?;
    let measured = Measured {
        host_seconds: estimate.seconds_warm,
        device_seconds_cold: other.as_ref().map(|other| other.seconds_cold),
        device_seconds_warm: other.as_ref().map(|other| other.seconds_warm),
        relative_difference: other.as_ref().map(|other| relative_difference(&[estimate.value], &[other.value])),
    };
    let answer = describe_price(&estimate);
    Ok((estimate, Line { job: "price", answer, measured }))
}
