//! `cubefold frontier`: random long-only portfolios, the two best ones.

use std::path::PathBuf;

use clap::Args;
use cubefold_finance::{Frontier, FrontierOptions, Portfolio, frontier};
use serde::Serialize;

use super::args::ReturnsArgs;
use super::cov::read_returns;
use super::error::CliError;
use super::output::{self, Answer, Named, cell, csv_bytes};
use super::session::Session;
use crate::report;
use crate::report::table::{Side, TextTable, grouped, percent, significant};

/// Flags of `cubefold frontier`.
#[derive(Debug, Clone, Args)]
pub struct FrontierArgs {
    /// Random portfolios
    #[arg(long, value_name = "COUNT", default_value_t = 50_000, allow_hyphen_values = true)]
    portfolios: u32,
    /// Riskless return a year
    #[arg(long, value_name = "NUMBER", default_value_t = 0.02, allow_hyphen_values = true)]
    rf: f64,
    /// Where the returns come from.
    #[command(flatten)]
    returns: ReturnsArgs,
    /// Key of the random numbers
    #[arg(long, value_name = "KEY", default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Write frontier.json, frontier.csv and frontier.svg into this directory
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,
}

impl FrontierArgs {
    fn options(&self) -> FrontierOptions {
        FrontierOptions {
            portfolios: self.portfolios,
            rf: self.rf,
            periods_per_year: self.returns.periods_per_year,
            seed: self.seed,
        }
    }
}

/// A portfolio as it is printed.
#[derive(Debug, Serialize)]
struct PortfolioAnswer {
    #[serde(rename = "return")]
    ret: f64,
    volatility: f64,
    sharpe: f64,
    riskless: bool,
    weights: Named<f64>,
}

impl PortfolioAnswer {
    fn new(assets: &[String], portfolio: &Portfolio) -> Self {
        let point = portfolio.point;
        PortfolioAnswer {
            ret: point.ret,
            volatility: point.volatility,
            sharpe: point.sharpe,
            riskless: portfolio.riskless,
            weights: Named { names: assets.to_vec(), values: portfolio.weights.clone() },
        }
    }
}

/// The two best portfolios as they are printed.
#[derive(Debug, Serialize)]
struct FrontierAnswer {
    portfolios: u32,
    min_volatility: PortfolioAnswer,
    max_sharpe: PortfolioAnswer,
}

impl FrontierAnswer {
    fn new(frontier: &Frontier) -> Self {
        FrontierAnswer {
            portfolios: frontier.portfolios,
            min_volatility: PortfolioAnswer::new(&frontier.assets, &frontier.min_volatility),
            max_sharpe: PortfolioAnswer::new(&frontier.assets, &frontier.max_sharpe),
        }
    }
}

impl Answer for FrontierAnswer {
    const NAME: &'static str = "frontier";

    fn table(&self) -> String {
        let (left, right) = (&self.min_volatility, &self.max_sharpe);
        let columns = [("min volatility", Side::Right), ("max Sharpe", Side::Right)];
        let mut table = TextTable::new([("", Side::Left)].into_iter().chain(columns));
        let mut line = |name: &str, text: &dyn Fn(&PortfolioAnswer) -> String| {
            table.row([name.to_owned(), text(left), text(right)]);
        };
        line("return a year", &|portfolio| percent(portfolio.ret));
        line("volatility a year", &|portfolio| percent(portfolio.volatility));
        line("Sharpe ratio", &|portfolio| significant(portfolio.sharpe, 4));
        line("riskless", &|portfolio| if portfolio.riskless { "yes" } else { "no" }.to_owned());
        for (index, asset) in left.weights.names.iter().enumerate() {
            let weight = |portfolio: &PortfolioAnswer| portfolio.weights.values.get(index).copied().unwrap_or(f64::NAN);
            line(&format!("weight {asset}"), &|portfolio| percent(weight(portfolio)));
        }
        format!("{}best of {} portfolios\n", table.render(), grouped(self.portfolios.into()))
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let fixed = ["portfolio", "return", "volatility", "sharpe", "riskless"].map(str::to_owned);
        let header: Vec<String> = fixed.into_iter().chain(self.min_volatility.weights.names.iter().cloned()).collect();
        let row = |name: &str, portfolio: &PortfolioAnswer| {
            let numbers = [portfolio.ret, portfolio.volatility, portfolio.sharpe].map(cell);
            let mut row = vec![name.to_owned()];
            row.extend(numbers);
            row.push(portfolio.riskless.to_string());
            row.extend(portfolio.weights.values.iter().map(|weight| cell(*weight)));
            row
        };
        csv_bytes([header, row("min_volatility", &self.min_volatility), row("max_sharpe", &self.max_sharpe)])
    }
}

/// Evaluates the portfolios and, where files are asked for, draws them.
///
/// # Errors
/// A file or number that cannot be used, a device or output that cannot be used.
pub fn run(arguments: &FrontierArgs, session: &Session) -> Result<(), CliError> {
    let options = arguments.options();
    let returns = read_returns(&arguments.returns)?;
    options.check(returns.rows())?;
    let directory = arguments.output.as_deref();
    output::prepare::<FrontierAnswer>(directory)?;
    let found = session.run(1, |device, progress| {
        progress.say("evaluating portfolios");
        Ok(frontier(device, &returns, &options)?)
    })?;
    let picture = match directory {
        Some(_) => report::frontier::draw("Risk and return of random portfolios", &found)?,
        None => String::new(),
    };
    session.finish(&FrontierAnswer::new(&found), directory, &picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_riskless_portfolio_has_no_sharpe_ratio_and_says_so() {
        let portfolio = PortfolioAnswer {
            ret: 0.02,
            volatility: 0.0,
            sharpe: f64::NAN,
            riskless: true,
            weights: Named { names: vec!["B".to_owned(), "A".to_owned()], values: vec![0.25, 0.75] },
        };
        let json = serde_json::to_string(&portfolio).expect("numbers are JSON");
        let expected =
            r#"{"return":0.02,"volatility":0.0,"sharpe":null,"riskless":true,"weights":{"B":0.25,"A":0.75}}"#;
        assert_eq!(json, expected);
    }
}
