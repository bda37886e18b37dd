//! The frames of a spool: what workers report while they run.
//!
//! Times are nanoseconds since the start of the run. A [`Window`] holds only
//! what happened inside it, so the frames of a run add up to its totals.
//!
//! Every field and every variant has a number in the spool. A number never changes its meaning;
//! a reader skips numbers that it does not know, and takes a missing field as empty.

use crate::latency_window::LatencyWindow;
use crate::outcome::JobOutcome;
use crate::wire::{by_direction, end_of_array, is_default, known};
use fathom_job::direction::Direction;
use minicbor::decode::{self, Decoder};
use minicbor::encode::{self, Encoder};
use minicbor::{Decode, Encode};

/// One entry of the spool.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// One worker's counts of one interval.
    Window(Box<Window>),
    /// A worker entered a phase.
    Phase {
        /// Plan id of the job.
        job: u32,
        /// The phase that begins.
        phase: Phase,
        /// Start of the phase, ns since the start of the run.
        at_ns: u64,
    },
    /// A worker ended.
    Ended(Box<JobOutcome>),
    /// Something happened that the result keeps.
    Event(Event),
}

/// The phases of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
#[cbor(index_only)]
pub enum Phase {
    /// Files are laid out, memory is touched.
    #[n(0)]
    Prepare,
    /// Warm-up: I/O runs, and its counts are kept apart.
    #[n(1)]
    Ramp,
    /// The measured window.
    #[n(2)]
    Measure,
    /// I/O that was in flight at the end completes.
    #[n(3)]
    Drain,
}

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Event {
    /// Its time, ns since the start of the run.
    #[n(0)]
    pub at_ns: u64,
    /// Plan id of the job that it concerns, if any.
    #[n(1)]
    pub job: Option<u32>,
    /// What happened.
    #[n(2)]
    #[cbor(decode_with = "event_kind")]
    pub kind: EventKind,
    /// The event in one sentence.
    #[n(3)]
    pub text: String,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
#[cbor(index_only)]
pub enum EventKind {
    /// A target does not answer.
    #[n(0)]
    Stall,
    /// A target answers again.
    #[n(1)]
    StallOver,
    /// A job was given up, because its target does not answer.
    #[n(2)]
    GivenUp,
    /// A file was removed, as the job asked (`unlink`), or could not be removed.
    #[n(3)]
    Unlink,
    /// A kind that only a later version of fathom knows.
    #[n(63)]
    Unknown,
}

impl EventKind {
    /// Every kind that has a name.
    const NAMES: [(EventKind, &str); 4] = [
        (EventKind::Stall, "stall"),
        (EventKind::StallOver, "stall-over"),
        (EventKind::GivenUp, "given-up"),
        (EventKind::Unlink, "unlink"),
    ];

    /// The kind in one word, for reports.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("event", |(_, name)| name)
    }

    /// The kind of this name, as spools of version 3 have it.
    pub(crate) fn named(name: &str) -> EventKind {
        Self::NAMES.iter().find(|(_, known)| *known == name).map_or(EventKind::Unknown, |(kind, _)| *kind)
    }
}

fn event_kind<C>(from: &mut Decoder<'_>, context: &mut C) -> Result<EventKind, decode::Error> {
    known(from, context).map(|kind| kind.unwrap_or(EventKind::Unknown))
}

/// What one worker did in one interval.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct Window {
    /// Plan id of the job.
    #[n(0)]
    pub job: u32,
    /// Ramp windows are kept but never counted.
    #[n(1)]
    #[cbor(decode_with = "counted_phase")]
    pub phase: Phase,
    /// First instant, ns since the start of the run.
    #[n(2)]
    pub start_ns: u64,
    /// First instant after it, ns since the start of the run.
    #[n(3)]
    pub end_ns: u64,
    /// The directions in which any I/O happened.
    #[n(4)]
    #[cbor(with = "by_direction")]
    pub directions: Vec<(Direction, DirectionWindow)>,
    /// Latency of the fsync family.
    #[n(5)]
    #[cbor(skip_if = "is_default")]
    pub sync: LatencyWindow,
    /// I/Os by the depth at submission, in fio's classes 1, 2, 4 … ≥64.
    #[n(6)]
    #[cbor(skip_if = "is_default")]
    pub depth: [u64; 7],
    /// Submit calls by their number of I/Os, in fio's classes 0, 4, 8 … >64.
    #[n(7)]
    #[cbor(skip_if = "is_default")]
    pub submit: [u64; 7],
    /// Reaps by their number of I/Os, in the same classes.
    #[n(8)]
    #[cbor(skip_if = "is_default")]
    pub complete: [u64; 7],
}

/// A phase that only a later version knows is not counted either.
fn counted_phase<C>(from: &mut Decoder<'_>, context: &mut C) -> Result<Phase, decode::Error> {
    known(from, context).map(|phase| phase.unwrap_or(Phase::Prepare))
}

impl Window {
    /// An interval in which nothing completed.
    pub fn quiet(job: u32, phase: Phase, start_ns: u64, end_ns: u64) -> Self {
        let (directions, sync) = Default::default();
        let (depth, submit, complete) = ([0; 7], [0; 7], [0; 7]);
        Window { job, phase, start_ns, end_ns, directions, sync, depth, submit, complete }
    }
}

