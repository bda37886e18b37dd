//! Verification: what a job writes has a header and a checksum, and what it reads is checked.
//!
//! [`Verifier`] is the hook of such a job ([`crate::hook`]). While the job writes, it gives every write a number,
//! fills its blocks and records what is where ([`written`]). When the job has ended, a second job reads all of
//! that back ([`Listed`](crate::source::Listed)); its hook is a [`Verifier`], too. They are two
//! jobs of the plan, so each has its own window, series and figures; what was written goes from one to the other
//! through [`Handover`]. docs/adr/0024 has the reasons.

mod handover;
mod state;
mod written;

pub use handover::Handover;
pub use state::SavedState;
use written::Written;

use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::hook::Hook;
use fathom_job::direction::Direction;
use fathom_job::plan::{PlannedJob, VerifyPlan};
use fathom_results::{FaultAt, JobFailure, Unchecked, Verification};
use fathom_verify::{BlockFormat, Expected, HeaderChecks, Lineage, Stamp, WriteName};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many faults a job keeps; all are counted.
const FAULTS_KEPT: usize = 100;

/// A seed of another job is taken for one of this run below these numbers of writes and of jobs.
const OTHERS_MAX: u64 = 1 << 32;
const WRITERS_MAX: u16 = 128;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// A job that writes, and what it has written.
#[derive(Debug)]
pub struct Writer {
    written: Written,
    lineage: Lineage,
    /// Plan id of the job that wrote.
    id: u32,
    /// How many of its writes were read back while it wrote.
    checked: u64,
    /// Are the seeds of its blocks known? Not where an earlier run wrote them.
    knows_seeds: bool,
    /// It comes from the state of an earlier run.
    is_restored: bool,
}

impl Writer {
    /// A job that writes nothing.
    fn of_nothing() -> Writer {
        Writer {
            written: Written::nothing(),
            lineage: Lineage::new(0),
            id: 0,
            checked: 0,
            knows_seeds: false,
            is_restored: false,
        }
    }

    /// A job that begins to write.
    fn new(plan: &PlannedJob, lineage: Lineage) -> Option<Writer> {
        Some(Writer {
            lineage,
            id: plan.id,
            knows_seeds: true,
            written: Written::new(plan)?,
            ..Writer::of_nothing()
        })
    }

    /// A job that an earlier run ran to its end: all that it would do is taken as done. The seeds of its blocks are not
    /// known.
    pub fn replayed(plan: &PlannedJob, ios: impl Iterator<Item = Desc>) -> Option<Writer> {
        let mut writer = Writer { knows_seeds: false, ..Writer::new(plan, Lineage::new(0))? };
        for desc in ios {
            match desc.op() {
                Op::Write => {
                    let number = writer.written.begin(&desc);
                    writer.written.end(number, true);
                }
                Op::Trim => writer.written.trimmed(&desc),
                _ => {}
            }
        }
        Some(writer)
    }

    fn seed(&self, number: u64) -> u64 {
        self.lineage.seed(WriteName { writer: self.id as u16, number })
    }

    /// Is this the seed of a write of this run? How much other jobs wrote is not known here; of random numbers, one in
    /// tens of millions is taken for a seed of theirs.
    fn is_ours(&self, seed: u64) -> bool {
        let issued = |writer: u16| if writer == self.id as u16 { self.written.issued() } else { OTHERS_MAX };
        let write = self.lineage.origin(seed, issued).filter(|_| self.knows_seeds);
        write.is_some_and(|write| write.writer == self.id as u16 || write.writer < WRITERS_MAX)
    }
}

/// What the reads of a job are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// They are load, and not checked.
    Load,
    /// Each is checked against what was written, as far as that is known.
    Checked,
    /// Those of what the job itself wrote and completed are checked.
    Backlog,
}

/// What a slot is used for.
#[derive(Clone, Copy, Debug, Default)]
enum Use {
    #[default]
    Nothing,
    Write(u64),
    /// A read that is checked, and the write that must be there.
    Check(Option<u64>),
}

