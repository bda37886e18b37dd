//! With `compat=fio`, fathom makes as many system calls as fio does.

use super::{Ground, Row, job};
use crate::bench::job_file::Length;
use crate::bench::syscalls::Tracing;
use crate::bench::target::Target;
use crate::bench::tool::Tool;

/// Jobs on engines with a queue, where fio submits one I/O at a time by default, or batches.
const JOBS: &[(&str, &[&str])] = &[
    ("io_uring", &["ioengine=io_uring", "iodepth=32"]),
    ("io_uring in batches of 16", &["ioengine=io_uring", "iodepth=32", BATCH, COMPLETE]),
    ("libaio", &["ioengine=libaio", "iodepth=32", DIRECT]),
    ("libaio in batches of 16", &["ioengine=libaio", "iodepth=32", BATCH, COMPLETE, DIRECT]),
    ("libaio, buffered, in batches of 16", &["ioengine=libaio", "iodepth=32", BATCH, COMPLETE]),
];
const BATCH: &str = "iodepth_batch=16";
const COMPLETE: &str = "iodepth_batch_complete_min=16";
/// Without it libaio does each I/O inside the call that submits it.
const DIRECT: &str = "direct=1";
/// The difference that the first and the last batch make in 10,000 I/Os.
const ERROR_MAX: f64 = 0.01;

/// System calls per I/O of fathom divided by fio's, on a file that is in the page cache.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
    let tracing = Tracing::open()?;
    let made = Target::CachedFile.make(ground.scratch)?;
    let rows = JOBS.iter().map(|(title, lines)| {
        let calls = |tool: &Tool, own: &str| {
            let text = |length: Length| {
                let length = length.lines();
                // The last of two that disagree counts: the target's direct=0 comes first.
                let mut all = vec!["rw=randread", "invalidate=0", made.lines.trim(), length.trim(), own];
                all.extend(*lines);
                job(&all)
            };
            tracing.per_io(tool, text, ground.scratch)
        };
        let (ours, theirs) = (calls(ground.fathom, "compat=fio")?, calls(ground.fio, "")?);
        let what = format!("compat=fio, system calls ÷ fio's: {title} ({ours:.3} : {theirs:.3})");
        Ok(Row::near_one(what, ours / theirs, ERROR_MAX))
    });
    rows.collect()
}
