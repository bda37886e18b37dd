//! Frames of spools of version 3, which were encoded by the order of their fields.
//!
//! These types are never changed: they say how those bytes are laid out.

use crate::frame::{Event, EventKind, Frame};
use crate::latency_window::LatencyWindow;
use crate::outcome::{EndedBy, JobFailure, JobOutcome, Usage};
use crate::phase::Phase;
use crate::window::{DirectionWindow, Window};
use fathom_job::direction::{Direction, PerDirection};
use fathom_stats::{Moments, SparseHistogram};
use serde::Deserialize;

/// Reads one frame.
pub(crate) fn decode(payload: &[u8]) -> Result<Frame, postcard::Error> {
    postcard::from_bytes::<OldFrame>(payload).map(Frame::from)
}

#[derive(Deserialize)]
enum OldFrame {
    Window(Box<OldWindow>),
    Phase { job: u32, phase: OldPhase, at_ns: u64 },
    Ended(Box<OldJobOutcome>),
    Event(OldEvent),
}

#[derive(Deserialize)]
enum OldPhase {
    Prepare,
    Ramp,
    Measure,
    Drain,
}

#[derive(Deserialize)]
struct OldEvent {
    at_ns: u64,
    job: Option<u32>,
    kind: String,
    text: String,
}

#[derive(Deserialize)]
struct OldWindow {
    job: u32,
    phase: OldPhase,
    start_ns: u64,
    end_ns: u64,
    directions: Vec<(Direction, OldDirectionWindow)>,
    sync: OldLatencyWindow,
    depth: [u64; 7],
    submit: [u64; 7],
    complete: [u64; 7],
}

#[derive(Deserialize)]
struct OldDirectionWindow {
    ios: u64,
    bytes: u64,
    short_ios: u64,
    errors: u64,
    total: OldLatencyWindow,
    completion: OldLatencyWindow,
    submission: OldLatencyWindow,
    response: OldLatencyWindow,
}

#[derive(Deserialize)]
struct OldLatencyWindow {
    moments: Moments,
    histogram: Option<SparseHistogram>,
}

#[derive(Deserialize)]
struct OldJobOutcome {
    job: u32,
    at_ns: u64,
    ended_by: OldEndedBy,
    failure: Option<OldJobFailure>,
    first_error: Option<OldJobFailure>,
    measured_ns: Option<(u64, u64)>,
    usage: OldUsage,
    layout_bytes: u64,
    sizes: PerDirection<Vec<(u64, u64)>>,
    notes: Vec<(String, String)>,
}

#[derive(Deserialize)]
enum OldEndedBy {
    Size,
    Ios,
    Time,
    Exitall,
    Interrupt,
    Error,
    Goal,
}

#[derive(Deserialize)]
struct OldJobFailure {
    errno: i32,
    message: String,
    direction: Option<Direction>,
    offset: Option<u64>,
}

#[derive(Deserialize)]
struct OldUsage {
    user_ns: u64,
    system_ns: u64,
    switches_voluntary: u64,
    switches_involuntary: u64,
    wait_ns: u64,
    faults_minor: u64,
    faults_major: u64,
}

impl From<OldFrame> for Frame {
    fn from(old: OldFrame) -> Self {
        match old {
            OldFrame::Window(window) => Frame::Window(Box::new((*window).into())),
            OldFrame::Phase { job, phase, at_ns } => Frame::Phase { job, phase: phase.into(), at_ns },
            OldFrame::Ended(outcome) => Frame::Ended(Box::new((*outcome).into())),
            OldFrame::Event(event) => Frame::Event(event.into()),
        }
    }
}

impl From<OldPhase> for Phase {
    fn from(old: OldPhase) -> Self {
        match old {
            OldPhase::Prepare => Phase::Prepare,
            OldPhase::Ramp => Phase::Ramp,
            OldPhase::Measure => Phase::Measure,
            OldPhase::Drain => Phase::Drain,
        }
    }
}

impl From<OldEvent> for Event {
    fn from(old: OldEvent) -> Self {
        Event { at_ns: old.at_ns, job: old.job, kind: EventKind::named(&old.kind), text: old.text }
    }
}

impl From<OldWindow> for Window {
    fn from(old: OldWindow) -> Self {
        Window {
            job: old.job,
            phase: old.phase.into(),
            start_ns: old.start_ns,
            end_ns: old.end_ns,
            directions: old.directions.into_iter().map(|(d, counts)| (d, counts.into())).collect(),
            sync: old.sync.into(),
            depth: old.depth,
            submit: old.submit,
            complete: old.complete,
        }
    }
}

impl From<OldDirectionWindow> for DirectionWindow {
    fn from(old: OldDirectionWindow) -> Self {
        DirectionWindow {
            ios: old.ios,
            bytes: old.bytes,
            short_ios: old.short_ios,
            errors: old.errors,
            total: old.total.into(),
            completion: old.completion.into(),
            submission: old.submission.into(),
            response: old.response.into(),
        }
    }
}

impl From<OldLatencyWindow> for LatencyWindow {
    fn from(old: OldLatencyWindow) -> Self {
        LatencyWindow { moments: old.moments, histogram: old.histogram }
    }
}

impl From<OldJobOutcome> for JobOutcome {
    fn from(old: OldJobOutcome) -> Self {
        JobOutcome {
            job: old.job,
            at_ns: old.at_ns,
            ended_by: match old.ended_by {
                OldEndedBy::Size => EndedBy::Size,
                OldEndedBy::Ios => EndedBy::Ios,
                OldEndedBy::Time => EndedBy::Time,
                OldEndedBy::Exitall => EndedBy::Exitall,
                OldEndedBy::Interrupt => EndedBy::Interrupt,
                OldEndedBy::Error => EndedBy::Error,
                OldEndedBy::Goal => EndedBy::Goal,
            },
            failure: old.failure.map(Into::into),
            first_error: old.first_error.map(Into::into),
            measured_ns: old.measured_ns,
            usage: old.usage.into(),
            layout_bytes: old.layout_bytes,
            sizes: old.sizes,
            notes: old.notes,
        }
    }
}

impl From<OldJobFailure> for JobFailure {
    fn from(old: OldJobFailure) -> Self {
        let OldJobFailure { errno, message, direction, offset } = old;
        JobFailure { errno, message, direction, offset }
    }
}

impl From<OldUsage> for Usage {
    fn from(old: OldUsage) -> Self {
        let OldUsage {
            user_ns,
            system_ns,
            switches_voluntary,
            switches_involuntary,
            wait_ns,
            faults_minor,
            faults_major,
        } = old;
        Usage {
            user_ns,
            system_ns,
            switches_voluntary,
            switches_involuntary,
            wait_ns,
            faults_minor,
            faults_major,
            ..Usage::default()
        }
    }
}
