//! The documentation builds, and its links have targets.

use crate::command::{cargo, run};

/// Rustdoc over our crates with warnings as errors.
pub fn check() -> Result<(), String> {
    run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-Dwarnings"))
}
