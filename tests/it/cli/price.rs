//! `price` beyond the European option: payoffs, models, engines and grids.

use serde_json::Value;

use super::{Folder, fields, number, records};

/// A price of few paths, with what it must be near.
fn priced(folder: &Folder, flags: &[&str], expected: f64) {
    let answer = folder.json(&[&["price", "--paths", "20000"], flags].concat());
    let (value, error) = (number(&answer["value"]), number(&answer["std_error"]));
    assert!((value - expected).abs() <= 4.0 * error + 1e-4, "{flags:?}: {value} ± {error} is not {expected}");
}

#[test]
fn every_payoff_and_model_is_priced() {
    let folder = Folder::new();
    priced(&folder, &["--payoff", "cash-digital"], 0.532325);
    priced(&folder, &["--payoff", "asset-digital"], 63.683065);
    priced(
        &folder,
        &["--payoff", "asian-geometric", "--fixings", "10", "--rate", "0.06", "--dividend", "0.03"],
        5.3425607,
    );
    priced(&folder, &["--payoff", "asian-arithmetic", "--fixings", "50", "--vol", "0.3", "--control"], 8.07345);
    let haug = ["--rate", "0.08", "--dividend", "0.04", "--vol", "0.25", "--expiry", "0.5", "--rebate", "3"];
    priced(
        &folder,
        &[&haug[..], &["--payoff", "barrier-down-out", "--barrier", "95", "--strike", "90"]].concat(),
        9.0246,
    );
    priced(
        &folder,
        &[&haug[..], &["--payoff", "barrier-up-in", "--barrier", "105", "--monitoring", "continuous"]].concat(),
        8.4482,
    );
    let basket = ["--spots", "100,100", "--vols", "0.3,0.3", "--dividends", "0,0", "--correlation", "0.5"];
    priced(&folder, &[&basket[..], &["--payoff", "basket-max"]].concat(), 21.619);
    priced(&folder, &[&basket[..], &["--payoff", "basket-min", "--style", "put"]].concat(), 13.889798);
    for (payoff, level) in [("barrier-up-out", "150"), ("barrier-down-in", "100")] {
        let answer =
            folder.json(&["price", "--paths", "100", "--payoff", payoff, "--barrier", level, "--monitoring", "4"]);
        assert!(number(&answer["value"]) > 0.0, "{payoff}: {answer}");
    }
    for payoff in ["lookback-fixed", "lookback-floating"] {
        let continuous = number(&folder.json(&["price", "--paths", "2000", "--payoff", payoff])["value"]);
        let dates = number(&folder.json(&["price", "--paths", "2000", "--payoff", payoff, "--fixings", "5"])["value"]);
        assert!(dates < continuous, "{payoff}: {dates}, {continuous}");
    }
    folder.write("c.csv", "1, 0.5\n0.5, 1\n");
    let file = ["price", "--paths", "2000", "--payoff", "basket-average", "--spots", "100,90", "--correlation"];
    let alike = folder.json(&[&file[..], &["0.5"]].concat());
    assert_eq!(folder.json(&[&file[..], &["c.csv"]].concat())["value"], alike["value"]);
    for model in
        [&["--model", "merton", "--jump-intensity", "2"][..], &["--model", "heston", "--xi", "0.5", "--rho=-0.2"]]
    {
        let table = folder.prints(&[&["price", "--paths", "2000"], model].concat());
        assert!(table.contains("closed form"), "{table}");
    }
}

#[test]
fn greeks_and_the_reduction_of_variance_are_there_when_asked_for() {
    let folder = Folder::new();
    let answer = folder.json(&["price", "--paths", "4000", "--greeks", "--antithetic", "--control"]);
    assert_eq!(fields(&answer["greeks"]), ["delta", "gamma", "rho", "theta", "vega"]);
    for greek in ["delta", "gamma", "rho", "theta", "vega"] {
        assert_eq!(fields(&answer["greeks"][greek]), ["std_error", "value"]);
    }
    assert!((number(&answer["greeks"]["delta"]["value"]) - 0.6368).abs() < 0.05);
    assert!(number(&answer["variance_reduction"]) > 2.0);
    let rows = records(&folder.prints(&["price", "--paths", "4000", "--greeks", "--format", "csv"]));
    assert!(rows[0].join(",").ends_with("theta,theta_std_error") && rows[0].len() == rows[1].len());
    assert!(number(&folder.json(&["price", "--paths", "4096", "--sobol"])["variance_reduction"]) > 2.0);
    let ended = folder.json(&["price", "--tolerance", "0.1"]);
    assert!(number(&ended["std_error"]) <= 0.1 && number(&ended["paths"]) < 1e5, "{ended}");
}

