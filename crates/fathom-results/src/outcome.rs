//! How one worker ended.

use crate::verification::Verification;
use crate::wire::{is_default, known, per_direction, some_direction};
use fathom_job::direction::{Direction, PerDirection};
use minicbor::decode::{self, Decoder};
use minicbor::{Decode, Encode};

/// Name of the note that begins with the depth which a search for `latency_target` found.
pub const DEPTH_FOUND: &str = "latency_target.depth";

/// Name of the note with the zones that a job with `zonemode=zbd` reset for its writes.
pub const ZONE_RESETS: &str = "zones.reset";

/// Beginning of the names of notes about a simulated drive. They are counters of the drive, which all its workers share, as they were
/// when the worker ended.
pub const DRIVE_COUNTER: &str = "sim.";

/// The final report of a worker.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct JobOutcome {
    /// Plan id of the job.
    #[n(0)]
    pub job: u32,
    /// When it ended, nanoseconds since the start of the run.
    #[n(1)]
    pub at_ns: u64,
    /// Which rule ended it.
    #[n(2)]
    #[cbor(decode_with = "rule")]
    pub ended_by: EndedBy,
    /// Why it failed, if it did.
    #[n(3)]
    pub failure: Option<JobFailure>,
    /// The first I/O error after which the job went on
    /// (`continue_on_error`).
    #[n(4)]
    pub first_error: Option<JobFailure>,
    /// Start and end of the measured window, nanoseconds since the start of
    /// the run; `None` when it ended before the window began.
    #[n(5)]
    pub measured_ns: Option<(u64, u64)>,
    /// CPU time, context switches and page faults of the measured window.
    #[n(6)]
    #[cbor(skip_if = "is_default")]
    pub usage: Usage,
    /// Bytes written to lay files out before the start.
    #[n(7)]
    #[cbor(skip_if = "is_default")]
    pub layout_bytes: u64,
    /// I/Os issued by block size, for jobs whose size varies: (bytes, count).
    #[n(8)]
    #[cbor(with = "per_direction")]
    pub sizes: PerDirection<Vec<(u64, u64)>>,
    /// What the engine found or chose, as (name, value): ring flags, fallback,
    /// alignment, clock.
    #[n(9)]
    #[cbor(skip_if = "is_default")]
    pub notes: Vec<(String, String)>,
    /// What it verified, if it was to.
    #[n(10)]
    pub verification: Option<Box<Verification>>,
}

/// The rule that ended a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(index_only)]
pub enum EndedBy {
    /// All bytes asked for were moved.
    #[n(0)]
    Size,
    /// `number_ios` reached.
    #[n(1)]
    Ios,
    /// `runtime` reached.
    #[n(2)]
    Time,
    /// Another job ended (`exitall`).
    #[n(3)]
    Exitall,
    /// There was a request to stop.
    #[n(4)]
    Interrupt,
    /// It failed.
    #[n(5)]
    Error,
    /// The depth that `latency_target` found was measured.
    #[n(6)]
    Goal,
    /// A rule that was set for the end of steady jobs was met (`steadystate`).
    #[n(7)]
    Steady,
    /// No space was left for a write, which is the end that the job asked for (`fill_device`).
    #[n(8)]
    Full,
    /// A rule that only a later version of fathom knows.
    #[n(63)]
    Unknown,
}

fn rule<C>(from: &mut Decoder<'_>, context: &mut C) -> Result<EndedBy, decode::Error> {
    known(from, context).map(|rule| rule.unwrap_or(EndedBy::Unknown))
}

impl EndedBy {
    /// The rule in words, for reports.
    pub const fn text(self) -> &'static str {
        match self {
            EndedBy::Size => "all bytes moved (size, io_size, loops)",
            EndedBy::Ios => "number_ios reached",
            EndedBy::Time => "runtime over",
            EndedBy::Exitall => "another job ended (exitall, exit_on_io_done)",
            EndedBy::Interrupt => "interrupted",
            EndedBy::Error => "error",
            EndedBy::Goal => "the depth that latency_target found was measured",
            EndedBy::Steady => "steady state attained",
            EndedBy::Full => "no space left (fill_device)",
            EndedBy::Unknown => "a rule that this version of fathom does not know",
        }
    }
}

/// Why a worker failed.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct JobFailure {
    /// errno, 0 when it was not a system error.
    #[n(0)]
    pub errno: i32,
    /// One sentence that names file, offset and operation.
    #[n(1)]
    pub message: String,
    /// The direction of the failed I/O, if it was one.
    #[n(2)]
    #[cbor(with = "some_direction", has_nil)]
    pub direction: Option<Direction>,
    /// Byte offset of the failed I/O, if it was one.
    #[n(3)]
    pub offset: Option<u64>,
}

/// What a worker used in the measured window, and what it spent between I/Os; CPU time and wait together are never more than
/// the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Usage {
    /// CPU time in user space, ns.
    #[n(0)]
    #[cbor(skip_if = "is_default")]
    pub user_ns: u64,
    /// CPU time in the kernel, ns.
    #[n(1)]
    #[cbor(skip_if = "is_default")]
    pub system_ns: u64,
    /// Context switches: the thread waited.
    #[n(2)]
    #[cbor(skip_if = "is_default")]
    pub switches_voluntary: u64,
    /// Context switches: the thread was preempted.
    #[n(3)]
    #[cbor(skip_if = "is_default")]
    pub switches_involuntary: u64,
    /// Time in which the thread could run but had no CPU, ns
    /// (`/proc/thread-self/schedstat`, second field).
    #[n(4)]
    #[cbor(skip_if = "is_default")]
    pub wait_ns: u64,
    /// Page faults without I/O.
    #[n(5)]
    #[cbor(skip_if = "is_default")]
    pub faults_minor: u64,
    /// Page faults with I/O.
    #[n(6)]
    #[cbor(skip_if = "is_default")]
    pub faults_major: u64,
    /// Time in which it made new data for writes (`refill_buffers`, compression, duplicates), ns.
    #[n(7)]
    #[cbor(skip_if = "is_default")]
    pub data_made_ns: u64,
    /// Time by which I/Os for which a slot was free began late because it slept on, ns, added up.
    #[n(8)]
    #[cbor(skip_if = "is_default")]
    pub woken_late_ns: u64,
}

impl Usage {
    /// Adds the usage of another worker.
    pub fn add(&mut self, other: &Usage) {
        self.user_ns = self.user_ns.saturating_add(other.user_ns);
        self.system_ns = self.system_ns.saturating_add(other.system_ns);
        self.switches_voluntary = self.switches_voluntary.saturating_add(other.switches_voluntary);
        self.switches_involuntary = self.switches_involuntary.saturating_add(other.switches_involuntary);
        self.wait_ns = self.wait_ns.saturating_add(other.wait_ns);
        self.faults_minor = self.faults_minor.saturating_add(other.faults_minor);
        self.faults_major = self.faults_major.saturating_add(other.faults_major);
        self.data_made_ns = self.data_made_ns.saturating_add(other.data_made_ns);
        self.woken_late_ns = self.woken_late_ns.saturating_add(other.woken_late_ns);
    }
}
