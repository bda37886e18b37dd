//! The program under test: fathom, as it is released.

use std::path::PathBuf;

use crate::command::{cargo, run};
use crate::workspace;

/// Builds it as it is released, and returns its path.
pub fn build() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--package", "fathom"]))?;
    Ok(workspace::target().join("release/fathom"))
}

/// Builds the loop that measures nothing, and returns its path.
pub fn build_bare_loop() -> Result<PathBuf, String> {
    build_example("fathom-engine", "bare_loop")
}

/// Builds an example of a package as it would be released, and returns its path.
pub fn build_example(package: &str, name: &str) -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--package", package, "--example", name]))?;
    Ok(workspace::target().join("release/examples").join(name))
}
