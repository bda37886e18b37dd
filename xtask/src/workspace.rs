//! The directories of the workspace.

use std::path::{Path, PathBuf};

use crate::command::{cargo, cargo_linted, run};

/// The root of the workspace: the directory above this crate.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the workspace")
}

/// The directory in which cargo builds.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(given) => root().join(given),
        None => root().join("target"),
    }
}

/// Every Rust file below a directory, sorted.
pub fn rust_files(below: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = files_below(below)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    Ok(files)
}

/// Every file below a directory, sorted.
pub fn files_below(below: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![below.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(&directory).map_err(at(&directory))? {
            let path = entry.map_err(at(&directory))?.path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

// The program under test: fathom, as the tests build it or as it ships.

/// Builds it as the tests do, and returns its path. An I/O costs it as many instructions as that of `cargo run --release`. Cargo
/// builds it with a test that starts it: alone, it would have other features, and all libraries would be built again.
pub fn build_fathom() -> Result<PathBuf, String> {
    run(&mut cargo_linted(&["test", "--workspace", "--test", "hangs", "--no-run"]))?;
    Ok(target().join("debug/fathom"))
}

/// Builds it as it ships, and returns its path.
pub fn build_fathom_dist() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--profile", "dist", "--package", "fathom"]))?;
    Ok(target().join("dist/fathom"))
}

/// Builds the loop that measures nothing, and returns its path.
pub fn build_bare_loop() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--profile", "dist", "--package", "fathom-engine", "--example", "bare_loop"]))?;
    Ok(target().join("dist/examples/bare_loop"))
}

/// Says of an error at which path it happened.
pub fn at<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// The text of a file.
pub fn read_text(path: impl AsRef<Path>) -> Result<String, String> {
    std::fs::read_to_string(path.as_ref()).map_err(at(path.as_ref()))
}

/// Writes a whole file.
pub fn write_file(path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Result<(), String> {
    std::fs::write(path.as_ref(), text).map_err(at(path.as_ref()))
}
