//! The devices on the command line: which there are, which one is taken, which are refused.

use super::{Folder, fields};

const PRICE: [&str; 3] = ["price", "--paths", "100"];

fn on(device: &str) -> super::Outcome {
    Folder::new().run_bare(&[&PRICE[..], &["--device", device]].concat())
}

#[test]
fn a_device_that_is_unknown_is_refused() {
    for device in ["abacus", "", "gpu", "Host", "wgpu:", "wgpu:x", "wgpu:-1", "cuda:1:2", "host:1", "two\nlines"] {
        on(device).refused();
    }
    let folder = Folder::new();
    let lines: [&[&str]; 10] = [
        &["devices"],
        &["devices", "--explain"],
        &["completions", "bash"],
        &["ema", "--alpha", "0.5", "ok.csv"],
        &["rolling", "--window", "2", "ok.csv"],
        &["drawdown", "ok.csv"],
        &["cov", "ok.csv"],
        &["frontier", "ok.csv"],
        &["market"],
        &["bench", "reduce"],
    ];
    for line in lines {
        let message = folder.run_bare(&[line, &["--device", "abacus"]].concat()).refused();
        assert!(message.contains("abacus"), "{line:?}: {message}");
    }
}

#[test]
fn a_device_that_is_not_there_is_refused_with_its_reason() {
    for device in ["cuda:99", "hip:99", "metal:99", "wgpu:99", "vulkan:99", "lavapipe:99", "cpu:99"] {
        let message = on(device).refused();
        assert!(message.contains(device), "{message}");
    }
}

#[test]
fn input_is_checked_before_a_device_is_chosen() {
    let folder = Folder::new();
    let absent = ["--device", "cuda:99"];
    assert!(folder.run_bare(&[&["price", "--paths", "0"], &absent[..]].concat()).refused().contains("paths"));
    assert!(folder.run_bare(&[&["market", "--agents", "0"], &absent[..]].concat()).refused().contains("agents"));
    let line = ["ema", "--span", "2", "--init", "sma", "--adjust", "true", "ok.csv"];
    assert!(folder.run_bare(&[&line[..], &absent[..]].concat()).refused().contains("adjust"));
    let line = ["rolling", "--window", "0", "ok.csv"];
    assert!(folder.run_bare(&[&line[..], &absent[..]].concat()).refused().contains("window"));
    folder.write("low.csv", "Date,A\n1,-1\n");
    assert!(folder.run_bare(&[&["drawdown", "low.csv"], &absent[..]].concat()).refused().contains("low.csv"));
    for line in [&["ema", "--alpha", "0.5"][..], &["rolling", "--window", "2"], &["drawdown"], &["cov"], &["frontier"]]
    {
        let message = folder.run_bare(&[line, &["missing.csv"], &absent].concat()).refused();
        assert!(message.contains("missing.csv"), "{message}");
    }
}

#[test]
fn the_chosen_device_is_one_line_on_standard_error() {
    let outcome = on("auto");
    assert_eq!((outcome.code, outcome.stderr.lines().count()), (Some(0), 1), "{}", outcome.stderr);
    assert!(outcome.stderr.starts_with("device: "), "{}", outcome.stderr);
    assert!(
        !outcome.stderr.to_lowercase().contains("device: lavapipe"),
        "never a software adapter: {}",
        outcome.stderr
    );
    assert!(!outcome.stdout.is_empty());
}

#[test]
fn every_device_under_test_can_be_named() {
    for (name, _) in crate::devices::devices() {
        let outcome = on(name);
        assert_eq!(outcome.code, Some(0), "{name}: {}", outcome.stderr);
        assert!(
            outcome.stderr.lines().any(|line| line.starts_with("device: ") && line.contains(name.as_str())),
            "{name}"
        );
    }
}

#[test]
fn the_list_of_devices_has_the_host_and_a_reason_for_what_is_not_there() {
    let folder = Folder::new();
    let answer = folder.json(&["devices"]);
    assert_eq!(fields(&answer), ["chosen", "devices"]);
    assert!(answer["chosen"].as_str().unwrap().contains("host"));
    let devices = answer["devices"].as_array().unwrap();
    for name in ["host", "cuda", "hip", "metal", "wgpu", "vulkan", "cpu", "lavapipe"] {
        let device = devices.iter().find(|device| device["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(fields(device), ["description", "name", "reason", "usable"]);
        assert_eq!(device["usable"].as_bool().unwrap(), device["reason"].is_null(), "{device}");
        assert_eq!(device["usable"].as_bool().unwrap(), !device["description"].is_null(), "{device}");
    }
    assert_eq!(super::records(&folder.prints(&["devices", "--format", "csv"])).len(), devices.len() + 1);
    assert_eq!(folder.prints(&["devices"]).lines().count(), devices.len() + 1);
}
