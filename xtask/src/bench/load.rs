//! How long a saved run takes to load: a day of eight jobs, 691,200 windows.
//!
//! The goal is a second and 200 MB. The spool was written just before, so it is in the page cache.

use std::path::Path;
use std::process::Command;

use super::cost::{Cost, measure};
use crate::fathom::build_example;

/// Windows of the run: `crates/fathom-results/examples/day.rs`.
const WINDOWS: f64 = 691_200.0;

/// Loads are repeated, and the fastest counts: what else the machine does only makes them slower.
const LOADS: usize = 5;

/// Saves the run in a directory of its own, loads it, and prints what both cost.
pub fn run() -> Result<(), String> {
    let day = build_example("fathom-results", "day")?;
    let scratch = tempfile::tempdir().map_err(|e| format!("a directory for the run: {e}"))?;
    let step = |verb: &str| step(&day, verb, scratch.path());
    let written = step("write")?;
    println!("written   {}, {:.0} bytes a window", line(&written), written.saved_kib * 1024.0 / WINDOWS);
    let mut fastest = step("load")?;
    for _ in 1..LOADS {
        let next = step("load")?;
        fastest = if next.seconds < fastest.seconds { next } else { fastest };
    }
    println!("loaded    {}, the fastest of {LOADS}", line(&fastest));
    Ok(())
}

fn step(day: &Path, verb: &str, directory: &Path) -> Result<Cost, String> {
    let mut command = Command::new(day);
    command.arg(verb).arg(directory);
    measure(command, directory)
}

fn line(cost: &Cost) -> String {
    let (seconds, cpu, mib) = (cost.seconds, cost.cpu_seconds, cost.mib);
    format!("{seconds:.2} s, {cpu:.2} s of CPU, {mib:.0} MiB of memory")
}
