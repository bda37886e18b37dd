//! `fathom pts` on simulated drives: every test to its end, the same twice, the page with every part.

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::{fathom, json, must};

/// Small enough for seconds, and all times cut.
const TARGET: [&str; 6] = ["--target", "sim:datacentre/4096", "--scale", "100", "--rounds", "5"];
const OPERATOR: [&str; 2] = ["--operator", "Zebra"];

fn document(dir: &Path, tests: &[&str]) -> Value {
    let words = [&["pts"], tests, &TARGET, &OPERATOR, &["--json", "-q"]].concat();
    json(&must(fathom(dir).args(words).env("FATHOM_INDEX", dir.join("runs.db"))))
}

/// What is measured must be the same; names and times of the machine are not.
fn measured(document: &Value) -> String {
    let mut report = document["standard_report"].clone();
    report["header"] = Value::Null;
    report.to_string()
}

#[test]
fn tests_end_and_the_page_has_every_part() {
    let dir = tempfile::tempdir().unwrap();
    // `cargo xtask test` runs all of them at their full length, with the released program.
    let once = document(dir.path(), &["iops", "lat", "wsat"]);
    let tests = once["standard_report"]["tests"].as_array().unwrap();
    let names: Vec<&str> = tests.iter().map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["iops", "lat", "wsat"]);
    // Tables and plots of research/methodology §1.5, by test.
    let parts: Vec<usize> = tests.iter().map(|test| test["parts"].as_array().unwrap().len()).collect();
    assert!(parts.iter().zip([10, 13, 10]).all(|(has, least)| *has >= least), "{parts:?}");

    let runs = dir.path().join("runs.db");
    let words = ["report", "latest", "--redact", "-o", "open.html"];
    must(fathom(dir.path()).args(words).env("FATHOM_INDEX", &runs));
    assert!(!fs::read_to_string(dir.path().join("open.html")).unwrap().contains("Zebra"));
    must(fathom(dir.path()).args(["report", "latest", "-o", "report.html"]).env("FATHOM_INDEX", runs));
    let text = fs::read_to_string(dir.path().join("report.html")).unwrap();
    for title in ["IOPS test", "Write saturation test", "Response time histogram", "1/100 of the standard"] {
        assert!(text.contains(title), "{title}");
    }
}

#[test]
fn the_same_is_measured_twice() {
    let dir = tempfile::tempdir().unwrap();
    let [once, twice] = [0, 1].map(|_| measured(&document(dir.path(), &["lat"])));
    assert_eq!(once, twice);
    assert!(once.contains("99.999"), "{once}");
}

#[test]
fn a_drive_that_gets_hot_is_told_in_its_test() {
    let dir = tempfile::tempdir().unwrap();
    let words =
        ["pts", "wsat", "--target", "sim:thermal/4096", "--scale", "10", "--rounds", "5", "--json", "-q"];
    let document =
        json(&must(fathom(dir.path()).args(words).env("FATHOM_INDEX", dir.path().join("runs.db"))));
    let remarks = document["standard_report"]["tests"][0]["remarks"].to_string();
    assert!(remarks.contains("slowed itself down because of heat [too-hot]"), "{remarks}");
}
