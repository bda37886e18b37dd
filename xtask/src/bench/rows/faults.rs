//! Memory is touched before the first I/O, because a page fault in the measured time would count as
//! latency of the device.

use super::{Ground, Row};
use crate::bench::target::Target;

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

/// Page faults of the worker after the ramp.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
    let rows = JOBS.iter().map(|(title, target, lines)| {
        let made = target.make(ground.scratch)?;
        let mut lines = lines.to_vec();
        lines.extend(["rw=randread", "time_based=1", "ramp_time=1", "runtime=1", made.lines.trim()]);
        let job = ground.run(ground.fathom, &lines)?.job;
        let faults = |key: &str| job[key].as_f64().ok_or_else(|| format!("the JSON has no {key}"));
        let what = format!("page faults after the ramp: {title}");
        Ok(Row::at_most(&what, faults("minf")? + faults("majf")?, 0.0, ""))
    });
    rows.collect()
}
