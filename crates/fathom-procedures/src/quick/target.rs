//! What `quick` measures, and how a depth is reached there.

use fathom_job::engine;
use fathom_job::units::Bytes;

/// What is measured, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickTarget {
    /// File or device.
    pub path: String,
    /// Bytes from its start that are used.
    pub size: Bytes,
    /// It may be written to; else only the three reads are measured. A target that may be written
    /// to and is not a scratch file is filled first, up to 4 GiB.
    pub can_write: bool,
    /// It takes direct I/O.
    pub direct: bool,
    /// `io_uring`, `libaio` or `psync`.
    pub engine: String,
    /// Smallest direct I/O.
    pub block_min: Bytes,
    /// Length of each measurement, without its ramp.
    pub seconds_per_cell: u64,
    /// A file that fathom made for this purpose: the jobs may lay it out. Any
    /// other target must be there, and is never created.
    pub is_scratch: bool,
}

/// A synchronous engine keeps one I/O in flight per worker, so random depth
/// comes from workers. Its sequential stream stays alone: several would either
/// move the same bytes or not be sequential any more.
pub(super) fn depth_option(depth: u32, is_random: bool, engine: &str) -> String {
    let is_async = engine::named(engine).is_some_and(|engine| !engine.is_sync());
    match (is_async, depth, is_random) {
        (true, depth, _) => format!("iodepth={depth}\n"),
        (false, depth, true) if depth > 1 => format!("numjobs={depth}\ngroup_reporting\n"),
        (false, ..) => "iodepth=1\n".to_owned(),
    }
}
