//! The subcommands that make a table of a table: `ema` with all its flags, `rolling`, `drawdown`.

use std::fs;

use serde_json::Value;

use super::{Folder, fields, number, numbers, records};

/// O16: a gap, at days of uneven distance.
const GAP: &str = "Date,A\n2020-01-01,0\n2020-01-03,1\n2020-01-10,2\n2020-01-15,NA\n2020-01-17,4\n";

fn assert_near(got: &[f64], expected: &[f64], case: &str) {
    assert_eq!(got.len(), expected.len(), "{case}");
    for (left, right) in got.iter().zip(expected) {
        let near = (left - right).abs() <= 1e-9 * right.abs().max(1.0);
        assert!(near || (left.is_nan() && right.is_nan()), "{case}: {left} is not {right}");
    }
}

const NA: f64 = f64::NAN;

#[test]
fn the_flags_of_ema_are_pandas_words() {
    let folder = Folder::new();
    folder.write("gap.csv", GAP);
    let cases: [(&[&str], [f64; 5]); 9] = [
        (&[], [0.0, 2.0 / 3.0, 14.0 / 9.0, 14.0 / 9.0, 3.6507936507936503]),
        (&["--ignore-na", "true"], [0.0, 2.0 / 3.0, 14.0 / 9.0, 14.0 / 9.0, 3.185185185185185]),
        (&["--adjust", "true"], [0.0, 0.75, 1.6153846153846152, 1.6153846153846152, 3.670212765957447]),
        (&["--adjust=true", "--ignore-na=true"], [0.0, 0.75, 1.6153846153846152, 1.6153846153846152, 3.225]),
        (&["--min-periods", "3"], [NA, NA, 14.0 / 9.0, 14.0 / 9.0, 3.6507936507936503]),
        (&["--missing", "preserve"], [0.0, 2.0 / 3.0, 14.0 / 9.0, NA, 3.6507936507936503]),
        (&["--init", "zero"], [0.0, 2.0 / 3.0, 14.0 / 9.0, 14.0 / 9.0, 3.185185185185185]),
        // A span of 2: from the mean of 0 and 1 on.
        (&["--init", "sma"], [NA, 0.5, 1.5, 1.5, 3.642857142857143]),
        (
            &["--adjust", "false", "--ignore-na", "false", "--missing", "carry", "--stat", "mean", "--bias"],
            [0.0, 2.0 / 3.0, 14.0 / 9.0, 14.0 / 9.0, 3.6507936507936503],
        ),
    ];
    for (flags, expected) in cases {
        let answer = folder.json(&[&["ema", "--com", "0.5", "gap.csv"], flags].concat());
        assert_near(&numbers(&answer["values"]["A"]), &expected, &format!("{flags:?}"));
    }
}

#[test]
fn variance_and_deviation_are_unbiased_unless_bias_is_asked_for() {
    let folder = Folder::new();
    folder.write("three.csv", "Date,A\n1,3\n2,1\n3,4\n");
    // pandas 3.1.1: Series([3, 1, 4]).ewm(alpha=0.3, adjust=…).var(bias=…).
    let var = |flags: &[&str]| {
        let line = [&["ema", "--alpha", "0.3", "three.csv", "--stat"], flags].concat();
        numbers(&folder.json(&line)["values"]["A"])
    };
    assert_near(&var(&["var", "--adjust", "true"]), &[NA, 2.0, 2.6621004566210047], "adjusted");
    let biased = [0.0, 0.9688581314878892, 1.7017993786618297];
    assert_near(&var(&["var", "--adjust", "true", "--bias"]), &biased, "adjusted, biased");
    assert_near(&var(&["std", "--adjust", "true", "--bias"]), &biased.map(f64::sqrt), "deviation");
    assert_near(&var(&["var"]), &[NA, 2.0, 1.7986577181208059], "recursive");
}

