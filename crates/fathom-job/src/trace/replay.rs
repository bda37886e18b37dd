//! What is issued of a trace: `replay_no_stall`, `replay_time_scale`, `replay_scale`, `replay_align`, `replay_skip`, `replay_redirect`.

use super::{DefectKind, Iolog, TraceDefect, TraceEvent, TraceOp};
use serde::{Deserialize, Serialize};

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
    /// Offsets are then rounded down to a multiple of this (`replay_align`).
    pub align: u64,
    /// Reads, writes, trims and syncs that are left out (`replay_skip`).
    pub skips: [bool; 4],
    /// All I/Os go to one target (`replay_redirect`).
    pub is_redirected: bool,
}

impl ReplayTerms {
    fn skips(&self, op: TraceOp) -> bool {
        self.skips[match op {
            TraceOp::Read => 0,
            TraceOp::Write => 1,
            TraceOp::Trim => 2,
            TraceOp::Sync | TraceOp::Datasync => 3,
        }]
    }

    fn place(&self, offset: u64) -> u64 {
        let scaled = offset / self.scale.max(1);
        scaled - scaled % self.align.max(1)
    }
}

/// An I/O to be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedIo {
    /// The line that it comes from.
    pub line: u64,
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
    log: Iolog<R>,
    terms: ReplayTerms,
    /// The first time of the trace.
    origin_us: Option<u64>,
    /// Sum of the waits so far.
    waited_us: u64,
    /// Numbers of files of the trace, in the order in which they had their first I/O.
    used: Vec<usize>,
    /// The place in `used` of each file of the trace that has had I/O.
    places: Vec<Option<usize>>,
}

impl<R: FnMut(&mut [u8]) -> Result<usize, String>> Replay<R> {
    /// Begins to read a trace.
    ///
    /// # Errors
    /// The bytes are not a trace.
    pub fn begin(read: R, terms: &ReplayTerms) -> Result<Self, TraceDefect> {
        Ok(Replay::of(Iolog::begin(read)?, terms.clone()))
    }

    /// The same trace from its beginning; the bytes begin again.
    ///
    /// # Errors
    /// The bytes are not a trace any more.
    pub fn rewound(self) -> Result<Self, TraceDefect> {
        Ok(Replay::of(self.log.rewound()?, self.terms))
    }

    fn of(log: Iolog<R>, terms: ReplayTerms) -> Self {
        Replay { log, terms, origin_us: None, waited_us: 0, used: Vec::new(), places: Vec::new() }
    }

    /// The name in the trace of a file that has had I/O.
    pub fn file_name(&self, file: usize) -> String {
        self.log.file_name(self.used[file])
    }

    /// The number of the last line, from 1.
    pub fn line(&self) -> u64 {
        self.log.line()
    }

    /// The next I/O; `None` at the end.
    ///
    /// # Errors
    /// What is wrong with the line. Nothing may be read after that.
    pub fn next_io(&mut self) -> Result<Option<ReplayedIo>, TraceDefect> {
        while let Some(line) = self.log.next_event()? {
            let at_us = line.at_us.map(|at| at - *self.origin_us.get_or_insert(at));
            let defect = |kind| TraceDefect { line: line.line, kind };
            match line.event {
                TraceEvent::Wait(us) => {
                    let sum = self.waited_us.checked_add(us);
                    self.waited_us = sum.ok_or_else(|| defect(DefectKind::TimeBeyondNumbers))?;
                }
                TraceEvent::Io { op, file, offset, len } if !self.terms.skips(op) => {
                    let after_us = at_us.unwrap_or(0).saturating_add(self.waited_us);
                    let due_ns =
                        self.due_ns(after_us).ok_or_else(|| defect(DefectKind::TimeBeyondNumbers))?;
                    let (file, offset) = (self.number_of(file), self.terms.place(offset));
                    return Ok(Some(ReplayedIo { line: line.line, op, file, offset, len, due_ns }));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn due_ns(&self, after_us: u64) -> Option<u64> {
        if !self.terms.keeps_gaps {
            return Some(0);
        }
        let ns = u128::from(after_us) * 100_000 / u128::from(self.terms.time_scale.max(1));
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
