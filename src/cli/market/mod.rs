//! `cubefold market`: a market of many agents that move the price they trade on, or many markets at once.

mod answer;
mod ensemble;
mod flags;

use std::path::PathBuf;

use clap::Args;
use cubefold_finance::data::Table;
use cubefold_finance::market::ensemble::Axis;
use cubefold_finance::market::statistics::returns;
use cubefold_finance::{FinanceError, MarketOptions, Scenario, Shock, market_watched};
use cubefold_primitives::iterate::Way;

use super::args::parse_triple;
use super::error::CliError;
use super::output;
use super::session::Session;
use crate::report;
use answer::MarketAnswer;
use ensemble::Measure;
use flags::{parse_axis, parse_shock};

/// Flags of `cubefold market`.
#[derive(Debug, Clone, Args)]
pub struct MarketArgs {
    /// Traders
    #[arg(long, value_name = "COUNT", default_value_t = 100_000, allow_hyphen_values = true)]
    agents: u32,
    /// Price moves; 0 gives the initial price alone
    #[arg(long, value_name = "COUNT", default_value_t = 500, allow_hyphen_values = true)]
    steps: u32,
    /// Shares of fundamentalists, trend followers and noise traders; their sum is 1
    #[arg(long, value_name = "F,T,N", default_value = "0.4,0.3,0.3", value_parser = parse_triple, allow_hyphen_values = true)]
    mix: [f64; 3],
    /// How strongly fundamentalists, trend followers and noise traders demand
    #[arg(long, value_name = "F,T,N", default_value = "0.5,0.5,0.5", value_parser = parse_triple, allow_hyphen_values = true)]
    strength: [f64; 3],
    /// Standard deviation of the logarithm of each trader's own strength; 0 makes all of a kind alike
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    strength_spread: f64,
    /// Steps that trend followers look back
    #[arg(long, value_name = "STEPS", default_value_t = 20, allow_hyphen_values = true)]
    lag: u32,
    /// Move of the log price for a mean demand of 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5, allow_hyphen_values = true)]
    lambda: f64,
    /// Logarithm of the fundamental value
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    log_fundamental: f64,
    /// Fundamental values in place of the constant: the first column of a CSV, a row a price, from the first price on
    #[arg(long, value_name = "FILE.csv", conflicts_with = "log_fundamental")]
    fundamental: Option<PathBuf>,
    /// Add SIZE to the log price at this step; may be given again
    #[arg(long, value_name = "STEP:SIZE", value_parser = parse_shock, allow_hyphen_values = true)]
    shock: Vec<Shock>,
    /// Logarithm of the first price
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    initial_log_price: f64,
    /// Binary digits after the point in which demands are added; as many as the largest demand leaves where none are given
    #[arg(long, value_name = "DIGITS", allow_hyphen_values = true)]
    fraction_bits: Option<i32>,
    /// Key of the random numbers
    #[arg(long, value_name = "KEY", default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Also tell whether these parameters make bubbles, statistics, returns and the demand of each kind; with -o, draw them
    #[arg(long)]
    explain: bool,
    /// Run a market for every point of a grid: PARAMETER=LOW:HIGH:COUNT, both ends included, of one parameter or two
    #[arg(long, value_name = "AXIS,AXIS", value_delimiter = ',', value_parser = parse_axis, conflicts_with = "explain")]
    ensemble: Vec<Axis>,
    /// What the map of an ensemble shows
    #[arg(long, value_enum, value_name = "MEASURE", default_value_t = Measure::Bubble, requires = "ensemble")]
    measure: Measure,
    /// Write market.json, market.csv and market.svg into this directory; ensemble.* of an ensemble
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

/// How often a market's progress is shown: what is read back for it takes microseconds.
const TICKS: u32 = 20;

/// What `--explain` draws beside the price.
const DETAILS: [&str; 3] = ["market-demand.svg", "market-returns.svg", "market-memory.svg"];

impl MarketArgs {
    fn options(&self) -> MarketOptions {
        MarketOptions {
            agents: self.agents,
            steps: self.steps,
            mix: self.mix,
            strength: self.strength,
            lag: self.lag,
            lambda: self.lambda,
            log_fundamental: self.log_fundamental,
            initial_log_price: self.initial_log_price,
            seed: self.seed,
            strength_spread: self.strength_spread,
            fraction_bits: self.fraction_bits,
        }
    }

    fn scenario(&self) -> Result<Scenario, CliError> {
        let log_fundamental = match &self.fundamental {
            None => None,
            Some(file) => {
                let values = Table::read_csv(file)?.column(0);
                let name = "a fundamental value";
                if let Some(&value) = values.iter().find(|value| **value <= 0.0) {
                    return Err(FinanceError::OutOfRange { name, value, range: "above 0" }.into());
                }
                Some(values.into_iter().map(f64::ln).collect())
            }
        };
        Ok(Scenario { log_fundamental, shocks: self.shock.clone() })
    }
}

/// Runs the market, or the ensemble, and draws what files are asked for.
///
/// # Errors
/// Numbers that make no market, a device or output that cannot be used.
pub fn run(arguments: &MarketArgs, session: &Session) -> Result<(), CliError> {
    let options = arguments.options();
    options.check()?;
    let scenario = arguments.scenario()?;
    scenario.check(&options)?;
    let directory = arguments.output.as_deref();
    if !arguments.ensemble.is_empty() {
        return ensemble::run(&options, &scenario, &arguments.ensemble, arguments.measure, session, directory);
    }
    output::prepare::<MarketAnswer>(directory)?;
    if let (Some(directory), true) = (directory, arguments.explain) {
        output::prepare_directory(directory, DETAILS)?;
    }
    // No more often than a bar can show.
    let every = options.steps.div_ceil(TICKS).max(1);
    let run = session.run(options.steps.into(), |device, progress| {
        progress.say("trading");
        Ok(market_watched(device, &options, &scenario, Way::Auto, every, &mut |step, _| progress.reach(step))?)
    })?;
    let picture = match directory {
        Some(_) => report::market::draw("Price of the simulated market", &run.log_price, &run.log_fundamental)?,
        None => String::new(),
    };
    let answer = MarketAnswer::new(run, arguments.explain.then_some(&options));
    if let (Some(directory), Some(details)) = (directory, answer.details()) {
        let pictures = [
            report::market_details::draw_demand("Excess demand by kind", &answer.run.excess_demand)?,
            report::market_details::draw_returns("Returns of a step", &returns(&answer.run.log_price))?,
            report::market_details::draw_memory("Memory of the returns", &details.statistics, answer.run.steps)?,
        ];
        for (name, picture) in DETAILS.iter().zip(pictures) {
            output::write_file(&directory.join(name), picture.as_bytes())?;
        }
    }
    session.finish(&answer, directory, &picture)
}
