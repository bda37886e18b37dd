//! All tests of SNIA PTS at their full length, on a simulated drive: about 100 hours of virtual time.
//!
//! The released program runs them, because a development build takes ten times as long. The tests of the crates decide the
//! details with invented rounds; this step shows that all eight come to their end on a drive, with every part of the report.

use crate::command::{capture_ended, command};
use crate::fathom;
use serde_json::Value;

/// A drive whose capacity and parallelism are divided alike, so that fills and steady state take their real time.
const TARGET: &str = "sim:datacentre/1024";

/// Parts that the report of each test must have, by the beginning of their titles (research/methodology §1.5).
const PARTS: [(&str, &[&str]); 8] = [
    (
        "iops",
        &[
            "Steady state convergence: 0/100, all blocks",
            "Steady state convergence: tracking variables",
            "Measurement window: RND 4 KiB, 0/100",
            "Steady state determination: RND 4 KiB, 0/100",
            "Measurement window: RND 64 KiB, 65/35",
            "Measurement window: RND 1 MiB, 100/0",
            "IOPS: mean of the measurement window",
            "IOPS by block size",
        ],
    ),
    (
        "tp",
        &[
            "Steady state convergence: 1 MiB, 0/100",
            "Steady state convergence: 1 MiB, 100/0",
            "Measurement window: SEQ 1 MiB, 0/100",
            "Steady state convergence: 128 KiB, 0/100",
            "Steady state determination: SEQ 128 KiB, 0/100",
            "Throughput: mean of the measurement window",
        ],
    ),
    (
        "lat",
        &[
            "Steady state convergence: average latency",
            "Steady state convergence: maximum latency",
            "Measurement window: RND 4 KiB, 0/100, average latency",
            "Average latency (ms)",
            "99.999 % latency (ms)",
            "Maximum latency (ms)",
            "IOPS: mean",
            "Response time histogram",
            "Confidence level plot",
        ],
    ),
    (
        "wsat",
        &[
            "IOPS over time",
            "IOPS over written data",
            "IOPS over drive fills",
            "Latency over drive fills",
            "Response time histogram",
            "Confidence level plot",
        ],
    ),
    (
        "hir",
        &[
            "Preconditioning: random writes",
            "Measurement window",
            "IOPS over time, all wait states",
            "Wait states",
        ],
    ),
    ("xsr", &["Throughput over time", "Latency over time", "Groups"]),
    ("cbw", &COMPOSITE),
    ("dirth", &SWEEP),
];

const SWEEP: [&str; 13] = [
    "Preconditioning: writes",
    "Measurement window: 0/100",
    "Writes between the rounds",
    "TC 32 over the rounds",
    "Measurement window",
    "Demand variation",
    "Demand intensity",
    "Writes before max IOPS",
    "Response time histogram: max IOPS",
    "Writes before mid IOPS",
    "Response time histogram: mid IOPS",
    "Writes before min IOPS",
    "Response time histogram: min IOPS",
];

/// The composite block size test has one part more.
const COMPOSITE: [&str; 14] = [
    "Preconditioning: writes",
    "Measurement window: 0/100",
    "Writes between the rounds",
    "TC 32 over the rounds",
    "Measurement window",
    "Demand variation",
    "Demand intensity",
    "Writes before max IOPS",
    "Response time histogram: max IOPS",
    "Writes before mid IOPS",
    "Response time histogram: mid IOPS",
    "Writes before min IOPS",
    "Response time histogram: min IOPS",
    "Most IOPS by outstanding I/Os in all",
];

/// Runs all tests and looks for each part of the report.
pub fn check() -> Result<(), String> {
    let program = fathom::build()?;
    let place = tempfile::tempdir().map_err(|e| format!("a temporary directory: {e}"))?;
    let program = program.to_str().ok_or("the path of the program is not UTF-8")?;
    let words = ["pts", "all", "--target", TARGET, "--json", "-q"];
    let index = place.path().join("runs.jsonl");
    // A test without steady state is told by exit code 5, and has all its parts.
    let mut pts = command(program, &words);
    let document = capture_ended(pts.current_dir(place.path()).env("FATHOM_INDEX", index), &[0, 5])?;
    let document: Value = serde_json::from_str(&document).map_err(|e| format!("pts --json: {e}"))?;
    let missing = missing(&document["standard_report"]);
    if missing.is_empty() {
        println!("all tests to their end, with all parts");
        return Ok(());
    }
    Err(format!("the report of pts all --target {TARGET} lacks: {}", missing.join("; ")))
}

/// The parts that are not there, and those without a value.
fn missing(report: &Value) -> Vec<String> {
    let none = Vec::new();
    let tests = report["tests"].as_array().unwrap_or(&none);
    let lacks = |(name, titles): &(&str, &[&str])| {
        let test = tests.iter().find(|test| test["name"] == **name);
        let parts = test.and_then(|test| test["parts"].as_array()).unwrap_or(&none);
        let has = |title: &str| {
            parts.iter().any(|part| {
                part["title"].as_str().is_some_and(|it| it.starts_with(title)) && has_values(part)
            })
        };
        titles.iter().filter(|title| !has(title)).map(|title| format!("{name}: {title}")).collect::<Vec<_>>()
    };
    PARTS.iter().flat_map(lacks).collect()
}

/// Rows of a table, points of a plot, columns of a drawing.
fn has_values(part: &Value) -> bool {
    let filled = |value: &Value| value.as_array().is_some_and(|values| !values.is_empty());
    let has_points =
        || part["series"].as_array().is_some_and(|all| all.iter().any(|one| filled(&one["points"])));
    filled(&part["rows"]) || filled(&part["values"]) || has_points()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_part_that_is_missing_or_empty_is_named() {
        let part = |title: &&str| json!({ "title": format!("{title} (ms)"), "rows": [[1]] });
        let test = |(name, titles): &(&str, &[&str])| json!({ "name": name, "parts": titles.iter().map(part).collect::<Vec<_>>() });
        let mut report = json!({ "tests": PARTS.iter().map(test).collect::<Vec<_>>() });
        assert_eq!(missing(&report), Vec::<String>::new());
        report["tests"][5]["parts"][2]["rows"] = json!([]);
        report["tests"][3]["parts"][0]["title"] = json!("another");
        assert_eq!(missing(&report), ["wsat: IOPS over time", "xsr: Groups"]);
        assert_eq!(missing(&Value::Null).len(), PARTS.iter().map(|(_, titles)| titles.len()).sum::<usize>());
    }
}
