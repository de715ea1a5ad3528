//! CSV in and out.
//!
//! Accepted: a header, then one row a line; the first column is a date or an index and stays text.
//! `NaN`, `nan`, `NA` and an empty cell are missing. A byte-order mark, CRLF, quoted fields, blanks
//! around fields and blank lines do no harm.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use csv::{StringRecord, Writer};

use super::dates::seconds;
use super::records::{Records, clean, read_text};
use super::{DataError, Table};

impl Table {
    /// Reads a CSV file.
    ///
    /// # Errors
    /// [`DataError::Missing`], [`DataError::Directory`], [`DataError::Read`], and those of
    /// [`Table::from_reader`].
    pub fn read_csv(path: &Path) -> Result<Table, DataError> {
        let file = path.display().to_string();
        if path.is_dir() {
            return Err(DataError::Directory { file });
        }
        match File::open(path) {
            Ok(reader) => Table::from_reader(&file, reader),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(DataError::Missing { file }),
            Err(error) => Err(DataError::Read { file, kind: error.kind() }),
        }
    }

    /// Reads CSV text; `name` is what messages call it.
    ///
    /// # Errors
    /// [`DataError::Read`], [`DataError::Binary`] for a NUL or what is not UTF-8,
    /// [`DataError::Empty`], [`DataError::HeaderOnly`], [`DataError::IndexOnly`],
    /// [`DataError::NoHeader`], [`DataError::UnnamedColumn`], [`DataError::DuplicateColumn`], [`DataError::Ragged`],
    /// [`DataError::NotANumber`], [`DataError::NotFinite`]; the first mistake from the top.
    pub fn from_reader(name: &str, reader: impl Read) -> Result<Table, DataError> {
        let text = read_text(name, reader)?;
        let mut records = Records::new(text.strip_prefix('\u{feff}').unwrap_or(&text));
        let Some((line, header)) = records.next() else {
            return Err(DataError::Empty { file: name.into() });
        };
        if is_data(&header) {
            return Err(DataError::NoHeader { file: name.into(), line });
        }
        let mut names = header.iter().map(|cell| clean(cell).to_string());
        let mut table = Table {
            index_name: names.next().expect("a record has a field"),
            columns: names.collect(),
            index: Arc::default(),
            values: Vec::new(),
            file: name.into(),
            lines: Arc::default(),
        };
        table.check_names()?;
        for (line, record) in records {
            table.push(line, &record)?;
        }
        match table.rows() {
            0 => Err(DataError::HeaderOnly { file: name.into(), columns: header.len() }),
            _ => Ok(table),
        }
    }

    /// Writes the table as CSV, so that [`Table::from_reader`] reads it back equal: the shortest
    /// digits that round-trip, and nothing for a missing value.
    ///
    /// # Errors
    /// [`DataError::Write`].
    pub fn write_csv(&self, writer: impl Write) -> Result<(), DataError> {
        let mut out = Writer::from_writer(writer);
        let mut write = |head: &str, cells: &mut dyn Iterator<Item = String>| {
            out.write_record(std::iter::once(head.to_string()).chain(cells)).map_err(|error| match error.kind() {
                csv::ErrorKind::Io(error) => DataError::Write { kind: error.kind() },
                _ => DataError::Write { kind: io::ErrorKind::InvalidData },
            })
        };
        write(&self.index_name, &mut self.columns.iter().cloned())?;
        for (row, index) in self.index.iter().enumerate() {
            write(index, &mut self.row(row).iter().copied().map(shown))?;
        }
        out.flush().map_err(|error| DataError::Write { kind: error.kind() })
    }

    /// Takes one record as the next row.
    fn push(&mut self, line: usize, record: &StringRecord) -> Result<(), DataError> {
        let (found, expected) = (record.len(), self.width() + 1);
        if found != expected {
            return Err(DataError::Ragged { file: self.file.clone(), line, found, expected });
        }
        let mut cells = record.iter().map(clean);
        Arc::make_mut(&mut self.index).extend(cells.next().map(String::from));
        Arc::make_mut(&mut self.lines).push(line);
        for (column, text) in cells.enumerate() {
            let value = match text {
                "" | "NaN" | "nan" | "NA" => f64::NAN,
                // Rust also reads other spellings of NaN, which are not among the marks of a
                // missing value.
                _ => text.parse().ok().filter(|value: &f64| !value.is_nan()).ok_or_else(|| DataError::NotANumber {
                    at: self.cell(self.rows() - 1, column),
                    text: text.into(),
                })?,
            };
            if value.is_infinite() {
                return Err(DataError::NotFinite { at: self.cell(self.rows() - 1, column), text: text.into() });
            }
            self.values.push(value);
        }
        Ok(())
    }
}