#[test]
fn a_start_that_adjusted_weights_have_not_is_refused() {
    let folder = Folder::new();
    for init in ["zero", "sma"] {
        let line = ["ema", "--span", "2", "ok.csv", "--init", init];
        assert!(folder.refuses(&[&line[..], &["--adjust", "true"]].concat()).contains("adjust"), "{init}");
        folder.prints(&line);
    }
    folder.prints(&["ema", "--span", "2", "ok.csv", "--init", "first", "--adjust", "true"]);
}

#[test]
fn words_that_are_none_of_a_flags_are_refused() {
    let folder = Folder::new();
    let flags = [
        ["--adjust", "yes"],
        ["--adjust", ""],
        ["--ignore-na", "1"],
        ["--min-periods", "-1"],
        ["--min-periods", "1.5"],
        ["--missing", "drop"],
        ["--stat", "median"],
        ["--stat", "min"],
    ];
    for flag in flags {
        let name = &flag[0][2..];
        assert!(folder.refuses(&[&["ema", "--alpha", "0.5", "ok.csv"], &flag[..]].concat()).contains(name), "{flag:?}");
    }
    folder.refuses(&["ema", "--alpha", "0.5", "ok.csv", "--adjust"]);
}

#[test]
fn times_fade_by_a_half_life_with_a_unit() {
    let folder = Folder::new();
    folder.write("gap.csv", GAP);
    let times = |halflife: &str, file: &str| {
        let line = ["ema", "--times", "--adjust", "true", "--halflife", halflife, file];
        numbers(&folder.json(&line)["values"]["A"])
    };
    let expected = [0.0, 0.585786437626905, 1.52388878049859, 1.52388878049859, 3.2336858398518338];
    for halflife in ["4d", "96h", "5760m", "345600s"] {
        assert_near(&times(halflife, "gap.csv"), &expected, halflife);
    }
    let hours = "at,A\n2020-01-01T00:00,0\n2020-01-01 02:00:00,1\n2020-01-01T09:00:00Z,2\n2020-01-01T15:00+01:00,\n\
                 2020-01-01T16:00:00.000,4\n";
    folder.write("hours.csv", hours);
    assert_near(&times("4h", "hours.csv"), &expected, "hours");
    // The recurrence; polars' ewm_mean_by on 0, 1, 2, 3, 4.
    folder.write("full.csv", GAP.replace("NA", "3"));
    let answer = folder.json(&["ema", "--times", "--halflife", "4d", "full.csv"]);
    let expected = [0.0, 0.2928932188134524, 1.4924741174358913, 2.3661634447248243, 2.844703092414454];
    assert_near(&numbers(&answer["values"]["A"]), &expected, "recurrence");
}

#[test]
fn times_and_units_go_together_or_are_refused() {
    let folder = Folder::new();
    folder.write("gap.csv", GAP);
    let refuses = |flags: &[&str]| folder.refuses(&[&["ema", "gap.csv"], flags].concat());
    assert!(refuses(&["--times", "--halflife", "4"]).contains("--halflife"));
    assert!(refuses(&["--times", "--span", "4"]).contains("--halflife"));
    assert!(refuses(&["--halflife", "4d"]).contains("--times"));
    assert!(refuses(&["--times"]).contains("--halflife"));
    assert!(refuses(&["--times", "--halflife", "4d", "--init", "zero"]).contains("zero"));
    for wrong in ["0d", "-1h", "NaNs", "infd", "1e999d"] {
        assert!(refuses(&["--times", "--halflife", wrong]).contains("halflife"), "{wrong}");
    }
    for wrong in ["4w", "d", "4 d", "", "1d12h", "x"] {
        assert!(refuses(&["--times", "--halflife", wrong]).contains("halflife"), "{wrong}");
    }
    let times = ["ema", "--times", "--halflife", "4d"];
    folder.write("days.csv", "Date,A\n2020-01-01,0\nMonday,1\n");
    let message = folder.refuses(&[&times[..], &["days.csv"]].concat());
    assert!(message.contains("line 3") && message.contains("Monday"), "{message}");
    folder.write("back.csv", "Date,A\n2020-01-02,0\n2020-01-02,2\n2020-01-01,1\n");
    let message = folder.refuses(&[&times[..], &["back.csv"]].concat());
    assert!(message.contains("back.csv: line 4"), "{message}");
}

