//! `cubefold market --ensemble`: a market for every point of a grid.

use std::path::Path;

use clap::ValueEnum;
use cubefold_finance::market::ensemble::{Axis, EnsembleRun, Member, ensemble};
use cubefold_finance::market::statistics::BUBBLE;
use cubefold_finance::{MarketOptions, Scenario};
use serde::Serialize;

use super::super::error::CliError;
use super::super::output::{self, Answer, cell, csv_bytes};
use super::super::session::Session;
use crate::report::map::{self, Cells, Scale};
use crate::report::table::{Side, TextTable, duration, grouped, significant};

/// What is drawn of every market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// Logarithm of price over fundamental value at the top of the largest bubble
    Bubble,
    /// Distance of the log price from the fundamental value in the last tenth
    Distance,
    /// Standard deviation of the returns of a step
    Volatility,
    /// Excess kurtosis of the returns
    Kurtosis,
    /// Correlation of the sizes of returns that follow one another
    Clustering,
    /// Largest root of the theory
    Root,
}

impl Measure {
    fn name(self) -> &'static str {
        match self {
            Measure::Bubble => "largest bubble (log)",
            Measure::Distance => "last distance",
            Measure::Volatility => "volatility",
            Measure::Kurtosis => "excess kurtosis",
            Measure::Clustering => "clustering",
            Measure::Root => "largest root",
        }
    }

    fn of(self, member: &Member) -> f64 {
        let found = &member.statistics;
        match self {
            Measure::Bubble => found.largest_bubble.map_or(0.0, |bubble| bubble.height.ln_1p()),
            Measure::Distance => member.last_distance,
            Measure::Volatility => found.volatility,
            Measure::Kurtosis => found.excess_kurtosis,
            Measure::Clustering => found.size_autocorrelation.first().copied().unwrap_or(f64::NAN),
            Measure::Root => member.largest_root.unwrap_or(f64::NAN),
        }
    }
}

/// The markets of a grid as they are printed.
#[derive(Debug, Serialize)]
struct EnsembleAnswer {
    /// Names of the parameters.
    parameters: Vec<&'static str>,
    #[serde(flatten)]
    run: EnsembleRun,
}

/// Whether the theory says that a market makes bubbles.
fn beyond(member: &Member) -> bool {
    member.largest_root.is_some_and(|root| root > 1.0)
}

impl Answer for EnsembleAnswer {
    const NAME: &'static str = "ensemble";

    fn table(&self) -> String {
        let members = &self.run.members;
        let count = |wanted: &dyn Fn(&Member) -> bool| members.iter().filter(|member| wanted(member)).count() as u64;
        let mut table = TextTable::new([("markets", Side::Left), (&grouped(members.len() as u64), Side::Left)]);
        table.row(["over", &self.parameters.join(" and ")]);
        table.row(["largest root over 1", &grouped(count(&beyond))]);
        let off = |member: &Member| member.last_distance > BUBBLE;
        table.row(["over 10 % off in the last tenth", &grouped(count(&off))]);
        table.row(["both or neither", &grouped(count(&|member| off(member) == beyond(member)))]);
        for measure in Measure::value_variants() {
            let values = || members.iter().map(|member| measure.of(member)).filter(|value| value.is_finite());
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            if low <= high {
                table.row([measure.name(), &format!("{} to {}", significant(low, 4), significant(high, 4))]);
            }
        }
        table.row(["device", &self.run.device]);
        table.row(["time", &duration(self.run.seconds)]);
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let named =
            ["largest_bubble", "bubble_start", "bubble_length", "last_distance", "volatility", "excess_kurtosis"];
        let rest = ["tail_exponent", "size_autocorrelation", "largest_root"];
        let header = self.parameters.iter().chain(&named).chain(&rest).map(|name| (*name).to_owned()).collect();
        csv_bytes(std::iter::once(header).chain(self.run.members.iter().map(record)))
    }
}

fn record(member: &Member) -> Vec<String> {
    let of = |measure: Measure| cell(measure.of(member));
    let bubble = member.statistics.largest_bubble;
    let whole = |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
    let mut row: Vec<String> = member.values.iter().map(|value| cell(*value)).collect();
    let height = cell(bubble.map_or(f64::NAN, |found| found.height));
    row.extend([height, whole(bubble.map(|found| found.start)), whole(bubble.map(|found| found.length))]);
    row.extend([of(Measure::Distance), of(Measure::Volatility), of(Measure::Kurtosis)]);
    row.extend([cell(member.statistics.tail_exponent), of(Measure::Clustering), of(Measure::Root)]);
    row
}

/// Runs the markets and draws their map.
///
/// # Errors
/// As for one market.
pub fn run(
    options: &MarketOptions,
    scenario: &Scenario,
    axes: &[Axis],
    measure: Measure,
    session: &Session,
    directory: Option<&Path>,
) -> Result<(), CliError> {
    output::prepare::<EnsembleAnswer>(directory)?;
    let run = session.run(1, |device, progress| {
        progress.say("trading");
        Ok(ensemble(device, options, scenario, axes)?)
    })?;
    let parameters = axes.iter().map(|axis| axis.parameter.name()).collect();
    let answer = EnsembleAnswer { parameters, run };
    let picture = match directory {
        Some(_) => draw(&answer, axes, measure)?,
        None => String::new(),
    };
    session.finish(&answer, directory, &picture)
}

fn draw(answer: &EnsembleAnswer, axes: &[Axis], measure: Measure) -> Result<String, CliError> {
    let values: Vec<f64> = answer.run.members.iter().map(|member| measure.of(member)).collect();
    let beyond: Vec<bool> = answer.run.members.iter().map(beyond).collect();
    let cells = Cells { name: measure.name(), values: &values, beyond: &beyond };
    let scales = axes.iter().map(|axis| Scale { name: axis.parameter.name().to_owned(), values: axis.values() });
    let scales: Vec<Scale> = scales.collect();
    let title = format!("Markets: {}", measure.name());
    Ok(match &scales[..] {
        [across, up] => map::draw_map(&title, across, up, cells)?,
        [across, ..] => map::draw_line(&title, across, cells)?,
        [] => String::new(),
    })
}
