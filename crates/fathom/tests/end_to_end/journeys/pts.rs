//! `fathom pts` on simulated drives: every test to its end, the same twice, the page with every part.

use crate::support::{fathom, finished, json, unwrapped};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Small enough for seconds, and all times cut.
const TARGET: [&str; 6] = ["--target", "sim:datacentre/4096", "--scale", "100", "--rounds", "5"];
const OPERATOR: [&str; 2] = ["--operator", "Zebra"];

fn document(dir: &Path, tests: &[&str]) -> Value {
    let words = [&["pts"], tests, &TARGET, &OPERATOR, &["--json", "-q"]].concat();
    json(&finished(fathom(dir).args(words).env("FATHOM_INDEX", dir.join("runs.jsonl"))))
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
    // Tables and plots that the standard's reports have, by test.
    let parts: Vec<usize> = tests.iter().map(|test| test["parts"].as_array().unwrap().len()).collect();
    assert!(parts.iter().zip([10, 13, 10]).all(|(has, least)| *has >= least), "{parts:?}");

    let runs = dir.path().join("runs.jsonl");
    let words = ["report", "latest", "--redact", "-o", "open.html"];
    finished(fathom(dir.path()).args(words).env("FATHOM_INDEX", &runs));
    assert!(!fs::read_to_string(dir.path().join("open.html")).unwrap().contains("Zebra"));
    finished(fathom(dir.path()).args(["report", "latest", "-o", "report.html"]).env("FATHOM_INDEX", runs));
    let text = fs::read_to_string(dir.path().join("report.html")).unwrap();
    // As on the terminal: the trust stands at the top.
    let top = text.split("<h2>Tests</h2>").next().unwrap();
    assert!(top.contains("<b>Trust:</b> low: the drive is simulated"), "{top}");
    for title in ["IOPS test", "Write saturation test", "Response time histogram", "1/100 of the standard"] {
        assert!(text.contains(title), "{title}");
    }
}

/// No steady state is no valid result, and what was measured is saved and told all the same.
#[test]
fn without_steady_state_the_exit_code_is_5() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["pts", "tp", "--target", "sim:datacentre/4096", "--scale", "600", "-q"];
    let output =
        fathom(dir.path()).args(words).env("FATHOM_INDEX", dir.path().join("runs.jsonl")).output().unwrap();
    let said = crate::support::text(&output);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("NO steady state in 25 rounds"), "{said}");
    // Who reads it later is told the same.
    for form in ["summary", "json", "html"] {
        let words = ["report", "latest", "--output-format", form];
        let again =
            fathom(dir.path()).args(words).env("FATHOM_INDEX", dir.path().join("runs.jsonl")).output();
        let said = crate::support::text(&again.unwrap());
        assert!(said.starts_with("exit status: 5") && said.contains("the result is not valid"), "{said}");
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
        json(&finished(fathom(dir.path()).args(words).env("FATHOM_INDEX", dir.path().join("runs.jsonl"))));
    let doubted = &document["standard_report"]["tests"][0]["doubted"][0];
    let finding = &doubted["finding"];
    assert_eq!((&doubted["rounds_of"], &finding["code"]), (&"wsat-round".into(), &"too-hot".into()));
    assert!(finding["evidence"]["throttled"].as_f64().is_some_and(|seconds| seconds > 0.0), "{doubted}");
    let rounds = doubted["rounds"].as_array().unwrap().len();
    assert!(rounds > 0 && doubted["seconds"].as_array().unwrap().len() == rounds, "{doubted}");
}

