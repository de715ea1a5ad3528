//! Numbers on the command line that are refused, each beside the last one that is accepted.

use super::{Folder, number};

#[test]
fn no_paths_no_agents_and_no_portfolios_are_refused() {
    let folder = Folder::new();
    assert!(folder.refuses(&["price", "--paths", "0"]).contains("paths"));
    assert!(folder.refuses(&["market", "--agents", "0"]).contains("agents"));
    assert!(folder.refuses(&["frontier", "--portfolios", "0", "ok.csv"]).contains("portfolios"));
    folder.prints(&["price", "--paths", "1"]);
    folder.prints(&["market", "--agents", "1", "--steps", "3"]);
    folder.prints(&["frontier", "--portfolios", "1", "ok.csv"]);
}

#[test]
fn a_spot_or_a_strike_below_zero_is_refused() {
    let folder = Folder::new();
    for flag in ["spot", "strike"] {
        for value in ["-1", "-1e-300", "-0.5"] {
            assert!(folder.refuses(&["price", &format!("--{flag}"), value]).contains(flag));
            assert!(folder.refuses(&["price", &format!("--{flag}={value}")]).contains(flag));
        }
        folder.prints(&["price", "--paths", "10", &format!("--{flag}"), "0"]);
    }
}

#[test]
fn an_expiry_below_zero_is_refused() {
    let folder = Folder::new();
    for value in ["-1", "-1e-300"] {
        assert!(folder.refuses(&["price", "--expiry", value]).contains("expiry"));
    }
}

#[test]
fn a_volatility_below_zero_is_refused() {
    let folder = Folder::new();
    for value in ["-0.2", "-1e-300"] {
        assert!(folder.refuses(&["price", "--vol", value]).contains("vol"));
    }
}

#[test]
fn no_volatility_and_no_time_are_right_values() {
    let folder = Folder::new();
    // O5: the forward counts, not the spot.
    let forward = ["--spot", "100", "--strike", "102", "--rate", "0.05", "--dividend", "0.02", "--vol", "0"];
    let cases: [(&[&str], f64); 7] = [
        (&forward, 0.994466),
        (&[&forward[..], &["--style", "put"]].concat(), 0.0),
        (&["--expiry", "0"], 0.0),
        (&["--expiry", "0", "--style", "put"], 0.0),
        (&["--expiry", "0", "--spot", "120"], 20.0),
        (&["--expiry", "0", "--spot", "80", "--style", "put"], 20.0),
        (&["--expiry", "0", "--vol", "0", "--spot", "120.5"], 20.5),
    ];
    for (flags, expected) in cases {
        let answer = folder.json(&[&["price", "--paths", "1001"], flags].concat());
        let value = number(&answer["value"]);
        assert!((value - expected).abs() <= 5e-7, "{flags:?}: {value} is not {expected}");
        assert_eq!(number(&answer["std_error"]), 0.0, "{flags:?}");
    }
}

/// The arguments with `value` after `flag`, and what else the subcommand needs.
fn with<'a>(command: &[&'a str], flag: &'a str, value: &'a str) -> Vec<&'a str> {
    [command, &[flag, value]].concat()
}

#[test]
fn a_number_that_is_not_finite_is_refused() {
    let folder = Folder::new();
    let commands: [(&[&str], &[&str]); 5] = [
        (&["price"], &["--spot", "--strike", "--rate", "--dividend", "--vol", "--expiry"]),
        (&["ema", "ok.csv"], &["--alpha", "--span", "--com", "--halflife"]),
        (&["cov", "ok.csv"], &["--periods-per-year"]),
        (&["frontier", "ok.csv"], &["--periods-per-year", "--rf"]),
        (&["market"], &["--lambda", "--log-fundamental", "--initial-log-price"]),
    ];
    for (command, flags) in commands {
        for flag in flags {
            for value in ["nan", "NaN", "inf", "-inf", "infinity", "1e999"] {
                let message = folder.refuses(&with(command, flag, value));
                assert!(message.contains(&flag[2..]), "{flag} {value}: {message}");
            }
        }
    }
    for value in ["NaN", "inf", "-inf"] {
        for place in 0..3 {
            let triple = |others: &str| {
                let mut parts = [others; 3];
                parts[place] = value;
                parts.join(",")
            };
            folder.refuses(&["market", "--mix", &triple("0.5")]);
            folder.refuses(&["market", "--strength", &triple("0.5")]);
        }
    }
}

