//! Fails if clippy has a warning.

use crate::command::{cargo, run};

/// Clippy over everything, tests included, with warnings as errors.
pub fn check() -> Result<(), String> {
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // The lab's tests are no targets of a plain `cargo test`, and not of `--all-targets`.
    run(&mut cargo(&["clippy", "--package", "fathom-lab", "--test", "*", "--", "-D", "warnings"]))
}
