//! Price files that are refused, by every subcommand that reads one.

use super::Folder;

/// Every subcommand that reads prices.
const READERS: [&[&str]; 5] = [
    &["ema", "--alpha", "0.5"],
    &["rolling", "--window", "3"],
    &["drawdown"],
    &["cov"],
    &["frontier", "--portfolios", "10"],
];

/// The messages with which every reader refuses a file.
fn refusals(folder: &Folder, file: &str) -> Vec<String> {
    READERS.iter().map(|reader| folder.refuses(&[reader, &[file][..]].concat())).collect()
}

/// The messages with which every reader refuses a file of this content.
fn refused(content: impl AsRef<[u8]>) -> Vec<String> {
    let folder = Folder::new();
    folder.write("bad.csv", content);
    refusals(&folder, "bad.csv")
}

fn all_say(messages: &[String], parts: &[&str]) {
    for message in messages {
        assert!(parts.iter().all(|part| message.contains(part)), "{message} does not say {parts:?}");
    }
}

#[test]
fn an_empty_file_is_refused() {
    for content in ["", "\n\n", " \r\n", "\u{feff}"] {
        all_say(&refused(content), &["bad.csv", "empty"]);
    }
}

#[test]
fn a_header_without_rows_is_refused() {
    for content in ["Date,A,B\n", "Date,A", "Date,A\r\n\r\n"] {
        all_say(&refused(content), &["bad.csv", "header"]);
    }
}

#[test]
fn text_in_a_number_is_refused_with_its_line_and_column() {
    all_say(&refused("Date,A,B\n1,1,2\n2,1,x\n3,1,2\n"), &["bad.csv", "line 3", "column 3", "x"]);
    all_say(&refused("Date,A\n\n1,1\n\n2,12 USD\n"), &["line 5", "column 2", "12 USD"]);
    all_say(&refused("Date,A\r\n1,\"1,5\"\r\n2,1\r\n"), &["line 2", "column 2", "1,5"]);
    all_say(&refused("Date,A\n1,1\n2,\"two\nlines\"\n"), &["line 3", "column 2"]);
    all_say(&refused("Date,A\n1,1\n2,null\n"), &["line 3", "column 2", "null"]);
}

#[test]
fn a_number_in_a_file_that_is_not_finite_is_refused_with_its_line_and_column() {
    for text in ["inf", "-inf", "Infinity", "1e999"] {
        all_say(&refused(format!("Date,A\n1,1\n2,{text}\n")), &["line 3", "column 2", text]);
    }
}

#[test]
fn ragged_rows_are_refused_with_their_line() {
    all_say(&refused("Date,A,B\n1,1\n2,3,4\n"), &["bad.csv", "line 2"]);
    all_say(&refused("Date,A,B\n1,1,2\n2,3,4,5\n"), &["bad.csv", "line 3"]);
    all_say(&refused("Date,A,B\n1,1,2\n2,3,4,\n"), &["bad.csv", "line 3"]);
    all_say(&refused("Date,A,B\n1,1,2\n2\n"), &["bad.csv", "line 3"]);
}

#[test]
fn a_price_of_zero_or_less_has_no_log_return() {
    let folder = Folder::new();
    for price in ["0", "-1", "-0.0"] {
        folder.write("low.csv", format!("Date,A,B\n1,1,1\n2,1,{price}\n3,2,2\n"));
        for reader in [&["cov"][..], &["frontier"]] {
            let message = folder.refuses(&[reader, &["--returns", "log", "low.csv"]].concat());
            all_say(&[message], &["low.csv", "line 3", "column 3"]);
        }
        // The smoothing of a spread may go below zero.
        folder.prints(&["ema", "--alpha", "0.5", "low.csv"]);
    }
    folder.write("low.csv", "Date,A\n1,1\n2,1e-300\n3,2\n");
    folder.prints(&["cov", "--returns", "log", "low.csv"]);
    folder.write("low.csv", "Date,A\n1,1\n2,0\n3,2\n");
    folder.refuses(&["cov", "low.csv"]);
    folder.prints(&["cov", "--returns", "none", "low.csv"]);
}

#[test]
fn a_directory_is_refused() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path.join("dir.csv")).unwrap();
    all_say(&refusals(&folder, "dir.csv"), &["dir.csv", "directory"]);
    all_say(&refusals(&folder, "."), &["directory"]);
}

#[test]
fn a_binary_file_is_refused() {
    all_say(&refused([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xed, 0xbd]), &["bad.csv", "not text"]);
    all_say(&refused(b"Date,A\n1,1\n2,\0\n"), &["not text"]);
    all_say(&refused((0..3000u32).map(|byte| ((byte * 7919) >> 3) as u8).collect::<Vec<u8>>()), &["not text"]);
    let program = std::fs::read(env!("CARGO_BIN_EXE_cubefold")).unwrap();
    all_say(&refused(&program[..100_000]), &["not text"]);
}

#[test]
fn a_missing_file_is_refused() {
    let folder = Folder::new();
    all_say(&refusals(&folder, "missing.csv"), &["missing.csv", "no such file"]);
    all_say(&refusals(&folder, "no/folder.csv"), &["no such file"]);
    all_say(&refusals(&folder, "two\nlines.csv"), &["no such file"]);
    refusals(&folder, "ok.csv/inside");
    refusals(&folder, "");
}

#[test]
fn a_column_that_is_unknown_is_refused() {
    let folder = Folder::new();
    for columns in ["C", "A,C", "a", "Date", "A,", "", "A,A"] {
        let message = folder.refuses(&["ema", "--alpha", "0.5", "ok.csv", "--columns", columns]);
        if columns == "C" {
            all_say(&[message], &["\"C\"", "A", "B"]);
        }
    }
    folder.prints(&["ema", "--alpha", "0.5", "ok.csv", "--columns", "B,A"]);
}

#[test]
fn a_header_with_unnamed_or_double_columns_is_refused() {
    all_say(&refused("Date,A,A\n1,1,2\n2,1,2\n3,1,2\n"), &["bad.csv", "A"]);
    all_say(&refused("Date,A,\n1,1,2\n2,1,2\n3,1,2\n"), &["bad.csv", "column 3"]);
    all_say(&refused("Date\n1\n2\n3\n"), &["bad.csv", "column"]);
}

#[test]
fn rows_that_all_miss_a_value_have_no_covariance() {
    let folder = Folder::new();
    folder.write("holes.csv", "Date,A,B\n1,1,\n2,,2\n3,NA,nan\n");
    for reader in &READERS[3..] {
        all_say(&[folder.refuses(&[reader, &["holes.csv"][..]].concat())], &["holes.csv"]);
    }
    folder.prints(&["ema", "--alpha", "0.5", "holes.csv"]);
}
