//! What can be wrong with a table of prices, and where.

use std::fmt;
use std::io::ErrorKind;

use thiserror::Error;

/// Where a cell stands in the source of a table. Shown as `prices.csv: line 3, column 2 (AAPL)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The file, or the name of the table.
    pub file: String,
    /// 1-based; the header is on line 1.
    pub line: usize,
    /// 1-based; the index is column 1.
    pub column: usize,
    /// The name of the column.
    pub header: String,
}

impl fmt::Display for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, header) = (one_line(&self.file), brief(&self.header));
        write!(out, "{file}: line {}, column {} ({header})", self.line, self.column)
    }
}

/// A table of prices that cannot be read, used or written.
///
/// Every message is one line: where, what was found, and what to do. A `file` is the path as it was
/// given, or the name of a table that came from elsewhere.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are named for what they hold; lines and columns count from 1")]
pub enum DataError {
    /// There is no file at the path.
    #[error("{}: no such file; check the path", one_line(.file))]
    Missing { file: String },
    /// The path is a directory.
    #[error("{} is a directory; give a CSV file", one_line(.file))]
    Directory { file: String },
    /// The operating system refused to read.
    #[error("{} cannot be read ({kind}); check that it is a file you may read", one_line(.file))]
    Read { file: String, kind: ErrorKind },
    /// The file holds a NUL byte or is not UTF-8.
    #[error("{} is not text (byte 0x{byte:02x} at offset {offset}); save it as a CSV in UTF-8", one_line(.file))]
    Binary { file: String, offset: usize, byte: u8 },
    /// The file holds nothing but blank lines.
    #[error("{} is empty; give a CSV with a header and rows of prices", one_line(.file))]
    Empty { file: String },
    /// The file ends after its header.
    #[error("{} has a header of {columns} columns and no rows; add at least one row", one_line(.file))]
    HeaderOnly { file: String, columns: usize },
    /// The header names an index and nothing else.
    #[error(
        "{} has only the index column {:?}; give at least one more column, separated by a comma",
        one_line(.file), brief(.header)
    )]
    IndexOnly { file: String, header: String },
    /// The first line has numbers only.
    #[error("{}: line {line} has numbers where names are expected; put a header such as Date,A,B above it", one_line(.file))]
    NoHeader { file: String, line: usize },
    /// A column has no name.
    #[error("{}: column {column} has no name; name it in the header or take it out", one_line(.file))]
    UnnamedColumn { file: String, column: usize },
    /// Two columns have one name.
    #[error("{}: columns {first} and {second} are both named {:?}; rename one", one_line(.file), brief(.header))]
    DuplicateColumn { file: String, header: String, first: usize, second: usize },
    /// A row has more or fewer fields than the header.
    #[error(
        "{}: line {line} has {found} fields and the header has {expected}; give every line the same number of commas",
        one_line(.file)
    )]
    Ragged { file: String, line: usize, found: usize, expected: usize },
    /// A cell that should hold a number holds something else.
    #[error("{at}: {:?} is not a number; write one such as 101.5, or NA if it is missing", brief(.text))]
    NotANumber { at: Cell, text: String },
    /// A cell holds an infinity, or a number beyond the range of f64.
    #[error("{at}: {:?} is not finite; write a finite number, or NA if it is missing", brief(.text))]
    NotFinite { at: Cell, text: String },
    /// An index that should hold dates holds something else.
    #[error("{at}: {:?} is no date; write one such as 2024-01-31 or 2024-01-31T09:30:00", brief(.text))]
    NotADate { at: Cell, text: String },
    /// A column that was asked for is not there.
    #[error("there is no column {:?}; the columns are {}", brief(.column), listed(.known))]
    UnknownColumn { column: String, known: Vec<String> },
    /// A column that was asked for twice.
    #[error("column {:?} is asked for twice; name it once", brief(.column))]
    RepeatedColumn { column: String },
    /// The parts of a table made by hand do not fit together.
    #[error("{rows} rows of {columns} columns need {} values and there are {values}", rows.saturating_mul(*columns))]
    Shape { rows: usize, columns: usize, values: usize },
    /// Every row misses a value, so that no row is left to form returns.
    #[error(
        "{}: none of {rows} rows is complete, column {:?} alone misses {missing} values; fill it or take it out",
        one_line(.file), brief(.header)
    )]
    NoCompleteRow { file: String, rows: usize, header: String, missing: usize },
    /// A price that is not above zero has no log return.
    #[error("{at}: the price is {value}, log returns need prices above 0; correct it or mark it as missing with NA")]
    PriceNotPositive { at: Cell, value: f64 },
    /// A fall is a share of a peak, which a price below zero has not.
    #[error(
        "{at}: the price is {value}, a drawdown needs prices of 0 or more; correct it or mark it as missing with NA"
    )]
    PriceNegative { at: Cell, value: f64 },
    /// A price of zero has no simple return to the next one.
    #[error("{at}: the price is 0, simple returns divide by it; correct it or mark it as missing with NA")]
    PriceZero { at: Cell },
    /// Two finite prices are so far apart that their return is not.
    #[error("{at}: the return from {from} to {to} overflows; correct the prices")]
    ReturnNotFinite { at: Cell, from: f64, to: f64 },
    /// The table could not be written.
    #[error("the table cannot be written ({kind}); check the disk and the permissions")]
    Write { kind: ErrorKind },
}