#[test]
fn a_grid_has_a_price_for_every_row() {
    let folder = Folder::new();
    folder.write("grid.csv", "strike,expiry,style\n90,1,call\n100,1,put\n110,0.5,\n");
    let answer = folder.json(&["price", "--paths", "4000", "--grid", "grid.csv"]);
    let names = ["device", "options", "paths", "seconds_cold", "seconds_warm", "seed"];
    assert_eq!(fields(&answer), names);
    let options = answer["options"].as_array().unwrap();
    assert_eq!(options.len(), 3);
    for option in options {
        let off = number(&option["value"]) - number(&option["closed_form"]);
        assert!(off.abs() < 4.0 * number(&option["std_error"]), "{option}");
    }
    assert_eq!(options[1]["style"], Value::from("put"));
    assert_eq!(records(&folder.prints(&["price", "--paths", "40", "--grid", "grid.csv", "--format", "csv"])).len(), 4);
    for (content, said) in [
        ("strike,expiry\n", "no options"),
        ("strike,expiry\n90,x\n", "grid.csv"),
        ("strike,expiry,style\n90,1,both\n", "both"),
        ("strike,expiry\n-1,1\n", "strike"),
        ("expiry\n1\n", "strike"),
    ] {
        folder.write("grid.csv", content);
        let message = folder.refuses(&["price", "--grid", "grid.csv"]);
        assert!(message.contains(said), "{content:?}: {message}");
    }
    folder.refuses(&["price", "--grid", "absent.csv"]);
    folder.refuses(&["price", "--grid", "ok.csv", "--plot", "p.svg"]);
}

#[test]
fn a_plot_is_drawn_where_it_is_asked_for() {
    let folder = Folder::new();
    folder.prints(&["price", "--paths", "5000", "--payoff", "asian-arithmetic", "--fixings", "3", "--plot", "p.svg"]);
    assert!(folder.read("p.svg").starts_with("<svg"));
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let folder = Folder::new();
    for (flags, said) in [
        (&["--payoff", "barrier-up-in"][..], "--barrier"),
        (&["--barrier", "90"], "--barrier"),
        (&["--rebate", "1"], "--rebate"),
        (&["--fixings", "3"], "--fixings"),
        (&["--monitoring", "3"], "--monitoring"),
        (&["--payoff", "asian-geometric", "--fixings", "0"], "fixings"),
        (&["--payoff", "lookback-fixed", "--fixings", "3", "--monitoring", "3"], "--monitoring"),
        (&["--payoff", "lookback-fixed", "--monitoring", "always"], "monitoring"),
        (&["--payoff", "barrier-up-in", "--barrier", "0"], "barrier"),
        (&["--payoff", "barrier-up-in", "--barrier", "110", "--rebate=-1"], "rebate"),
        (&["--payoff", "barrier-up-in", "--barrier", "110", "--model", "merton"], "continuous"),
        (&["--spots", "1,2"], "--spots"),
        (&["--payoff", "basket-max"], "--spots"),
        (&["--payoff", "basket-max", "--spots", "1,2", "--vols", "0.1"], "--vols"),
        (&["--payoff", "basket-max", "--spots", "1,x"], "--spots"),
        (&["--payoff", "basket-max", "--spots", "1,2", "--correlation", "1.5"], "correlation"),
        (&["--payoff", "basket-max", "--spots", "1,2", "--correlation", "absent.csv"], "absent.csv"),
        (&["--payoff", "basket-max", "--spots", "1,2", "--correlation", "ok.csv"], "ok.csv"),
        (&["--kappa", "1"], "--kappa"),
        (&["--model", "heston", "--jump-vol", "1"], "--jump-vol"),
        (&["--model", "heston", "--xi", "0"], "volatility"),
        (&["--model", "heston", "--rho", "2"], "correlation"),
        (&["--model", "merton", "--jump-intensity", "1000"], "jumps"),
        (&["--model", "sabr"], "sabr"),
        (&["--antithetic", "--paths", "3"], "even"),
        (&["--tolerance", "0"], "tolerance"),
        (&["--sobol", "--antithetic"], "Sobol"),
        (&["--sobol", "--model", "heston"], "Sobol"),
        (&["--sobol", "--paths", "31"], "paths"),
        (&["--payoff", "swing"], "swing"),
    ] {
        let message = folder.refuses(&[&["price"], flags].concat());
        assert!(message.contains(said), "{flags:?}: {message}");
    }
}
