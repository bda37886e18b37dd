//! What is issued of a trace: `replay_no_stall`, `replay_time_scale`, `replay_scale`, `replay_align`, `replay_skip`, `replay_redirect`.

use super::form::Form;
use super::{
    DefectKind, MergeTerms, NS_PER_US, TRANSFER_MAX, TraceColumns, TraceDefect, TraceEvent, TraceOp,
    TracePlace,
};
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek};

/// How a trace is replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayTerms {
    /// The gaps of the trace are kept (`replay_no_stall=0`).
    pub keeps_gaps: bool,
    /// Speed in percent: 200 is twice as fast (`replay_time_scale`).
    pub time_scale: u64,
    /// Offsets are divided by this (`replay_scale`).
    pub scale: u64,
    /// Offsets are then rounded down to a multiple of this, and lengths up (`replay_align`).
    pub align: u64,
    /// Reads, writes, trims and syncs that are left out (`replay_skip`).
    pub skips: [bool; 4],
    /// All I/Os go to one target (`replay_redirect`).
    pub is_redirected: bool,
    /// What the columns of a text are (`trace_columns`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<TraceColumns>,
    /// How each of several recordings is merged (`merge_blktrace_file`); empty for one trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merges: Vec<MergeTerms>,
}

/// The operations that `replay_skip` names, in the order of [`ReplayTerms::skips`].
pub(crate) const SKIPPED: [&str; 4] = ["read", "write", "trim", "sync"];

impl ReplayTerms {
    /// How fast a trace is replayed whose last I/O is meant to start at this time.
    pub(crate) fn speed(&self, last_start: Nanos) -> String {
        match (self.keeps_gaps, self.time_scale) {
            (false, _) => "as fast as the target takes them (replay_no_stall)".to_owned(),
            (true, 100) => format!("at the times of the trace, {last_start} to the last I/O"),
            (true, percent) => {
                format!("at {percent} % of the speed of the trace, {last_start} to the last I/O")
            }
        }
    }

    /// What is left out of it.
    pub(crate) fn left_out(&self) -> Option<String> {
        let skipped = SKIPPED.iter().zip(self.skips).filter(|(_, is_left_out)| *is_left_out);
        let skipped: Vec<String> = skipped.map(|(kind, _)| format!("{kind}s")).collect();
        (!skipped.is_empty()).then(|| skipped.join(", "))
    }

    #[inline]
    fn skips(&self, op: TraceOp) -> bool {
        self.skips[match op {
            TraceOp::Read => 0,
            TraceOp::Write => 1,
            TraceOp::Trim => 2,
            TraceOp::Sync | TraceOp::Datasync => 3,
        }]
    }

    #[inline]
    fn place(&self, offset: u64) -> u64 {
        let scaled = offset / self.scale.max(1);
        scaled - scaled % self.align.max(1)
    }

    /// What is longer than one system call moves keeps its length.
    #[inline]
    fn length(&self, len: u64) -> u64 {
        Some(len.next_multiple_of(self.align.max(1))).filter(|len| *len <= TRANSFER_MAX).unwrap_or(len)
    }
}

/// An I/O to be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedIo {
    /// Where it is in the trace.
    pub at: TracePlace,
    /// What it does.
    pub op: TraceOp,
    /// Its file, by the order in which files have their first I/O.
    pub file: usize,
    /// First byte.
    pub offset: u64,
    /// Bytes; 0 for a sync.
    pub len: u64,
    /// When it is meant to start, ns after the beginning of the trace; 0 where the gaps are not kept.
    pub due_ns: u64,
}

/// The I/Os of a trace, one by one.
#[derive(Debug)]
pub struct Replay<R> {
    form: Form<R>,
    terms: ReplayTerms,
    /// The first time of the trace.
    origin_ns: Option<u64>,
    /// Sum of the waits so far.
    waited_us: u64,
    /// Numbers of files of the trace, in the order in which they had their first I/O.
    used: Vec<usize>,
    /// The place in `used` of each file of the trace that has had I/O.
    places: Vec<Option<usize>>,
}

impl<R: Read + Seek> Replay<R> {
    /// Begins to read a trace, or several that are merged.
    ///
    /// # Errors
    /// The bytes are not a trace.
    pub fn begin(inputs: Vec<R>, terms: &ReplayTerms) -> Result<Self, TraceDefect> {
        let form = Form::begin(inputs, terms)?;
        let terms = terms.clone();
        Ok(Replay { form, terms, origin_ns: None, waited_us: 0, used: Vec::new(), places: Vec::new() })
    }

    /// The same trace from its beginning.
    ///
    /// # Errors
    /// The bytes are not a trace any more.
    pub fn again(self) -> Result<Self, TraceDefect> {
        Replay::begin(self.form.into_inputs(), &self.terms)
    }

    /// The name in the trace of a file that has had I/O.
    pub fn file_name(&self, file: usize) -> String {
        self.form.file_name(self.used[file])
    }

    /// The last line or event.
    pub fn place(&self) -> TracePlace {
        self.form.place()
    }

    /// The most I/Os that were in flight so far when the trace was recorded, if it says so.
    pub fn depth(&self) -> Option<u32> {
        self.form.depth()
    }

    /// The next I/O; `None` at the end.
    ///
    /// # Errors
    /// What is wrong with the line. Nothing may be read after that.
    pub fn next_io(&mut self) -> Result<Option<ReplayedIo>, TraceDefect> {
        while let Some(line) = self.form.next_event()? {
            let at_ns = line.at_ns.map(|at| at - *self.origin_ns.get_or_insert(at));
            let defect = |kind| TraceDefect { at: line.at, kind };
            match line.event {
                TraceEvent::Wait(us) => {
                    let sum = self.waited_us.checked_add(us);
                    self.waited_us = sum.ok_or_else(|| defect(DefectKind::TimeBeyondNumbers))?;
                }
                TraceEvent::Io { op, file, offset, len } if !self.terms.skips(op) => {
                    let due_ns = self.due_ns(at_ns.unwrap_or(0));
                    let due_ns = due_ns.ok_or_else(|| defect(DefectKind::TimeBeyondNumbers))?;
                    let (file, offset, len) =
                        (self.number_of(file), self.terms.place(offset), self.terms.length(len));
                    return Ok(Some(ReplayedIo { at: line.at, op, file, offset, len, due_ns }));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn due_ns(&self, at_ns: u64) -> Option<u64> {
        if !self.terms.keeps_gaps {
            return Some(0);
        }
        let after_ns = u128::from(at_ns) + u128::from(self.waited_us) * u128::from(NS_PER_US);
        let ns = after_ns * 100 / u128::from(self.terms.time_scale.max(1));
        // The clock counts in 63 bits.
        u64::try_from(ns).ok().filter(|ns| *ns < 1 << 62)
    }

    fn number_of(&mut self, file: usize) -> usize {
        if self.terms.is_redirected {
            if self.used.is_empty() {
                self.used.push(file);
            }
            return 0;
        }
        if file >= self.places.len() {
            self.places.resize(file + 1, None);
        }
        *self.places[file].get_or_insert_with(|| {
            self.used.push(file);
            self.used.len() - 1
        })
    }
}
