//! The size of the program, the memory of sixteen workers, and page faults while they measure.

use std::process::Stdio;

use super::{Ground, Row, job};
use crate::bench::target::Target;
use crate::bench::{job_file, peak};

const WORKERS: u64 = 16;
const DEPTH: u64 = 32;
const BLOCK: u64 = 4096;
/// The limit without the I/O buffers.
const MIB_MAX: f64 = 32.0;
const SECONDS: u64 = 3;

/// The peak of resident memory, minus the buffers that the job asked for.
pub fn resident(ground: &Ground) -> Result<Vec<Row>, String> {
    let text = job(&[
        "rw=randread",
        "ioengine=null",
        "size=1g",
        "time_based=1",
        &format!("runtime={SECONDS}"),
        &format!("numjobs={WORKERS}"),
        &format!("iodepth={DEPTH}"),
    ]);
    let mut fathom = ground.fathom.command(&job_file::write(ground.scratch, &text)?);
    let child = fathom.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|e| format!("fathom: {e}"))?;
    let (ended, kib) = peak::watch(&mut child).map_err(|e| format!("fathom: {e}"))?;
    if !ended.success() {
        return Err(format!("fathom: {ended}"));
    }
    let mib = kib as f64 / 1024.0 - (WORKERS * DEPTH * BLOCK) as f64 / f64::from(1 << 20);
    Ok(vec![Row::at_most("most resident memory of 16 workers, less their buffers", mib, MIB_MAX, "MiB")])
}

/// One job for each way to do I/O: without the kernel, in the calling thread, through a ring.
const JOBS: &[(&str, Target, &[&str])] = &[
    ("null, QD32", Target::Nothing, &["ioengine=null", "iodepth=32"]),
    ("psync, page-cached file", Target::CachedFile, &["ioengine=psync", "invalidate=0"]),
    (
        "io_uring, page-cached file, QD32",
        Target::CachedFile,
        &["ioengine=io_uring", "iodepth=32", "invalidate=0"],
    ),
];

/// Page faults of the worker after the ramp. Memory is touched before the first I/O, because a fault in the measured time
/// would count as latency of the device.
pub fn faults(ground: &Ground) -> Result<Vec<Row>, String> {
    let rows = JOBS.iter().map(|(title, target, lines)| {
        let made = target.make(ground.scratch)?;
        let mut lines = lines.to_vec();
        lines.extend(["rw=randread", "time_based=1", "ramp_time=1", "runtime=1", made.lines.trim()]);
        let job = ground.run(ground.fathom, &lines)?.job;
        let count = |key: &str| job[key].as_f64().ok_or_else(|| format!("the JSON has no {key}"));
        let what = format!("page faults after the ramp: {title}");
        Ok(Row::at_most(&what, count("minf")? + count("majf")?, 0.0, ""))
    });
    rows.collect()
}

const BINARY_MIB_MAX: f64 = 15.0;

/// The size of the binary: one file that must be quick to copy.
pub fn binary(ground: &Ground) -> Result<Vec<Row>, String> {
    let bytes = ground.program.metadata();
    let bytes = bytes.map_err(|e| format!("{}: {e}", ground.program.display()))?.len();
    let mib = bytes as f64 / f64::from(1 << 20);
    Ok(vec![Row::at_most("size of the binary", mib, BINARY_MIB_MAX, "MiB")])
}