#[test]
fn tkperfs_variant_ends_with_a_report_that_names_its_corrections() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("runs.jsonl");
    let words = [
        "pts",
        "iops",
        "lat",
        "tp",
        "--as",
        "tkperf",
        "--threads",
        "2",
        "--depth",
        "4",
        "--target",
        "sim:datacentre/2048",
        "--scale",
    ];
    let words = [&words[..], &["100", "--rounds", "5", "--json", "-q"]].concat();
    let document = json(&finished(fathom(dir.path()).args(words).env("FATHOM_INDEX", &index)));
    let report = &document["standard_report"];
    let names: Vec<&str> =
        report["tests"].as_array().unwrap().iter().map(|test| test["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["iops", "lat", "tp"]);
    let deviations = report["deviations"].to_string();
    assert!(
        deviations.contains("rests_between_cells") && deviations.contains("judges_one_block"),
        "{deviations}"
    );
}

#[test]
fn tests_of_the_other_variant_are_refused_with_the_option_that_has_them() {
    let dir = tempfile::tempdir().unwrap();
    let said = |words: &[&str]| {
        let words = [&["pts", "--target", "sim:disk", "--plan"], words].concat();
        let done = fathom(dir.path()).args(words).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        String::from_utf8(done.stderr).unwrap()
    };
    assert!(said(&["hdd-tp"]).contains("add --as tkperf"));
    assert!(said(&["--as", "tkperf", "hir"]).contains("without --as tkperf"));
    assert!(said(&["--as", "tkperf", "iops", "hdd-iops"]).contains("two runs"));
}

#[test]
fn threads_and_depth_are_refused_where_no_test_takes_them() {
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let words = [&["pts", "--target", "sim:disk", "--plan"], words].concat();
        let done = fathom(dir.path()).args(words).output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (code, said) = run(&["lat", "xsr", "--threads", "2"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("--threads cannot be chosen in lat, xsr") && said.contains("iops, wsat, hir"),
        "{said}"
    );
    let (code, said) = run(&["lat", "--as", "tkperf", "--depth", "2"]);
    assert!(code == Some(2) && said.contains("iops, tp, wsat, hdd-iops, hdd-tp"), "{said}");
    assert_eq!(run(&["lat", "hir", "--threads", "2", "--depth", "4"]).0, Some(0));
}

/// Runs these tests on a simulated drive of this size, under this name, so long that they become steady.
fn pts(dir: &Path, tests: &[&str], drive: &str, name: &str) {
    let words = [&["pts"], tests, &["--target", drive, "--scale", "10", "--rounds", "6", "-q"]].concat();
    finished(fathom(dir).args(words).args(["--name", name]).env("FATHOM_INDEX", dir.join("runs.jsonl")));
}

#[test]
fn two_runs_of_the_tests_are_compared_cell_by_cell() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    pts(dir, &["lat", "tp"], "sim:datacentre/1024", "both");
    pts(dir, &["lat"], "sim:datacentre/2048", "slow");
    let run = |words: &[&str]| {
        let output = fathom(dir).args(words).env("FATHOM_INDEX", dir.join("runs.jsonl")).output().unwrap();
        (output.status.code(), unwrapped(&output))
    };
    let document: Value = json(&finished(
        fathom(dir).args(["compare", "slow", "both", "--json"]).env("FATHOM_INDEX", dir.join("runs.jsonl")),
    ));
    let figures = document["figures"].as_array().unwrap();
    // Three mixes of three blocks.
    assert_eq!(figures.len(), 9, "{document:#}");
    for figure in figures {
        assert_eq!(figure["job"], "Latency test");
        let (values, against) = (&figure["values"], &figure["against"][0]);
        assert_eq!(values[0]["values"].as_array().unwrap().len(), 5, "the rounds of the window");
        assert_eq!((&against["basis"], &against["verdict"]["is"]), (&"window".into(), &"better".into()));
        // The smaller drive has half of the dies.
        assert!((against["ratio"].as_f64().unwrap() - 0.5).abs() < 0.03, "{against}");
    }
    let cell = figures.iter().find(|it| it["metric"] == "RND 4 KiB, 0/100 mean latency").unwrap();
    // It is the mean that the report of the test has.
    let report = json(&finished(
        fathom(dir).args(["report", "both", "--json"]).env("FATHOM_INDEX", dir.join("runs.jsonl")),
    ));
    let determination = &report["standard_report"]["tests"][0]["determinations"][0];
    let reported = determination["mean"].as_f64().unwrap() * 1e6;
    assert!((cell["values"][1]["value"].as_f64().unwrap() / reported - 1.0).abs() < 1e-6, "{determination}");
    // A test that only one has is named, and so is what comes after the steady state.
    let left_out = document["left_out"].as_array().unwrap();
    let has =
        |what: &str, code: &str| left_out.iter().any(|it| it["what"]["job"] == what && it["code"] == code);
    assert!(has("Throughput test", "absent") && has("lat-histogram", "after-steady-state"), "{left_out:?}");
    let doubts = document["doubts"].as_array().unwrap();
    assert!(doubts.iter().any(|doubt| doubt["code"] == "one-test"), "{doubts:?}");
    // A check of a test that is slower, and that lacks another one.
    let (code, said) = run(&["baseline", "save", "kept", "both", "--baselines-dir", "baselines"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(&["baseline", "check", "kept", "slow", "--baselines-dir", "baselines"]);
    assert_eq!(code, Some(6), "{said}");
    assert!(said.contains("B is not checked as a whole: no figures of Throughput test"), "{said}");
    assert!(said.contains("is worse than A (baseline kept)") && said.contains("all 9 figures"), "{said}");
}

#[test]
fn a_test_without_steady_state_is_named_and_not_compared() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("runs.jsonl");
    let words = ["pts", "tp", "--target", "sim:datacentre/4096", "--scale", "600", "--rounds", "6", "-q"];
    for name in ["one", "two"] {
        fathom(dir.path()).args(words).args(["--name", name]).env("FATHOM_INDEX", &index).output().unwrap();
    }
    let output =
        fathom(dir.path()).args(["compare", "one", "two"]).env("FATHOM_INDEX", &index).output().unwrap();
    let said = unwrapped(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("A: Throughput test, tp-1024k-round: it reached no steady state in 6 rounds"),
        "{said}"
    );
    assert!(said.contains("is compared where both reached its steady state"), "{said}");
    let words = ["baseline", "save", "kept", "one", "--baselines-dir", "baselines"];
    let output = fathom(dir.path()).args(words).env("FATHOM_INDEX", &index).output().unwrap();
    let said = unwrapped(&output);
    assert!(said.contains("cannot be a baseline: Throughput test, tp-1024k-round: it reached no"), "{said}");
}
