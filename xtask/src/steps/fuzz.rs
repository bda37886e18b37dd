//! Fuzzes the parser for a given time.
//!
//! The target is built with the coverage pass of the stable compiler instead of cargo-fuzz, which would
//! need a nightly toolchain. The flags below are those that cargo-fuzz passes, without the address
//! sanitizer, which safe code does not need.

use std::path::{Path, PathBuf};

use crate::command::{cargo, command, run as run_command};
use crate::workspace;

/// Where `job_file` is built for; named so that the flags do not reach build scripts.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

const COVERAGE: &str = "--cfg fuzzing \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds the fuzz target and runs it; fails at the first input that makes the parser panic.
pub fn run(seconds: u64) -> Result<(), String> {
    let built = workspace::target().join("fuzz");
    build(&built)?;
    let corpus = tempfile::tempdir().map_err(|e| format!("a place for the corpus: {e}"))?;
    let seeds = copy_seeds(corpus.path())?;
    println!("{seeds} seeds");
    let findings = built.join("findings/");
    std::fs::create_dir_all(&findings).map_err(|e| format!("{}: {e}", findings.display()))?;
    let program = built.join(TRIPLE).join("release/job_file");
    run_command(&mut command(
        &program.to_string_lossy(),
        &[
            &format!("-max_total_time={seconds}"),
            &format!("-artifact_prefix={}", findings.display()),
            "-print_final_stats=1",
            "-verbosity=0",
            &corpus.path().to_string_lossy(),
        ],
    ))
}

fn build(into: &Path) -> Result<(), String> {
    let into = into.to_string_lossy();
    let mut cargo = cargo(&[
        "build",
        "--release",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target",
        TRIPLE,
        "--target-dir",
        &into,
    ]);
    // The coverage pass is a compiler-internal flag, which only this variable opens on stable.
    run_command(cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", COVERAGE))
}

/// Copies the seeds that we keep, and every example, to a directory where the fuzzer may add its own.
/// Returns their number.
fn copy_seeds(to: &Path) -> Result<usize, String> {
    let mut count = 0;
    for seed in seeds()? {
        let copy = to.join(format!("seed-{count}"));
        std::fs::copy(&seed, copy).map_err(|e| format!("{}: {e}", seed.display()))?;
        count += 1;
    }
    Ok(count)
}

fn seeds() -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for directory in ["fuzz/seeds", "examples/vsl", "examples/flash", "examples/blog"] {
        let directory = workspace::root().join(directory);
        let entries = directory.read_dir();
        for entry in entries.map_err(|e| format!("{}: {e}", directory.display()))? {
            let path = entry.map_err(|e| format!("{}: {e}", directory.display()))?.path();
            if path.is_file() {
                found.push(path);
            }
        }
    }
    Ok(found)
}
