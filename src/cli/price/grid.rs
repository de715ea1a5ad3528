//! `cubefold price --grid`: an option for every row of a CSV, in one launch.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cubefold::finance::simulate_grid;
use cubefold_finance::{Instrument, Model, MonteCarlo, Style, closed_form};
use serde::{Deserialize, Serialize};

use super::super::error::CliError;
use super::super::output::{Answer, cell, csv_bytes};
use super::super::session::Session;
use crate::report::table::{Side, TextTable, duration, grouped, significant};

/// A row of the file.
#[derive(Debug, Deserialize)]
struct Row {
    strike: f64,
    expiry: f64,
    style: Option<String>,
}

/// A priced row.
#[derive(Debug, Serialize)]
struct Priced {
    strike: f64,
    expiry: f64,
    style: &'static str,
    value: f64,
    std_error: f64,
    closed_form: Option<f64>,
}

/// All rows, as they are printed.
#[derive(Debug, Serialize)]
struct GridAnswer {
    options: Vec<Priced>,
    paths: u64,
    seed: u64,
    device: String,
    seconds_cold: f64,
    seconds_warm: f64,
}

impl Answer for GridAnswer {
    const NAME: &'static str = "grid";

    fn table(&self) -> String {
        let heads = ["strike", "expiry", "style", "value", "standard error", "closed form"];
        let mut table = TextTable::new(heads.map(|head| (head, Side::Right)));
        for option in &self.options {
            let formula = option.closed_form.map_or_else(String::new, |value| significant(value, 8));
            let numbers = [option.strike.to_string(), option.expiry.to_string(), option.style.to_owned()];
            let found = [significant(option.value, 8), significant(option.std_error, 4), formula];
            table.row([&numbers[0], &numbers[1], &numbers[2], &found[0], &found[1], &found[2]]);
        }
        let time = duration(self.seconds_warm);
        format!("{}{} paths each on {}, {time}\n", table.render(), grouped(self.paths), self.device)
    }

    fn csv(&self) -> Result<Vec<u8>, CliError> {
        let head = "strike,expiry,style,value,std_error,closed_form".split(',').map(str::to_owned).collect();
        let rows = self.options.iter().map(|option| {
            vec![
                cell(option.strike),
                cell(option.expiry),
                option.style.to_owned(),
                cell(option.value),
                cell(option.std_error),
                option.closed_form.map_or_else(String::new, cell),
            ]
        });
        csv_bytes(std::iter::once(head).chain(rows))
    }
}

/// The options of a file: `instrument` at other strikes, expiries and styles.
///
/// # Errors
/// [`CliError::ReadNumbers`], [`CliError::GridStyle`] and [`CliError::GridEmpty`].
pub fn read(path: &Path, instrument: &Instrument) -> Result<Vec<Instrument>, CliError> {
    let place = || PathBuf::from(path);
    let unreadable = |source| CliError::ReadNumbers { path: place(), source };
    let reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(path).map_err(unreadable)?;
    let mut options = Vec::new();
    for (row, line) in reader.into_deserialize::<Row>().zip(2..) {
        let row = row.map_err(unreadable)?;
        let style = match row.style.as_deref() {
            None | Some("") => instrument.style,
            Some("call") => Style::Call,
            Some("put") => Style::Put,
            Some(text) => return Err(CliError::GridStyle { path: place(), line, text: text.to_owned() }),
        };
        let option = Instrument { strike: row.strike, expiry: row.expiry, style, ..instrument.clone() };
        option.check()?;
        options.push(option);
    }
    match options.is_empty() {
        true => Err(CliError::GridEmpty { path: place() }),
        false => Ok(options),
    }
}

/// Prices the options of a file.
///
/// # Errors
/// What the file or the engine does not allow, a device that cannot be used.
pub fn run(
    path: &Path,
    instrument: &Instrument,
    model: &Model,
    engine: &MonteCarlo,
    session: &Session,
) -> Result<(), CliError> {
    let options = read(path, instrument)?;
    let answer = session.run(1, |device, progress| {
        progress.say("pricing");
        let timed = || {
            let start = Instant::now();
            let prices = simulate_grid(device, &options, model, engine)?;
            Ok::<_, CliError>((prices, start.elapsed().as_secs_f64()))
        };
        let (prices, seconds_cold) = timed()?;
        let (_, seconds_warm) = timed()?;
        let priced = options.iter().zip(prices).map(|(option, price)| Priced {
            strike: option.strike,
            expiry: option.expiry,
            style: if option.style == Style::Call { "call" } else { "put" },
            value: price.value,
            std_error: price.std_error,
            closed_form: closed_form::price(option, model),
        });
        Ok(GridAnswer {
            options: priced.collect(),
            paths: engine.paths,
            seed: engine.seed,
            device: device.label(),
            seconds_cold,
            seconds_warm,
        })
    })?;
    session.finish(&answer, None, "")
}
