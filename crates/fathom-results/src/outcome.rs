//! How one worker ended.

use fathom_job::direction::{Direction, PerDirection};
use serde::{Deserialize, Serialize};

/// Name of the note that begins with the depth which a search for `latency_target` found.
pub const DEPTH_FOUND: &str = "latency_target.depth";

/// The final report of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobOutcome {
    /// Plan id of the job.
    pub job: u32,
    /// When it ended, nanoseconds since the start of the run.
    pub at_ns: u64,
    /// Which rule ended it.
    pub ended_by: EndedBy,
    /// Why it failed, if it did.
    pub failure: Option<JobFailure>,
    /// The first I/O error after which the job went on
    /// (`continue_on_error`).
    pub first_error: Option<JobFailure>,
    /// Start and end of the measured window, nanoseconds since the start of
    /// the run; `None` when it ended before the window began.
    pub measured_ns: Option<(u64, u64)>,
    /// CPU time, context switches and page faults of the measured window.
    pub usage: Usage,
    /// Bytes written to lay files out before the start.
    pub layout_bytes: u64,
    /// I/Os issued by block size, for jobs whose size varies: (bytes, count).
    pub sizes: PerDirection<Vec<(u64, u64)>>,
    /// What the engine found or chose, as (name, value): ring flags, fallback,
    /// alignment, clock.
    pub notes: Vec<(String, String)>,
}

/// The rule that ended a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndedBy {
    /// All bytes asked for were moved.
    Size,
    /// `number_ios` reached.
    Ios,
    /// `runtime` reached.
    Time,
    /// Another job ended (`exitall`).
    Exitall,
    /// There was a request to stop.
    Interrupt,
    /// It failed.
    Error,
    /// The depth that `latency_target` found was measured.
    Goal,
}

impl EndedBy {
    /// The rule in words, for reports.
    pub const fn text(self) -> &'static str {
        match self {
            EndedBy::Size => "all bytes moved (size, io_size, loops)",
            EndedBy::Ios => "number_ios reached",
            EndedBy::Time => "runtime over",
            EndedBy::Exitall => "another job ended (exitall)",
            EndedBy::Interrupt => "interrupted",
            EndedBy::Error => "error",
            EndedBy::Goal => "the depth that latency_target found was measured",
        }
    }
}

/// Why a worker failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFailure {
    /// errno, 0 when it was not a system error.
    pub errno: i32,
    /// One sentence that names file, offset and operation.
    pub message: String,
    /// The direction of the failed I/O, if it was one.
    pub direction: Option<Direction>,
    /// Byte offset of the failed I/O, if it was one.
    pub offset: Option<u64>,
}

/// `getrusage(RUSAGE_THREAD)` over the measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time in user space, ns.
    pub user_ns: u64,
    /// CPU time in the kernel, ns.
    pub system_ns: u64,
    /// Context switches: the thread waited.
    pub switches_voluntary: u64,
    /// Context switches: the thread was preempted.
    pub switches_involuntary: u64,
    /// Time in which the thread could run but had no CPU, ns
    /// (`/proc/thread-self/schedstat`, second field).
    #[serde(default)]
    pub wait_ns: u64,
    /// Page faults without I/O.
    pub faults_minor: u64,
    /// Page faults with I/O.
    pub faults_major: u64,
}

impl Usage {
    /// Adds the usage of another worker.
    pub fn add(&mut self, other: &Usage) {
        self.user_ns += other.user_ns;
        self.system_ns += other.system_ns;
        self.switches_voluntary += other.switches_voluntary;
        self.switches_involuntary += other.switches_involuntary;
        self.wait_ns += other.wait_ns;
        self.faults_minor += other.faults_minor;
        self.faults_major += other.faults_major;
    }
}
