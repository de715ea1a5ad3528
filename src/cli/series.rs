//! What the subcommands share that make a table of a table: which prices are read, how results are printed and drawn.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use cubefold_finance::data::{DataError, Table};
use serde::Serialize;
use serde::ser::SerializeStruct;

use super::error::CliError;
use super::output::{self, Answer, Named};
use super::session::Session;
use crate::report::PlotError;
use crate::report::lines::{self, Lines};
use crate::report::table::{Side, TextTable, grouped, significant};

/// A table of at most this many rows is printed whole for people.
const WHOLE: usize = 40;
/// Rows at each end of a longer one.
const ENDS: usize = 5;

/// The price file, the columns that are used, and the files that are written.
#[derive(Debug, Clone, Args)]
pub struct SeriesArgs {
    /// CSV: a header, then one row a date; the first column is the date or index
    #[arg(value_name = "PRICES.csv")]
    prices: PathBuf,
    /// The columns to use; all where none is named
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    columns: Vec<String>,
    /// Write the answer into this CSV file
    #[arg(short = 'o', long = "output", value_name = "OUT.csv")]
    output: Option<PathBuf>,
    /// Draw the answer into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

impl SeriesArgs {
    /// The columns that were asked for.
    ///
    /// # Errors
    /// [`CliError::Data`].
    pub fn read(&self) -> Result<Table, CliError> {
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let prices = Table::read_csv(&self.prices)?;
        Ok(if names.is_empty() { prices } else { prices.select(&names)? })
    }

    /// Makes sure that the files can be written, before any work is done for them.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn prepare(&self) -> Result<(), CliError> {
        [&self.output, &self.plot].into_iter().flatten().try_for_each(|path| output::prepare_file(path))
    }

    /// Writes the files that were asked for and prints the answer.
    ///
    /// # Errors
    /// A picture that cannot be drawn, a file or standard output that cannot be written.
    pub fn finish(
        &self,
        session: &Session,
        answer: &impl Answer,
        picture: impl FnOnce() -> Result<String, PlotError>,
    ) -> Result<(), CliError> {
        if let Some(path) = &self.output {
            output::write_csv_file(path, answer)?;
        }
        if let Some(path) = &self.plot {
            output::write_file(path, picture()?.as_bytes())?;
        }
        session.print(answer)
    }
}

/// A picture of every column of `figures`.
///
/// # Errors
/// What plotters gives.
pub fn picture(figures: &Table, title: &str, unit: &str) -> Result<String, PlotError> {
    let names = figures.columns.iter().enumerate();
    let lines = names.map(|(column, name)| (name.as_str(), figures.column(column))).collect();
    lines::draw(&Lines { title, unit, dates: &figures.index, lines })
}

/// A figure of every row and column, as a table like the prices.
#[derive(Debug)]
pub struct SeriesAnswer {
    /// The figures.
    pub figures: Table,
}

impl Serialize for SeriesAnswer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures = &self.figures;
        let values: Vec<Vec<f64>> = (0..figures.width()).map(|column| figures.column(column)).collect();
        let mut object = serializer.serialize_struct("SeriesAnswer", 2)?;
        object.serialize_field("index", &*figures.index)?;
        object.serialize_field("values", &Named { names: figures.columns.clone(), values })?;
        object.end()
    }
}

impl Answer for SeriesAnswer {
    const NAME: &'static str = "series";

    fn table(&self) -> String {
        let figures = &self.figures;
        let names = figures.columns.iter().map(|name| (name.clone(), Side::Right));
        let mut table = TextTable::new([(figures.index_name.clone(), Side::Left)].into_iter().chain(names));
        let rows = figures.rows();
        let cells = |row: usize| {
            let values = (0..figures.width()).map(move |column| significant(figures.value(row, column), 6));
            [figures.index[row].clone()].into_iter().chain(values)
        };
        if rows <= WHOLE {
            (0..rows).for_each(|row| table.row(cells(row)));
            return table.render();
        }
        (0..ENDS).for_each(|row| table.row(cells(row)));
        table.row(std::iter::repeat_n("…", figures.width() + 1));
        (rows - ENDS..rows).for_each(|row| table.row(cells(row)));
        let rows = grouped(rows as u64);
        format!("{}{rows} rows; --format csv or -o OUT.csv gives all\n", table.render())
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        self.figures.write_csv(&mut bytes)?;
        Ok(bytes)
    }

    fn write_csv(&self, out: &mut dyn Write, told: &dyn Fn(io::Error) -> CliError) -> Result<(), CliError> {
        self.figures.write_csv(out).map_err(|error| match error {
            DataError::Write { kind } => told(kind.into()),
            error => error.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(rows: usize) -> SeriesAnswer {
        let index = (0..rows).map(|row| row.to_string()).collect();
        let columns = vec!["B".to_owned(), "A".to_owned()];
        let value = |value| if value == 0 { f64::NAN } else { value as f64 };
        let values = (0..2 * rows).map(value).collect();
        let figures = Table::new("Date".to_owned(), index, columns, values);
        SeriesAnswer { figures: figures.expect("the parts fit together") }
    }

    #[test]
    fn json_keeps_the_columns_in_order_and_missing_is_null() {
        let json = serde_json::to_string(&figures(2)).expect("a table is JSON");
        assert_eq!(json, r#"{"index":["0","1"],"values":{"B":[null,2.0],"A":[1.0,3.0]}}"#);
    }

    #[test]
    fn a_table_is_written_as_it_is_held_and_a_refusal_is_told() {
        let (answer, mut out) = (figures(3), Vec::new());
        answer.write_csv(&mut out, &CliError::StandardOutput).expect("memory takes it");
        assert_eq!(out, answer.csv().expect("memory takes it"));
        let mut little: &mut [u8] = &mut [0; 4];
        let refused = answer.write_csv(&mut little, &CliError::StandardOutput).expect_err("there is no room");
        assert!(matches!(refused, CliError::StandardOutput(error) if error.kind() == io::ErrorKind::WriteZero));
    }

    #[test]
    fn people_see_the_ends_of_a_long_table() {
        assert_eq!(figures(WHOLE).table().lines().count(), WHOLE + 1);
        assert_eq!(figures(WHOLE + 1).table().lines().count(), 1 + 2 * ENDS + 1 + 1);
    }
}