#[test]
fn rolling_gives_the_figure_of_every_full_window() {
    let folder = Folder::new();
    folder.write("eight.csv", "Day,A\n1,3\n2,1\n3,4\n4,1\n5,5\n6,9\n7,2\n8,6\n");
    // pandas 3.1.1: Series([3, 1, 4, 1, 5, 9, 2, 6]).rolling(3).
    let cases: [(&str, [f64; 6]); 6] = [
        ("mean", [8.0 / 3.0, 2.0, 10.0 / 3.0, 5.0, 16.0 / 3.0, 17.0 / 3.0]),
        ("sum", [8.0, 6.0, 10.0, 15.0, 16.0, 17.0]),
        ("min", [1.0, 1.0, 1.0, 1.0, 2.0, 2.0]),
        ("max", [4.0, 4.0, 5.0, 9.0, 9.0, 9.0]),
        ("var", [7.0 / 3.0, 3.0, 13.0 / 3.0, 16.0, 37.0 / 3.0, 37.0 / 3.0]),
        (
            "std",
            [1.5275252316519468, 1.7320508075688772, 2.0816659994661326, 4.0, 3.511884584284246, 3.511884584284246],
        ),
    ];
    for (stat, expected) in cases {
        let answer = folder.json(&["rolling", "--window", "3", "--stat", stat, "eight.csv"]);
        assert_eq!((fields(&answer), fields(&answer["values"])), (vec!["index", "values"], vec!["A"]), "{stat}");
        assert_near(&numbers(&answer["values"]["A"]), &[&[NA, NA], &expected[..]].concat(), stat);
    }
    let partial = folder.json(&["rolling", "--window", "3", "--min-periods", "1", "eight.csv"]);
    assert_near(&numbers(&partial["values"]["A"])[..2], &[3.0, 2.0], "partial windows");
    let table = folder.prints(&["rolling", "--window", "3", "eight.csv"]);
    assert!(table.contains("5.66667"), "{table}");
}

#[test]
fn the_csv_of_windows_lines_up_with_its_input() {
    let folder = Folder::new();
    let input = records(super::PRICES);
    let line = ["rolling", "--window", "2", "--stat", "max", "ok.csv", "--format", "csv", "-o", "out.csv"];
    let printed = folder.prints(&line);
    assert_eq!(folder.read("out.csv"), printed);
    let output = records(&printed);
    assert_eq!(output[0], input[0]);
    let dates = |rows: &[Vec<String>]| rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
    assert_eq!(dates(&output), dates(&input));
    assert_eq!((output[1][1].as_str(), output[2][1].as_str(), output[4][2].as_str()), ("", "1.1", "2.0"));
    let only = folder.prints(&["rolling", "--window", "1", "ok.csv", "--columns", "B", "--format", "csv"]);
    assert!(only.starts_with("Date,B\n2020-01-01,2.0\n"), "{only}");
}

#[test]
fn windows_that_hold_nothing_or_less_than_they_need_are_refused() {
    let folder = Folder::new();
    assert!(folder.refuses(&["rolling", "ok.csv"]).contains("window"));
    for window in ["0", "-1", "1.5", "x", "", "99999999999999999999999"] {
        assert!(folder.refuses(&["rolling", "--window", window, "ok.csv"]).contains("window"), "{window}");
    }
    folder.prints(&["rolling", "--window", "1", "ok.csv"]);
    // Longer than the file: no row has a result, and a warning says so.
    let longer = folder.run(&["rolling", "--window", "18446744073709551615", "ok.csv"]);
    assert_eq!(longer.code, Some(0), "{}", longer.stderr);
    assert!(longer.stderr.contains("warning: a window needs 18446744073709551615 values and there are 4 rows"));
    let needs = |needed| ["rolling", "--window", "2", "--min-periods", needed, "ok.csv"];
    assert!(folder.refuses(&needs("3")).contains("min-periods"));
    folder.prints(&needs("2"));
    folder.refuses(&["rolling", "--window", "2", "--stat", "median", "ok.csv"]);
}

