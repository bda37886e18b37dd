//! Counts that do not fit together, I/O that failed, jobs that were cut short.

use crate::Incomplete;
use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};

evidence! {
    /// I/Os that failed.
    pub struct FailedIos {
        /// The job.
        pub job: String,
        /// The direction.
        pub direction: Direction,
        /// I/Os that failed.
        pub failed: u64,
        /// All I/Os.
        pub ios: u64,
    }

    /// How a run or its jobs were cut short.
    pub struct CutShort {
        /// The workers.
        pub workers: Vec<CutWorker>,
        /// No worker was started.
        pub none_started: bool,
        /// Why the run did not end as planned, where no worker was cut short.
        pub why: Option<Incomplete>,
    }

    /// A worker that was cut short.
    pub struct CutWorker {
        /// The worker.
        pub worker: String,
        /// How it ended.
        pub end: CutEnd,
        /// How long it measured, seconds; absent where it was not started.
        pub measured_s: Option<f64>,
    }

    /// How a worker was cut short.
    pub enum CutEnd {
        /// The run has no end of it.
        Never,
        /// Somebody interrupted it.
        Interrupted,
        /// It failed, with this message.
        Failed(String),
    }

    /// Blocks that were smaller than asked for.
    pub struct CutBlocks {
        /// The job.
        pub job: String,
        /// The direction.
        pub direction: Direction,
        /// Mean size, bytes.
        pub bytes_mean: f64,
        /// The mean that was asked for, bytes.
        pub bytes_asked: f64,
    }

    /// Counts that differ.
    pub enum CountsDiffer {
        /// Bytes are not I/Os × block size.
        Own {
            /// The job.
            job: String,
            /// The direction.
            direction: Direction,
            /// I/Os.
            ios: u64,
            /// Size of each, bytes.
            block_bytes: u64,
            /// Bytes that were counted.
            bytes: u64,
        },
        /// The kernel counted less than fathom moved, in spite of `direct=1`.
        Kernel {
            /// The disk.
            disk: String,
            /// The direction.
            direction: Direction,
            /// Bytes by fathom's count.
            own_bytes: u64,
            /// Bytes by the kernel's.
            disk_bytes: u64,
            /// The kernel's count by fathom's.
            share: f64,
        },
    }

    /// Little's law of a job: I/Os in flight = rate × mean latency.
    pub struct Law {
        /// The job.
        pub job: String,
        /// Its rate and its latency; absent where its clones measured for different times, so that the product says nothing.
        pub product: Option<LawProduct>,
        /// I/Os in flight on average by the law.
        pub in_flight_by_law: f64,
        /// The same, at most what is possible where the edges of the window explain the rest.
        pub in_flight: f64,
        /// Syncs that were under way beside them.
        pub syncs: Option<f64>,
        /// The most I/Os that can be in flight.
        pub depth: u64,
    }

    /// A rate and a latency.
    pub struct LawProduct {
        /// I/Os per second.
        pub iops: f64,
        /// I/Os and the seconds that they took, where these are too few or too short for a rate.
        pub unrated: Option<(u64, f64)>,
        /// Mean latency, ns.
        pub latency_ns_mean: f64,
        /// The job has a rate: the latency is that of the service, and not the response.
        pub is_service: bool,
    }
}
