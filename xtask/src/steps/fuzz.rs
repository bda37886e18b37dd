//! Fuzzes the parsers for a given time.
//!
//! The targets are built with the coverage pass of the stable compiler instead of cargo-fuzz, which would
//! need a nightly toolchain. The flags below are those that cargo-fuzz passes, without the address
//! sanitizer, which safe code does not need.

use std::path::{Path, PathBuf};

use crate::command::{cargo, command, run as run_command};
use crate::workspace::{self, at};

/// A fuzz target, the directories of its seeds, and its part of the time.
struct Target {
    name: &'static str,
    seeds: &'static [&'static str],
    part: f64,
}

/// The parser of job files has by far the larger grammar.
const TARGETS: [Target; 3] = [
    Target {
        name: "job_file",
        seeds: &["fuzz/seeds/job_file", "examples/vsl", "examples/flash", "examples/blog"],
        part: 0.7,
    },
    Target { name: "fio_log", seeds: &["fuzz/seeds/fio_log"], part: 0.2 },
    Target { name: "programs", seeds: &["crates/fathom-figures/tests/fixtures/programs"], part: 0.1 },
];

/// Where targets are built for; named so that the flags do not reach build scripts.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

const COVERAGE: &str = "--cfg fuzzing \
    -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds the fuzz targets and runs them, one after the other; fails at the first input that makes a parser panic.
pub fn run(seconds: u64) -> Result<(), String> {
    let built = workspace::target().join("fuzz");
    build(&built)?;
    let findings = built.join("findings/");
    std::fs::create_dir_all(&findings).map_err(at(&findings))?;
    TARGETS.iter().try_for_each(|target| target.run(&built, &findings, seconds))
}

impl Target {
    fn run(&self, built: &Path, findings: &Path, seconds: u64) -> Result<(), String> {
        let corpus = tempfile::tempdir().map_err(|e| format!("a place for the corpus: {e}"))?;
        println!("{}: {} seeds", self.name, self.copy_seeds(corpus.path())?);
        let program = built.join(TRIPLE).join("release").join(self.name);
        let seconds = ((seconds as f64 * self.part) as u64).max(1);
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

    /// Copies the seeds to a directory where the fuzzer may add its own. Returns their number.
    fn copy_seeds(&self, to: &Path) -> Result<usize, String> {
        let seeds = self.seeds()?;
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::copy(seed, to.join(format!("seed-{number}"))).map_err(at(seed))?;
        }
        Ok(seeds.len())
    }

    fn seeds(&self) -> Result<Vec<PathBuf>, String> {
        let mut found = Vec::new();
        for directory in self.seeds {
            let directory = workspace::root().join(directory);
            for entry in directory.read_dir().map_err(at(&directory))? {
                let path = entry.map_err(at(&directory))?.path();
                if path.is_file() {
                    found.push(path);
                }
            }
        }
        Ok(found)
    }
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
