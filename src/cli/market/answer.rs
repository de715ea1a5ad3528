//! A run of the market as it is printed.

use cubefold_finance::market::statistics::{BUBBLE, returns};
use cubefold_finance::market::theory::largest_root;
use cubefold_finance::market::{Bubble, Statistics, statistics, stretches};
use cubefold_finance::{MarketOptions, MarketRun};
use serde::Serialize;

use super::super::error::CliError;
use super::super::output::{Answer, cell, csv_bytes};
use crate::report::table::{Side, TextTable, duration, grouped, percent, significant};

/// A run, and what it shows.
#[derive(Debug, Serialize)]
pub struct MarketAnswer {
    #[serde(flatten)]
    pub run: MarketRun,
    #[serde(flatten)]
    details: Option<Details>,
}

/// What `--explain` adds.
#[derive(Debug, Serialize)]
pub struct Details {
    /// Largest magnitude of a root of the linear market; none for a very long lag.
    pub largest_root: Option<f64>,
    /// Whether it is over 1.
    pub theory_has_bubbles: Option<bool>,
    /// Whether the price is a bubble or a slump in the last tenth of the run.
    pub run_has_bubbles: bool,
    pub statistics: Statistics,
    log_return: Vec<f64>,
    excess_demand: Vec<[f64; 3]>,
}

impl MarketAnswer {
    /// The answer of a run, with details where its options are given.
    pub fn new(run: MarketRun, explained: Option<&MarketOptions>) -> Self {
        let details = explained.map(|options| Details::new(&run, options));
        MarketAnswer { run, details }
    }

    /// What `--explain` adds.
    pub fn details(&self) -> Option<&Details> {
        self.details.as_ref()
    }

    /// Step and price of the value that `better` prefers to all others.
    fn extreme(&self, better: fn(f64, f64) -> bool) -> Option<String> {
        let steps = self.run.log_price.iter().copied().enumerate().filter(|(_, price)| !price.is_nan());
        let best = steps.reduce(|best, next| if better(next.1, best.1) { next } else { best });
        best.map(|(step, price)| format!("{} at step {step}", significant(price.exp(), 6)))
    }
}

impl Details {
    fn new(run: &MarketRun, options: &MarketOptions) -> Self {
        let largest_root = largest_root(options);
        let last_tenth = run.log_price.len() * 9 / 10;
        let distances = run.log_price.iter().zip(&run.log_fundamental).map(|(price, value)| (price - value).abs());
        Details {
            largest_root,
            theory_has_bubbles: largest_root.map(|root| root > 1.0),
            run_has_bubbles: distances.skip(last_tenth).any(|distance| distance > BUBBLE),
            statistics: statistics(&run.log_price, &run.log_fundamental),
            log_return: returns(&run.log_price),
            excess_demand: run.excess_demand.clone(),
        }
    }

    fn add_rows(&self, table: &mut TextTable) {
        let number = |value: f64| if value.is_finite() { significant(value, 4) } else { "–".to_owned() };
        let root = match (self.largest_root, self.theory_has_bubbles) {
            (Some(root), Some(true)) => format!("{}: over 1, these parameters make bubbles", number(root)),
            (Some(root), _) => format!("{}: not over 1, the price settles but for noise", number(root)),
            _ => "not sought for so long a lag".to_owned(),
        };
        table.row(["largest root", &root]);
        let end = if self.run_has_bubbles { "over 10 % off" } else { "within 10 %" };
        let agrees = match self.theory_has_bubbles {
            Some(theory) if theory == self.run_has_bubbles => ", as the theory says",
            Some(_) => ", unlike the theory without noise and clamp",
            None => "",
        };
        table.row(["last tenth of the run", &format!("{end}{agrees}")]);
        let found = &self.statistics;
        let bubble = found.largest_bubble.as_ref().map_or("none".to_owned(), |Bubble { height, start, length }| {
            format!("{} over the fundamental value, from step {start} for {length} steps", percent(*height))
        });
        table.row(["largest bubble", &bubble]);
        table.row(["volatility of a step", &number(found.volatility)]);
        table.row(["excess kurtosis", &number(found.excess_kurtosis)]);
        table.row(["tail exponent (Hill)", &number(found.tail_exponent)]);
        let first = |values: &[f64]| values.first().map_or("–".to_owned(), |value| number(*value));
        let both = format!("{}, {}", first(&found.autocorrelation), first(&found.size_autocorrelation));
        table.row(["autocorrelation of returns, of sizes", &both]);
    }
}

