//! What `-o` writes, and where it cannot.

use std::fs;

use serde_json::Value;

use super::{Folder, records};

/// Every subcommand that writes into a directory, quick, with the stem of its files.
const WRITERS: [(&str, &[&str]); 4] = [
    ("price", &["price", "--paths", "1000"]),
    ("cov", &["cov", "ok.csv"]),
    ("frontier", &["frontier", "--portfolios", "50", "ok.csv"]),
    ("market", &["market", "--agents", "10", "--steps", "30"]),
];

#[test]
fn a_directory_gets_the_answer_as_json_csv_and_a_picture() {
    let folder = Folder::new();
    for (name, line) in WRITERS {
        let printed = folder.json(&[line, &["-o", "new/out"][..]].concat());
        let saved: Value = serde_json::from_str(&folder.read(&format!("new/out/{name}.json"))).unwrap();
        assert_eq!(saved, printed, "{name}: the object that was printed");
        assert!(records(&folder.read(&format!("new/out/{name}.csv"))).len() >= 2, "{name}: a header and rows");
        let picture = folder.read(&format!("new/out/{name}.svg"));
        assert!(picture.trim_start().starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{name}");
        // No outside resources: the only address is the name space.
        let addresses = picture.matches("http").count();
        assert_eq!(addresses, picture.matches("http://www.w3.org/").count(), "{name}: outside resources");
    }
    assert_eq!(fs::read_dir(folder.path.join("new/out")).unwrap().count(), 3 * WRITERS.len());
}

#[test]
fn a_directory_that_cannot_be_made_or_written_is_refused() {
    let folder = Folder::new();
    folder.write("file", "kept");
    for (name, line) in WRITERS {
        assert!(folder.refuses(&[line, &["-o", "file"][..]].concat()).contains("file"), "{name}: a file");
        folder.refuses(&[line, &["-o", "file/inside"][..]].concat());
        folder.refuses(&[line, &["-o", ""][..]].concat());
        // A name that is taken by a directory.
        fs::create_dir_all(folder.path.join(format!("taken/{name}.svg"))).unwrap();
        assert!(folder.refuses(&[line, &["-o", "taken"][..]].concat()).contains(name), "{name}: a name that is taken");
        assert!(!folder.path.join(format!("taken/{name}.json")).exists(), "{name} leaves half of its files");
    }
    for line in [&["demo"][..], &["bench", "reduce"]] {
        folder.refuses(&[line, &["-o", "file"]].concat());
    }
    assert_eq!(folder.read("file"), "kept");
}

#[test]
fn averages_that_cannot_be_written_are_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path.join("dir")).unwrap();
    for place in ["dir", "no-folder/out.csv", "ok.csv/out.csv", ""] {
        folder.refuses(&["ema", "--alpha", "0.5", "ok.csv", "-o", place]);
    }
    if cfg!(target_os = "linux") {
        folder.refuses(&["ema", "--alpha", "0.5", "ok.csv", "-o", "/dev/full"]);
    }
}

#[test]
fn a_refused_input_touches_no_file() {
    let folder = Folder::new();
    folder.write("old.csv", "kept");
    folder.write("text.csv", "Date,A\n1,x\n");
    folder.refuses(&["ema", "--alpha", "0.5", "text.csv", "-o", "old.csv"]);
    folder.refuses(&["ema", "--alpha", "2", "ok.csv", "-o", "old.csv"]);
    folder.refuses(&["cov", "text.csv", "-o", "out"]);
    folder.refuses(&["price", "--paths", "0", "-o", "out"]);
    folder.refuses(&["market", "--agents", "0", "-o", "out"]);
    assert_eq!(folder.read("old.csv"), "kept");
    assert!(!folder.path.join("out").exists());
}

#[test]
fn the_demo_writes_its_page_and_prints_five_answers() {
    let folder = Folder::new();
    let table = folder.prints(&["demo", "-o", "shown"]);
    for job in ["price", "ema", "cov", "frontier", "market"] {
        assert!(table.lines().any(|line| line.starts_with(job)), "{job}: {table}");
    }
    let page = folder.read("shown/report.html");
    assert_eq!(page.matches("<svg").count(), 6);
    assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/").count(), "outside resources");
    // The price of 20,000,000 paths lies within four of its errors, 14.7 / sqrt(20,000,000), of the closed form.
    let told = table.lines().find(|line| line.starts_with("price")).unwrap().split([' ', ',']);
    let near = |word: &&str| word.parse().is_ok_and(|price: f64| (price - 10.450584).abs() < 0.0132);
    let price = told.into_iter().find(near).unwrap_or_else(|| panic!("{table}"));
    assert!(page.contains(price), "{price}");
}
