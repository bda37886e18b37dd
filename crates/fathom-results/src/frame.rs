//! The frames of a spool: what workers report while they run.
//!
//! Times are nanoseconds since the start of the run.
//!
//! Every field and every variant has a number in the spool. A number never changes its meaning;
//! a reader skips numbers that it does not know, and takes a missing field as empty.

use crate::outcome::JobOutcome;
use crate::phase::Phase;
use crate::sample::{PackedSample, SampleTables};
use crate::window::Window;
use crate::wire::{end_of_array, fields, known};
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
    /// The names of what is sampled beside the run; before the first sample.
    SampleTables(Box<SampleTables>),
    /// What the machine did in one interval.
    Sample(Box<PackedSample>),
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
}

fn event_kind<C>(from: &mut Decoder<'_>, context: &mut C) -> Result<EventKind, decode::Error> {
    known(from, context).map(|kind| kind.unwrap_or(EventKind::Unknown))
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
const SAMPLE_TABLES: u8 = 6;
const SAMPLE: u8 = 7;

/// The latest time in a frame, ns: 146 years.
const TIME_NS_MAX: u64 = 1 << 62;

impl Frame {
    /// The times of a frame must be possible, so that all who subtract them can.
    pub(crate) fn check(&self) -> Result<(), String> {
        let (from, to) = match self {
            Frame::Window(window) => (window.start_ns, window.end_ns),
            Frame::Ended(outcome) => outcome.measured_ns.unwrap_or((0, outcome.at_ns)),
            Frame::Phase { at_ns, .. } | Frame::Event(Event { at_ns, .. }) => (0, *at_ns),
            Frame::SampleTables(tables) => return tables.check(),
            Frame::Sample(sample) => (sample.start_ns, sample.end_ns()),
        };
        let is_possible = from <= to && to <= TIME_NS_MAX;
        is_possible.then_some(()).ok_or_else(|| format!("a frame is from {from} ns to {to} ns"))
    }

    /// Appends the frame, as number `sequence` of `host`.
    pub(crate) fn encode(&self, sequence: u64, host: u32, buffer: &mut Vec<u8>) -> Encoded {
        let mut to = Encoder::new(buffer);
        to.map(2 + u64::from(host > 0))?.u8(SEQUENCE)?.u64(sequence)?;
        if host > 0 {
            to.u8(HOST)?.u32(host)?;
        }
        match self {
            Frame::Window(window) => to.u8(WINDOW)?.encode(window)?,
            Frame::Phase { job, phase, at_ns } => to.u8(PHASE)?.encode((job, phase, at_ns))?,
            Frame::Ended(outcome) => to.u8(ENDED)?.encode(outcome)?,
            Frame::Event(event) => to.u8(EVENT)?.encode(event)?,
            Frame::SampleTables(tables) => to.u8(SAMPLE_TABLES)?.encode(tables)?,
            Frame::Sample(sample) => to.u8(SAMPLE)?.encode(sample)?,
        };
        Ok(())
    }
}

type Encoded = Result<(), encode::Error<std::convert::Infallible>>;

impl FrameRecord {
    /// Reads a frame; a window into the memory of another one that is no longer needed.
    pub(crate) fn decode(
        payload: &[u8],
        spare: &mut Option<Box<Window>>,
    ) -> Result<FrameRecord, decode::Error> {
        let mut record = FrameRecord { sequence: 0, host: 0, frame: None };
        fields(&mut Decoder::new(payload), |number, from| {
            match number {
                SEQUENCE => record.sequence = from.u64()?,
                HOST => record.host = from.u32()?,
                WINDOW => record.frame = Some(window_frame(from, spare.take())?),
                PHASE => record.frame = phase_frame(from)?,
                ENDED => record.frame = Some(Frame::Ended(from.decode()?)),
                EVENT => record.frame = Some(Frame::Event(from.decode()?)),
                SAMPLE_TABLES => record.frame = Some(Frame::SampleTables(from.decode()?)),
                SAMPLE => record.frame = Some(Frame::Sample(from.decode()?)),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(record)
    }
}

fn window_frame(from: &mut Decoder<'_>, spare: Option<Box<Window>>) -> Result<Frame, decode::Error> {
    let mut window = spare.unwrap_or_else(|| Box::new(Window::quiet(0, Phase::Prepare, 0, 0)));
    window.read(from)?;
    Ok(Frame::Window(window))
}

/// `None` for a phase that only a later version knows.
fn phase_frame(from: &mut Decoder<'_>) -> Result<Option<Frame>, decode::Error> {
    let len = from.array()?;
    let (job, phase, at_ns) = (from.u32()?, known::<(), Phase>(from, &mut ())?, from.u64()?);
    end_of_array(from, len, 3)?;
    Ok(phase.map(|phase| Frame::Phase { job, phase, at_ns }))
}
