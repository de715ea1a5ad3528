//! The best portfolios and the edge as they are printed.

use cubefold_finance::frontier::{Distance, ExactFrontier};
use cubefold_finance::{Frontier, Portfolio};
use serde::Serialize;

use crate::cli::error::CliError;
use crate::cli::output::{Answer, Named, cell, csv_bytes};
use crate::report::table::{Side, TextTable, grouped, percent, significant};

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

    fn csv_row(&self, name: &str) -> Vec<String> {
        let mut row = vec![name.to_owned()];
        row.extend([self.ret, self.volatility, self.sharpe].map(cell));
        row.push(self.riskless.to_string());
        row.extend(self.weights.values.iter().map(|weight| cell(*weight)));
        row
    }
}

/// A point of the edge as it is printed.
#[derive(Debug, Serialize)]
struct EdgeAnswer {
    #[serde(rename = "return")]
    ret: f64,
    volatility: f64,
    weights: Named<f64>,
}

/// The exact best as they are printed, and how far the best that were found are from them.
#[derive(Debug, Serialize)]
struct ExactAnswer {
    min_volatility: PortfolioAnswer,
    max_sharpe: Option<PortfolioAnswer>,
    distance: DistanceAnswer,
}

/// How far, relatively; null where there is nothing to compare.
#[derive(Debug, Serialize)]
struct DistanceAnswer {
    min_volatility: f64,
    max_sharpe: f64,
    frontier: f64,
}

impl From<Distance> for DistanceAnswer {
    fn from(distance: Distance) -> Self {
        let Distance { min_volatility, max_sharpe, edge } = distance;
        DistanceAnswer { min_volatility, max_sharpe, frontier: edge }
    }
}

/// The two best portfolios, the exact ones, and the edge, as they are printed.
#[derive(Debug, Serialize)]
pub struct FrontierAnswer {
    portfolios: u32,
    min_volatility: PortfolioAnswer,
    max_sharpe: PortfolioAnswer,
    exact: ExactAnswer,
    frontier: Vec<EdgeAnswer>,
    /// In the order of the command line, returns before volatilities; null for one that no portfolio reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<Option<PortfolioAnswer>>,
    #[serde(skip)]
    rounds: u32,
}

impl FrontierAnswer {
    /// What was found, beside what is exact.
    pub fn new(frontier: &Frontier, exact: &ExactFrontier) -> Self {
        let answer = |portfolio: &Portfolio| PortfolioAnswer::new(&frontier.assets, portfolio);
        let on_edge = |portfolio: &Portfolio| EdgeAnswer {
            ret: portfolio.point.ret,
            volatility: portfolio.point.volatility,
            weights: Named { names: frontier.assets.clone(), values: portfolio.weights.clone() },
        };
        FrontierAnswer {
            portfolios: frontier.portfolios,
            min_volatility: answer(&frontier.min_volatility),
            max_sharpe: answer(&frontier.max_sharpe),
            exact: ExactAnswer {
                min_volatility: answer(&exact.min_volatility),
                max_sharpe: exact.max_sharpe.as_ref().map(answer),
                distance: exact.distance.into(),
            },
            frontier: frontier.edge.iter().map(on_edge).collect(),
            targets: frontier.targets.iter().map(|target| target.as_ref().map(answer)).collect(),
            rounds: frontier.rounds,
        }
    }

    /// The portfolios of the table and of the CSV.
    fn named(&self) -> Vec<(String, Option<&PortfolioAnswer>)> {
        let best = [("min_volatility", &self.min_volatility), ("max_sharpe", &self.max_sharpe)];
        let best = best.map(|(name, portfolio)| (name.to_owned(), Some(portfolio)));
        let targets = self.targets.iter().enumerate();
        let targets = targets.map(|(place, target)| (format!("target_{}", place + 1), target.as_ref()));
        best.into_iter().chain(targets).collect()
    }
}

impl Answer for FrontierAnswer {
    const NAME: &'static str = "frontier";

    fn table(&self) -> String {
        let exact = [("exact", Some(&self.exact.min_volatility)), ("exact", self.exact.max_sharpe.as_ref())];
        let mut columns: Vec<(String, Option<&PortfolioAnswer>)> = Vec::new();
        for (place, (name, portfolio)) in self.named().into_iter().enumerate() {
            columns.push((name.replace('_', " ").replace("sharpe", "Sharpe"), portfolio));
            columns.extend(exact.get(place).map(|(name, portfolio)| (name.to_string(), *portfolio)));
        }
        let header = columns.iter().map(|(name, _)| (name.clone(), Side::Right));
        let mut table = TextTable::new([(String::new(), Side::Left)].into_iter().chain(header));
        let mut line = |name: &str, text: &dyn Fn(&PortfolioAnswer) -> String| {
            let texts = columns.iter().map(|(_, portfolio)| portfolio.map_or_else(String::new, text));
            table.row([name.to_owned()].into_iter().chain(texts));
        };
        line("return a year", &|portfolio| percent(portfolio.ret));
        line("volatility a year", &|portfolio| percent(portfolio.volatility));
        line("Sharpe ratio", &|portfolio| significant(portfolio.sharpe, 4));
        line("riskless", &|portfolio| if portfolio.riskless { "yes" } else { "no" }.to_owned());
        for (index, asset) in self.min_volatility.weights.names.iter().enumerate() {
            let weight = |portfolio: &PortfolioAnswer| portfolio.weights.values.get(index).copied().unwrap_or(f64::NAN);
            line(&format!("weight {asset}"), &|portfolio| percent(weight(portfolio)));
        }
        let (portfolios, distance) = (grouped(self.portfolios.into()), &self.exact.distance);
        let rounds = if self.rounds == 1 { "1 round" } else { &format!("{} rounds", self.rounds) };
        format!(
            "{}best of {portfolios} portfolios in {rounds}; above the exact least volatility by {}, below the exact Sharpe ratio \
             by {}\n{} points of the edge, at most {} above the exact one; JSON has their weights\n",
            table.render(),
            share(distance.min_volatility),
            share(distance.max_sharpe),
            self.frontier.len(),
            share(distance.frontier),
        )
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let fixed = ["portfolio", "return", "volatility", "sharpe", "riskless"].map(str::to_owned);
        let header: Vec<String> = fixed.into_iter().chain(self.min_volatility.weights.names.iter().cloned()).collect();
        let width = header.len();
        let row = |(name, portfolio): (String, Option<&PortfolioAnswer>)| match portfolio {
            Some(portfolio) => portfolio.csv_row(&name),
            None => std::iter::once(name).chain(std::iter::repeat_n(String::new(), width - 1)).collect(),
        };
        csv_bytes(std::iter::once(header).chain(self.named().into_iter().map(row)))
    }
}

/// A relative distance, rounding aside.
fn share(distance: f64) -> String {
    if distance.is_nan() { "–".to_owned() } else { format!("{:.4} %", 100.0 * distance.max(0.0)) }
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

    #[test]
    fn distances_are_percentages_and_none_below_zero() {
        assert_eq!([0.00123, -1e-12, f64::NAN].map(share), ["0.1230 %", "0.0000 %", "–"]);
    }
}
