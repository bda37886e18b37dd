//! Which crate may depend on which.

use serde_json::Value;

/// Every library, and the crates of ours on which it may depend, also in its tests: code often
/// follows the dependencies of its tests.
const ALLOWED: &[(&str, &[&str])] = &[
    ("fathom-text", &[]),
    ("fathom-job", &["fathom-sim", "fathom-text"]),
    ("fathom-stats", &[]),
    ("fathom-sim", &[]),
    ("fathom-results", &["fathom-job", "fathom-stats", "fathom-text"]),
    ("fathom-figures", &["fathom-job", "fathom-stats", "fathom-results"]),
    ("fathom-engine", &["fathom-job", "fathom-stats", "fathom-results", "fathom-sim", "fathom-text"]),
    ("fathom-device", &["fathom-text"]),
    ("fathom-guard", &["fathom-device", "fathom-text"]),
    ("fathom-host", &["fathom-device", "fathom-guard", "fathom-text"]),
    ("fathom-tune", &["fathom-device", "fathom-text"]),
    ("fathom-words", &["fathom-job", "fathom-results", "fathom-text"]),
    (
        "fathom-judge",
        &["fathom-job", "fathom-stats", "fathom-results", "fathom-figures", "fathom-text", "fathom-words"],
    ),
    (
        "fathom-procedures",
        &[
            "fathom-job",
            "fathom-stats",
            "fathom-results",
            "fathom-figures",
            "fathom-judge",
            "fathom-text",
            "fathom-words",
        ],
    ),
    (
        "fathom-session",
        &[
            "fathom-job",
            "fathom-results",
            "fathom-stats",
            "fathom-figures",
            "fathom-engine",
            "fathom-device",
            "fathom-guard",
            "fathom-host",
            "fathom-tune",
            "fathom-judge",
            "fathom-procedures",
            "fathom-text",
            "fathom-words",
        ],
    ),
    (
        "fathom-report",
        &["fathom-job", "fathom-stats", "fathom-results", "fathom-figures", "fathom-text", "fathom-words"],
    ),
];

/// Crates that may depend on all others, and on which none may depend.
const ON_TOP: &[&str] = &["fathom", "fathom-lab", "xtask"];

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
            if is_ours(to) && !may(name, to) {
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
    if ON_TOP.contains(&from) {
        return !ON_TOP.contains(&to);
    }
    let row = ALLOWED.iter().find(|(name, _)| *name == from);
    row.is_some_and(|(_, allowed)| allowed.contains(&to))
}

fn is_ours(name: &str) -> bool {
    name.starts_with("fathom") || name == "xtask"
}

fn is_drawn(name: &str) -> bool {
    ON_TOP.contains(&name) || ALLOWED.iter().any(|(drawn, _)| *drawn == name)
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("cargo metadata: a name is {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