#[test]
fn finite_numbers_that_lead_to_an_infinite_one_are_refused() {
    let folder = Folder::new();
    folder.refuses(&["price", "--rate", "-1e300"]);
    folder.refuses(&["price", "--dividend", "-1000"]);
    folder.refuses(&["price", "--rate", "1e300"]);
    folder.refuses(&["market", "--lambda", "1e300"]);
}

#[test]
fn an_alpha_outside_its_range_is_refused() {
    let folder = Folder::new();
    for value in ["0", "-0.1", "1.0001", "-0", "1.0000000000000002", "2"] {
        assert!(folder.refuses(&["ema", "--alpha", value, "ok.csv"]).contains("alpha"), "{value}");
    }
    for value in ["1", "1e-300"] {
        folder.prints(&["ema", "--alpha", value, "ok.csv"]);
    }
}

#[test]
fn a_span_below_one_is_refused() {
    let folder = Folder::new();
    for value in ["0.9999999999999999", "0", "-3"] {
        assert!(folder.refuses(&["ema", "--span", value, "ok.csv"]).contains("span"), "{value}");
    }
    folder.prints(&["ema", "--span", "1", "ok.csv"]);
}

#[test]
fn a_centre_of_mass_below_zero_is_refused() {
    let folder = Folder::new();
    for value in ["-1e-300", "-1"] {
        assert!(folder.refuses(&["ema", "--com", value, "ok.csv"]).contains("com"), "{value}");
    }
    folder.prints(&["ema", "--com", "0", "ok.csv"]);
}

#[test]
fn a_halflife_of_zero_or_less_is_refused() {
    let folder = Folder::new();
    for value in ["0", "-0", "-1e-300", "-2"] {
        assert!(folder.refuses(&["ema", "--halflife", value, "ok.csv"]).contains("halflife"), "{value}");
    }
    folder.prints(&["ema", "--halflife", "1e-300", "ok.csv"]);
}

#[test]
fn none_or_more_than_one_of_the_decays_is_refused() {
    let folder = Folder::new();
    folder.refuses(&["ema", "ok.csv"]);
    let decays = [["--alpha", "0.5"], ["--span", "3"], ["--com", "1"], ["--halflife", "2"]];
    for left in 0..4 {
        for right in 0..4 {
            let both = [decays[left], decays[right]].concat();
            folder.refuses(&[&["ema", "ok.csv"], &both[..]].concat());
        }
        folder.prints(&[&["ema", "ok.csv"], &decays[left][..]].concat());
    }
    folder.refuses(&[&["ema", "ok.csv"], &decays.concat()[..]].concat());
}

#[test]
fn a_mix_that_does_not_sum_to_one_is_refused() {
    let folder = Folder::new();
    let run = ["market", "--agents", "10", "--steps", "2", "--mix"];
    for mix in ["0.5,0.5,0.5", "0.4,0.3,0.2", "0.4,0.3,0.300002", "0.4,0.3,0.299998", "0,0,0"] {
        assert!(folder.refuses(&[&run[..], &[mix]].concat()).contains("mix"), "{mix}");
    }
    for mix in ["0.4,0.3,0.3", "0.4,0.3,0.3000009", "0.4,0.3,0.2999991", "0,0,1", "1,0,0"] {
        folder.prints(&[&run[..], &[mix]].concat());
    }
}

