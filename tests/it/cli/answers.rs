//! The answers in their three formats: the fields of the JSON objects, the columns of the CSV files, a table to read.

use serde_json::Value;

use super::{Folder, PRICES, fields, number, numbers, records};

#[test]
fn price_gives_the_estimate_with_its_error() {
    let folder = Folder::new();
    let answer = folder.json(&["price", "--paths", "2000", "--seed", "7"]);
    let names = ["ci95", "device", "paths", "seconds_cold", "seconds_warm", "seed", "std_error", "value"];
    assert_eq!(fields(&answer), names);
    assert_eq!((&answer["paths"], &answer["seed"]), (&Value::from(2000), &Value::from(7)));
    assert!(answer["device"].as_str().unwrap().contains("host"));
    let (value, error, interval) = (number(&answer["value"]), number(&answer["std_error"]), numbers(&answer["ci95"]));
    assert!((value - 10.450584).abs() < 4.0 * error, "{value} ± {error}");
    assert_alike(&interval, &[value - 1.96 * error, value + 1.96 * error]);
    assert!(number(&answer["seconds_cold"]) > 0.0 && number(&answer["seconds_warm"]) > 0.0);
    // A seed of 64 bits is printed whole.
    let answer = folder.json(&["price", "--paths", "10", "--seed", "18446744073709551615"]);
    assert_eq!(answer["seed"], Value::from(u64::MAX));
}

#[test]
fn one_path_has_no_error_and_null_says_so() {
    let answer = Folder::new().json(&["price", "--paths", "1", "--spot", "200"]);
    assert!(answer["std_error"].is_null() && answer["value"].is_f64(), "{answer}");
    assert_eq!(answer["ci95"], Value::from(vec![Value::Null, Value::Null]));
}

#[test]
fn price_in_csv_is_one_row_and_in_a_table_has_the_closed_form() {
    let folder = Folder::new();
    let line = ["price", "--paths", "2000"];
    let rows = records(&folder.prints(&[&line[..], &["--format", "csv"]].concat()));
    let header = "value,std_error,ci95_low,ci95_high,paths,seed,device,seconds_cold,seconds_warm";
    assert_eq!((rows.len(), rows[0].join(",").as_str()), (2, header));
    assert_alike(&[rows[1][0].parse().unwrap()], &[number(&folder.json(&line)["value"])]);
    let table = folder.prints(&line);
    assert!(table.contains("10.450584") && table.contains("2,000"), "{table}");
}

/// Equal but for the last digit, which a reader of JSON may round.
fn assert_alike(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{got:?} is not {expected:?}");
    for (left, right) in got.iter().zip(expected) {
        let alike = (left.is_nan() && right.is_nan()) || (left - right).abs() <= 1e-14 * right.abs();
        assert!(alike, "{left} is not {right}: {got:?}");
    }
}

/// Prices with holes: before the first value, and after one.
const HOLES: &str = "Day,A,B\n2020-01-01,,2\n2020-01-02,4,NA\n\"Monday, late\",nan,4\n2020-01-06,8,NaN\n";

#[test]
fn ema_gives_the_averages_of_every_column() {
    let folder = Folder::new();
    let answer = folder.json(&["ema", "--alpha", "0.5", "ok.csv"]);
    assert_eq!((fields(&answer), fields(&answer["values"])), (vec!["index", "values"], vec!["A", "B"]));
    let dates = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-06"].map(Value::from);
    assert_eq!(answer["index"], Value::from(dates.to_vec()));
    let expected = [1.0, 1.05, 1.125, 1.2125];
    for (value, expected) in numbers(&answer["values"]["A"]).into_iter().zip(expected) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }
    let from_zero = folder.json(&["ema", "--alpha", "0.5", "--init", "zero", "ok.csv"]);
    assert_eq!(number(&from_zero["values"]["B"][0]), 1.0);
}

