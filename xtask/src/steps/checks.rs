//! The steps that are one command each.

use crate::command::{cargo, cargo_once, run};
use crate::{fathom, instructions as counted};

/// Fails where a file is not as `cargo fmt` would leave it.
pub fn format() -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}

/// Clippy over everything, tests included, with warnings as errors.
pub fn lint() -> Result<(), String> {
    run(&mut cargo_once(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    // `--all-targets` leaves out the lab's tests, because a plain `cargo test` does.
    run(&mut cargo_once(&["clippy", "--package", "fathom-lab", "--test", "*", "--", "-D", "warnings"]))
}

/// Rustdoc over our crates with warnings as errors: links have targets.
pub fn docs() -> Result<(), String> {
    run(cargo_once(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
}

/// No I/O costs more instructions than `benches/instructions.json` says.
pub fn instructions() -> Result<(), String> {
    counted::check(&fathom::build()?)
}