/// A fall that is recovered, one that is not, and a column without prices.
const FALLS: &str = "Date,A,B,C\nd1,8,8,\nd2,10,4,\nd3,5,5,NA\nd4,7,,\nd5,11,6,\n";

#[test]
fn drawdown_gives_the_deepest_fall_by_column() {
    let folder = Folder::new();
    folder.write("falls.csv", FALLS);
    let answer = folder.json(&["drawdown", "falls.csv"]);
    assert_eq!(fields(&answer), ["A", "B", "C"]);
    for column in ["A", "B", "C"] {
        assert_eq!(fields(&answer[column]), ["depth", "recovery", "start", "trough"], "{column}");
    }
    let fall = |column: &str| ["start", "trough", "recovery"].map(|end| answer[column][end].clone());
    assert_eq!((number(&answer["A"]["depth"]), number(&answer["B"]["depth"])), (-0.5, -0.5));
    assert_eq!(fall("A"), ["d2", "d3", "d5"].map(Value::from));
    assert_eq!(fall("B"), [Value::from("d1"), Value::from("d2"), Value::Null]);
    assert_eq!(fall("C"), [Value::Null, Value::Null, Value::Null]);
    assert!(answer["C"]["depth"].is_null());
    let rows = records(&folder.prints(&["drawdown", "falls.csv", "--format", "csv", "-o", "out.csv"]));
    assert_eq!(rows[0].join(","), "column,depth,start,trough,recovery");
    assert_eq!((rows[1].join(","), rows[2].join(",")), ("A,-0.5,d2,d3,d5".to_owned(), "B,-0.5,d1,d2,".to_owned()));
    assert_eq!(records(&folder.read("out.csv")), rows);
    let table = folder.prints(&["drawdown", "falls.csv", "--columns", "B"]);
    assert!(table.contains("-50.00 %") && table.contains("d2") && !table.contains("d5"), "{table}");
}

#[test]
fn a_negative_price_has_no_drawdown() {
    let folder = Folder::new();
    folder.write("low.csv", "Date,A\n1,1\n2,-0.5\n");
    let message = folder.refuses(&["drawdown", "low.csv"]);
    assert!(message.contains("line 3, column 2") && message.contains("-0.5"), "{message}");
    folder.write("zero.csv", "Date,A\n1,1\n2,0\n");
    assert_eq!(number(&folder.json(&["drawdown", "zero.csv"])["A"]["depth"]), -1.0);
}

/// Every subcommand that draws, quick.
const DRAWERS: [&[&str]; 6] = [
    &["ema", "--alpha", "0.5", "ok.csv"],
    &["ema", "--alpha", "0.5", "ok.csv", "--columns", "A"],
    &["ema", "--alpha", "0.5", "ok.csv", "--stat", "std"],
    &["rolling", "--window", "2", "ok.csv"],
    &["rolling", "--window", "3", "ok.csv", "--columns", "B"],
    &["drawdown", "ok.csv"],
];

#[test]
fn a_picture_is_drawn_where_it_is_asked_for() {
    let folder = Folder::new();
    for line in DRAWERS {
        let printed = folder.prints(line);
        assert_eq!(folder.prints(&[line, &["--plot", "figure.svg"][..]].concat()), printed, "{line:?}");
        let picture = folder.read("figure.svg");
        assert!(picture.trim_start().starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{line:?}");
        assert!(picture.contains("2020"), "{line:?}: dates");
        fs::remove_file(folder.path.join("figure.svg")).unwrap();
    }
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_the_work() {
    let folder = Folder::new();
    fs::create_dir(folder.path.join("dir")).unwrap();
    for line in DRAWERS {
        for place in ["dir", "no-folder/figure.svg", ""] {
            folder.refuses(&[line, &["--plot", place, "-o", "out.csv"][..]].concat());
        }
        assert!(!folder.path.join("out.csv").exists(), "{line:?}");
    }
}
