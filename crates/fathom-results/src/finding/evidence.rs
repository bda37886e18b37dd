//! What each rule saw: the numbers of a finding, with their units in the names.
//!
//! Shares are from 0 to 1. Names of jobs are those of the plan; of one worker, `job.clone`.

use fathom_job::direction::Direction;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Derives what every part of a finding has.
macro_rules! evidence {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $body:tt)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub $kind $name $body
    )*};
}

evidence! {
    /// I/O of other programs on a disk.
    pub enum ForeignIo {
        /// The disk did more than fathom caused.
        Others {
            /// The disk, or the disks of one target.
            disk: String,
            /// What others did, a part for each direction.
            others: Vec<Moved>,
            /// What fathom did there, of the directions in which it moved anything.
            own: Vec<Moved>,
            /// The target is a file: its file system may have done it.
            has_file_system: bool,
            /// The job in whose measured window others moved the most, and how many bytes that were.
            busiest: Option<(String, u64)>,
        },
        /// More was read from the disk than the files of buffered jobs hold.
        MoreThanHeld {
            /// The disk.
            disk: String,
            /// All that was read from it, bytes.
            read_bytes: u64,
            /// Bytes that are more than the files hold.
            more_bytes: u64,
        },
    }

    /// What was done on a disk in one direction.
    pub struct Moved {
        /// The direction.
        pub direction: Direction,
        /// Bytes; absent where they say nothing.
        pub bytes: Option<u64>,
        /// I/Os; absent where they say nothing.
        pub ios: Option<u64>,
    }

    /// How it is known that memory answered.
    pub enum PageCache {
        /// The disk moved less for fathom than fathom did.
        FewerBytes {
            /// The disk.
            disk: String,
            /// The directions in which it did.
            directions: Vec<CachedBytes>,
        },
        /// The disk had far fewer requests than there were I/Os.
        FewerRequests {
            /// The disk.
            disk: String,
            /// The direction.
            direction: Direction,
            /// I/Os of fathom.
            ios: u64,
            /// Requests of the disk.
            requests: u64,
        },
        /// An I/O was over before its request could be.
        Sooner {
            /// The disk.
            disk: String,
            /// The direction.
            direction: Direction,
            /// Mean time of an I/O, ns.
            io_ns_mean: f64,
            /// Mean time of a request, ns.
            request_ns_mean: f64,
        },
        /// Nothing was counted, and the data fits in memory twice.
        Fits {
            /// The job with the most data.
            job: String,
            /// Bytes that it works on.
            region_bytes: u64,
            /// Bytes of memory of the machine.
            memory_bytes: u64,
        },
    }

    /// Bytes of one direction that fathom moved, and that the disk did.
    pub struct CachedBytes {
        /// The direction.
        pub direction: Direction,
        /// Bytes that fathom moved.
        pub own_bytes: u64,
        /// Bytes of them that reached the disk.
        pub reached_bytes: u64,
        /// Bytes that the disk moved in all.
        pub disk_bytes: u64,
    }

    /// A target that is made of memory.
    pub struct MemoryTarget {
        /// What of it is memory.
        pub is: MemoryKind,
        /// The jobs did nothing but trim.
        pub only_trims: bool,
        /// Bytes of memory of the machine.
        pub memory_bytes: u64,
    }

    /// What of a target is memory.
    pub enum MemoryKind {
        /// A RAM disk, by its kernel name: `zram0`.
        Disk(String),
        /// A loop device over a file in memory.
        Beneath {
            /// Kernel name of the loop device, where it is known.
            device: Option<String>,
            /// The memory: `tmpfs`, `zram3`.
            memory: String,
        },
        /// The file system: `tmpfs`.
        FileSystem(String),
    }

    /// What is known of the content of blocks that were read.
    pub enum KnownContent {
        /// A job before it wrote a part of them.
        PartlyWritten {
            /// The job.
            by: String,
            /// Bytes that it wrote.
            bytes: u64,
        },
        /// So many bytes were never written since the purge.
        NeverWritten(u64),
        /// Nothing.
        Nothing {
            /// The largest block that was read, bytes.
            block_bytes: u64,
            /// Mean latency of the reads, ns; absent where it was not kept.
            latency_ns_mean: Option<f64>,
        },
    }

    /// How the generator was the limit.
    pub struct GeneratorLimit {
        /// The jobs whose rate it set.
        pub limited: Vec<LimitedJob>,
        /// The jobs that kept their rate and whose I/O was late, because fathom waited for a CPU.
        pub delayed: Vec<DelayedJob>,
    }

    /// A job whose rate the generator set.
    pub struct LimitedJob {
        /// The job.
        pub job: String,
        /// How that is known.
        pub sign: GeneratorSign,
    }

    /// A job whose I/O was late.
    pub struct DelayedJob {
        /// The job.
        pub job: String,
        /// Its waits for a CPU.
        pub wait: CpuWait,
    }

    /// How it is known that the generator set the rate.
    pub enum GeneratorSign {
        /// Others had its CPU.
        Starved(CpuWait),
        /// It went nearly as fast as it can.
        Ceiling {
            /// I/Os per second of the job.
            iops: f64,
            /// I/Os per second that the generator reaches without a target.
            iops_max: f64,
            /// The engine without a target: `null` or `nop`.
            engine: String,
        },
        /// It used its CPU up.
        Full {
            /// Of one core, by the busiest worker.
            worker: f64,
            /// The same worker's share in the kernel.
            worker_system: f64,
            /// Of all CPUs, by all workers.
            machine: f64,
            /// CPUs of the machine.
            cpus: u64,
            /// CPU time of one I/O, ns.
            cpu_ns_per_io: Option<f64>,
        },
    }

    /// Waits for a CPU.
    pub struct CpuWait {
        /// Share of the measured window.
        pub share: f64,
        /// How often the worker left its CPU.
        pub switches: u64,
        /// How many of these switches were forced.
        pub involuntary: u64,
        /// Mean wait at each, ns.
        pub each_ns: f64,
    }

    /// What making new data cost a job.
    pub struct DataMade {
        /// The job.
        pub job: String,
        /// Share of its workers' time.
        pub share: f64,
        /// Time for each write, ns.
        pub each_ns: f64,
    }

    /// A worker that waited for its log.
    pub struct LogWait {
        /// The worker.
        pub worker: String,
        /// Share of its time.
        pub share: f64,
        /// I/Os that are not in the log.
        pub lost_ios: u64,
    }

    /// What kernel threads did for a job.
    pub struct KernelWork {
        /// The job.
        pub job: String,
        /// What the threads do.
        pub kind: crate::KernelWorkerKind,
        /// How many there were.
        pub threads: u64,
        /// Their CPU time for each I/O, ns.
        pub cpu_ns_per_io: f64,
        /// The worker's own, ns.
        pub worker_ns_per_io: f64,
        /// The target takes no `RWF_NOWAIT`, so the kernel handed the I/O over.
        pub is_punted: bool,
    }

    /// What io_uring registered for a part of the clones.
    pub struct PartlyRegistered {
        /// The job.
        pub job: String,
        /// What was registered.
        pub what: Registration,
        /// Clones for which it was.
        pub registered: u64,
        /// Clones that asked for it.
        pub of: u64,
    }

    /// What can be registered with io_uring.
    #[derive(Copy, Eq)]
    pub enum Registration {
        /// The buffers.
        Buffers,
        /// The files.
        Files,
        /// The ring itself.
        Ring,
    }

    /// A rate that fell and stayed low.
    pub struct RateFallSeen {
        /// The job.
        pub job: String,
        /// Its blocks are so large that its rate is told in bytes.
        pub in_bytes: bool,
        /// Seconds of the measured window until it began to fall.
        pub at_s: u64,
        /// Seconds until the level was reached that lasted.
        pub lasts_from_s: u64,
        /// Bytes that were moved before.
        pub bytes_before: f64,
        /// The rate before.
        pub before: IoRate,
        /// The rate that lasted.
        pub lasting: IoRate,
    }

    /// A rate of I/O.
    #[derive(Copy)]
    pub struct IoRate {
        /// I/Os per second.
        pub iops: f64,
        /// Bytes per second.
        pub bytes_per_second: f64,
    }

    /// How a rate differed from window to window.
    pub struct RateSpreadSeen {
        /// The job.
        pub job: String,
        /// Its blocks are so large that its rate is told in bytes.
        pub in_bytes: bool,
        /// The slowest window.
        pub min: IoRate,
        /// The fastest window.
        pub max: IoRate,
        /// Length of a window, seconds.
        pub window_s: u64,
        /// Coefficient of variation, a share.
        pub variation: f64,
    }

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
        pub why: Option<String>,
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

    /// A rate that was not reached.
    pub struct MissedRate {
        /// The job.
        pub job: String,
        /// The direction.
        pub direction: Direction,
        /// The rate is in bytes per second and not in I/Os.
        pub in_bytes: bool,
        /// What was reached, per second.
        pub reached: f64,
        /// What was asked for, per second.
        pub asked: u64,
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

    /// What a check of the host found during the measurement.
    pub struct Disturbance {
        /// Id of the check: `cpu.throttle`.
        pub check: String,
        /// The part of the host: `cpu1`.
        pub subject: String,
        /// How serious it is.
        pub weight: crate::FindingWeight,
        /// One sentence of the check, without its full stop.
        pub says: String,
    }

    /// A CPU below its nominal clock.
    pub struct LowClock {
        /// The CPU: `3`.
        pub cpu: String,
        /// Its mean clock, MHz.
        pub mhz: f64,
        /// Its nominal clock, MHz.
        pub nominal_mhz: f64,
    }

    /// What was hot.
    pub enum Heat {
        /// A simulated drive slowed itself down for so many seconds.
        Throttled(f64),
        /// Sensors at their limit.
        Sensors(Vec<HotSensor>),
    }

    /// A sensor at its limit.
    pub struct HotSensor {
        /// Its name.
        pub name: String,
        /// The highest temperature, °C.
        pub celsius: f64,
        /// The limit from which it warns, °C.
        pub limit_celsius: f64,
    }

    /// The stalls of a worker.
    pub struct StallSeen {
        /// The worker.
        pub worker: String,
        /// The longest, seconds.
        pub longest_s: f64,
        /// How many there were.
        pub times: u64,
        /// All together, seconds.
        pub seconds: f64,
        /// The measured time, seconds.
        pub of_seconds: f64,
        /// An I/O was in flight in the longest: the target stood still, and not fathom.
        pub is_target: bool,
    }

    /// I/Os that began late.
    pub struct LateStart {
        /// The job.
        pub job: String,
        /// How late, on average, ns.
        pub late_ns_mean: f64,
        /// Mean response, ns.
        pub response_ns_mean: f64,
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

    /// I/O that was complete when its submitting call returned.
    pub struct InlineIo {
        /// The job.
        pub job: String,
        /// What shows it.
        pub sign: InlineSign,
    }

    /// What shows that I/O completed inline.
    pub enum InlineSign {
        /// The worker was busy with nothing else.
        Busy {
            /// CPU time of one I/O, ns.
            cpu_ns_per_io: f64,
            /// Share of the time that the worker ran.
            worker: f64,
        },
        /// A worker with a rate or pauses slept too seldom, or copied for most of the latency.
        Paced {
            /// Mean latency, ns.
            latency_ns_mean: f64,
            /// CPU time in the kernel of one I/O, ns.
            kernel_ns_per_io: f64,
            /// Sleeps for each I/O.
            sleeps_per_io: f64,
        },
    }

    /// A loop device.
    pub struct LoopTarget {
        /// Its kernel name, where it is known.
        pub device: Option<String>,
        /// The file of which it is made, where it is known.
        pub file: Option<String>,
        /// The jobs did nothing but trim.
        pub only_trims: bool,
        /// It reads and writes the file without the page cache; absent where that is not known.
        pub is_direct: Option<bool>,
    }

    /// How it is known that a disk is virtual.
    pub enum VirtualDisk {
        /// By its kernel name.
        Name {
            /// The name.
            disk: String,
            /// What provides such disks.
            provider: DiskProvider,
        },
        /// By its model.
        Model(String),
        /// It is made of something else, by its kernel name where that is known.
        MadeOf(Option<String>),
    }

    /// What provides a virtual disk.
    #[derive(Copy, Eq)]
    pub enum DiskProvider {
        /// A hypervisor (virtio).
        Virtio,
        /// A hypervisor (Xen).
        Xen,
        /// Another process or host (nbd).
        Nbd,
        /// A Ceph cluster (rbd).
        Ceph,
        /// This host and its mirror (drbd).
        Drbd,
        /// A process of this host (ublk).
        Ublk,
        /// A driver without storage (null_blk).
        NullBlk,
    }

    /// Too few I/Os for a percentile.
    pub struct FewIos {
        /// The job.
        pub job: String,
        /// The direction.
        pub direction: Direction,
        /// Its I/Os.
        pub ios: u64,
    }

    /// A setting that was changed meanwhile.
    pub struct Drift {
        /// Id of the setting: `blk.scheduler@sda`.
        pub id: String,
        /// The file that was read.
        pub path: String,
        /// What fathom had set.
        pub made: String,
        /// What was found.
        pub found: String,
        /// When it was found, a clause: `before phase 2 (b)`.
        pub when: String,
    }
}
