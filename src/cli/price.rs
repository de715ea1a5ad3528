//! `cubefold price`: a European option by Monte Carlo.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cubefold::Device;
use cubefold_finance::{Estimate, European, FinanceError, MonteCarlo, Style, price};
use serde::Serialize;

use super::error::CliError;
use super::output::{self, Answer, cell, csv_bytes};
use super::session::Session;
use crate::report::convergence;
use crate::report::table::{Side, TextTable, duration, grouped, significant};

/// Flags of `cubefold price`.
#[derive(Debug, Clone, Args)]
pub struct PriceArgs {
    /// Price of the underlying today
    #[arg(long, value_name = "NUMBER", default_value_t = 100.0, allow_hyphen_values = true)]
    spot: f64,
    /// Price at which the option is exercised
    #[arg(long, value_name = "NUMBER", default_value_t = 100.0, allow_hyphen_values = true)]
    strike: f64,
    /// Riskless rate a year, continuously compounded
    #[arg(long, value_name = "NUMBER", default_value_t = 0.05, allow_hyphen_values = true)]
    rate: f64,
    /// Dividend yield a year, continuously compounded
    #[arg(long, value_name = "NUMBER", default_value_t = 0.0, allow_hyphen_values = true)]
    dividend: f64,
    /// Volatility a year
    #[arg(long, value_name = "NUMBER", default_value_t = 0.2, allow_hyphen_values = true)]
    vol: f64,
    /// Years until the option expires
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, allow_hyphen_values = true)]
    expiry: f64,
    /// Right to buy or to sell
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = StyleArg::Call)]
    style: StyleArg,
    /// Simulated paths
    #[arg(long, value_name = "COUNT", default_value_t = 20_000_000, allow_hyphen_values = true)]
    paths: u64,
    /// Key of the random numbers
    #[arg(long, value_name = "KEY", default_value_t = 42, allow_hyphen_values = true)]
    seed: u64,
    /// Write price.json, price.csv and price.svg (the convergence) into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Right to buy or to sell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StyleArg {
    Call,
    Put,
}

impl PriceArgs {
    fn option(&self) -> European {
        European {
            spot: self.spot,
            strike: self.strike,
            rate: self.rate,
            dividend: self.dividend,
            vol: self.vol,
            expiry: self.expiry,
            style: match self.style {
                StyleArg::Call => Style::Call,
                StyleArg::Put => Style::Put,
            },
        }
    }
}

/// An estimate as it is printed.
#[derive(Debug, Serialize)]
struct PriceAnswer {
    value: f64,
    std_error: f64,
    ci95: [f64; 2],
    paths: u64,
    seed: u64,
    device: String,
    seconds_cold: f64,
    seconds_warm: f64,
    #[serde(skip)]
    closed_form: f64,
}

impl PriceAnswer {
    fn new(estimate: &Estimate, closed_form: f64) -> Self {
        PriceAnswer {
            value: estimate.value,
            std_error: estimate.std_error,
            ci95: estimate.ci95,
            paths: estimate.paths,
            seed: estimate.seed,
            device: estimate.device.clone(),
            seconds_cold: estimate.seconds_cold,
            seconds_warm: estimate.seconds_warm,
            closed_form,
        }
    }

    /// Distance from the closed form in standard errors; none where the error is 0.
    fn distance(&self) -> Option<f64> {
        let distance = (self.value - self.closed_form) / self.std_error;
        distance.is_finite().then_some(distance)
    }
}

impl Answer for PriceAnswer {
    const NAME: &'static str = "price";

    fn table(&self) -> String {
        let [low, high] = self.ci95.map(|end| significant(end, 8));
        let away = self.distance().map(|distance| format!(", {distance:+.2} standard errors away"));
        let mut table = TextTable::new([("value", Side::Left), (&significant(self.value, 8), Side::Left)]);
        table.row(["standard error", &significant(self.std_error, 4)]);
        table.row(["95 % interval", &format!("{low} to {high}")]);
        let closed_form = significant(self.closed_form, 8);
        table.row(["Black–Scholes", &format!("{closed_form}{}", away.unwrap_or_default())]);
        table.row(["paths", &grouped(self.paths)]);
        table.row(["seed", &self.seed.to_string()]);
        table.row(["device", &self.device]);
        table.row(["first call", &duration(self.seconds_cold)]);
        table.row(["later call", &duration(self.seconds_warm)]);
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = "value,std_error,ci95_low,ci95_high,paths,seed,device,seconds_cold,seconds_warm";
        let row = vec![
            cell(self.value),
            cell(self.std_error),
            cell(self.ci95[0]),
            cell(self.ci95[1]),
            self.paths.to_string(),
            self.seed.to_string(),
            self.device.clone(),
            cell(self.seconds_cold),
            cell(self.seconds_warm),
        ];
        csv_bytes([header.split(',').map(str::to_owned).collect(), row])
    }
}

/// Prices the option and, where files are asked for, draws how the estimate converges.
///
/// # Errors
/// Numbers that make no option, no paths, a device or output that cannot be used.
pub fn run(arguments: &PriceArgs, session: &Session) -> Result<(), CliError> {
    let option = arguments.option();
    option.check()?;
    let engine = MonteCarlo { paths: arguments.paths, seed: arguments.seed };
    engine.check()?;
    let directory = arguments.output.as_deref();
    output::prepare::<PriceAnswer>(directory)?;
    let closed_form = option.black_scholes();
    let (estimate, picture) = session.run(1, |device, progress| {
        progress.say("pricing");
        let estimate = price(device, &option, &engine)?;
        let Some(_) = directory else {
            return Ok((estimate, String::new()));
        };
        progress.say("drawing the convergence");
        let estimates = converge(device, &option, &estimate)?;
        let picture = convergence::draw("Convergence of the Monte-Carlo price", &estimates, closed_form)?;
        Ok((estimate, picture))
    })?;
    session.finish(&PriceAnswer::new(&estimate, closed_form), directory, &picture)
}

/// The estimates at growing path counts with the same seed; the last one is `estimate` itself.
///
/// # Errors
/// Those of [`price`].
pub fn converge(device: &Device, option: &European, estimate: &Estimate) -> Result<Vec<Estimate>, FinanceError> {
    let counts = convergence::path_counts(estimate.paths);
    let fewer = counts.into_iter().filter(|paths| *paths < estimate.paths);
    let engines = fewer.map(|paths| MonteCarlo { paths, seed: estimate.seed });
    let mut estimates: Vec<Estimate> =
        engines.map(|engine| price(device, option, &engine)).collect::<Result<_, _>>()?;
    estimates.push(estimate.clone());
    Ok(estimates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_without_error_has_no_distance_and_null_is_printed_for_nan() {
        let answer = PriceAnswer {
            value: 5.0,
            std_error: 0.0,
            ci95: [f64::NAN, 5.0],
            paths: 1,
            seed: 0,
            device: "host".to_owned(),
            seconds_cold: 0.0,
            seconds_warm: 0.0,
            closed_form: 5.0,
        };
        assert_eq!(answer.distance(), None);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert!(json.contains("\"ci95\":[null,5.0]") && !json.contains("closed_form"), "{json}");
        assert!(answer.table().contains("95 % interval   – to 5.0000000"));
    }
}
