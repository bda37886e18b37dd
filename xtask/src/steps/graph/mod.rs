//! Checks that what ARCHITECTURE.md lists as absent is absent.
//!
//! There are three kinds of absence: an edge between crates, read from cargo's metadata; a thing that a
//! crate never does; and a circle of modules, both read from the sources. All are ordinary tests too,
//! so `cargo test` finds them as well.

mod absences;
mod circles;
mod edges;
mod source;

use crate::command::{capture, cargo};

/// Fails with one line for every edge that is not allowed, and for every line that does what its crate
/// may not do.
pub fn check() -> Result<(), String> {
    let mut violations = edges::violations(&metadata()?)?;
    violations.extend(absences::violations()?);
    violations.extend(circles::violations()?);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_graph_is_as_drawn() {
        assert_eq!(check(), Ok(()));
    }
}
