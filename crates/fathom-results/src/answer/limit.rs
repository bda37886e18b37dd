//! What limited the measurement of a job, with the numbers that say so.
//!
//! Numbers have their units in their names; shares are from 0 to 1.

use crate::finding::{GeneratorSign, KernelWork};
use crate::{CpuQuota, Finding};
use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};
use std::mem::discriminant;

/// What limited the jobs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// The limit of each job, in the order of the jobs.
    pub jobs: Vec<JobLimit>,
    /// Of more jobs than these; for those behind them no limit was looked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
}

/// What limited one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobLimit {
    /// The job.
    pub job: String,
    /// What it was.
    #[serde(flatten)]
    pub limit: Limit,
    /// What speaks against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Against>,
    /// In how many rounds of a procedure; absent of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<LimitRounds>,
}

/// The rounds of a procedure in which a limit was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitRounds {
    /// Their numbers, from 1.
    pub rounds: Vec<u64>,
    /// Of how many.
    pub of: u64,
}

saved! {
    /// What limited a job.
    #[serde(tag = "limit")]
    pub enum Limit {
        /// Not known: the run was too short.
        TooShort,
        /// Not known: too few I/Os.
        TooFew,
        /// Not known: no latency was kept, so nothing shows that the queue was full.
        NoLatency {
            /// Its rate.
            rate: RateLaw,
        },
        /// The rate that the job asks for.
        AskedRate,
        /// The think time that the job asks for, at least in part.
        ThinkTime,
        /// The times of the trace that the job replays.
        TraceTimes,
        /// The CPU: no device is behind the engine.
        NoDevice,
        /// The simulated drive.
        SimulatedDrive,
        /// A limit of fathom's control group.
        ControlGroup {
            /// Of these I/Os.
            direction: Direction,
            /// The limit is one of bytes, not of I/Os.
            in_bytes: bool,
            /// I/Os or bytes a second.
            reached: f64,
            /// The limit.
            most: u64,
        },
        /// Memory answered, not a disk.
        Memory {
            /// How.
            by: MemoryLimit,
            /// The rule that found it.
            finding: Box<Finding>,
            /// Its mean latency.
            mean: Option<MeanLatency>,
            /// Threads of the kernel that took each I/O over.
            threads: Option<KernelWork>,
            /// Share of its time in which the busiest worker ran, where that is most of it.
            worker_busy: Option<f64>,
        },
        /// The CPU quota of fathom's control group stopped it.
        Quota {
            /// The quota, and how often it stopped fathom.
            quota: CpuQuota,
        },
        /// The generator set the pace.
        Generator {
            /// How that is known.
            sign: GeneratorSign,
        },
        /// Other programs used the disk.
        OtherPrograms {
            /// The disk.
            target: DeviceKind,
            /// Its rate.
            rate: RateLaw,
        },
        /// Syncs that the job asks for, and for which its worker waits.
        Syncs {
            /// Its rate.
            rate: RateLaw,
        },
        /// One I/O at a time: what it spent its time on.
        OneIo {
            /// What it was.
            by: OneIoLimit,
            /// Its mean latency.
            mean: MeanLatency,
            /// Mean time of the sync of each write, ns.
            sync_ns: Option<f64>,
            /// Share that is CPU time of the worker; absent where it was not saved.
            cpu_share: Option<f64>,
            /// I/Os in the disk on average, by the kernel's count.
            in_disk: Option<f64>,
        },
        /// The worker did not keep the queue full.
        Submission {
            /// I/Os in flight on average.
            in_flight: f64,
            /// The depth of its queue.
            depth: u64,
            /// Share of its time in which the busiest worker ran.
            worker_busy: Option<f64>,
        },
        /// A rate that hardly varies while I/Os queue up.
        RateLimit {
            /// I/Os a second.
            iops: f64,
            /// Bytes a second.
            bytes_per_second: f64,
            /// The round number that the rate is, where it is one.
            round: Option<RoundRate>,
            /// Standard deviation as a share of the mean, over so many windows.
            variation: f64,
            /// Windows.
            windows: u64,
            /// Length of a window, s.
            window_s: u64,
            /// Who may have set it.
            guest: Guest,
            /// How much I/Os waited for each other.
            queueing: Option<Queueing>,
        },
        /// The queue depth: more in flight would give more.
        Depth {
            /// The depth of its queue.
            depth: u64,
            /// Its rate.
            rate: RateLaw,
            /// How much I/Os waited for each other.
            queueing: Option<Queueing>,
        },
        /// The device: the queue was full and I/Os waited for each other.
        Device {
            /// The disk.
            target: DeviceKind,
            /// Its rate.
            rate: RateLaw,
            /// Share of its time in which the worker waited; absent of one that polls.
            worker_waited: Option<f64>,
            /// How much I/Os waited for each other.
            queueing: Option<Queueing>,
        },
    }

    /// What speaks against a limit.
    #[serde(tag = "against")]
    pub enum Against {
        /// The same I/O was not measured at depth 1, so the depth may be the limit.
        NotMeasuredAlone,
        /// The rate is no round number.
        NotRound,
        /// This share of the latency passed before submission.
        BeforeSubmission {
            /// The share.
            share: f64,
        },
        /// Latency hardly grew with depth.
        LittleGrowth,
        /// There is no count of what reached the disk, so the page cache may have answered.
        CacheNotCounted,
        /// Each I/O waited for a thread of the kernel.
        HandOff {
            /// What the threads did.
            threads: KernelWork,
        },
        /// A hypervisor takes an unknown share.
        Hypervisor {
            /// Its name.
            name: String,
        },
    }

    /// How memory was the limit.
    #[derive(Copy, Eq)]
    pub enum MemoryLimit {
        /// The hand-off of I/O to threads of the kernel.
        HandOff,
        /// The release of memory.
        Release,
        /// Copies in memory.
        Copies,
        /// Memory.
        Memory,
        /// Copies from the page cache.
        CacheCopies,
        /// The page cache, at least in part.
        Cache,
        /// Reads were answered without the disk.
        NoDisk,
        /// The page cache behind a loop device.
        BehindLoop,
        /// A cache above the disk.
        AboveDisk,
    }

    /// What one I/O at a time spent its time on.
    #[derive(Copy, Eq)]
    #[serde(tag = "is")]
    pub enum OneIoLimit {
        /// Not known: the CPU time was not saved.
        NotSaved,
        /// The device.
        Device {
            /// The disk.
            target: DeviceKind,
        },
        /// Copies by the CPU: I/O completes inline.
        InlineCopies,
        /// Software on this machine.
        Software,
    }

    /// A device by what it is.
    #[derive(Copy, Eq)]
    pub enum DeviceKind {
        /// Any.
        Device,
        /// What the host of a virtual machine provides.
        VirtualDisk,
        /// A loop device.
        LoopDevice,
    }

    /// Who may have set a rate limit.
    #[serde(tag = "is")]
    pub enum Guest {
        /// It is a virtual disk.
        VirtualDisk,
        /// The machine is a guest of this hypervisor.
        Of {
            /// Its name.
            hypervisor: String,
        },
    }

    /// A round number.
    pub struct RoundRate {
        /// The number.
        pub number: u64,
        /// Its unit.
        pub unit: RateUnit,
    }

    /// What a round number counts, each second.
    #[derive(Copy, Eq)]
    pub enum RateUnit {
        /// I/Os.
        Iops,
        /// 10⁶ bytes.
        Megabytes,
        /// 2²⁰ bytes.
        Mebibytes,
    }

    /// A rate, and Little's law where latency was kept.
    pub struct RateLaw {
        /// I/Os a second.
        pub iops: f64,
        /// Mean latency; absent where none was kept.
        pub mean: Option<MeanLatency>,
        /// I/Os in flight; absent where no latency was kept.
        pub in_flight: Option<MeanInFlight>,
    }

    /// A mean latency.
    #[derive(Copy)]
    pub struct MeanLatency {
        /// Nanoseconds.
        pub ns: f64,
        /// It is the time of the target, without the wait for a free slot.
        pub is_service: bool,
    }

    /// I/Os in flight on average.
    #[derive(Copy)]
    pub struct MeanInFlight {
        /// The mean.
        pub mean: f64,
        /// The most that can be in flight.
        pub depth: u64,
        /// Only the edges of the window make the mean larger than the depth.
        pub is_rounded: bool,
        /// Syncs beside them.
        pub syncs: Option<f64>,
    }

    /// How much longer an I/O took than without a queue.
    #[derive(Copy)]
    #[serde(tag = "than")]
    pub enum Queueing {
        /// Than the same I/O at depth 1.
        Alone {
            /// So many times as long.
            times: f64,
        },
        /// Than the fastest I/O of the same job.
        Fastest {
            /// So many times as long.
            times: f64,
            /// It is the time of the target, without the wait for a free slot.
            is_service: bool,
        },
    }
}

impl Limit {
    /// Do both say the same, whatever their numbers are?
    pub fn is_same(&self, other: &Limit) -> bool {
        use Limit as L;
        match (self, other) {
            (
                L::ControlGroup { direction: a, most: m, .. },
                L::ControlGroup { direction: b, most: n, .. },
            ) => (a, m) == (b, n),
            (L::Memory { by: a, .. }, L::Memory { by: b, .. }) => a == b,
            (L::Generator { sign: a }, L::Generator { sign: b }) => discriminant(a) == discriminant(b),
            (L::OtherPrograms { target: a, .. }, L::OtherPrograms { target: b, .. })
            | (L::Device { target: a, .. }, L::Device { target: b, .. }) => a == b,
            (L::OneIo { by: a, .. }, L::OneIo { by: b, .. }) => a == b,
            (L::RateLimit { round: a, .. }, L::RateLimit { round: b, .. }) => a.is_some() == b.is_some(),
            (L::Depth { depth: a, .. }, L::Depth { depth: b, .. }) => a == b,
            (a, b) => discriminant(a) == discriminant(b),
        }
    }
}
