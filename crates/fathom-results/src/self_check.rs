//! The checks that a run makes of itself: what was compared, with its numbers, and the outcome.
//!
//! The sentences are made of it when something is printed (`fathom_words::check`). To add a check: a variant of
//! [`CheckEvidence`], what makes it in `fathom-judge/src/checks.rs`, and its words.

use crate::finding::Law;
use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Derives what every part of a check has.
macro_rules! compared {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $body:tt)*) => {$(
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

compared! {
    /// A comparison of two figures.
    pub struct SelfCheck {
        /// The check, and what it compared.
        #[serde(flatten)]
        pub evidence: CheckEvidence,
        /// The result of the comparison.
        pub outcome: CheckOutcome,
    }

    /// What was compared; for an unknown outcome, why that cannot be told.
    #[serde(tag = "name", content = "evidence", rename_all = "kebab-case")]
    pub enum CheckEvidence {
        /// fathom's counts and those of the kernel.
        KernelCounts(KernelCounts),
        /// What the I/Os of an array cost its members.
        Members {
            /// Kernel names of the members.
            disks: Vec<String>,
            /// Reads that fathom did.
            own_reads: u64,
            /// Writes that fathom did.
            own_writes: u64,
            /// Reads that all members counted.
            reads: u64,
            /// Writes that all members counted.
            writes: u64,
            /// Flushes are among the writes.
            with_flushes: bool,
        },
        /// I/Os in flight = rate × latency, against the depth.
        LittlesLaw {
            /// The job.
            job: String,
            /// The law in numbers; absent where latency was not kept.
            law: Option<Law>,
        },
        /// Latency against what the generator shows without a target.
        ClockResolution {
            /// The job.
            job: String,
            /// Its mean latency, ns; absent where latency was not kept.
            latency_ns_mean: Option<f64>,
            /// The job has a rate: the latency is that of the service, and not the response.
            is_service: bool,
            /// The clock: `tsc`.
            clock: String,
            /// The smallest latency that the clock shows, ns; absent where that was not measured.
            latency_ns_min: Option<u64>,
        },
        /// The rate against what the generator reaches without a target.
        GeneratorCeiling {
            /// The job.
            job: String,
            /// How far it is from the ceiling.
            of: CeilingCompared,
        },
        /// A check that only a later version of fathom knows.
        #[serde(untagged)]
        Later(LaterCheck),
    }

    /// A check that this version does not know, kept as it is.
    pub struct LaterCheck {
        /// Its name.
        pub name: String,
        /// What it compared.
        #[serde(default)]
        pub evidence: Value,
    }

    /// fathom's counts and those of the kernel.
    #[serde(tag = "is", rename_all = "kebab-case")]
    pub enum KernelCounts {
        /// Side by side.
        Compared {
            /// Kernel names of the disks.
            disks: Vec<String>,
            /// Each direction in which something was counted.
            directions: Vec<CountsOfDirection>,
            /// Why the counts say nothing; absent where they do.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            unclear: Option<CountsUnclear>,
        },
        /// Some disks have no counts to compare with.
        NotCounted {
            /// Why not.
            why: NoWitness,
        },
    }

    /// The counts of one direction.
    pub struct CountsOfDirection {
        /// The direction.
        pub direction: Direction,
        /// Requests that the disk completed.
        pub requests: u64,
        /// Bytes of them.
        pub disk_bytes: u64,
        /// Of these, bytes for fathom; absent where that is all, or not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub disk_bytes_own: Option<u64>,
        /// I/Os that fathom completed.
        pub ios: u64,
        /// Bytes of them.
        pub own_bytes: u64,
        /// What explains that the counts differ.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub because: Option<CountsDifferBy>,
    }

    /// What explains that the disk counted something else than fathom.
    #[serde(tag = "is", rename_all = "kebab-case")]
    pub enum CountsDifferBy {
        /// One I/O is not one request.
        Requests {
            /// Requests that flush the disk's cache and carry no data; absent where they are few.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            flushes: Option<u64>,
            /// What became of the others; absent where each is an I/O.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            data: Option<RequestsOfData>,
        },
        /// The file system trimmed blocks that no file uses.
        FileSystemTrims,
        /// The file system wrote its journal and metadata at each sync.
        FileSystemJournal,
        /// Ramps of other jobs ran at the same time.
        Ramps {
            /// Bytes that they moved at most.
            bytes: u64,
        },
    }

    /// What became of I/Os on their way to the disk.
    #[serde(tag = "is", rename_all = "kebab-case")]
    pub enum RequestsOfData {
        /// Some were merged into others.
        Merged {
            /// How many.
            requests: u64,
        },
        /// Each was split.
        Split {
            /// Into so many on average.
            requests_each: f64,
        },
        /// Adjacent ones became one request before they were counted.
        Adjacent,
    }

    /// Why counts say nothing.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "kebab-case")]
    pub enum CountsUnclear {
        /// The page cache is in between.
        PageCache,
        /// fathom moved too little.
        TooLittle,
        /// The run was too short.
        TooShort,
    }

    /// Why disks have no counts that can be compared with fathom's.
    #[derive(Eq)]
    #[serde(tag = "is", rename_all = "kebab-case")]
    pub enum NoWitness {
        /// There are no counters of a disk below the target.
        NoCounters,
        /// No job reaches a disk.
        NoJobOnDisk,
        /// It is not known which disk holds a target.
        DiskUnknown,
        /// A disk does not count its I/O.
        NotCounting {
            /// Its kernel name.
            disk: String,
        },
        /// The counters of a disk were not read.
        NotRead {
            /// Its kernel name.
            disk: String,
        },
        /// A loop device may be backed by another target.
        LoopMayBeBacked {
            /// The disks.
            disks: Vec<String>,
        },
        /// The targets lie on more than one disk.
        SeveralDisks {
            /// The disks.
            disks: Vec<String>,
        },
        /// A target is a part of another one.
        PartOfTarget {
            /// Kernel name of the part.
            part: String,
            /// Kernel name of the other one.
            whole: String,
        },
    }

    /// A rate against the ceiling of the generator.
    #[serde(tag = "is", rename_all = "kebab-case")]
    pub enum CeilingCompared {
        /// The ceiling was not measured.
        NotMeasured,
        /// The job measured for too short a time for a rate.
        TooShort,
        /// Both are known.
        Rates {
            /// I/Os per second of the job.
            iops: f64,
            /// I/Os per second that the engine without a target reaches.
            iops_max: f64,
            /// This engine: `null`.
            engine: String,
        },
    }

    /// The result of a comparison.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum CheckOutcome {
        /// Both sides agree.
        Holds,
        /// The two sides differ.
        Broken,
        /// There is nothing to compare with.
        Unknown,
    }
}

impl CheckEvidence {
    /// The stable short name of the check: `kernel-counts`.
    pub fn name(&self) -> &str {
        match self {
            CheckEvidence::KernelCounts(_) => "kernel-counts",
            CheckEvidence::Members { .. } => "members",
            CheckEvidence::LittlesLaw { .. } => "littles-law",
            CheckEvidence::ClockResolution { .. } => "clock-resolution",
            CheckEvidence::GeneratorCeiling { .. } => "generator-ceiling",
            CheckEvidence::Later(later) => &later.name,
        }
    }
}