#[test]
fn ema_carries_over_missing_values_and_null_says_that_there_is_none_yet() {
    let folder = Folder::new();
    folder.write("holes.csv", HOLES);
    let answer = folder.json(&["ema", "--span", "1", "holes.csv"]);
    assert_eq!(answer["values"]["A"], Value::from(vec![Value::Null, 4.0.into(), 4.0.into(), 8.0.into()]));
    assert_eq!(answer["values"]["B"], Value::from(vec![2.0, 2.0, 4.0, 4.0]));
    assert_eq!(answer["index"][2], "Monday, late");
}

#[test]
fn the_csv_of_averages_lines_up_with_its_input() {
    let folder = Folder::new();
    folder.write("holes.csv", HOLES);
    for (file, content) in [("ok.csv", PRICES), ("holes.csv", HOLES)] {
        let input = records(content);
        let printed = folder.prints(&["ema", "--com", "1", file, "--format", "csv", "-o", "out.csv"]);
        let output = records(&printed);
        assert_eq!(output[0], input[0], "{file}: the header");
        let index = |rows: &[Vec<String>]| rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
        assert_eq!(index(&output), index(&input), "{file}: the dates");
        assert_eq!(folder.read("out.csv"), printed, "{file}: -o writes what --format csv prints");
        let json = folder.json(&["ema", "--com", "1", file]);
        for (place, name) in input[0].iter().enumerate().skip(1) {
            let column: Vec<f64> = output[1..].iter().map(|row| row[place].parse().unwrap_or(f64::NAN)).collect();
            assert_alike(&column, &numbers(&json["values"][name]));
        }
        // The averages are prices again.
        folder.prints(&["ema", "--alpha", "1", "out.csv"]);
    }
}

#[test]
fn columns_come_in_the_order_that_was_asked_for() {
    let folder = Folder::new();
    let printed = folder.prints(&["ema", "--alpha", "1", "ok.csv", "--columns", "B,A", "--format", "csv"]);
    assert!(printed.starts_with("Date,B,A\n2020-01-01,2.0,1.0\n"), "{printed}");
    let table = folder.prints(&["ema", "--alpha", "1", "ok.csv", "--columns", "B"]);
    assert!(table.contains("2020-01-06") && table.contains("1.9") && !table.contains('A'), "{table}");
}

#[test]
fn cov_gives_mean_and_covariance_per_year() {
    let folder = Folder::new();
    folder.write("numpy.csv", "row,x,y\n0,-2.1,3\n1,-1,1.1\n2,4.3,0.12\n");
    let line = ["cov", "--returns", "none", "--periods-per-year", "2", "numpy.csv"];
    let answer = folder.json(&line);
    let expected =
        ["assets", "condition_number", "correlation", "covariance", "ddof", "mean", "min_eigenvalue", "periods"];
    assert_eq!(fields(&answer), [&expected[..], &["shrinkage"]].concat());
    assert_eq!((&answer["periods"], &answer["ddof"]), (&Value::from(3), &Value::from(1)));
    assert_eq!(answer["assets"], Value::from(vec!["x", "y"]));
    // O19, twice a year.
    let expected = [[23.42, -8.572], [-8.572, 4.288266666666]];
    for (row, expected) in answer["covariance"].as_array().unwrap().iter().zip(expected) {
        for (value, expected) in numbers(row).into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
        }
    }
    assert!(numbers(&answer["mean"]).iter().zip([0.8, 2.8133333333]).all(|(mean, x)| (mean - x).abs() < 1e-9));
    let rows = records(&folder.prints(&[&line[..], &["--format", "csv"]].concat()));
    assert_eq!((rows.len(), rows[0].join(","), &rows[2][0]), (3, "asset,mean,x,y".to_owned(), &"y".to_owned()));
    let table = folder.prints(&line);
    assert!(table.contains("23.42") && table.contains("-8.572"), "{table}");
}

