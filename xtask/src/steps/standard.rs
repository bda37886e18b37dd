//! All tests of SNIA PTS at their full length, on a simulated drive: about 100 hours of virtual time.
//!
//! The released program runs them, because a development build takes ten times as long. The tests of the crates decide the
//! details with invented rounds; this step shows that all eight come to their end on a drive, with every part of the report.

use crate::command::{capture_ended, command};
use crate::workspace;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A drive whose capacity and parallelism are divided alike, so that fills and steady state take their real time.
const TARGET: &str = "sim:datacentre/1024";

/// Parts that the report of a test must have, by the beginning of their titles.
#[derive(Deserialize)]
struct Parts {
    name: String,
    parts: Vec<String>,
}

/// Those of each test.
static PARTS: LazyLock<Vec<Parts>> = LazyLock::new(|| {
    let mut file: BTreeMap<String, Vec<Parts>> =
        toml::from_str(include_str!("pts-parts.toml")).expect("a test reads the file");
    file.remove("test").unwrap_or_default()
});

/// Runs all tests and looks for each part of the report.
pub fn check() -> Result<(), String> {
    let program = workspace::build_fathom()?;
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
    let lacks = |Parts { name, parts: titles }: &Parts| {
        let test = tests.iter().find(|test| test["name"] == **name);
        let parts = test.and_then(|test| test["parts"].as_array()).unwrap_or(&none);
        let has = |title: &String| {
            parts.iter().any(|part| {
                part["title"].as_str().is_some_and(|it| it.starts_with(title.as_str())) && has_values(part)
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
        let part = |title: &String| json!({ "title": format!("{title} (ms)"), "rows": [[1]] });
        let test = |Parts { name, parts: titles }: &Parts| json!({ "name": name, "parts": titles.iter().map(part).collect::<Vec<_>>() });
        let mut report = json!({ "tests": PARTS.iter().map(test).collect::<Vec<_>>() });
        assert_eq!(missing(&report), Vec::<String>::new());
        report["tests"][5]["parts"][2]["rows"] = json!([]);
        report["tests"][3]["parts"][0]["title"] = json!("another");
        assert_eq!(missing(&report), ["wsat: IOPS over time", "xsr: Groups"]);
        assert_eq!(missing(&Value::Null).len(), PARTS.iter().map(|test| test.parts.len()).sum::<usize>());
    }
}