impl Answer for MarketAnswer {
    const NAME: &'static str = "market";

    fn table(&self) -> String {
        let run = &self.run;
        let price = |value: Option<&f64>| value.map_or_else(String::new, |log| significant(log.exp(), 6));
        let stretches = stretches(&run.log_price, &run.log_fundamental);
        let bubbles = stretches.iter().filter(|stretch| stretch.above).count();
        let mut table = TextTable::new([("steps", Side::Left), (&grouped(run.steps.into()), Side::Left)]);
        table.row(["first price", &price(run.log_price.first())]);
        table.row(["last price", &price(run.log_price.last())]);
        table.row(["highest price", &self.extreme(|next, best| next > best).unwrap_or_default()]);
        table.row(["lowest price", &self.extreme(|next, best| next < best).unwrap_or_default()]);
        table.row(["fundamental value", &price(run.log_fundamental.last())]);
        table.row(["bubbles, slumps", &format!("{bubbles}, {} (over 10 % off)", stretches.len() - bubbles)]);
        if let Some(details) = &self.details {
            details.add_rows(&mut table);
        }
        table.row(["device", &run.device]);
        table.row(["time", &duration(run.seconds)]);
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let named = ["return", "fundamentalists", "trend_followers", "noise_traders"];
        let added = if self.details.is_some() { &named[..] } else { &[] };
        let header = ["step", "log_price"].iter().chain(added).map(|name| (*name).to_owned()).collect();
        let rows = self.run.log_price.iter().enumerate().map(|(step, price)| {
            let mut row = vec![step.to_string(), cell(*price)];
            if let Some(details) = &self.details {
                // What happens at a step is told beside the price that it starts from; nothing does at the last.
                row.push(cell(details.log_return.get(step).copied().unwrap_or(f64::NAN)));
                let demand = details.excess_demand.get(step).copied().unwrap_or([f64::NAN; 3]);
                row.extend(demand.map(cell));
            }
            row
        });
        csv_bytes(std::iter::once(header).chain(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(log_price: Vec<f64>, explained: Option<&MarketOptions>) -> MarketAnswer {
        let (steps, log_fundamental) = (log_price.len() as u32 - 1, vec![0.0; log_price.len()]);
        let excess_demand = vec![[0.5, -0.25, 0.0]; steps as usize];
        let device = "host".to_owned();
        let run = MarketRun { steps, log_price, device, seconds: 0.0, excess_demand, log_fundamental };
        MarketAnswer::new(run, explained)
    }

    #[test]
    fn no_steps_leave_the_initial_price() {
        let answer = answer(vec![0.25], None);
        let json = serde_json::to_string(&answer).expect("numbers are JSON");
        assert_eq!(json, r#"{"steps":0,"log_price":[0.25],"device":"host","seconds":0.0}"#);
        assert_eq!(answer.csv().expect("equal lengths"), b"step,log_price\n0,0.25\n");
    }

    #[test]
    fn extremes_are_found_past_missing_values() {
        let answer = answer(vec![0.0, f64::NAN, 1.0, -1.0], None);
        assert_eq!(answer.extreme(|next, best| next > best).as_deref(), Some("2.71828 at step 2"));
        assert_eq!(answer.extreme(|next, best| next < best).as_deref(), Some("0.367879 at step 3"));
    }

    #[test]
    fn an_explained_run_tells_of_theory_returns_and_demand() {
        let options = MarketOptions { steps: 1, ..MarketOptions::default() };
        let answer = answer(vec![0.0, 0.25], Some(&options));
        let json: serde_json::Value = serde_json::to_value(&answer).expect("numbers are JSON");
        assert_eq!((&json["log_return"][0], &json["excess_demand"][0][1]), (&0.25.into(), &(-0.25).into()));
        assert_eq!(json["run_has_bubbles"], true);
        assert!(json["statistics"]["excess_kurtosis"].is_null());
        let csv = String::from_utf8(answer.csv().expect("equal lengths")).expect("it is text");
        assert!(csv.ends_with("\n0,0.0,0.25,0.5,-0.25,0.0\n1,0.25,,,,\n"), "{csv}");
        assert!(answer.table().contains("largest root"));
    }
}
