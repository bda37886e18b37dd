//! What a job needs from the host. Everything is optional: an audit without a
//! job judges by the general rule, and reports that where it matters.

use fathom_device::cpus::CpuSet;

/// The needs of a job, or of several together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobNeeds {
    /// Smallest block of the job, in bytes.
    pub block_bytes_min: Option<u64>,
    /// Largest block of the job, in bytes.
    pub block_bytes_max: Option<u64>,
    /// Every offset of the job is a multiple of this many bytes.
    pub align_bytes: Option<u64>,
    /// I/Os in flight, of all workers together.
    pub iodepth: Option<u64>,
    /// Number of workers.
    pub workers: Option<u64>,
    /// Whether it uses direct I/O.
    pub direct: Option<bool>,
    /// Whether its offsets are random.
    pub random: Option<bool>,
    /// Whether it reads.
    pub reads: Option<bool>,
    /// Whether each pass of its buffered reads begins after the cache has dropped the pages of its files, so that it reads
    /// none of them from memory.
    pub reads_cold: Option<bool>,
    /// Whether it writes.
    pub writes: Option<bool>,
    /// `io_uring`, `libaio`, …
    pub engine: Option<String>,
    /// Whether it polls for completions (`hipri`).
    pub polled: Option<bool>,
    /// CPUs that its workers may use; unset: any.
    pub cpus: Option<CpuSet>,
    /// Bytes of all buffers.
    pub buffer_bytes: Option<u64>,
    /// Whether buffers are registered with the kernel (locked in memory).
    pub registers_buffers: Option<bool>,
    /// Open files, of all workers together.
    pub files: Option<u64>,
    /// Bytes it will write.
    pub written_bytes: Option<u64>,
    /// Seconds it will take.
    pub seconds: Option<u64>,
    /// Whether nothing of the targets' content may be read. A job that only reads destroys nothing, so what is there does not
    /// matter, and a look would take its time and leave megabytes in the page cache.
    pub spares_content: bool,
    /// Whether it ran between the two readings of the counters, so that it may
    /// itself have changed them.
    pub has_run: bool,
    /// Bytes that it moved on the targets between the two readings of the
    /// counters. Unset before a run, when all I/O belongs to others.
    pub moved_bytes: Option<u64>,
    /// Rates of short probes made before the run, in I/Os a second.
    pub probe_iops: Vec<u64>,
}
