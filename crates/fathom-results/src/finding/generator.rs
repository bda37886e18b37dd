//! What the generator was: its CPU, its data, its logs, its sleeps, kernel threads that worked for it.

use fathom_job::plan::MissingCpus;
use serde::{Deserialize, Serialize};

evidence! {
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

    /// A job that names CPUs which the machine does not have.
    pub struct JobWithoutCpus {
        /// The job.
        pub job: String,
        /// The CPUs.
        #[serde(flatten)]
        pub cpus: MissingCpus,
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
}
