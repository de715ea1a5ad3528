//! The help: its defaults are those that are promised.

use super::Folder;

fn help(command: &str) -> String {
    let outcome = Folder::new().run_bare(&[command, "--help"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{command}");
    outcome.stdout
}

/// The default that the help of a flag names.
fn default(help: &str, flag: &str) -> Option<String> {
    let names_flag = |line: &str| line.split([' ', ',']).any(|word| word == flag) && starts_option(line);
    let mut lines = help.lines().map(str::trim_start).skip_while(|line| !names_flag(line));
    let first = lines.next().unwrap_or_else(|| panic!("{flag} is not in the help:\n{help}"));
    let rest = lines.take_while(|line| !starts_option(line));
    let text = std::iter::once(first).chain(rest).collect::<Vec<_>>().join(" ");
    let (_, default) = text.split_once("[default: ")?;
    default.split_once(']').map(|(default, _)| default.to_owned())
}

/// Whether a line of the help begins a flag; the values of a flag are listed with a dash as well.
fn starts_option(line: &str) -> bool {
    line.starts_with('-') && !line.starts_with("- ")
}

/// A flag and its default.
type Flag = (&'static str, Option<&'static str>);

#[test]
fn the_defaults_are_those_that_are_promised() {
    let flags: [(&str, &[Flag]); 8] = [
        (
            "price",
            &[
                ("--spot", Some("100")),
                ("--strike", Some("100")),
                ("--rate", Some("0.05")),
                ("--dividend", Some("0")),
                ("--vol", Some("0.2")),
                ("--expiry", Some("1")),
                ("--style", Some("call")),
                ("--paths", Some("20000000")),
                ("--seed", Some("42")),
            ],
        ),
        (
            "ema",
            &[
                ("--alpha", None),
                ("--span", None),
                ("--com", None),
                ("--halflife", None),
                ("--times", None),
                ("--adjust", Some("false")),
                ("--ignore-na", Some("false")),
                ("--min-periods", Some("0")),
                ("--init", Some("first")),
                ("--missing", Some("carry")),
                ("--stat", Some("mean")),
                ("--bias", None),
                ("--columns", None),
                ("--output", None),
                ("--plot", None),
            ],
        ),
        (
            "rolling",
            &[
                ("--window", None),
                ("--stat", Some("mean")),
                ("--min-periods", None),
                ("--columns", None),
                ("--output", None),
                ("--plot", None),
            ],
        ),
        ("drawdown", &[("--columns", None), ("--output", None), ("--plot", None)]),
        ("cov", &[("--returns", Some("simple")), ("--ddof", Some("1")), ("--periods-per-year", Some("252"))]),
        (
            "frontier",
            &[
                ("--portfolios", Some("50000")),
                ("--rf", Some("0.02")),
                ("--sampler", Some("dirichlet:0.5")),
                ("--rounds", Some("8")),
                ("--bounds", None),
                ("--short", None),
                ("--points", Some("20")),
                ("--min-volatility", None),
                ("--target-return", None),
                ("--target-volatility", None),
                ("--returns", Some("simple")),
                ("--periods-per-year", Some("252")),
                ("--seed", Some("1")),
                ("--output", None),
            ],
        ),
        (
            "market",
            &[
                ("--agents", Some("100000")),
                ("--steps", Some("500")),
                ("--mix", Some("0.4,0.3,0.3")),
                ("--strength", Some("0.5,0.5,0.5")),
                ("--lag", Some("20")),
                ("--lambda", Some("0.5")),
                ("--log-fundamental", Some("0")),
                ("--initial-log-price", Some("0")),
                ("--seed", Some("1")),
                ("--output", None),
            ],
        ),
        ("demo", &[("--output", Some("./cubefold-demo"))]),
    ];
    for (command, flags) in flags {
        let help = help(command);
        for (flag, expected) in flags {
            assert_eq!(default(&help, flag).as_deref(), *expected, "{command} {flag}");
        }
        assert_eq!(default(&help, "--device").as_deref(), Some("auto"), "{command}");
        assert_eq!(default(&help, "--format").as_deref(), Some("table"), "{command}");
    }
}

#[test]
fn every_flag_that_writes_is_o_for_short() {
    for command in ["price", "ema", "rolling", "drawdown", "frontier", "market", "bench", "demo"] {
        assert!(help(command).contains("-o"), "{command}");
    }
}

#[test]
fn the_help_names_every_subcommand_and_exits_well() {
    let outcome = Folder::new().run_bare(&["--help"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let commands =
        ["devices", "price", "ema", "rolling", "drawdown", "cov", "frontier", "market", "bench", "demo", "completions"];
    for command in commands {
        assert!(outcome.stdout.lines().any(|line| line.trim_start().starts_with(command)), "{command}");
    }
    let outcome = Folder::new().run_bare(&["--version"]);
    assert_eq!((outcome.code, outcome.stdout), (Some(0), format!("cubefold {}\n", env!("CARGO_PKG_VERSION"))));
}
