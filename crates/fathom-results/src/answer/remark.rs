//! What no figure shows and a reader asks.

use super::{RoundsPart, Trend};
use crate::finding::JobsPart;
use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};

saved! {
    /// What no figure shows.
    pub struct Remark {
        /// What it is.
        #[serde(flatten)]
        pub kind: RemarkKind,
        /// In how many rounds of a procedure, where not in all.
        pub rounds: Option<RoundsPart>,
    }

    /// Kinds of what no figure shows.
    #[serde(tag = "remark")]
    pub enum RemarkKind {
        /// What jobs with `latency_target` found.
        LatencySearches {
            /// Each of them.
            searches: Vec<LatencySearched>,
        },
        /// The kernel merged I/Os of jobs, so their IOPS are not those of the disk.
        Merged {
            /// Each direction on each disk.
            merged: Vec<MergedIos>,
        },
        /// At so low a rate the latency has the time that the CPU and the disk need to wake.
        Rests {
            /// The job, where there are several.
            job: Option<String>,
        },
        /// One I/O at a time uses one member of an array.
        OneMember {
            /// How many members it has.
            members: u64,
        },
        /// No other program used the disk.
        Alone,
        /// No disturbance of the host was found.
        Undisturbed,
        /// A cache may hold what was written: no job asked for a flush.
        Unflushed {
            /// Only these jobs.
            jobs: Option<JobsPart>,
        },
        /// The target was filled before it was read.
        Filled {
            /// So many bytes were written, where not all were.
            part: Option<FilledPart>,
        },
        /// The run did not precondition the device.
        NotPreconditioned,
        /// The I/O scheduler of the disk.
        Scheduler {
            /// Its name.
            name: String,
        },
        /// How much the rounds of a procedure vary.
        RoundsVary {
            /// Standard deviation as a share of the mean.
            share: f64,
            /// Whether the rounds go one way.
            trend: Option<Trend>,
        },
    }

    /// I/Os that the kernel merged.
    #[derive(Eq)]
    pub struct MergedIos {
        /// In this direction.
        pub direction: Direction,
        /// I/Os of the jobs.
        pub ios: u64,
        /// Requests that the disk had.
        pub requests: u64,
        /// The disk, or the disks.
        pub disk: String,
    }

    /// The part of a target that was filled.
    #[derive(Copy, Eq)]
    pub struct FilledPart {
        /// Bytes that were written.
        pub bytes: u64,
        /// Of so many.
        pub of_bytes: u64,
    }

    /// What a search for the depth that keeps a latency found.
    pub struct LatencySearched {
        /// The job.
        pub job: String,
        /// So many percent of the I/Os …
        pub percentile: f64,
        /// … within this time, ns.
        pub target_ns: u64,
        /// The depth at the end.
        pub depth: u32,
        /// How it ended.
        pub end: SearchEnd,
    }

    /// How a search for a depth ended.
    #[derive(Copy, Eq)]
    pub enum SearchEnd {
        /// The depth is the largest that keeps the latency.
        Kept,
        /// Not even a depth of 1 keeps it.
        NeverKept,
        /// It did not end.
        Unfinished,
    }
}