#[test]
fn cov_shrinks_fades_and_pairs_rows() {
    let folder = Folder::new();
    folder.write("holes.csv", "row,a,b\n1,1,2\n2,2,\n3,,6\n4,4,8\n");
    let cov = |flags: &[&str]| {
        let line = ["cov", "--returns", "none", "--periods-per-year", "1"];
        folder.json(&[&line, flags, &["holes.csv"]].concat())
    };
    // O21: pandas' complete rows, and its pairs.
    let close = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-12;
    let complete = cov(&[]);
    assert!(close(&complete["covariance"][0][0], 4.5) && close(&complete["covariance"][0][1], 9.0), "{complete}");
    assert_eq!((&complete["shrinkage"], &complete["periods"]), (&Value::from(0.0), &Value::from(2)));
    // Pairs may give a matrix that is none of covariances, which is said.
    let line = ["cov", "--returns", "none", "--periods-per-year", "1", "--missing", "pairwise", "--format", "json"];
    let outcome = folder.run(&[&line[..], &["holes.csv"]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(outcome.stderr.lines().filter(|line| line.contains("not positive semidefinite")).count(), 1);
    let pairs: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(close(&pairs["covariance"][0][0], 7.0 / 3.0) && close(&pairs["covariance"][1][1], 28.0 / 3.0), "{pairs}");
    // 7/3 · 28/3 − 9² is below 0.
    assert!(pairs["min_eigenvalue"].as_f64().unwrap() < 0.0 && pairs["condition_number"].is_null(), "{pairs}");
    // The last of two rows counts twice as much: 2/3 · 1/3 · 3² over 1 − 5/9.
    assert!(close(&cov(&["--half-life", "1"])["covariance"][0][0], 4.5), "of two rows any weights leave this");
    assert!(close(&cov(&["--half-life", "1"])["mean"][0], 3.0));
    for way in ["ledoit-wolf", "oas"] {
        let shrunk = cov(&["--shrink", way]);
        assert!((0.0..=1.0).contains(&shrunk["shrinkage"].as_f64().unwrap()), "{way}: {shrunk}");
    }
    let table = folder.prints(&["cov", "--corr", "--format", "csv", "ok.csv"]);
    assert!(records(&table)[1].iter().any(|cell| cell == "1.0"), "{table}");
    folder.prints(&["cov", "ok.csv", "--plot", "map.svg"]);
    assert!(folder.read("map.svg").trim_start().starts_with("<svg"));
    for refused in [
        &["--shrink", "oas", "--half-life", "5"][..],
        &["--shrink", "oas", "--missing", "pairwise"],
        &["--half-life", "5", "--missing", "pairwise"],
        &["--half-life", "0"],
        &["--half-life", "-1"],
        &["--half-life", "inf"],
        &["--shrink", "more"],
        &["--missing", "none"],
        &["--plot", "no-folder/map.svg"],
    ] {
        folder.refuses(&[&["cov", "ok.csv"], refused].concat());
    }
}

#[test]
fn cov_counts_the_returns_of_complete_rows() {
    let folder = Folder::new();
    assert_eq!(folder.json(&["cov", "ok.csv"])["periods"], 3);
    folder.write("holes.csv", "Date,A,B\n1,1,2\n2,,3\n3,2,3\n4,3,NA\n5,4,5\n");
    assert_eq!(folder.json(&["cov", "holes.csv"])["periods"], 2);
    assert_eq!(folder.json(&["cov", "--returns", "log", "holes.csv"])["periods"], 2);
    assert_eq!(folder.json(&["cov", "--returns", "none", "holes.csv"])["periods"], 3);
}

#[test]
fn frontier_gives_the_two_best_portfolios_with_their_weights() {
    let folder = Folder::new();
    let line = ["frontier", "--portfolios", "300", "ok.csv"];
    let answer = folder.json(&line);
    assert_eq!(fields(&answer), ["exact", "frontier", "max_sharpe", "min_volatility", "portfolios"]);
    assert_eq!(answer["portfolios"], 300);
    assert_eq!(fields(&answer["exact"]), ["distance", "max_sharpe", "min_volatility"]);
    assert_eq!(fields(&answer["exact"]["min_volatility"]), fields(&answer["min_volatility"]));
    let distance = &answer["exact"]["distance"];
    assert_eq!(fields(distance), ["frontier", "max_sharpe", "min_volatility"]);
    assert!(number(&distance["min_volatility"]).abs() < 0.002 && number(&distance["max_sharpe"]).abs() < 0.002);
    let edge = answer["frontier"].as_array().unwrap();
    assert!((1..=20).contains(&edge.len()), "{} points", edge.len());
    for point in edge {
        assert_eq!(fields(point), ["return", "volatility", "weights"]);
        assert_eq!(fields(&point["weights"]), ["A", "B"]);
    }
    let returns: Vec<f64> = edge.iter().map(|point| number(&point["return"])).collect();
    assert!(returns.windows(2).all(|pair| pair[0] < pair[1]), "{returns:?}");
    for best in ["min_volatility", "max_sharpe"] {
        let portfolio = &answer[best];
        assert_eq!(fields(portfolio), ["return", "riskless", "sharpe", "volatility", "weights"], "{best}");
        assert_eq!((fields(&portfolio["weights"]), &portfolio["riskless"]), (vec!["A", "B"], &Value::from(false)));
        let sum = number(&portfolio["weights"]["A"]) + number(&portfolio["weights"]["B"]);
        assert!((sum - 1.0).abs() < 1e-12, "{best}: {sum}");
        let ratio = (number(&portfolio["return"]) - 0.02) / number(&portfolio["volatility"]);
        assert!((number(&portfolio["sharpe"]) / ratio - 1.0).abs() < 1e-12, "{best}: {portfolio}");
    }
    let rows = records(&folder.prints(&[&line[..], &["--format", "csv"]].concat()));
    assert_eq!(rows[0].join(","), "portfolio,return,volatility,sharpe,riskless,A,B");
    assert_eq!((rows.len(), &rows[1][0], &rows[2][0]), (3, &"min_volatility".to_owned(), &"max_sharpe".to_owned()));
    let table = folder.prints(&line);
    assert!(table.contains("Sharpe") && table.contains("weight B") && table.contains("300"), "{table}");
}

#[test]
fn frontier_takes_bounds_shorts_points_and_targets() {
    let folder = Folder::new();
    folder.write("bounds.csv", "asset,lower,upper\nA,0.3,0.6\n");
    let line = ["frontier", "--portfolios", "300", "ok.csv"];
    let with = |flags: &[&str]| folder.json(&[&line[..], flags].concat());
    let bounded = with(&["--bounds", "bounds.csv", "--points", "3"]);
    let edge = bounded["frontier"].as_array().unwrap();
    assert!((1..=3).contains(&edge.len()), "{} points", edge.len());
    for portfolio in edge.iter().chain([&bounded["min_volatility"], &bounded["max_sharpe"]]) {
        let weight = number(&portfolio["weights"]["A"]);
        assert!((0.3..=0.6).contains(&weight), "{portfolio}");
    }
    // A rises and B falls: what pays for more of A is owed of B.
    let short = with(&["--short"]);
    assert!(number(&with(&[])["max_sharpe"]["weights"]["A"]) <= 1.0);
    assert!(edge.iter().all(|point| number(&point["weights"]["B"]) >= 0.4));
    assert!(short["frontier"].as_array().unwrap().iter().all(|point| number(&point["weights"]["A"]) <= 1.0));
    let targets = with(&["--target-return", "5", "--target-return", "1e9", "--target-volatility", "0.5"]);
    let found = targets["targets"].as_array().unwrap();
    assert_eq!(found.len(), 3);
    assert!(number(&found[0]["return"]) >= 5.0 * (1.0 - 1e-5) && found[1].is_null(), "{found:?}");
    let plain = with(&["--sampler", "dirichlet:1", "--rounds", "1", "--seed", "3"]);
    assert_eq!(plain["portfolios"], 300);
    let rows = records(&folder.prints(&[&line[..], &["--target-return", "1e9", "--format", "csv"]].concat()));
    assert_eq!((rows.len(), rows[3].join(",")), (4, "target_1,,,,,,".to_owned()));
    let table = folder.prints(&[&line[..], &["--target-return", "5"]].concat());
    assert!(table.contains("target 1") && table.contains("exact") && table.contains("300"), "{table}");
}

#[test]
fn a_rate_above_every_mean_leaves_the_least_volatility() {
    let folder = Folder::new();
    let line = ["frontier", "--portfolios", "100", "--rf", "1e6", "ok.csv"];
    let message = folder.refuses(&line);
    assert!(message.contains("1000000") && message.contains("--min-volatility"), "{message}");
    let answer = folder.json(&[&line[..], &["--min-volatility"]].concat());
    assert!(number(&answer["min_volatility"]["volatility"]) > 0.0);
    assert!(answer["exact"]["max_sharpe"].is_null() && answer["exact"]["distance"]["max_sharpe"].is_null());
    assert!(number(&answer["max_sharpe"]["sharpe"]) < 0.0);
    folder.prints(&[&line[..], &["--min-volatility"]].concat());
}

#[test]
fn more_assets_than_returns_are_said_to_be_singular() {
    let folder = Folder::new();
    folder.write("wide.csv", "d,A,B,C\n1,0.01,0.02,-0.01\n2,-0.02,0.01,0.03\n3,0.015,-0.01,0.01\n");
    let line = ["frontier", "--returns", "none", "--portfolios", "200", "--format", "json", "wide.csv"];
    let outcome = folder.run(&line);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let warnings: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains("singular")).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("3 assets and 3 returns"), "{}", outcome.stderr);
    let answer: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert!(number(&answer["min_volatility"]["volatility"]) >= 0.0);
}

