//! A matrix of correlations from a CSV file.

use std::path::PathBuf;

use super::super::error::CliError;

/// The rows of a CSV of numbers without a header.
///
/// # Errors
/// [`CliError::ReadNumbers`] for a file that cannot be read, and [`CliError::NotANumber`] with the place of a cell that is none.
pub fn read(path: &str) -> Result<Vec<Vec<f64>>, CliError> {
    let place = PathBuf::from(path);
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_path(&place);
    let unreadable = |source| CliError::ReadNumbers { path: place.clone(), source };
    let mut rows = Vec::new();
    for (record, line) in reader.map_err(unreadable)?.into_records().zip(1..) {
        let record = record.map_err(unreadable)?;
        let numbers = record.iter().map(|cell| {
            cell.parse().map_err(|_| CliError::NotANumber { path: place.clone(), line, text: cell.to_owned() })
        });
        rows.push(numbers.collect::<Result<Vec<f64>, _>>()?);
    }
    Ok(rows)
}