/// The hook of a job with `verify=`.
pub struct Verifier {
    format: BlockFormat,
    checks: HeaderChecks,
    writer: Writer,
    reads: Reads,
    uses: Box<[Use]>,
    clock: Clock,
    /// Nanoseconds since the epoch when the run's clock was 0.
    epoch_ns: u64,
    found: Verification,
    /// The job ends at the first fault.
    ends_at_first: bool,
    /// Gives the state away now and then.
    saver: Option<state::Saver>,
}

impl Verifier {
    /// The hook of a job that writes, or that reads what it knows nothing of; `None` where it has too many blocks.
    pub fn new(
        plan: &PlannedJob,
        verify: &VerifyPlan,
        depth: u32,
        clock: Clock,
        lineage: Lineage,
    ) -> Option<Verifier> {
        if verify.checks_reads {
            return Some(Verifier::with(Writer::of_nothing(), verify, Reads::Checked, depth, clock));
        }
        let reads = if verify.backlog.is_some() { Reads::Backlog } else { Reads::Load };
        Some(Verifier::with(Writer::new(plan, lineage)?, verify, reads, depth, clock))
    }

    /// The hook of a job that reads back what `writer` wrote.
    pub fn reading_back(writer: Writer, verify: &VerifyPlan, depth: u32, clock: Clock) -> Verifier {
        Verifier::with(writer, verify, Reads::Checked, depth, clock)
    }

    fn with(writer: Writer, verify: &VerifyPlan, reads: Reads, depth: u32, clock: Clock) -> Verifier {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
        let format = format(verify);
        format.prepare();
        Verifier {
            format,
            checks: HeaderChecks { seed: verify.checks_seed, sequence: verify.checks_sequence },
            writer,
            reads,
            uses: vec![Use::Nothing; depth.max(1) as usize].into(),
            clock,
            epoch_ns: now.saturating_sub(clock.since_origin(clock.now())),
            found: Verification::of(verify.method),
            ends_at_first: verify.is_fatal,
            saver: None,
        }
    }

    /// What is to be read back, in the order in which it was written; what cannot be verified is counted.
    pub fn list(&mut self) -> Vec<Desc> {
        let (readable, unchecked) = self.writer.written.readable();
        self.found.unchecked = Unchecked { not_read: readable.len() as u64, ..unchecked };
        readable.into_iter().map(|last| last.desc.with_op(Op::Read)).collect()
    }

    /// What the job has written, for the job that reads it back.
    pub fn take_writer(&mut self) -> Writer {
        std::mem::replace(&mut self.writer, Writer::of_nothing())
    }

    /// Does it check anything that it reads?
    pub fn checks(&self) -> bool {
        self.reads != Reads::Load
    }

    /// What was found.
    pub fn found(&self) -> &Verification {
        &self.found
    }

    fn stamp(&self, number: u64) -> Stamp {
        let now = self.epoch_ns + self.clock.since_origin(self.clock.now());
        Stamp {
            seed: self.writer.seed(number),
            write: number,
            thread: self.writer.id as u16 + 1,
            seconds: (now / SECOND) as u32,
            nanos: (now % SECOND) as u32,
        }
    }

    fn check(&mut self, desc: &Desc, number: Option<u64>, data: &mut [u8]) {
        let writer = &self.writer;
        let expected = Expected {
            offset: desc.offset,
            seed: number.filter(|_| writer.knows_seeds).map(|number| writer.seed(number)),
            write: number,
        };
        let all = self.format.check(data, &expected, self.checks, &|seed| writer.is_ours(seed));
        let is_newer = !all.is_empty();
        let faults = self.without_newer(data, desc.offset, all);
        if is_newer && faults.is_empty() {
            return self.leave(|unchecked| &mut unchecked.newer);
        }
        self.writer.checked += 1;
        let found = &mut self.found;
        found.ios += 1;
        found.bytes += data.len() as u64;
        found.unchecked.not_read = found.unchecked.not_read.saturating_sub(1);
        if faults.is_empty() {
            return;
        }
        found.wrong += faults.len() as u64;
        let room = FAULTS_KEPT.saturating_sub(found.faults.len());
        let at = |fault| FaultAt { file: desc.file(), fault, io_offset: desc.offset, io_bytes: desc.len() };
        found.faults.extend(faults.into_iter().take(room).map(at));
    }

