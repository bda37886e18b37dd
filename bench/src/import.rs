//! How fast a log of ten million I/Os is read, beside the plain loop in Python that fio-plot's parser is.
//!
//! The goal is 20 times the speed, in CPU time for each line. Python keeps every line in memory, some 500 bytes each, so
//! it gets a tenth of the lines.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use super::meter::{Cost, measure};
use xtask::workspace::at;

/// I/Os in the log.
const LINES: u64 = 10_000_000;

/// A tenth of them, for Python.
const LINES_OF_PYTHON: u64 = LINES / 10;

/// The speed that is asked for, as a multiple of Python's.
const GOAL: f64 = 20.0;

/// What fio-plot does with a log: each row of the CSV as a dictionary, then its numbers as integers.
const PYTHON: &str = include_str!("fio_plot.py");

/// Writes both logs, reads them, and prints what each cost.
pub fn run(program: &Path) -> Result<(), String> {
    let scratch = tempfile::tempdir().map_err(|e| format!("a directory for the logs: {e}"))?;
    let write = |name: &str, lines| {
        let path = scratch.path().join(name);
        log(&path, lines).map_err(at(&path)).map(|()| path)
    };
    let (whole, tenth) = (write("x_lat.1.log", LINES)?, write("y_lat.1.log", LINES_OF_PYTHON)?);
    let mut fathom = Command::new(program);
    fathom.arg("import").arg(&whole);
    let mut python = Command::new("python3");
    python.args(["-c", PYTHON]).arg(&tenth);
    let ours = measure(fathom, scratch.path())?;
    let theirs = measure(python, scratch.path())?;
    let each = |cost: &Cost, lines: u64| cost.cpu_seconds * 1e9 / lines as f64;
    let (fathom_ns, python_ns) = (each(&ours, LINES), each(&theirs, LINES_OF_PYTHON));
    println!("fathom    {LINES} lines: {}, {fathom_ns:.0} ns a line", cost_line(&ours));
    println!("python    {LINES_OF_PYTHON} lines: {}, {python_ns:.0} ns a line", cost_line(&theirs));
    let times = python_ns / fathom_ns;
    println!("{times:.1} times as fast; the goal is {GOAL} {}", if times >= GOAL { "" } else { "MISSED" });
    Ok(())
}

/// A log of single I/Os as fio 3 writes it, with latencies that differ.
fn log(path: &Path, lines: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for at in 0..lines {
        let latency_ns = 60_000 + at.wrapping_mul(0x9e37_79b9) % 90_000;
        writeln!(out, "{}, {latency_ns}, {}, 4096, {}", at / 100, at % 3 / 2, at * 4096)?;
    }
    out.flush()
}

fn cost_line(cost: &Cost) -> String {
    format!("{:.2} s, {:.2} s of CPU, {:.0} MiB of memory", cost.seconds, cost.cpu_seconds, cost.mib)
}