/// Counts of one direction in one interval.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
pub struct DirectionWindow {
    /// I/Os completed.
    #[n(0)]
    pub ios: u64,
    /// Bytes moved.
    #[n(1)]
    #[cbor(skip_if = "is_default")]
    pub bytes: u64,
    /// I/Os that moved less than asked.
    #[n(2)]
    #[cbor(skip_if = "is_default")]
    pub short_ios: u64,
    /// I/Os that failed (with `continue_on_error`).
    #[n(3)]
    #[cbor(skip_if = "is_default")]
    pub errors: u64,
    /// From descriptor taken to completion seen (fio's `lat`).
    #[n(4)]
    #[cbor(skip_if = "is_default")]
    pub total: LatencyWindow,
    /// From the start of the submit call to completion seen (fio's `clat`).
    #[n(5)]
    #[cbor(skip_if = "is_default")]
    pub completion: LatencyWindow,
    /// From descriptor taken to the start of the submit call (fio's `slat`;
    /// empty for synchronous engines).
    #[n(6)]
    #[cbor(skip_if = "is_default")]
    pub submission: LatencyWindow,
    /// From the instant at which a paced job intended to start the I/O to
    /// completion seen: the time that a user of a busy system waits. Empty for jobs
    /// without a rate, in which an I/O starts whenever another has ended.
    #[n(7)]
    #[cbor(skip_if = "is_default")]
    pub response: LatencyWindow,
}

/// A frame as it is in the spool: which one it is, of which host, and the frame itself. A
/// frame of a kind that only a later version knows is `None`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrameRecord {
    /// Number of the frame in its spool, from 0.
    pub sequence: u64,
    /// Number of the host in the run: 0 is the one that saves.
    pub host: u32,
    pub frame: Option<Frame>,
}

/// Number of the field in a frame's map. Those from [`WINDOW`] on are the kinds of frames.
const SEQUENCE: u8 = 0;
const HOST: u8 = 1;
const WINDOW: u8 = 2;
const PHASE: u8 = 3;
const ENDED: u8 = 4;
const EVENT: u8 = 5;

/// The latest time in a frame, ns: 146 years.
const TIME_NS_MAX: u64 = 1 << 62;

impl Frame {
    /// The times of a frame must be possible, so that all who subtract them can.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (from, to) = match self {
            Frame::Window(window) => (window.start_ns, window.end_ns),
            Frame::Ended(outcome) => outcome.measured_ns.unwrap_or((0, outcome.at_ns)),
            Frame::Phase { at_ns, .. } | Frame::Event(Event { at_ns, .. }) => (0, *at_ns),
        };
        let is_possible = from <= to && to <= TIME_NS_MAX;
        is_possible.then_some(()).ok_or_else(|| format!("a frame is from {from} ns to {to} ns"))
    }

    /// Appends the frame, as number `sequence` of `host`.
    pub(crate) fn encode(&self, sequence: u64, host: u32, buffer: &mut Vec<u8>) -> Encoded {
        let mut to = Encoder::new(buffer);
        to.map(3)?.u8(SEQUENCE)?.u64(sequence)?.u8(HOST)?.u32(host)?;
        match self {
            Frame::Window(window) => to.u8(WINDOW)?.encode(window)?,
            Frame::Phase { job, phase, at_ns } => to.u8(PHASE)?.encode((job, phase, at_ns))?,
            Frame::Ended(outcome) => to.u8(ENDED)?.encode(outcome)?,
            Frame::Event(event) => to.u8(EVENT)?.encode(event)?,
        };
        Ok(())
    }
}

type Encoded = Result<(), encode::Error<std::convert::Infallible>>;

impl FrameRecord {
    /// Reads a frame.
    pub(crate) fn decode(payload: &[u8]) -> Result<FrameRecord, decode::Error> {
        let mut from = Decoder::new(payload);
        let mut record = FrameRecord { sequence: 0, host: 0, frame: None };
        for _ in 0..from.map()?.unwrap_or(0) {
            match from.u64()?.try_into().unwrap_or(u8::MAX) {
                SEQUENCE => record.sequence = from.u64()?,
                HOST => record.host = from.u32()?,
                WINDOW => record.frame = Some(Frame::Window(from.decode()?)),
                PHASE => record.frame = phase_frame(&mut from)?,
                ENDED => record.frame = Some(Frame::Ended(from.decode()?)),
                EVENT => record.frame = Some(Frame::Event(from.decode()?)),
                _ => from.skip()?,
            }
        }
        Ok(record)
    }
}

/// `None` for a phase that only a later version knows.
fn phase_frame(from: &mut Decoder<'_>) -> Result<Option<Frame>, decode::Error> {
    let len = from.array()?;
    let (job, phase, at_ns) = (from.u32()?, known::<(), Phase>(from, &mut ())?, from.u64()?);
    end_of_array(from, len, 3)?;
    Ok(phase.map(|phase| Frame::Phase { job, phase, at_ns }))
}
