//! Checks that what ARCHITECTURE.md lists as absent is absent.
//!
//! There are four kinds of absence: an edge between crates, read from cargo's metadata; a thing that a
//! crate never does, a circle of modules, and a search in a sentence, all three read from the sources. All are ordinary tests too,
//! so `cargo test` finds them as well.

mod absences;
mod circles;
mod drawn;
mod sentences;
mod source;

use crate::command::{capture, cargo};
use drawn::DRAWN;
use serde_json::Value;
use std::collections::BTreeMap;

/// Fails with one line for every edge that is not allowed, and for every line that does what its crate
/// may not do.
pub fn check() -> Result<(), String> {
    let mut violations = violations(&metadata()?)?;
    violations.extend(absences::violations()?);
    violations.extend(circles::violations()?);
    violations.extend(sentences::violations()?);
    absences::print_allowed();
    if violations.is_empty() {
        println!("the crate graph is as drawn");
        return Ok(());
    }
    Err(violations.join("\n"))
}

fn metadata() -> Result<serde_json::Value, String> {
    let text = capture(&mut cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]))?;
    serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))
}

// Which crate may depend on which.

/// The edges in cargo's metadata that are not listed above.
pub fn violations(metadata: &Value) -> Result<Vec<String>, String> {
    let packages = metadata["packages"].as_array();
    let packages = packages.ok_or("cargo metadata lists no packages")?;
    let mut violations = Vec::new();
    for package in packages {
        let name = text(&package["name"])?;
        let dependencies = package["dependencies"].as_array();
        for dependency in dependencies.into_iter().flatten() {
            let to = text(&dependency["name"])?;
            let is_of_tests = dependency["kind"] == "dev" && is_drawn_in(&DRAWN.edges_of_tests, name, to);
            // A crate names itself to have a feature of its own in its tests.
            if is_ours(to) && to != name && !may(name, to) && !is_of_tests {
                violations.push(format!("{name} depends on {to}"));
            }
        }
        if !is_drawn(name) {
            violations.push(format!("{name} is not drawn in the crate graph"));
        }
    }
    Ok(violations)
}

fn may(from: &str, to: &str) -> bool {
    match is_on_top(from) {
        // The benchmarks use the commands and directories of xtask.
        true => !is_on_top(to) || (from, to) == ("fathom-bench", "xtask"),
        false => is_drawn_in(&DRAWN.edges, from, to),
    }
}

fn is_drawn_in(edges: &BTreeMap<String, Vec<String>>, from: &str, to: &str) -> bool {
    edges.get(from).is_some_and(|allowed| allowed.iter().any(|name| name == to))
}

fn is_on_top(name: &str) -> bool {
    DRAWN.on_top.iter().any(|top| top == name)
}

fn is_ours(name: &str) -> bool {
    name.starts_with("fathom") || name == "xtask"
}

fn is_drawn(name: &str) -> bool {
    is_on_top(name) || DRAWN.edges.contains_key(name)
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("cargo metadata: a name is {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_crate_graph_is_as_drawn() {
        assert_eq!(check(), Ok(()));
    }

    fn found(from: &str, to: &str) -> Vec<String> {
        let metadata = json!({"packages": [{"name": from, "dependencies": [{"name": to}]}]});
        violations(&metadata).expect("well-formed")
    }

    #[test]
    fn edges_that_are_drawn_pass() {
        for (from, to) in [
            ("fathom-host", "fathom-text"),
            ("fathom-report", "fathom-results"),
            ("fathom-job", "serde"),
            ("fathom", "fathom-engine"),
        ] {
            assert_eq!(found(from, to), Vec::<String>::new(), "{from} to {to}");
        }
    }

    #[test]
    fn a_judge_may_have_words_in_its_tests_only() {
        let of = |kind: Option<&str>| {
            let words = json!({"name": "fathom-words", "kind": kind});
            violations(&json!({"packages": [{"name": "fathom-judge", "dependencies": [words]}]})).unwrap()
        };
        assert_eq!(of(Some("dev")), Vec::<String>::new());
        assert_eq!(of(None), ["fathom-judge depends on fathom-words"]);
    }

    #[test]
    fn edges_that_are_not_drawn_are_named() {
        for (from, to) in [
            ("fathom-report", "fathom-engine"),
            ("fathom-stats", "fathom-job"),
            ("fathom-sim", "fathom-stats"),
            ("fathom-engine", "fathom-host"),
            ("fathom-engine", "fathom-guard"),
            ("fathom-guard", "fathom-host"),
            ("fathom-tune", "fathom-guard"),
            ("fathom-host", "fathom-tune"),
            ("fathom-device", "fathom-guard"),
            ("fathom-judge", "fathom-engine"),
            ("fathom-judge", "fathom-procedures"),
            ("fathom-judge", "fathom-words"),
            ("fathom-procedures", "fathom-engine"),
            ("fathom-figures", "fathom-judge"),
            ("fathom-figures", "fathom-report"),
            ("fathom-report", "fathom-judge"),
            ("fathom-host", "fathom"),
        ] {
            assert_eq!(found(from, to), [format!("{from} depends on {to}")]);
        }
        assert_eq!(found("fathom-common", "serde"), ["fathom-common is not drawn in the crate graph"]);
    }
}
