//! `cubefold market`: a market of many agents that move the price they trade on.

use std::path::PathBuf;

use clap::Args;
use cubefold_finance::{MarketOptions, MarketRun, market};
use serde::Serialize;

use super::args::parse_triple;
use super::error::CliError;
use super::output::{self, Answer, cell, csv_bytes};
use super::session::Session;
use crate::report;
use crate::report::table::{Side, TextTable, duration, grouped, significant};

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
    /// Steps that trend followers look back
    #[arg(long, value_name = "STEPS", default_value_t = 20, allow_hyphen_values = true)]
    lag: u32,
    /// Move of the log price for a mean demand of 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5, allow_hyphen_values = true)]
    lambda: f64,
    /// Logarithm of the fundamental value
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    log_fundamental: f64,
    /// Logarithm of the first price
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    initial_log_price: f64,
    /// Key of the random numbers
    #[arg(long, value_name = "KEY", default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Write market.json, market.csv and market.svg into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

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
        }
    }
}

/// A run of the market as it is printed.
#[derive(Debug, Serialize)]
struct MarketAnswer {
    steps: u32,
    log_price: Vec<f64>,
    device: String,
    seconds: f64,
    #[serde(skip)]
    log_fundamental: f64,
}

impl MarketAnswer {
    fn new(run: MarketRun, log_fundamental: f64) -> Self {
        let MarketRun { steps, log_price, device, seconds } = run;
        MarketAnswer { steps, log_price, device, seconds, log_fundamental }
    }

    /// Step and price of the value that `better` prefers to all others.
    fn extreme(&self, better: fn(f64, f64) -> bool) -> Option<String> {
        let steps = self.log_price.iter().copied().enumerate().filter(|(_, price)| !price.is_nan());
        let best = steps.reduce(|best, next| if better(next.1, best.1) { next } else { best });
        best.map(|(step, price)| format!("{} at step {step}", significant(price.exp(), 6)))
    }
}

impl Answer for MarketAnswer {
    const NAME: &'static str = "market";

    fn table(&self) -> String {
        let price = |value: Option<&f64>| value.map_or_else(String::new, |log| significant(log.exp(), 6));
        let stretches = report::market::stretches(&self.log_price, self.log_fundamental);
        let bubbles = stretches.iter().filter(|stretch| stretch.above).count();
        let mut table = TextTable::new([("steps", Side::Left), (&grouped(self.steps.into()), Side::Left)]);
        table.row(["first price", &price(self.log_price.first())]);
        table.row(["last price", &price(self.log_price.last())]);
        table.row(["highest price", &self.extreme(|next, best| next > best).unwrap_or_default()]);
        table.row(["lowest price", &self.extreme(|next, best| next < best).unwrap_or_default()]);
        table.row(["fundamental value", &significant(self.log_fundamental.exp(), 6)]);
        table.row(["bubbles, slumps", &format!("{bubbles}, {} (over 10 % off)", stretches.len() - bubbles)]);
        table.row(["device", &self.device]);
        table.row(["time", &duration(self.seconds)]);
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = ["step".to_owned(), "log_price".to_owned()];
        let rows = self.log_price.iter().enumerate().map(|(step, price)| [step.to_string(), cell(*price)]);
        csv_bytes(std::iter::once(header).chain(rows))
    }
}

/// Runs the market and, where files are asked for, draws its price.
///
/// # Errors
/// Numbers that make no market, a device or output that cannot be used.
pub fn run(arguments: &MarketArgs, session: &Session) -> Result<(), CliError> {
    let options = arguments.options();
    options.check()?;
    let directory = arguments.output.as_deref();
    output::prepare::<MarketAnswer>(directory)?;
    let run = session.run(1, |device, progress| {
        progress.say("trading");
        Ok(market(device, &options)?)
    })?;
    let picture = match directory {
        Some(_) => report::market::draw("Price of the simulated market", &run.log_price, options.log_fundamental)?,
        None => String::new(),
    };
    session.finish(&MarketAnswer::new(run, options.log_fundamental), directory, &picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(log_price: Vec<f64>) -> MarketAnswer {
        let steps = log_price.len() as u32 - 1;
        MarketAnswer { steps, log_price, device: "host".to_owned(), seconds: 0.0, log_fundamental: 0.0 }
    }

    #[test]
    fn no_steps_leave_the_initial_price() {
        let answer = answer(vec![0.25]);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert_eq!(json, r#"{"steps":0,"log_price":[0.25],"device":"host","seconds":0.0}"#);
        assert_eq!(answer.csv().expect("equal lengths"), b"step,log_price\n0,0.25\n");
    }

    #[test]
    fn extremes_are_found_past_missing_values() {
        let answer = answer(vec![0.0, f64::NAN, 1.0, -1.0]);
        assert_eq!(answer.extreme(|next, best| next > best).as_deref(), Some("2.71828 at step 2"));
        assert_eq!(answer.extreme(|next, best| next < best).as_deref(), Some("0.367879 at step 3"));
    }
}
