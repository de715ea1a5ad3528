//! `cubefold market` with `--explain`, a scenario, spread strengths, and `--ensemble`.

use std::fs;

use serde_json::Value;

use super::{Folder, fields, number, numbers, records};

const SMALL: [&str; 5] = ["market", "--agents", "40", "--steps", "60"];

#[test]
fn an_explained_market_tells_the_theory_statistics_returns_and_demand() {
    let folder = Folder::new();
    let bubbling =
        ["--mix", "0.5,0.5,0", "--lag", "5", "--lambda", "1", "--strength", "0.12,1,0", "--log-fundamental", "0.1"];
    let line = [&SMALL[..], &bubbling, &["--explain"]].concat();
    let answer = folder.json(&[&line[..], &["-o", "out"]].concat());
    let added = ["excess_demand", "largest_root", "log_return", "run_has_bubbles", "statistics", "theory_has_bubbles"];
    assert!(added.iter().all(|name| fields(&answer).contains(name)), "{answer}");
    // O28: a = 0.06, b = 0.5, k = 5.
    assert!((number(&answer["largest_root"]) - 1.3108).abs() < 1e-4);
    assert_eq!((&answer["theory_has_bubbles"], &answer["run_has_bubbles"]), (&Value::from(true), &Value::from(true)));
    let (prices, returns) = (numbers(&answer["log_price"]), numbers(&answer["log_return"]));
    assert!(prices.windows(2).zip(&returns).all(|(pair, found)| (pair[1] - pair[0] - found).abs() < 1e-12));
    assert_eq!((returns.len(), answer["excess_demand"].as_array().unwrap().len()), (60, 60));
    assert!(number(&answer["statistics"]["largest_bubble"]["height"]) > 0.1);
    let rows = records(&folder.prints(&[&line[..], &["--format", "csv"]].concat()));
    assert_eq!((rows.len(), rows[0].len(), rows[61][2].as_str()), (62, 6, ""));
    assert!(folder.prints(&line).contains("these parameters make bubbles"));
    let pictures = ["market.svg", "market-demand.svg", "market-returns.svg", "market-memory.svg"];
    for name in pictures {
        assert!(folder.read(&format!("out/{name}")).starts_with("<svg"), "{name}");
    }
    assert_eq!(fs::read_dir(folder.path.join("out")).unwrap().count(), pictures.len() + 2);
    let calm = [&SMALL[..], &["--mix", "1,0,0", "--explain"]].concat();
    assert_eq!(folder.json(&calm)["theory_has_bubbles"], false);
}

#[test]
fn a_fundamental_value_comes_from_a_file_and_shocks_from_the_line() {
    let folder = Folder::new();
    let path: String = (0..4).map(|row| format!("{row},{}\n", 1.0 + 0.5 * f64::from(row))).collect();
    folder.write("path.csv", format!("step,value\n{path}"));
    let alone =
        ["market", "--agents", "10", "--steps", "3", "--mix", "1,0,0", "--lambda", "1", "--fundamental", "path.csv"];
    let found = numbers(&folder.json(&[&alone[..], &["--shock", "1:-0.5", "--shock", "2:0.25"]].concat())["log_price"]);
    let mut expected = vec![0.0f64];
    for (step, jump) in [0.0, -0.5, 0.25].into_iter().enumerate() {
        let gap = (1.0 + 0.5 * step as f64).ln() - expected[step];
        expected.push(expected[step] + (0.5 * gap).clamp(-0.2, 0.2) + jump);
    }
    assert!(
        found.iter().zip(&expected).all(|(left, right)| (left - right).abs() < 1e-6),
        "{found:?}, not {expected:?}"
    );
    // The path ends too early, is no price, is not there; or stands beside the constant.
    let refuses = |more: &[&str]| folder.refuses(&[&alone[..], more].concat());
    assert!(folder.refuses(&["market", "--steps", "4", "--fundamental", "path.csv"]).contains("5"));
    assert!(refuses(&["--shock", "1:nan"]).contains("1:nan") && refuses(&["--shock", "x"]).contains("STEP:SIZE"));
    refuses(&["--log-fundamental", "0.5"]);
    folder.write("wrong.csv", "step,value\n0,1\n1,0\n");
    assert!(folder.refuses(&["market", "--steps", "1", "--fundamental", "wrong.csv"]).contains("above 0"));
    folder.refuses(&["market", "--fundamental", "absent.csv"]);
}

#[test]
fn strengths_are_spread_and_fixed_point_is_chosen() {
    let folder = Folder::new();
    let prices = |more: &[&str]| numbers(&folder.json(&[&SMALL[..], more].concat())["log_price"]);
    assert_ne!(prices(&["--strength-spread", "0.5"]), prices(&[]));
    assert_eq!(prices(&["--strength-spread", "0"]), prices(&[]));
    for value in ["-0.1", "2.1", "nan"] {
        assert!(folder.refuses(&[&SMALL[..], &["--strength-spread", value]].concat()).contains("strength-spread"));
    }
    prices(&["--fraction-bits", "20"]);
    let refused = folder.refuses(&[&SMALL[..], &["--fraction-bits", "40"]].concat());
    assert!(refused.contains("step 0") && refused.contains("40"), "{refused}");
    folder.refuses(&[&SMALL[..], &["--fraction-bits", "61"]].concat());
}

#[test]
fn an_ensemble_is_a_row_a_market_and_a_map() {
    let folder = Folder::new();
    let line = [&SMALL[..], &["--ensemble", "mix.trend=0:0.9:4,lag=1:5:3"]].concat();
    let answer = folder.json(&[&line[..], &["-o", "out"]].concat());
    assert_eq!(fields(&answer), ["device", "members", "parameters", "seconds"]);
    assert_eq!(answer["members"].as_array().unwrap().len(), 12);
    assert_eq!(numbers(&answer["members"][11]["values"]), [0.9, 5.0]);
    let rows = records(&folder.read("out/ensemble.csv"));
    assert_eq!((rows.len(), &rows[0][..2]), (13, &["mix.trend".to_owned(), "lag".to_owned()][..]));
    assert!(folder.read("out/ensemble.svg").contains("largest root 1"));
    assert!(folder.prints(&[&line[..], &["--measure", "volatility"]].concat()).contains("12"));
    folder.prints(&[&SMALL[..], &["--ensemble", "seed=1:3:3", "-o", "line"]].concat());
    assert!(folder.read("line/ensemble.svg").starts_with("<svg"));
}

#[test]
fn what_is_no_ensemble_is_refused() {
    let folder = Folder::new();
    let refuses = |axes: &str| folder.refuses(&[&SMALL[..], &["--ensemble", axes]].concat());
    assert!(refuses("trend=0:1:2").contains("mix.trend"));
    assert!(refuses("lag=0:1").contains("LOW:HIGH:COUNT"));
    assert!(refuses("lag=1:2:2,lag=1:2:2").contains("different"));
    assert!(refuses("lag=1:2:2,lambda=1:2:2,seed=1:2:2").contains("3 axes"));
    assert!(refuses("lambda=0:1e300:2").contains("lambda"));
    assert!(refuses("mix.trend=0:1.5:2").contains("mix"));
    assert!(refuses("lag=1:2000000:2000000").contains("2000000"));
    folder.refuses(&[&SMALL[..], &["--measure", "volatility"]].concat());
    folder.refuses(&[&SMALL[..], &["--ensemble", "lag=1:2:2", "--explain"]].concat());
}