#[test]
fn a_mix_or_a_strength_that_is_not_three_numbers_is_refused() {
    let folder = Folder::new();
    for flag in ["--mix", "--strength"] {
        for value in ["0.5,0.5", "0.25,0.25,0.25,0.25", "a,b,c", "1,,0", "", "-0.5,0.75"] {
            folder.refuses(&["market", flag, value]);
        }
    }
    assert!(folder.refuses(&["market", "--mix", "-0.5,0.75,0.75"]).contains("-0.5"));
}

#[test]
fn as_many_degrees_of_freedom_as_returns_are_refused() {
    let folder = Folder::new();
    // Four prices are three returns, or four where they are returns themselves.
    for ddof in ["3", "4", "4294967295"] {
        assert!(folder.refuses(&["cov", "--ddof", ddof, "ok.csv"]).contains("ddof"), "{ddof}");
    }
    folder.refuses(&["cov", "--ddof", "4", "--returns", "none", "ok.csv"]);
    folder.prints(&["cov", "--ddof", "2", "ok.csv"]);
    folder.prints(&["cov", "--ddof", "3", "--returns", "none", "ok.csv"]);
    folder.write("one.csv", "Date,A\n1,1\n2,2\n");
    folder.refuses(&["cov", "one.csv"]);
    folder.refuses(&["frontier", "one.csv"]);
    folder.prints(&["cov", "--ddof", "0", "one.csv"]);
}

#[test]
fn periods_per_year_of_zero_or_less_are_refused() {
    let folder = Folder::new();
    for value in ["0", "-252"] {
        folder.refuses(&["cov", "--periods-per-year", value, "ok.csv"]);
        folder.refuses(&["frontier", "--periods-per-year", value, "ok.csv"]);
    }
}

#[test]
fn a_count_that_is_no_whole_number_is_refused() {
    let folder = Folder::new();
    for value in ["-3", "1.5", "x", "", "99999999999999999999999"] {
        folder.refuses(&["price", "--paths", value]);
        folder.refuses(&["price", "--seed", value]);
        folder.refuses(&["market", "--agents", value]);
        folder.refuses(&["market", "--steps", value]);
        folder.refuses(&["market", "--lag", value]);
        folder.refuses(&["frontier", "--portfolios", value, "ok.csv"]);
        folder.refuses(&["frontier", "--rounds", value, "ok.csv"]);
        folder.refuses(&["frontier", "--points", value, "ok.csv"]);
        folder.refuses(&["cov", "--ddof", value, "ok.csv"]);
    }
}

#[test]
fn rounds_points_and_a_sampler_have_their_ranges() {
    let folder = Folder::new();
    let with = |flag: &'static str, value: &'static str| ["frontier", "--portfolios", "10", flag, value, "ok.csv"];
    for (flag, word) in [("--rounds", "rounds"), ("--points", "points")] {
        assert!(folder.refuses(&with(flag, "0")).contains(word));
        folder.prints(&with(flag, "1"));
    }
    folder.prints(&with("--rounds", "4294967295"));
    folder.prints(&with("--points", "1000"));
    assert!(folder.refuses(&with("--points", "1001")).contains("points"));
    for sampler in ["dirichlet:0.001", "dirichlet:1000", "dirichlet:1"] {
        folder.prints(&with("--sampler", sampler));
    }
    for sampler in
        ["dirichlet:0", "dirichlet:-1", "dirichlet:0.0009", "dirichlet:1001", "dirichlet:nan", "dirichlet:inf"]
    {
        assert!(folder.refuses(&with("--sampler", sampler)).contains("alpha"), "{sampler}");
    }
    for sampler in ["dirichlet:", "dirichlet:x", "dirichlet", "normal:1", "", "two\nlines"] {
        assert!(folder.refuses(&with("--sampler", sampler)).contains("--sampler"), "{sampler}");
    }
    for value in ["nan", "inf", "x"] {
        folder.refuses(&with("--target-return", value));
        folder.refuses(&with("--target-volatility", value));
    }
    for value in ["0", "-0.1"] {
        folder.refuses(&with("--target-volatility", value));
    }
}

