//! Which jobs are counted.
//!
//! Batches are fixed at 16 where the engine has batches, and so is the depth. With more in flight than
//! one batch, the batches depend on how fast the target answers, and a count must not depend on that.

/// One job whose instructions per I/O are counted.
pub struct Case {
    /// Its key in the record.
    pub name: &'static str,
    /// What is counted.
    pub title: &'static str,
    /// What the I/O goes to.
    pub target: Target,
    /// The lines of the job.
    pub job: &'static [&'static str],
    /// The same job without the feature whose cost is counted: the count is the difference of the two.
    pub without: Option<&'static [&'static str]>,
    /// The budget of the design, in instructions per I/O.
    pub budget: Option<f64>,
    /// Whether fio can run it, so that its count can be shown too.
    pub has_peer: bool,
}

/// Where the I/O of a case goes.
#[derive(Clone, Copy, PartialEq)]
pub enum Target {
    /// Nowhere: the engine completes the I/O itself.
    Nothing,
    /// A file through the page cache.
    Cached,
    /// A file without the page cache, the only way in which libaio submits batches.
    Direct,
}

/// Every case, one entry each.
pub const CASES: &[Case] = &[
    Case {
        name: "null",
        title: "null engine, depth 32",
        target: Target::Nothing,
        job: &["rw=randread", "ioengine=null", "iodepth=32"],
        without: None,
        budget: Some(60.0),
        has_peer: true,
    },
    Case {
        name: "nop",
        title: "io_uring no-operations, batches of 16",
        target: Target::Nothing,
        job: &["rw=randread", "ioengine=nop", "iodepth=16", BATCH, COMPLETE],
        without: None,
        budget: None,
        has_peer: false,
    },
    Case {
        name: "psync",
        title: "psync on a page-cached file",
        target: Target::Cached,
        job: &["rw=randread", "ioengine=psync"],
        without: None,
        budget: Some(150.0),
        has_peer: true,
    },
    Case {
        name: "io_uring",
        title: "io_uring on a page-cached file, batches of 16",
        target: Target::Cached,
        job: &["rw=randread", "ioengine=io_uring", "iodepth=16", BATCH, COMPLETE, FILES, BUFFERS],
        without: None,
        budget: Some(150.0),
        has_peer: true,
    },
    Case {
        name: "libaio",
        title: "libaio with O_DIRECT, batches of 16",
        target: Target::Direct,
        job: &["rw=randread", "ioengine=libaio", "iodepth=16", BATCH, COMPLETE, REAP],
        without: None,
        budget: Some(170.0),
        has_peer: true,
    },
    Case {
        name: "tax",
        title: "what pacing, response latency and a stamp per 4 KiB add to a write on null",
        target: Target::Nothing,
        job: &[
            "rw=randwrite",
            "ioengine=null",
            "iodepth=32",
            RATE,
            "scramble_buffers=1",
            "scramble_chunk=4k",
        ],
        without: Some(&["rw=randwrite", "ioengine=null", "iodepth=32", "scramble_buffers=0"]),
        budget: Some(60.0),
        has_peer: false,
    },
    Case {
        name: "tax-scramble",
        title: "the same with fio's default: a change in each 512 B",
        target: Target::Nothing,
        job: &["rw=randwrite", "ioengine=null", "iodepth=32", RATE, "scramble_buffers=1"],
        without: Some(&["rw=randwrite", "ioengine=null", "iodepth=32", "scramble_buffers=0"]),
        budget: None,
        has_peer: true,
    },
    Case {
        name: "zipf",
        title: "offsets by zipf on null: the null case and a third of what zipf adds in fio (229)",
        target: Target::Nothing,
        job: &["rw=randread", "ioengine=null", "iodepth=32", "random_distribution=zipf:1.2"],
        without: None,
        budget: Some(146.0),
        has_peer: true,
    },
];

const BATCH: &str = "iodepth_batch=16";
const COMPLETE: &str = "iodepth_batch_complete_min=16";
const FILES: &str = "registerfiles=1";
const BUFFERS: &str = "fixedbufs=1";
const REAP: &str = "userspace_reap=1";
/// A rate that no machine reaches under valgrind: every I/O is paced, but none ever sleeps, so the
/// count does not depend on the clock.
const RATE: &str = "rate_iops=1000000000";
