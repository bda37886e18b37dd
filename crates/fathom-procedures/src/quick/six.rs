//! The six measurements of the job file.

use fathom_job::units::Bytes;
use fathom_results::quick as names;

/// One of the six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// Job name.
    pub name: &'static str,
    /// `rw=`.
    pub rw: &'static str,
    /// Percent of reads, for the mix.
    pub read_percent: Option<u8>,
    /// Block size, unless the target needs a larger one.
    pub block: Bytes,
    /// I/Os in flight.
    pub depth: u32,
    /// Does it write?
    pub writes: bool,
    /// The question that it answers.
    pub question: &'static str,
}

const READ: Measurement = Measurement {
    name: names::RAND_READ_IOPS,
    rw: "randread",
    read_percent: None,
    block: Bytes::kib(4),
    // One worker with 32 in flight: enough to saturate a SATA drive (whose
    // queue ends at 32) and most volumes of clouds, few enough that latency
    // still means something, and one core can drive it. Data sheets of NVMe
    // drives use more workers and depth; that is what a sweep is for.
    depth: 32,
    writes: false,
    question: "how many small reads a second",
};

/// In the order in which they run.
///
/// Reads come before writes, because writes change what is read: on filesystems
/// that write elsewhere (btrfs, zfs) and on thin volumes a random overwrite
/// scatters a file that was laid out in one piece, and flash goes on collecting
/// garbage after it. Sequential reads come first of all: the file is still as
/// it was laid out, and a drive that has just been written to has some seconds
/// to settle before the latency of single reads is taken. For the same reason
/// sequential writes come before random ones, and the mix, which suffers from
/// what random writes leave behind, comes last.
pub const SIX: [Measurement; 6] = [
    Measurement {
        name: names::SEQ_READ_BANDWIDTH,
        rw: "read",
        block: Bytes::mib(1),
        depth: 8,
        question: "how fast large reads flow",
        ..READ
    },
    Measurement {
        name: names::RAND_READ_LATENCY,
        depth: 1,
        question: "how long one small read takes",
        ..READ
    },
    READ,
    Measurement {
        name: names::SEQ_WRITE_BANDWIDTH,
        rw: "write",
        block: Bytes::mib(1),
        depth: 8,
        writes: true,
        question: "how fast large writes flow",
        ..READ
    },
    Measurement {
        name: names::RAND_WRITE_IOPS,
        rw: "randwrite",
        writes: true,
        question: "how many small writes a second",
        ..READ
    },
    Measurement {
        name: names::MIXED,
        rw: "randrw",
        read_percent: Some(70),
        writes: true,
        question: "how many small I/Os a second, seven reads to three writes",
        ..READ
    },
];
