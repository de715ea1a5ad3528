//! `cubefold bench` as a user meets it: sizes of one's own, first calls, work and span, and the host beside a device.

use serde_json::{Value, json};

use super::{Folder, fields, number};

#[test]
fn sizes_that_are_asked_for_are_timed_and_no_others() {
    let answer = Folder::new().json(&["bench", "reduce", "--quick", "--sizes", "100,2^12", "--only", "sum"]);
    let rows = answer["rows"].as_array().unwrap();
    let lengths: Vec<_> = rows.iter().map(|row| row["length"].as_u64().unwrap()).collect();
    assert_eq!(lengths, [100, 4096]);
    for row in rows {
        assert!(number(&row["seconds"]) > 0.0 && number(&row["seconds_first"]) > 0.0, "{row}");
        assert!(row["combines"].is_null(), "a reduction has no strategies to compare: {row}");
    }
    // Nothing overtakes the host but a device.
    assert_eq!(answer["crossovers"].as_array().unwrap().len(), 0);
    assert!(fields(&answer).contains(&"driver"));
}

#[test]
fn a_device_is_timed_beside_the_host_unless_that_is_left_out() {
    if !crate::devices::devices().iter().any(|(name, _)| name == "lavapipe") {
        return;
    }
    let folder = Folder::new();
    let answer = |line: &[&str]| -> Value {
        let outcome = folder.run_bare(&[line, &["--quick", "--device", "lavapipe", "--format", "json"]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        serde_json::from_str(&outcome.stdout).unwrap()
    };
    let reduce = ["bench", "reduce", "--sizes", "1000,2000"];
    let both = answer(&reduce);
    let on = |name: &str| {
        let rows = both["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["device"].as_str().unwrap().starts_with(name)).count()
    };
    // Two lengths of sum, moments, select and histogram.
    assert_eq!((on("lavapipe"), on("host")), (8, 8));
    let crossovers = both["crossovers"].as_array().unwrap();
    assert_eq!(crossovers.len(), 4);
    for found in crossovers {
        assert_eq!(found["measured"], json!([1000, 2000]));
        assert!(found["device_faster_from"].is_null() || number(&found["device_faster_from"]) >= 1000.0, "{found}");
    }
    assert!(both["driver"].as_str().unwrap().to_lowercase().contains("mesa"), "{both}");
    let alone = answer(&[&reduce[..], &["--without-host"]].concat());
    assert_eq!((alone["rows"].as_array().unwrap().len(), &alone["crossovers"]), (8, &json!([])));
    // Scans tell their work and span, where there are strategies to compare.
    let scans = answer(&["bench", "scan", "--sizes", "1000", "--only", "sum f32", "--without-host"]);
    for row in scans["rows"].as_array().unwrap().iter().filter(|row| row["operator"] == "sum f32") {
        let [work, span] = ["combines", "steps"].map(|name| row[name].as_u64().unwrap());
        assert!(work >= 2000 && (11..1000).contains(&span), "{row}");
    }
}