#[test]
fn a_riskless_portfolio_is_flagged_and_its_ratio_is_null() {
    let folder = Folder::new();
    folder.write("cash.csv", "Date,cash\n1,0.001\n2,0.001\n3,0.001\n");
    let answer = folder.json(&["frontier", "--returns", "none", "--portfolios", "5", "cash.csv"]);
    for best in ["min_volatility", "max_sharpe"] {
        let portfolio = &answer[best];
        assert_eq!((&portfolio["riskless"], &portfolio["sharpe"]), (&Value::from(true), &Value::Null), "{portfolio}");
        assert_eq!(number(&portfolio["volatility"]), 0.0);
    }
}

#[test]
fn market_gives_the_history_from_the_initial_price_on() {
    let folder = Folder::new();
    let line = ["market", "--agents", "20", "--steps", "12", "--initial-log-price", "0.25"];
    let answer = folder.json(&line);
    assert_eq!(fields(&answer), ["device", "log_price", "seconds", "steps"]);
    let history = numbers(&answer["log_price"]);
    assert_eq!((&answer["steps"], history.len(), history[0]), (&Value::from(12), 13, 0.25));
    assert!(history.iter().all(|price| price.is_finite()));
    assert!(answer["device"].as_str().unwrap().contains("host") && number(&answer["seconds"]) > 0.0);
    let rows = records(&folder.prints(&[&line[..], &["--format", "csv"]].concat()));
    assert_eq!((rows.len(), rows[0].join(",").as_str()), (14, "step,log_price"));
    assert!(rows[1..].iter().enumerate().all(|(step, row)| row[0] == step.to_string()), "{rows:?}");
    let column: Vec<f64> = rows[1..].iter().map(|row| row[1].parse().unwrap()).collect();
    assert_alike(&column, &history);
    let table = folder.prints(&line);
    assert!(table.contains("1.28403") && table.contains("12"), "{table}");
}

#[test]
fn a_market_of_no_steps_is_its_initial_price() {
    let folder = Folder::new();
    let answer = folder.json(&["market", "--steps", "0", "--initial-log-price", "-0.5"]);
    assert_eq!((&answer["steps"], numbers(&answer["log_price"])), (&Value::from(0), vec![-0.5]));
    assert_eq!(folder.prints(&["market", "--steps", "0", "--format", "csv"]), "step,log_price\n0,0.0\n");
    folder.prints(&["market", "--steps", "0"]);
}

#[test]
fn strengths_and_the_fundamental_value_may_be_negative() {
    let folder = Folder::new();
    let signed = ["market", "--agents", "10", "--steps", "3", "--strength", "-0.5,0.5,-1", "--log-fundamental", "-1"];
    assert_eq!(numbers(&folder.json(&signed)["log_price"]).len(), 4);
    folder.prints(&["price", "--paths", "10", "--rate", "-0.01", "--dividend", "-0.02"]);
    folder.prints(&["frontier", "--portfolios", "10", "--rf", "-0.01", "ok.csv"]);
}
