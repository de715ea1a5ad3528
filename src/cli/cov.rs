//! `cubefold cov`: mean and covariance of returns.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cubefold_finance::data::Table;
use cubefold_finance::{
    Covariance, CovarianceOptions, Deletion, Shrinkage, condition_number, covariance, is_indefinite,
};
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
    /// Halve the weight of a row every H rows, counted back from the last one
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    half_life: Option<f64>,
    /// Pull the estimate towards its average variance, as far as this estimator says
    #[arg(long, value_enum, value_name = "WAY", default_value_t = ShrinkArg::None)]
    shrink: ShrinkArg,
    /// Rows that count: those without a missing value, or for each pair of columns those in which both have one (the matrix need
    /// not be positive semidefinite then)
    #[arg(long, value_enum, value_name = "ROWS", default_value_t = MissingArg::Complete)]
    missing: MissingArg,
    /// Print correlations in place of covariances; JSON has both
    #[arg(long)]
    corr: bool,
    /// Draw the correlations into this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Write cov.json, cov.csv and cov.svg (the correlations) into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

/// How far the estimate is pulled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShrinkArg {
    /// Not at all
    None,
    /// Ledoit and Wolf
    LedoitWolf,
    /// The oracle-approximating estimator
    Oas,
}

/// Rows that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MissingArg {
    /// Those without a missing value
    Complete,
    /// For each pair of columns those in which both have a value
    Pairwise,
}

impl CovArgs {
    fn options(&self) -> CovarianceOptions {
        CovarianceOptions {
            ddof: self.ddof,
            periods_per_year: self.returns.periods_per_year,
            half_life: self.half_life,
            missing: match self.missing {
                MissingArg::Complete => Deletion::Complete,
                MissingArg::Pairwise => Deletion::Pairwise,
            },
            shrinkage: match self.shrink {
                ShrinkArg::None => Shrinkage::None,
                ShrinkArg::LedoitWolf => Shrinkage::LedoitWolf,
                ShrinkArg::Oas => Shrinkage::Oas,
            },
        }
    }
}

/// Reads the price file and forms the returns of its complete rows.
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
    correlation: Vec<&'a [f64]>,
    shrinkage: f64,
    condition_number: f64,
    min_eigenvalue: f64,
    /// Whether tables and CSV hold correlations.
    #[serde(skip)]
    correlations: bool,
}

impl<'a> CovAnswer<'a> {
    fn new(estimate: &'a Covariance, correlation: &'a [f64], correlations: bool) -> Self {
        let eigenvalues = estimate.eigenvalues();
        let side = estimate.assets.len().max(1);
        CovAnswer {
            assets: &estimate.assets,
            periods: estimate.periods,
            ddof: estimate.ddof,
            mean: &estimate.mean,
            covariance: estimate.covariance.chunks(side).collect(),
            correlation: correlation.chunks(side).collect(),
            shrinkage: estimate.shrinkage,
            condition_number: condition_number(&eigenvalues),
            min_eigenvalue: eigenvalues.first().copied().unwrap_or(f64::NAN),
            correlations,
        }
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &String, f64, &[f64])> {
        let printed = if self.correlations { &self.correlation } else { &self.covariance };
        let rows = self.assets.iter().zip(self.mean).zip(printed).enumerate();
        rows.map(|(index, ((asset, mean), printed))| (index, asset, *mean, *printed))
    }
}

impl Answer for CovAnswer<'_> {
    const NAME: &'static str = "cov";

    fn table(&self) -> String {
        let fixed = [("asset", Side::Left), ("mean", Side::Right), ("volatility", Side::Right)];
        let fixed = fixed.map(|(name, side)| (name.to_owned(), side));
        let assets = self.assets.iter().map(|asset| (asset.clone(), Side::Right));
        let mut table = TextTable::new(fixed.into_iter().chain(assets));
        for (index, asset, mean, printed) in self.rows() {
            let volatility = self.covariance[index].get(index).map_or(f64::NAN, |variance| variance.sqrt());
            let values = printed.iter().map(|value| significant(*value, 4));
            table.row([asset.clone(), percent(mean), percent(volatility)].into_iter().chain(values));
        }
        let (periods, ddof) = (grouped(self.periods as u64), self.ddof);
        let entries = if self.correlations { "correlations" } else { "covariances" };
        let shrunk = match self.shrinkage {
            intensity if intensity > 0.0 => format!(", shrunk by {}", significant(intensity, 4)),
            _ => String::new(),
        };
        let smallest = significant(self.min_eigenvalue, 4);
        format!(
            "{}{periods} returns, ddof {ddof}{shrunk}; the columns of assets are {entries}\n\
             smallest eigenvalue {smallest}, condition number {}\n",
            table.render(),
            significant(self.condition_number, 4),
        )
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = ["asset".to_owned(), "mean".to_owned()].into_iter().chain(self.assets.iter().cloned()).collect();
        let rows = self.rows().map(|(_, asset, mean, printed)| {
            let values = printed.iter().map(|value| cell(*value));
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
    let options = arguments.options();
    let returns = match options.missing {
        Deletion::Complete => read_returns(&arguments.returns)?,
        Deletion::Pairwise => {
            Table::read_csv(&arguments.returns.prices)?.returns_with_gaps(arguments.returns.returns.into())?
        }
    };
    options.check(returns.rows())?;
    let directory = arguments.output.as_deref();
    output::prepare::<CovAnswer<'_>>(directory)?;
    arguments.plot.iter().try_for_each(|path| output::prepare_file(path))?;
    let estimate = session.run(1, |device, progress| {
        progress.say("estimating");
        let estimate = covariance(device, &returns, &options)?;
        let eigenvalues = estimate.eigenvalues();
        if options.missing == Deletion::Pairwise && is_indefinite(&eigenvalues) {
            let smallest = significant(eigenvalues[0], 4);
            progress.note(&format!(
                "warning: the matrix of pairwise rows is not positive semidefinite (smallest eigenvalue {smallest})"
            ));
        }
        Ok(estimate)
    })?;
    let correlation = estimate.correlation();
    let picture = match (directory, &arguments.plot) {
        (None, None) => String::new(),
        _ => heat_map::draw("Correlation of the returns", &estimate.assets, &correlation)?,
    };
    if let Some(path) = &arguments.plot {
        output::write_file(path, picture.as_bytes())?;
    }
    session.finish(&CovAnswer::new(&estimate, &correlation, arguments.corr), directory, &picture)
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
            covariance: vec![4.0, 0.0, 0.0, 16.0],
            shrinkage: 0.25,
        };
        let correlation = estimate.correlation();
        let answer = CovAnswer::new(&estimate, &correlation, false);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        let expected = [
            r#"{"assets":["A","B"],"periods":3,"ddof":1,"mean":[0.5,null],"covariance":[[4.0,0.0],[0.0,16.0]],"#,
            r#""correlation":[[1.0,0.0],[0.0,1.0]],"shrinkage":0.25,"condition_number":4.0,"min_eigenvalue":4.0}"#,
        ];
        assert_eq!(json, expected.concat());
        assert_eq!(answer.csv().expect("equal lengths"), b"asset,mean,A,B\nA,0.5,4.0,0.0\nB,,0.0,16.0\n");
        assert!(answer.table().contains("200.00 %"));
        let answer = CovAnswer::new(&estimate, &correlation, true);
        assert_eq!(answer.csv().expect("equal lengths"), b"asset,mean,A,B\nA,0.5,1.0,0.0\nB,,0.0,1.0\n");
        assert!(answer.table().contains("200.00 %") && answer.table().contains("correlations"));
    }
}
