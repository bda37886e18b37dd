//! Fails if clippy has a warning.

use crate::command::{cargo, run};

/// Clippy over everything, tests included, with warnings as errors.
pub fn check() -> Result<(), String> {
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // `--all-targets` leaves out the lab's tests, because a plain `cargo test` does.
    run(&mut cargo(&["clippy", "--package", "fathom-lab", "--test", "*", "--", "-D", "warnings"]))
}
