//! `cubefold cov`: mean and covariance of returns.

use std::path::PathBuf;

use clap::Args;
use cubefold_finance::data::Table;
use cubefold_finance::{Covariance, CovarianceOptions, covariance};
use serde::Serialize;

use super::args::ReturnsArgs;
use super::error::CliError;
use super::output::{self, Answer, cell, csv_bytes};
use super::session::Session;
use crate::report::heat_map;
use crate::report::table::{Side, TextTable, grouped, percent, significant};

/// Flags of `cubefold cov`.
#[derive(Debug, Clone, Args)]
pub struct CovArgs {
    /// Where the returns come from.
    #[command(flatten)]
    returns: ReturnsArgs,
    /// What is subtracted from the number of returns before dividing by it
    #[arg(long, value_name = "COUNT", default_value_t = 1, allow_hyphen_values = true)]
    ddof: u32,
    /// Write cov.json, cov.csv and cov.svg (the correlations) into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Reads the price file and forms its returns.
///
/// # Errors
/// [`CliError::Data`].
pub fn read_returns(arguments: &ReturnsArgs) -> Result<Table, CliError> {
    Ok(Table::read_csv(&arguments.prices)?.returns(arguments.returns.into())?)
}

/// Mean and covariance as they are printed.
#[derive(Debug, Serialize)]
struct CovAnswer<'a> {
    assets: &'a [String],
    periods: usize,
    ddof: u32,
    mean: &'a [f64],
    covariance: Vec<&'a [f64]>,
}

impl<'a> CovAnswer<'a> {
    fn new(estimate: &'a Covariance) -> Self {
        CovAnswer {
            assets: &estimate.assets,
            periods: estimate.periods,
            ddof: estimate.ddof,
            mean: &estimate.mean,
            covariance: estimate.covariance.chunks(estimate.assets.len().max(1)).collect(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &String, f64, &[f64])> {
        let rows = self.assets.iter().zip(self.mean).zip(&self.covariance).enumerate();
        rows.map(|(index, ((asset, mean), covariance))| (index, asset, *mean, *covariance))
    }
}

impl Answer for CovAnswer<'_> {
    const NAME: &'static str = "cov";

    fn table(&self) -> String {
        let fixed = [("asset", Side::Left), ("mean", Side::Right), ("volatility", Side::Right)];
        let fixed = fixed.map(|(name, side)| (name.to_owned(), side));
        let assets = self.assets.iter().map(|asset| (asset.clone(), Side::Right));
        let mut table = TextTable::new(fixed.into_iter().chain(assets));
        for (index, asset, mean, covariance) in self.rows() {
            let volatility = covariance.get(index).map_or(f64::NAN, |variance| variance.sqrt());
            let values = covariance.iter().map(|value| significant(*value, 4));
            table.row([asset.clone(), percent(mean), percent(volatility)].into_iter().chain(values));
        }
        let periods = grouped(self.periods as u64);
        format!("{}{periods} returns, ddof {}; the columns of assets are covariances\n", table.render(), self.ddof)
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = ["asset".to_owned(), "mean".to_owned()].into_iter().chain(self.assets.iter().cloned()).collect();
        let rows = self.rows().map(|(_, asset, mean, covariance)| {
            let values = covariance.iter().map(|value| cell(*value));
            [asset.clone(), cell(mean)].into_iter().chain(values).collect::<Vec<String>>()
        });
        csv_bytes(std::iter::once(header).chain(rows))
    }
}

/// Estimates mean and covariance and, where files are asked for, draws the correlations.
///
/// # Errors
/// A file or number that cannot be used, a device or output that cannot be used.
pub fn run(arguments: &CovArgs, session: &Session) -> Result<(), CliError> {
    let options = CovarianceOptions { ddof: arguments.ddof, periods_per_year: arguments.returns.periods_per_year };
    let returns = read_returns(&arguments.returns)?;
    options.check(returns.rows())?;
    let directory = arguments.output.as_deref();
    output::prepare::<CovAnswer<'_>>(directory)?;
    let estimate = session.run(1, |device, progress| {
        progress.say("estimating");
        Ok(covariance(device, &returns, &options)?)
    })?;
    let picture = match directory {
        Some(_) => heat_map::draw("Correlation of the returns", &estimate.assets, &estimate.correlation())?,
        None => String::new(),
    };
    session.finish(&CovAnswer::new(&estimate), directory, &picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_covariance_is_printed_row_by_row() {
        let estimate = Covariance {
            assets: vec!["A".to_owned(), "B".to_owned()],
            periods: 3,
            ddof: 1,
            mean: vec![0.5, f64::NAN],
            covariance: vec![4.0, 1.0, 1.0, 9.0],
        };
        let answer = CovAnswer::new(&estimate);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        let expected =
            r#"{"assets":["A","B"],"periods":3,"ddof":1,"mean":[0.5,null],"covariance":[[4.0,1.0],[1.0,9.0]]}"#;
        assert_eq!(json, expected);
        assert_eq!(answer.csv().expect("equal lengths"), b"asset,mean,A,B\nA,0.5,4.0,1.0\nB,,1.0,9.0\n");
        assert!(answer.table().contains("200.00 %"));
    }
}
