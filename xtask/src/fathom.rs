//! The program under test: fathom, quickly built or as it ships.

use std::path::PathBuf;

use crate::command::{cargo, run};
use crate::workspace;

/// Builds it as `cargo run --release` does, and returns its path. An I/O costs it no more instructions than what ships.
pub fn build() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--package", "fathom"]))?;
    Ok(workspace::target().join("release/fathom"))
}

/// Builds it as it ships, and returns its path.
pub fn build_dist() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--profile", "dist", "--package", "fathom"]))?;
    Ok(workspace::target().join("dist/fathom"))
}

/// Builds the loop that measures nothing, and returns its path.
pub fn build_bare_loop() -> Result<PathBuf, String> {
    build_example("fathom-engine", "bare_loop")
}

/// Builds an example of a package as it would ship, and returns its path.
pub fn build_example(package: &str, name: &str) -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--profile", "dist", "--package", package, "--example", name]))?;
    Ok(workspace::target().join("dist/examples").join(name))
}
