//! `cubefold devices --explain`: facts, strategies and measurements of one device.

use serde_json::Value;

use super::{Folder, fields, number, records};

/// The JSON that explains a device under test.
fn explained(name: &str) -> Value {
    let line = ["devices", "--explain", "--format", "json", "--device", name];
    let outcome = Folder::new().run_bare(&line);
    assert_eq!(outcome.code, Some(0), "{name}: {}", outcome.stderr);
    let value: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(fields(&value), ["device", "facts", "left_out", "measurements", "strategies"]);
    value
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|each| each["name"].as_str().unwrap()).collect()
}

/// Every measurement has rows that are named, verified and positive, and says what they mean.
fn check_measurements(value: &Value) {
    for measurement in value["measurements"].as_array().unwrap() {
        assert!(!measurement["meaning"].as_str().unwrap().is_empty(), "{measurement}");
        let rows = measurement["rows"].as_array().unwrap();
        assert!(!rows.is_empty(), "{measurement}");
        for row in rows {
            assert!(!row["setting"].as_str().unwrap().is_empty(), "{row}");
            assert!(row["verified"].as_bool().unwrap() && number(&row["compared"]) > 0.0, "{row}");
            for positive in ["seconds", "rate", "fraction"] {
                assert!(number(&row[positive]) > 0.0, "{positive}: {row}");
            }
        }
    }
}

const FACTS: [&str; 18] = [
    "atomic_u32",
    "atomic_u64",
    "cubes_per_launch",
    "f64",
    "i64",
    "largest_binding_bytes",
    "loop_limit",
    "memory_bytes",
    "memory_scope",
    "multiprocessors",
    "plane_operations",
    "plane_sizes",
    "recordings",
    "shared_memory_bytes",
    "tf32",
    "threads",
    "u64",
    "units_per_cube",
];

#[test]
fn the_host_has_its_threads_two_measurements_and_reasons_for_the_rest() {
    let value = explained("host");
    assert_eq!(fields(&value["facts"]), FACTS);
    assert!(number(&value["facts"]["threads"]) >= 1.0 && value["facts"]["units_per_cube"].is_null());
    assert_eq!(names(&value["measurements"]), ["roofline", "stride"]);
    check_measurements(&value);
    let settings = |row: &Value| row["setting"].as_str().unwrap().to_owned();
    let strides: Vec<_> = value["measurements"][1]["rows"].as_array().unwrap().iter().map(settings).collect();
    assert_eq!(strides, ["stride 1", "stride 2", "stride 32"]);
    for name in ["branch", "shared memory", "cube size, copy", "cube size, arithmetic", "strategies"] {
        assert!(names(&value["left_out"]).contains(&name), "{name}");
    }
    assert_eq!(value["strategies"], Value::Array(Vec::new()));
}

#[test]
fn a_device_has_its_facts_its_strategies_and_every_measurement() {
    for (name, device) in crate::devices::gpus() {
        let (value, profile) = (explained(name), device.profile().unwrap());
        assert_eq!(fields(&value["facts"]), FACTS);
        assert_eq!(value["facts"]["units_per_cube"], profile.max_units, "{name}");
        assert_eq!(value["facts"]["atomic_u32"], profile.atomic_u32, "{name}");
        let all = ["roofline", "stride", "branch", "shared memory", "cube size, copy", "cube size, arithmetic"];
        let there: Vec<_> = [names(&value["measurements"]), names(&value["left_out"])].concat();
        assert!(all.iter().all(|name| there.contains(name)), "{name}: {there:?}");
        assert!(names(&value["left_out"]).contains(&"occupancy"), "{name}");
        check_measurements(&value);
        check_strategies(&value, profile);
    }
}

/// A strategy is usable exactly where the device has what the plans ask for.
fn check_strategies(value: &Value, profile: &cubefold::Profile) {
    let strategies = value["strategies"].as_array().unwrap();
    let of = |primitive: &str, strategy: &str| {
        let found = strategies.iter().find(|row| row["primitive"] == primitive && row["strategy"] == strategy);
        found.unwrap_or_else(|| panic!("no {primitive} by {strategy}"))
    };
    let needs = |row: &Value, need: &str| row["needs"].as_array().unwrap().iter().any(|each| each == need);
    let lookback = of("scan", "DecoupledLookback");
    assert!(needs(lookback, "atomic u32") && lookback["usable"] == profile.atomic_u32, "{lookback}");
    let resident = of("iterate", "Resident");
    assert!(needs(resident, "multiprocessors told"), "{resident}");
    assert_eq!(resident["usable"], profile.multiprocessors.is_some() && profile.atomic_u32, "{resident}");
    let recorded = of("iterate", "Recorded");
    assert!(needs(recorded, "recordings of launches"), "{recorded}");
    assert_eq!(recorded["usable"], profile.recordings, "{recorded}");
    let tiled = of("gemm", "Tiled32");
    assert!(needs(tiled, "1024 units a cube") && needs(tiled, "8192 bytes of shared memory"), "{tiled}");
    assert_eq!(tiled["usable"], profile.max_units >= 1024 && profile.shared_bytes >= 8192, "{tiled}");
    let once = of("reduce", "one launch");
    assert!(needs(once, "memory scope of the device") && needs(once, "atomic u32"), "{once}");
    for row in strategies {
        assert_eq!(row["usable"].as_bool().unwrap(), row["instead"].is_null(), "{row}");
        assert_eq!(row["usable"].as_bool().unwrap(), row["lacks"].is_null(), "{row}");
    }
    for (primitive, count) in [("reduce", 2), ("scan", 3), ("gemm", 6), ("iterate", 5)] {
        assert_eq!(strategies.iter().filter(|row| row["primitive"] == primitive).count(), count, "{primitive}");
    }
}

#[test]
fn the_same_is_told_in_a_table_and_in_records() {
    let folder = Folder::new();
    let table = folder.prints(&["devices", "--explain"]);
    for told in ["threads", "stride 32", "multiply-add f32", "shared memory: left out: "] {
        assert!(table.contains(told), "{told}: {table}");
    }
    let records = records(&folder.prints(&["devices", "--explain", "--format", "csv"]));
    assert_eq!(records[0][..3], ["section", "name", "setting"]);
    assert!(records.iter().any(|record| record[0] == "fact" && record[1] == "threads"));
    assert_eq!(records.iter().filter(|record| record[0] == "measurement").count(), 2 + 3);
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let folder = Folder::new();
    for line in [&["devices", "--explain", "--device", "cuda:99"][..], &["devices", "--explain", "--device", "nosuch"]]
    {
        folder.run_bare(line).refused();
    }
    folder.refuses(&["devices", "--explain", "now"]);
}