/// Whether a record is no header: a number or a date, and numbers. Columns may be named by numbers where the index has another name
/// or none, as pandas does.
fn is_data(record: &StringRecord) -> bool {
    let is_number = |cell: &str| clean(cell).parse::<f64>().is_ok();
    let mut cells = record.iter();
    let index = cells.next().is_some_and(|cell| is_number(cell) || seconds(clean(cell)).is_some());
    index && record.len() > 1 && cells.all(is_number)
}

fn shown(value: f64) -> String {
    match value.is_nan() {
        true => String::new(),
        false => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table, DataError> {
        Table::from_reader("p.csv", text.as_bytes())
    }

    fn rejected(text: &str) -> DataError {
        read(text).expect_err("the text must be refused")
    }

    /// Line, column and header of the cell that an error names.
    fn place(error: &DataError) -> (usize, usize, &str) {
        match error {
            DataError::NotANumber { at, .. } | DataError::NotFinite { at, .. } => (at.line, at.column, &at.header),
            _ => panic!("{error} names no cell"),
        }
    }

    const PLAIN: &str = "Date,AAPL,XOM\n2018-01-02,1.5,2\n2018-01-03,,-3e2\n";

    #[test]
    fn a_header_an_index_and_numbers_are_read() {
        let table = read(PLAIN).unwrap();
        assert_eq!(table.index_name, "Date");
        assert_eq!(*table.index, ["2018-01-02", "2018-01-03"]);
        assert_eq!(table.columns, ["AAPL", "XOM"]);
        assert_eq!((table.value(0, 0), table.value(0, 1), table.value(1, 1)), (1.5, 2.0, -300.0));
        assert_eq!((table.line(0), table.line(1)), (2, 3));
    }

    #[test]
    fn the_index_may_be_any_text_and_unnamed() {
        let table = read(",A\n0,1\n\"Monday, late\",2\n").unwrap();
        assert_eq!((table.index_name.as_str(), table.index[1].as_str()), ("", "Monday, late"));
    }

    #[test]
    fn a_first_row_of_numbers_is_no_header() {
        for text in ["2018-01-02,1.5,2\n2018-01-03,3,4\n", "\n0,1.5\n1,2\n", "1e3,NaN\n2,3\n"] {
            let line = 1 + text.lines().take_while(|line| line.is_empty()).count();
            assert_eq!(rejected(text), DataError::NoHeader { file: "p.csv".into(), line }, "{text:?}");
        }
        // The columns of a frame that nobody named; one name is enough.
        assert_eq!(read(",0,1\n5,1.5,2\n").unwrap().columns, ["0", "1"]);
        assert_eq!(read("2018-01-02,1.5,A\n2018-01-03,3,4\n").unwrap().columns, ["1.5", "A"]);
    }

    #[test]
    fn four_marks_are_missing() {
        let table = read("i,A,B,C,D\n0,,NaN,nan,NA\n").unwrap();
        assert!(table.values.iter().all(|value| value.is_nan()));
        for other in ["NAN", "-nan", "null", "n/a", "-"] {
            assert!(matches!(rejected(&format!("i,A\n0,{other}\n")), DataError::NotANumber { .. }), "{other}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_name() {
        assert_eq!(read(&format!("\u{feff}{PLAIN}")).unwrap().index_name, "Date");
    }

    #[test]
    fn crlf_and_old_mac_line_ends_are_line_ends() {
        for end in ["\r\n", "\r"] {
            let table = read(&PLAIN.replace('\n', end)).unwrap();
            assert_eq!(table, read(PLAIN).unwrap());
            assert_eq!((table.line(0), table.line(1)), (2, 3));
        }
    }

    #[test]
    fn quoted_fields_and_surrounding_blanks_are_accepted() {
        let text = " Date , \"AAPL\" ,\"XOM\"\n\"2018-01-02\",\t1.5 , \"2\"\n2018-01-03, ,\" -3e2 \"\n";
        assert_eq!(read(text).unwrap(), read(PLAIN).unwrap());
    }

    #[test]
    fn the_last_line_needs_no_end() {
        assert_eq!(read(PLAIN.trim_end()).unwrap(), read(PLAIN).unwrap());
    }

    #[test]
    fn text_in_a_number_is_refused_with_its_line_and_column() {
        let error = rejected("Date,AAPL,XOM\nd1,1,2\nd2,3,abc\n");
        assert_eq!(place(&error), (3, 3, "XOM"));
        assert!(error.to_string().starts_with("p.csv: line 3, column 3 (XOM): \"abc\" is not a number;"), "{error}");
        for text in ["1,234.5\"", "0x10", "1_000", "1.5$", "--1", "1 2"] {
            let line = format!("d1,\"{}\"", text.trim_end_matches('"'));
            assert_eq!(place(&rejected(&format!("Date,AAPL\n{line}\n"))), (2, 2, "AAPL"), "{text}");
        }
    }

    #[test]
    fn line_numbers_count_blank_lines_and_lines_within_quotes() {
        let error = rejected("Date,A\r\n\r\n\"d\r\n1\",1\r\n  \r\nd2,x\r\n");
        assert_eq!(place(&error), (6, 2, "A"));
    }

    #[test]
    fn an_infinite_number_is_refused_with_its_line_and_column() {
        for text in ["inf", "-inf", "Infinity", "1e400"] {
            let error = rejected(&format!("Date,A\nd1,1\nd2,{text}\n"));
            assert!(matches!(error, DataError::NotFinite { .. }), "{error}");
            assert_eq!(place(&error), (3, 2, "A"));
        }
        assert!(read("Date,A\nd1,1.7976931348623157e308\n").is_ok());
    }

    #[test]
    fn a_short_and_a_long_row_are_refused_with_their_line() {
        for (row, found) in [("d2,1", 2), ("d2,1,2,3", 4), ("d2", 1)] {
            let error = rejected(&format!("Date,A,B\nd1,1,2\n{row}\n"));
            assert_eq!(error, DataError::Ragged { file: "p.csv".into(), line: 3, found, expected: 3 });
        }
    }

    #[test]
    fn an_empty_file_is_refused() {
        for text in ["", "\u{feff}", "\n\n", " \r\n"] {
            assert_eq!(rejected(text), DataError::Empty { file: "p.csv".into() });
        }
    }

    #[test]
    fn a_header_alone_is_refused() {
        for text in ["Date,A,B", "Date,A,B\n", "Date,A,B\n\n"] {
            assert_eq!(rejected(text), DataError::HeaderOnly { file: "p.csv".into(), columns: 3 });
        }
    }

    #[test]
    fn an_index_alone_is_refused() {
        assert_eq!(rejected("Date\nd1\n"), DataError::IndexOnly { file: "p.csv".into(), header: "Date".into() });
        assert!(matches!(rejected("Date;A\nd1;1\n"), DataError::IndexOnly { .. }), "other separators");
    }

    #[test]
    fn a_column_name_that_comes_twice_is_refused() {
        let expected = DataError::DuplicateColumn { file: "p.csv".into(), header: "A".into(), first: 2, second: 4 };
        assert_eq!(rejected("Date,A,B,A\nd1,1,2,3\n"), expected);
    }

    #[test]
    fn a_column_without_a_name_is_refused() {
        assert_eq!(rejected("Date,A,\nd1,1,\n"), DataError::UnnamedColumn { file: "p.csv".into(), column: 3 });
    }

    #[test]
    fn a_directory_is_refused() {
        let folder = std::env::temp_dir();
        assert_eq!(Table::read_csv(&folder), Err(DataError::Directory { file: folder.display().to_string() }));
    }

    #[test]
    fn a_missing_file_is_refused() {
        let path = Path::new("no such folder/prices.csv");
        assert_eq!(Table::read_csv(path), Err(DataError::Missing { file: "no such folder/prices.csv".into() }));
    }

    #[test]
    fn a_reader_that_fails_is_an_error_and_not_an_empty_file() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let expected = DataError::Read { file: "p.csv".into(), kind: io::ErrorKind::ConnectionReset };
        assert_eq!(Table::from_reader("p.csv", Broken), Err(expected));
    }

    #[test]
    fn what_is_written_reads_back_equal() {
        let index = vec!["a,b".into(), "say \"hi\" now".into(), "".into()];
        let columns = vec!["A".into(), "B, C".into()];
        let values = vec![0.1 + 0.2, f64::NAN, f64::MIN_POSITIVE, -1e300, 100.0, f64::MAX];
        let table = Table::new("Date".into(), index, columns, values).unwrap();
        let mut bytes = Vec::new();
        table.write_csv(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("Date,A,\"B, C\"\n\"a,b\",0.30000000000000004,\n"), "{text}");
        assert_eq!(read(&text).unwrap(), table);
    }

    #[test]
    fn a_writer_that_fails_is_an_error() {
        let mut room = [0u8; 4];
        let error = read(PLAIN).unwrap().write_csv(&mut room[..]).unwrap_err();
        assert_eq!(error, DataError::Write { kind: io::ErrorKind::WriteZero });
    }
}
