//! `cubefold drawdown`: the deepest fall of every price.

use clap::Args;
use cubefold_finance::{Drawdown, Table, drawdown};
use serde::Serialize;

use super::error::CliError;
use super::output::{Answer, Named, cell, csv_bytes};
use super::series::{self, SeriesArgs};
use super::session::Session;
use crate::report::table::{Side, TextTable, percent};

/// Flags of `cubefold drawdown`.
#[derive(Debug, Clone, Args)]
pub struct DrawdownArgs {
    /// The prices and the files.
    #[command(flatten)]
    series: SeriesArgs,
}

/// The deepest fall of a column, by the texts of the index.
#[derive(Debug, Clone, Serialize)]
struct Fall {
    depth: f64,
    start: Option<String>,
    trough: Option<String>,
    recovery: Option<String>,
}

impl Fall {
    /// A column without prices has no fall.
    fn new(found: Option<Drawdown>, prices: &Table) -> Self {
        let date = |row: usize| prices.index[row].clone();
        Fall {
            depth: found.map_or(f64::NAN, |fall| fall.depth),
            start: found.map(|fall| date(fall.start)),
            trough: found.map(|fall| date(fall.trough)),
            recovery: found.and_then(|fall| fall.recovery).map(date),
        }
    }

    fn dates(&self) -> [String; 3] {
        [&self.start, &self.trough, &self.recovery].map(|date| date.clone().unwrap_or_default())
    }
}

/// The falls by column.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct DrawdownAnswer {
    falls: Named<Fall>,
}

impl DrawdownAnswer {
    fn rows(&self) -> impl Iterator<Item = (&String, &Fall)> {
        self.falls.names.iter().zip(&self.falls.values)
    }
}

impl Answer for DrawdownAnswer {
    const NAME: &'static str = "drawdown";

    fn table(&self) -> String {
        let header = [
            ("column", Side::Left),
            ("depth", Side::Right),
            ("start", Side::Left),
            ("trough", Side::Left),
            ("recovery", Side::Left),
        ];
        let mut table = TextTable::new(header.map(|(name, side)| (name.to_owned(), side)));
        for (name, fall) in self.rows() {
            table.row([name.clone(), percent(fall.depth)].into_iter().chain(fall.dates()));
        }
        table.render()
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let header = ["column", "depth", "start", "trough", "recovery"].map(str::to_owned).to_vec();
        let row =
            |(name, fall): (&String, &Fall)| [name.clone(), cell(fall.depth)].into_iter().chain(fall.dates()).collect();
        csv_bytes(std::iter::once(header).chain(self.rows().map(row)))
    }
}

/// Finds the falls; `-o` and `--plot` write files whatever is printed.
///
/// # Errors
/// A negative price, a file or column that cannot be used, a device or output that cannot be used.
pub fn run(arguments: &DrawdownArgs, session: &Session) -> Result<(), CliError> {
    let prices = arguments.series.read()?;
    prices.check_drawdown()?;
    arguments.series.prepare()?;
    let found = session.run(1, |device, progress| {
        progress.say("looking for peaks");
        Ok(drawdown(device, &prices)?)
    })?;
    let values = found.deepest.iter().map(|&fall| Fall::new(fall, &prices)).collect();
    let answer = DrawdownAnswer { falls: Named { names: prices.columns.clone(), values } };
    let draw = || series::picture(&found.depths, "Drawdowns", "price / peak − 1");
    arguments.series.finish(session, &answer, draw)
}
