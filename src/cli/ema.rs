//! `cubefold ema`: exponential moving averages of price columns.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cubefold_finance::data::Table;
use cubefold_finance::{Decay, Init, ema};
use serde::Serialize;
use serde::ser::SerializeStruct;

use super::error::CliError;
use super::output::{self, Answer, Named};
use super::session::Session;
use crate::report::table::{Side, TextTable, grouped, significant};

/// A table of at most this many rows is printed whole for people.
const WHOLE: usize = 40;
/// Rows at each end of a longer one.
const ENDS: usize = 5;

/// Flags of `cubefold ema`.
#[derive(Debug, Clone, Args)]
pub struct EmaArgs {
    /// Weight of the newest value, in (0, 1]
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    alpha: Option<f64>,
    /// alpha = 2 / (S + 1), S at least 1
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    span: Option<f64>,
    /// Centre of mass: alpha = 1 / (1 + C), C at least 0
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    com: Option<f64>,
    /// alpha = 1 - exp(-ln 2 / H), H above 0
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    halflife: Option<f64>,
    /// Where the average starts: at the first value (pandas' adjust=False) or at zero
    #[arg(long, value_enum, value_name = "START", default_value_t = InitArg::First)]
    init: InitArg,
    /// CSV: a header, then one row a date; the first column is the date or index
    #[arg(value_name = "PRICES.csv")]
    prices: PathBuf,
    /// The columns to smooth; all where none is named
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    columns: Vec<String>,
    /// Write the averages into this CSV file
    #[arg(short = 'o', long = "output", value_name = "OUT.csv")]
    output: Option<PathBuf>,
}

/// Where the average starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InitArg {
    First,
    Zero,
}

impl EmaArgs {
    /// The one decay that was given, its range checked.
    fn decay(&self) -> Result<Decay, CliError> {
        let given = [
            self.alpha.map(Decay::Alpha),
            self.span.map(Decay::Span),
            self.com.map(Decay::Com),
            self.halflife.map(Decay::HalfLife),
        ];
        let given: Vec<Decay> = given.into_iter().flatten().collect();
        let [decay] = given[..] else {
            return Err(CliError::DecayCount { given: given.len() });
        };
        decay.alpha()?;
        Ok(decay)
    }

    /// The columns that were asked for.
    fn read(&self) -> Result<Table, CliError> {
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let prices = Table::read_csv(&self.prices)?;
        Ok(if names.is_empty() { prices } else { prices.select(&names)? })
    }
}

/// The averages, as a table like the prices.
#[derive(Debug)]
struct EmaAnswer {
    averages: Table,
}

impl Serialize for EmaAnswer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let averages = &self.averages;
        let values: Vec<Vec<f64>> = (0..averages.width()).map(|column| averages.column(column)).collect();
        let mut object = serializer.serialize_struct("EmaAnswer", 2)?;
        object.serialize_field("index", &averages.index)?;
        object.serialize_field("values", &Named { names: averages.columns.clone(), values })?;
        object.end()
    }
}

impl Answer for EmaAnswer {
    const NAME: &'static str = "ema";

    fn table(&self) -> String {
        let averages = &self.averages;
        let names = averages.columns.iter().map(|name| (name.clone(), Side::Right));
        let mut table = TextTable::new([(averages.index_name.clone(), Side::Left)].into_iter().chain(names));
        let rows = averages.rows();
        let cells = |row: usize| {
            let values = (0..averages.width()).map(move |column| significant(averages.value(row, column), 6));
            [averages.index[row].clone()].into_iter().chain(values)
        };
        if rows <= WHOLE {
            (0..rows).for_each(|row| table.row(cells(row)));
            return table.render();
        }
        (0..ENDS).for_each(|row| table.row(cells(row)));
        table.row(std::iter::repeat_n("…", averages.width() + 1));
        (rows - ENDS..rows).for_each(|row| table.row(cells(row)));
        let rows = grouped(rows as u64);
        format!("{}{rows} rows; --format csv or -o OUT.csv gives all\n", table.render())
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        self.averages.write_csv(&mut bytes)?;
        Ok(bytes)
    }
}

/// Smooths the columns; `-o` writes a CSV file whatever is printed.
///
/// # Errors
/// None or several decays, one out of range, a file or column that cannot be used, a device or output that cannot be used.
pub fn run(arguments: &EmaArgs, session: &Session) -> Result<(), CliError> {
    let decay = arguments.decay()?;
    let prices = arguments.read()?;
    if let Some(path) = &arguments.output {
        output::prepare_file(path)?;
    }
    let init = match arguments.init {
        InitArg::First => Init::First,
        InitArg::Zero => Init::Zero,
    };
    let averages = session.run(1, |device, progress| {
        progress.say("smoothing");
        Ok(ema(device, &prices, decay, init)?)
    })?;
    let answer = EmaAnswer { averages };
    if let Some(path) = &arguments.output {
        output::write_file(path, &answer.csv()?)?;
    }
    session.print(&answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn averages(rows: usize) -> EmaAnswer {
        let index = (0..rows).map(|row| row.to_string()).collect();
        let columns = vec!["B".to_owned(), "A".to_owned()];
        let value = |value| if value == 0 { f64::NAN } else { value as f64 };
        let values = (0..2 * rows).map(value).collect();
        let averages = Table::new("Date".to_owned(), index, columns, values);
        let averages = averages.expect("the parts fit together");
        EmaAnswer { averages }
    }

    #[test]
    fn json_keeps_the_columns_in_order_and_missing_is_null() {
        let json = serde_json::to_string(&averages(2)).expect("a table is JSON");
        assert_eq!(json, r#"{"index":["0","1"],"values":{"B":[null,2.0],"A":[1.0,3.0]}}"#);
    }

    #[test]
    fn people_see_the_ends_of_a_long_table() {
        assert_eq!(averages(WHOLE).table().lines().count(), WHOLE + 1);
        assert_eq!(averages(WHOLE + 1).table().lines().count(), 1 + 2 * ENDS + 1 + 1);
    }
}