/// The name of a source as a message may show it.
fn one_line(name: &str) -> String {
    match name {
        "" => "\"\"".into(),
        _ => printable(name).collect(),
    }
}

/// A cell or a header as a message may show it, cut off where a reader has seen enough.
fn brief(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = printable(text).take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Control characters are replaced, so that one line stays one.
fn printable(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|symbol| match symbol.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => symbol,
    })
}

/// The names there are, the first few of many.
fn listed(names: &[String]) -> String {
    const MOST: usize = 30;
    let shown: Vec<_> = names.iter().take(MOST).map(|name| brief(name)).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell {
        Cell { file: "p.csv".into(), line: 3, column: 2, header: "AAPL".into() }
    }

    #[test]
    fn messages_say_where_what_and_what_to_do() {
        let file = || "p.csv".to_string();
        let table = [
            (DataError::Missing { file: file() }, "p.csv: no such file; check the path"),
            (DataError::Missing { file: "".into() }, "\"\": no such file; check the path"),
            (DataError::Directory { file: file() }, "p.csv is a directory; give a CSV file"),
            (
                DataError::Read { file: file(), kind: ErrorKind::PermissionDenied },
                "p.csv cannot be read (permission denied); check that it is a file you may read",
            ),
            (
                DataError::Binary { file: file(), offset: 1, byte: 0x0b },
                "p.csv is not text (byte 0x0b at offset 1); save it as a CSV in UTF-8",
            ),
            (
                DataError::Ragged { file: file(), line: 7, found: 3, expected: 4 },
                "p.csv: line 7 has 3 fields and the header has 4; give every line the same number of commas",
            ),
            (
                DataError::NotANumber { at: cell(), text: "abc".into() },
                "p.csv: line 3, column 2 (AAPL): \"abc\" is not a number; write one such as 101.5, or NA if it is missing",
            ),
            (
                DataError::UnknownColumn { column: "IBM".into(), known: vec!["AAPL".into(), "XOM".into()] },
                "there is no column \"IBM\"; the columns are AAPL, XOM",
            ),
            (DataError::RepeatedColumn { column: "IBM".into() }, "column \"IBM\" is asked for twice; name it once"),
            (DataError::Shape { rows: 2, columns: 3, values: 5 }, "2 rows of 3 columns need 6 values and there are 5"),
        ];
        for (error, message) in table {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_line_break_in_the_input_does_not_break_the_message() {
        let at = Cell { file: "a\nb.csv".into(), header: "x\r\ny".into(), ..cell() };
        let message = DataError::NotANumber { at, text: "1\n2".into() }.to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!message.contains('\r'));
    }

    #[test]
    fn long_cells_and_long_lists_are_cut() {
        let message = DataError::NotANumber { at: cell(), text: "x".repeat(10_000) }.to_string();
        assert!(message.len() < 200, "{message}");
        let known = (0..500).map(|number| format!("C{number}")).collect();
        let message = DataError::UnknownColumn { column: "IBM".into(), known }.to_string();
        assert!(message.ends_with("C29 and 470 more"), "{message}");
    }
}
