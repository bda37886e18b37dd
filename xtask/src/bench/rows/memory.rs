//! How much memory sixteen workers take.

use std::process::Stdio;

use super::{Ground, Row, job};
use crate::bench::{job_file, peak};

const WORKERS: u64 = 16;
const DEPTH: u64 = 32;
const BLOCK: u64 = 4096;
/// The limit without the I/O buffers.
const MIB_MAX: f64 = 32.0;
const SECONDS: u64 = 3;

/// The peak of resident memory, minus the buffers that the job asked for.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
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
