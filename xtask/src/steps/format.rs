//! One format for all sources.

use crate::command::{cargo, run};

/// Fails where a file is not as `cargo fmt` would leave it.
pub fn check() -> Result<(), String> {
    run(&mut cargo(&["fmt", "--all", "--check"]))
}