    /// Writes that are complete and not yet read back, as reads: at most `most`.
    pub fn backlog(&mut self, most: usize) -> Vec<Desc> {
        let mut writes = Vec::new();
        self.writer.written.take_complete(most, &mut writes);
        self.found.unchecked.not_read += writes.len() as u64;
        writes.into_iter().map(|desc| desc.with_op(Op::Read)).collect()
    }

    /// A read that was to be checked is not.
    fn leave(&mut self, why: impl Fn(&mut Unchecked) -> &mut u64) {
        let unchecked = &mut self.found.unchecked;
        unchecked.not_read = unchecked.not_read.saturating_sub(1);
        *why(unchecked) += 1;
    }

    /// Is the write that a read is to find still the last of its place?
    fn is_still_last(&self, desc: &Desc, number: Option<u64>) -> bool {
        number.is_none() || self.writer.written.at(desc).map(|last| last.number) == number
    }

    /// How many of at most `most` I/Os may be made now. A job that ends at the first wrong block makes none after it, and
    /// before it one at a time, so that it issues nothing that was made before the block was known to be wrong.
    pub fn room(&self, most: usize) -> usize {
        match (self.ends_at_first, self.found.wrong) {
            (false, _) => most,
            (true, 0) => 1,
            (true, _) => 0,
        }
    }
}

fn format(verify: &VerifyPlan) -> BlockFormat {
    BlockFormat {
        method: verify.method,
        interval: verify.interval,
        header_offset: verify.header_offset,
        pattern: verify.pattern.clone(),
        pattern_per_interval: verify.pattern_per_interval,
        zero_percent: verify.zero_percent,
    }
}

impl Hook for Verifier {
    fn issue(&mut self, slot: u32, desc: &Desc, data: &mut [u8]) {
        self.uses[slot as usize] = match desc.op() {
            Op::Write => {
                let number = self.writer.written.begin(desc);
                let stamp = self.stamp(number);
                self.format.write(data, desc.offset, &stamp);
                Use::Write(number)
            }
            Op::Trim => {
                self.writer.written.trimmed(desc);
                Use::Nothing
            }
            Op::Read if self.reads == Reads::Checked => {
                Use::Check(self.writer.written.at(desc).map(|last| last.number))
            }
            Op::Read if self.reads == Reads::Backlog => {
                self.writer.written.at(desc).map_or(Use::Nothing, |last| Use::Check(Some(last.number)))
            }
            _ => Use::Nothing,
        };
    }

    fn complete(&mut self, slot: u32, desc: &Desc, result: i32, data: &mut [u8]) {
        let is_whole = u64::try_from(result) == Ok(desc.bytes());
        match std::mem::take(&mut self.uses[slot as usize]) {
            Use::Write(number) => {
                self.writer.written.end(number, is_whole);
                self.has_written();
            }
            // What should be there is not known to the state.
            Use::Check(None) if self.writer.is_restored => self.leave(|unchecked| &mut unchecked.unknown),
            Use::Check(number) if is_whole && self.is_still_last(desc, number) => {
                self.check(desc, number, data)
            }
            // Another write of this place was issued while the read was in flight, so either may have been read.
            Use::Check(_) if is_whole => self.leave(|unchecked| &mut unchecked.overlapped),
            Use::Check(_) => self.leave(|unchecked| &mut unchecked.short_reads),
            Use::Nothing => {}
        }
    }
}

/// The failure of a job whose blocks were not all right, or that checked none although it was to check some.
pub fn failure_of(verifier: &Verifier, plan: &PlannedJob) -> Option<JobFailure> {
    let found = &verifier.found;
    let method = found.method.name();
    if let Some(FaultAt { file, fault, .. }) = found.faults.first() {
        let path = &plan.files[*file as usize].path;
        let blocks = if found.wrong == 1 { "block is" } else { "blocks are" };
        return Some(JobFailure {
            errno: libc::EILSEQ,
            message: format!("{path}: verify={method}: {} {blocks} not what was written", found.wrong),
            direction: Some(Direction::Read),
            offset: Some(fault.offset),
        });
    }
    let has_checked = verifier.writer.checked > 0 || verifier.reads != Reads::Checked;
    let message = format!("verify={method}: nothing was verified");
    (!has_checked).then_some(JobFailure { errno: 0, message, direction: None, offset: None })
}
