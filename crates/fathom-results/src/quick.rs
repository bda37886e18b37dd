//! The names of the jobs of `quick`. Its job text has them, and who judges or shows a run of it finds its figures by them.

/// The job that fills the target before it is read.
pub const FILL: &str = "fill";

/// How fast large reads flow.
pub const SEQ_READ_BANDWIDTH: &str = "seq-read-bandwidth";

/// How long one small read takes.
pub const RAND_READ_LATENCY: &str = "rand-read-latency";

/// How many small reads a second.
pub const RAND_READ_IOPS: &str = "rand-read-iops";

/// How fast large writes flow.
pub const SEQ_WRITE_BANDWIDTH: &str = "seq-write-bandwidth";

/// How many small writes a second.
pub const RAND_WRITE_IOPS: &str = "rand-write-iops";

/// How many small I/Os a second, seven reads to three writes.
pub const MIXED: &str = "mixed-70-30";