#[test]
fn bounds_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let line = ["frontier", "--portfolios", "10", "--bounds", "bounds.csv", "ok.csv"];
    let refuses = |content: &str, parts: &[&str]| {
        folder.write("bounds.csv", content);
        let message = folder.refuses(&line);
        assert!(parts.iter().all(|part| message.contains(part)), "{content}: {message}");
    };
    refuses("asset,lower,upper\nA,0.6,1\nB,0.5,1\n", &["lower", "1.1", "at most 1"]);
    refuses("asset,lower,upper\nA,0,0.4\nB,0,0.5\n", &["upper", "0.9", "at least 1"]);
    refuses("asset,lower,upper\nA,0.6,0.5\n", &["\"A\"", "0.6", "0.5"]);
    refuses("asset,lower,upper\nC,0,1\n", &["\"C\""]);
    refuses("asset,lower,upper\nA,0,1\nA,0,1\n", &["\"A\"", "two bounds"]);
    refuses("asset,lower,upper\nA,-0.1,1\n", &["--short"]);
    refuses("asset,lower,upper\nA,x,1\n", &["bounds.csv", "line 2", "x"]);
    refuses("asset,lower,upper\nA,inf,1\n", &["bounds.csv", "line 2"]);
    refuses("asset,lower,upper\nA,-1e4,1\n", &["1000"]);
    refuses("asset,lower\nA,0\n", &["bounds.csv", "upper"]);
    refuses("asset,lower,upper\n", &["bounds.csv"]);
    refuses("", &["bounds.csv", "empty"]);
    for accepted in ["asset,lower,upper\nA,,\n", "asset,lower,upper\nA,0.5,0.5\n", "asset,upper,lower\nB,1,0.25\n"] {
        folder.write("bounds.csv", accepted);
        folder.prints(&line);
    }
    folder.refuses(&["frontier", "--bounds", "missing.csv", "ok.csv"]);
    folder.refuses(&["frontier", "--bounds", "", "ok.csv"]);
}

#[test]
fn a_flag_a_word_or_a_subcommand_that_is_unknown_is_refused() {
    let folder = Folder::new();
    let lines: &[&[&str]] = &[
        &[],
        &["nonsense"],
        &["two\nlines"],
        &["--nope"],
        &["price", "--nope"],
        &["price", "--path", "3"],
        &["price", "extra"],
        &["price", "--paths"],
        &["price", "--style", "both"],
        &["price", "--spot", "1", "--spot", "2"],
        &["price", "--format", "xml"],
        &["ema", "--alpha", "0.5"],
        &["ema", "--alpha", "0.5", "--init", "third", "ok.csv"],
        &["cov", "--returns", "odd", "ok.csv"],
        &["cov", "ok.csv", "ok.csv"],
        &["bench"],
        &["bench", "nothing"],
        &["bench", "scan", "--only", "nothing"],
        &["bench", "all", "--sizes", "8"],
        &["bench", "compare", "--sizes", "8"],
        &["bench", "scan", "--sizes"],
        &["bench", "scan", "--sizes", "0"],
        &["bench", "scan", "--sizes", "-8"],
        &["bench", "scan", "--sizes", "8,,9"],
        &["bench", "scan", "--sizes", "2^31"],
        &["bench", "gemm", "--sizes", "16385"],
        &["bench", "mc", "--sizes", "4095"],
        &["bench", "market", "--sizes", "2^64"],
    ];
    for &line in lines {
        folder.refuses(line);
        folder.run_bare(line).refused();
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let bytes = OsStr::from_bytes(b"\xff\n");
    for line in [&["price", "--spot"][..], &["ema", "--alpha", "0.5"], &["price", "--device"], &[]] {
        let line: Vec<&OsStr> = line.iter().map(OsStr::new).chain([bytes]).collect();
        folder.run_bare(&line).refused();
    }
}
