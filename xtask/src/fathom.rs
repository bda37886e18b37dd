//! The program under test: fathom, as it ships.

use std::path::PathBuf;

use crate::command::{cargo, run};
use crate::workspace;

/// Builds it as it is released; where it lies.
pub fn build() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--package", "fathom"]))?;
    Ok(workspace::target().join("release/fathom"))
}
