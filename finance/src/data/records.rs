//! From bytes to records that know their line.

use std::io::Read;

use csv::{Reader, ReaderBuilder, StringRecord};

use super::DataError;

/// All of the input, as text.
pub(super) fn read_text(name: &str, mut reader: impl Read) -> Result<String, DataError> {
    const HEAD: u64 = 1 << 16;
    let file = || name.to_string();
    let mut bytes = Vec::new();
    // The head first, so that a huge binary file is refused before it fills the memory.
    for limit in [HEAD, u64::MAX] {
        let read = reader.by_ref().take(limit).read_to_end(&mut bytes);
        read.map_err(|error| DataError::Read { file: file(), kind: error.kind() })?;
        if let Some(offset) = bytes.iter().position(|&byte| byte == 0) {
            return Err(DataError::Binary { file: file(), offset, byte: 0 });
        }
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        DataError::Binary { file: file(), offset, byte: error.as_bytes()[offset] }
    })
}

/// The records that are not blank, each with the line it starts on.
///
/// Lines are counted here, because the `csv` crate notes its position before it skips blank lines
/// and the second half of a CRLF.
pub(super) struct Records<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    counted: usize,
    line: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        Records { text, reader, counted: 0, line: 1 }
    }

    /// The line on which the record begins whose bytes start at `offset`, or after the line ends
    /// there.
    fn line_at(&mut self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let start = offset + bytes[offset..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let passed = &bytes[self.counted..start];
        let ends = passed.iter().filter(|&&byte| byte == b'\n').count();
        let old_ends =
            (0..passed.len()).filter(|&at| passed[at] == b'\r' && passed.get(at + 1) != Some(&b'\n')).count();
        self.line += ends + old_ends;
        self.counted = start;
        self.line
    }
}

impl Iterator for Records<'_> {
    type Item = (usize, StringRecord);

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = StringRecord::new();
        while self.reader.read_record(&mut record).expect("text in memory can be read") {
            let start = record.position().expect("a record that was read has a position").byte();
            let line = self.line_at(start as usize);
            if record.len() > 1 || record.iter().any(|cell| !clean(cell).is_empty()) {
                return Some((line, record));
            }
        }
        None
    }
}

/// A cell without blanks around it, nor quotes that a blank before them has hidden from the parser. What is clean stays as
/// it is, so that a table which is written reads back equal; a mark of the byte order is a blank wherever it stands.
pub(super) fn clean(cell: &str) -> &str {
    let blank = |symbol: char| symbol.is_whitespace() || symbol == '\u{feff}';
    let mut cell = cell.trim_matches(blank);
    while let Some(inner) = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')) {
        cell = inner.trim_matches(blank);
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_byte_is_refused_with_its_place() {
        let expected = DataError::Binary { file: "p".into(), offset: 3, byte: 0 };
        assert_eq!(read_text("p", &b"a,b\0c"[..]), Err(expected));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        for (bytes, offset, byte) in [(&b"caf\xe9,1"[..], 3, 0xe9), (b"\x1f\x8b\x08", 1, 0x8b), (b"ab\xc3", 2, 0xc3)] {
            let expected = DataError::Binary { file: "p".into(), offset, byte };
            assert_eq!(read_text("p", bytes), Err(expected));
        }
    }

    #[test]
    fn an_endless_binary_file_is_refused_at_its_head() {
        let expected = DataError::Binary { file: "p".into(), offset: 0, byte: 0 };
        assert_eq!(read_text("p", std::io::repeat(0)), Err(expected));
    }

    #[test]
    fn text_longer_than_the_head_is_read_whole() {
        for length in [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 18] {
            assert_eq!(read_text("p", "é".repeat(length).as_bytes()).map(|text| text.len()), Ok(2 * length));
        }
    }

    #[test]
    fn records_know_the_line_they_start_on() {
        let table: [(&str, &[usize]); 6] = [
            ("a\nb\nc", &[1, 2, 3]),
            ("a\r\nb\r\nc\r\n", &[1, 2, 3]),
            ("a\rb\rc", &[1, 2, 3]),
            ("\n\na\n\n\nb", &[3, 6]),
            ("a\r\n \r\n\r\nb", &[1, 4]),
            ("\"a\nb\"\nc\n\"d\r\ne\"\r\nf", &[1, 3, 4, 6]),
        ];
        for (text, lines) in table {
            let found: Vec<_> = Records::new(text).map(|(line, _)| line).collect();
            assert_eq!(found, lines, "{text:?}");
        }
    }

    #[test]
    fn clean_takes_off_blanks_and_quotes_behind_blanks() {
        for (cell, cleaned) in
            [(" 1 ", "1"), (" \"1\" ", "1"), ("\" 1\"", "1"), ("\"", "\""), ("\"\"", ""), ("a\"b", "a\"b")]
                .into_iter()
                .chain([("\"\" \"1\"\"\"", "1"), (" \u{feff}Date", "Date"), ("\"\"\"", "\"")])
        {
            assert_eq!(clean(cell), cleaned);
        }
    }
}
