//! Several recordings of blktrace as one, in the order of their times (`merge_blktrace_file`).

use super::blktrace::begin_blktrace;
use super::{Blktrace, DefectKind, ReplayTerms, TraceDefect, TraceEvent, TraceLine, TracePlace, blktrace};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, Write};

/// A millionth of this is what a time is multiplied by.
const MILLION: u128 = 1_000_000;

/// How a recording is merged with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergeTerms {
    /// Its times are multiplied by this many millionths (`merge_blktrace_scalars`).
    pub time_ppm: u64,
    /// How often it is repeated (`merge_blktrace_iters`).
    pub passes: u64,
}

/// The I/Os of several recordings.
#[derive(Debug)]
pub(super) struct Merged<R> {
    parts: Vec<Part<R>>,
    /// Devices of all parts.
    devices: Vec<u32>,
    /// The trace of the last I/O.
    last: usize,
}

/// A recording, and its next I/O with the time and the file that it has among all.
#[derive(Debug)]
struct Part<R> {
    log: Blktrace<R>,
    terms: MergeTerms,
    next: Option<TraceLine>,
    /// The first time of the recording.
    origin_ns: Option<u64>,
    /// Its time so far in all passes before this one, and in this one; not scaled.
    before_ns: u64,
    last_ns: u64,
}

impl<R: Read + Seek> Merged<R> {
    /// Begins with the first I/O of each.
    pub fn begin(inputs: Vec<R>, terms: &[MergeTerms]) -> Result<Self, TraceDefect> {
        let mut merged = Merged { parts: Vec::new(), devices: Vec::new(), last: 0 };
        for (index, (input, terms)) in inputs.into_iter().zip(terms).enumerate() {
            let log = begin_blktrace(input).map_err(|defect| of_part(defect, index))?;
            let terms = *terms;
            merged.parts.push(Part { log, terms, next: None, origin_ns: None, before_ns: 0, last_ns: 0 });
            merged.advance(index)?;
        }
        Ok(merged)
    }

    pub fn into_inputs(self) -> Vec<R> {
        self.parts.into_iter().map(|part| part.log.into_input()).collect()
    }

    pub fn device(&self, file: usize) -> u32 {
        self.devices[file]
    }

    pub fn place(&self) -> TracePlace {
        self.parts[self.last].log.place().of_part(self.last)
    }

    /// As many as were in flight in all of them.
    pub fn depth(&self) -> Option<u32> {
        self.parts.iter().map(|part| part.log.depth()).sum()
    }

    /// The next I/O by time; of the same time the one of the earlier recording.
    pub fn next_event(&mut self) -> Result<Option<TraceLine>, TraceDefect> {
        let waiting = self.parts.iter().enumerate().filter_map(|(i, part)| Some((part.next?.at_ns, i)));
        let Some((_, index)) = waiting.min() else { return Ok(None) };
        self.last = index;
        let next = self.parts[index].next.take();
        self.advance(index)?;
        Ok(next)
    }

    /// Reads the next I/O of a part.
    fn advance(&mut self, index: usize) -> Result<(), TraceDefect> {
        let Merged { parts, devices, .. } = self;
        let part = &mut parts[index];
        let next = part.advance().map_err(|defect| of_part(defect, index))?;
        part.next = next.map(|line| {
            let TraceEvent::Io { op, file, offset, len } = line.event else { return line };
            let device = part.log.device(file);
            let known = devices.iter().position(|known| *known == device);
            let file = known.unwrap_or_else(|| {
                devices.push(device);
                devices.len() - 1
            });
            TraceLine { at: line.at.of_part(index), event: TraceEvent::Io { op, file, offset, len }, ..line }
        });
        Ok(())
    }
}

impl<R: Read + Seek> Part<R> {
    /// The next I/O, at its time among all. A pass begins when the last I/O of the one before it was due.
    fn advance(&mut self) -> Result<Option<TraceLine>, TraceDefect> {
        loop {
            if let Some(line) = self.log.next_event()? {
                let at_ns = line.at_ns.unwrap_or(0);
                let after_ns = at_ns - *self.origin_ns.get_or_insert(at_ns);
                self.last_ns = after_ns;
                let unscaled = u128::from(self.before_ns) + u128::from(after_ns);
                let scaled = u64::try_from(unscaled * u128::from(self.terms.time_ppm) / MILLION).ok();
                let beyond = TraceDefect { at: line.at, kind: DefectKind::TimeBeyondNumbers };
                return Ok(Some(TraceLine { at_ns: Some(scaled.ok_or(beyond)?), ..line }));
            }
            if self.terms.passes <= 1 || self.origin_ns.is_none() {
                return Ok(None);
            }
            self.terms.passes -= 1;
            self.before_ns = self.before_ns.saturating_add(self.last_ns);
            let at = self.log.place();
            self.log.rewind().map_err(|kind| TraceDefect { at, kind })?;
        }
    }
}

fn of_part(defect: TraceDefect, index: usize) -> TraceDefect {
    TraceDefect { at: defect.at.of_part(index), ..defect }
}

/// Writes what the recordings are together as a recording of its own.
///
/// # Errors
/// What is wrong with one, or why it cannot be written.
pub fn write_merged<R: Read + Seek>(
    inputs: Vec<R>,
    terms: &ReplayTerms,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut merged = Merged::begin(inputs, &terms.merges).map_err(io::Error::other)?;
    let mut number = 0;
    while let Some(line) = merged.next_event().map_err(io::Error::other)? {
        number += 1;
        let TraceEvent::Io { file, .. } = line.event else { continue };
        let record = blktrace::written(number, line.at_ns.unwrap_or(0), merged.device(file), line.event);
        record.map_or(Ok(()), |record| out.write_all(&record))?;
    }
    out.flush()
}
