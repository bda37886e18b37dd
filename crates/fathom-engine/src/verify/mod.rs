//! Verification: what a job writes has a header and a checksum, and what it reads is checked.
//!
//! [`Verifier`] is the hook of such a job ([`crate::hook`]). While the job writes, it gives every write a number,
//! fills its blocks and records what is where ([`written`]). When the job has ended, a second job reads all of
//! that back ([`Listed`](crate::source::Listed)); its hook is a [`Verifier`], too. They are two
//! jobs of the plan, so each has its own window, series and figures; what was written goes from one to the other
//! through [`Handover`]. docs/adr/0024 has the reasons.

mod extents;
mod handover;
mod judge;
mod state;
mod threads;
mod written;
mod wrong_block;

pub use handover::Handover;
use judge::{Judge, Judged, Task};
pub use state::SavedState;
use threads::Checkers;
use written::{SyncedWrites, TrimId, Written};
pub use wrong_block::{WrongBlock, WrongBlockReceiver};

use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::hook::Hook;
use fathom_job::direction::Direction;
use fathom_job::options as opt;
use fathom_job::plan::{PlannedJob, VerifyPlan, VerifyTrim};
use fathom_results::{CachedFile, FaultAt, JobFailure, Unchecked, Verification};
use fathom_verify::{BlockFormat, HeaderChecks, Lineage, Stamp, WriteName};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many faults a job keeps; all are counted.
const FAULTS_KEPT: usize = 100;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// A job that writes, and what it has written.
#[derive(Debug)]
pub struct Writer {
    written: Written,
    origin: Origin,
    /// Earlier passes of the same verification, of which something may still be there.
    earlier: Vec<Lineage>,
    /// How many of its writes were read back while it wrote.
    checked: u64,
}

/// Whose writes those of a job are, and what is known of them.
#[derive(Clone, Copy, Debug)]
struct Origin {
    lineage: Lineage,
    /// Plan id of the job that wrote.
    job: u32,
    /// Are the seeds of its blocks known? Not where an earlier run wrote them.
    knows_seeds: bool,
    /// The writes are those of a state that an earlier run saved.
    restored: Option<Restored>,
}

/// What the run that saved a state may have done after it.
#[derive(Clone, Copy, Debug)]
struct Restored {
    /// It may have trimmed what it wrote.
    trims: bool,
    /// It may have written blocks that begin within those of the state, of at most so many bytes.
    shifted: Option<u64>,
}

impl Origin {
    /// A job of which no seed is known.
    fn unknown() -> Origin {
        Origin { lineage: Lineage::new(0), job: 0, knows_seeds: false, restored: None }
    }

    /// The seed of the write of this number.
    fn seed(&self, number: u64) -> u64 {
        self.lineage.seed(WriteName { writer: self.job as u16, number })
    }
}

impl Writer {
    /// A job that writes nothing.
    fn of_nothing() -> Writer {
        Writer { written: Written::nothing(), origin: Origin::unknown(), earlier: Vec::new(), checked: 0 }
    }

    /// A job that begins to write.
    fn new(plan: &PlannedJob, lineage: Lineage) -> Option<Writer> {
        let origin = Origin { lineage, job: plan.id, knows_seeds: true, ..Origin::unknown() };
        Some(Writer { written: Written::new(plan)?, origin, ..Writer::of_nothing() })
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
#[derive(Debug, Default)]
enum Use {
    #[default]
    Nothing,
    Write(u64),
    /// A trim, and its bytes.
    Trim(TrimId, u64),
    Sync(SyncedWrites),
    /// A read that is checked.
    Check(Expectation),
}

/// What a read must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expectation {
    /// A block of a write that is not known.
    Any,
    /// The block of the write of this number.
    Write(u64),
    /// Zeros, because the place of this write was trimmed.
    Zeros(u64),
}

impl Expectation {
    /// The number of the write that is read back.
    fn number(self) -> Option<u64> {
        match self {
            Expectation::Any => None,
            Expectation::Write(number) | Expectation::Zeros(number) => Some(number),
        }
    }
}

/// The hook of a job with `verify=`.
pub struct Verifier {
    judge: Judge,
    writer: Writer,
    reads: Reads,
    uses: Box<[Use]>,
    clock: Clock,
    /// Nanoseconds since the epoch when the run's clock was 0.
    epoch_ns: u64,
    found: Verification,
    /// The job ends at the first fault.
    ends_at_first: bool,
    /// Each write is synced when it is complete (`sync=1`, `sync=dsync`).
    writes_sync: bool,
    trim: Option<VerifyTrim>,
    /// The job trims nothing but what its verification has it trim.
    owns_trims: bool,
    /// Threads that check what is read (`verify_async`).
    checkers: Option<Checkers>,
    /// Where wrong blocks go that are to be saved (`verify_dump`).
    saves: Option<wrong_block::Saves>,
    /// Saves the state now and then (`verify_state_save`).
    saver: Option<state::Saver>,
}

/// What the hook of a job is made of, besides its plan.
pub struct VerifierParts<'a> {
    /// The job.
    pub plan: &'a PlannedJob,
    /// How it verifies.
    pub verify: &'a VerifyPlan,
    /// The run's clock.
    pub clock: Clock,
    /// Takes wrong blocks that are to be saved.
    pub wrong_blocks: WrongBlockReceiver,
}

impl Verifier {
    /// The hook of a job that writes, or that reads what it knows nothing of; `None` where it has too many blocks.
    pub fn new(parts: &VerifierParts<'_>, lineage: Lineage) -> Result<Option<Verifier>, JobFailure> {
        if parts.verify.checks_reads {
            return Verifier::with(Writer::of_nothing(), Reads::Checked, parts).map(Some);
        }
        let reads_while_writing = parts.verify.backlog.is_some() || parts.plan.verifies_passes();
        let reads = if reads_while_writing { Reads::Backlog } else { Reads::Load };
        let Some(writer) = Writer::new(parts.plan, lineage) else { return Ok(None) };
        Verifier::with(writer, reads, parts).map(Some)
    }

    /// What repeats the I/Os of a job that an earlier run ran to its end. The seeds of its blocks are not known.
    pub fn repeating(parts: &VerifierParts<'_>) -> Result<Option<Verifier>, JobFailure> {
        let verifier = Verifier::new(parts, Lineage::new(0))?;
        Ok(verifier.map(|mut verifier| {
            verifier.writer.origin.knows_seeds = false;
            verifier
        }))
    }

    /// Takes an I/O of that job as done.
    pub fn repeat(&mut self, desc: &Desc) {
        let written = &mut self.writer.written;
        match desc.op() {
            Op::Write => {
                let number = written.begin(desc);
                written.end(number, true);
            }
            Op::Trim => {
                let trim = written.begin_trim(desc, false);
                written.end_trim(trim, true);
            }
            _ => {}
        }
    }

    /// The hook of a job that reads back what `writer` wrote.
    pub fn reading_back(writer: Writer, parts: &VerifierParts<'_>) -> Result<Verifier, JobFailure> {
        Verifier::with(writer, Reads::Checked, parts)
    }

    fn with(writer: Writer, reads: Reads, parts: &VerifierParts<'_>) -> Result<Verifier, JobFailure> {
        let VerifierParts { plan, verify, clock, ref wrong_blocks } = *parts;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
        let format = format(verify);
        format.prepare();
        let judge = Judge {
            format,
            checks: HeaderChecks { seed: verify.checks_seed, sequence: verify.checks_sequence },
            origin: writer.origin,
            earlier: writer.earlier.clone(),
        };
        let of_any_run = !writer.origin.knows_seeds && verify.method.has_header();
        let checkers = match verify.threads {
            _ if reads == Reads::Load => None,
            0 => None,
            threads => Some(Checkers::start(plan, threads, verify.cpus.as_deref(), &judge)?),
        };
        Ok(Verifier {
            judge,
            writer,
            reads,
            uses: (0..plan.depth.reachable.max(1)).map(|_| Use::Nothing).collect(),
            clock,
            epoch_ns: now.saturating_sub(clock.since_origin(clock.now())),
            found: Verification { of_any_run, ..Verification::of(verify.method) },
            ends_at_first: verify.is_fatal,
            writes_sync: matches!(plan.job.get(&opt::SYNC), "sync" | "dsync"),
            trim: verify.trim,
            owns_trims: !plan.uses(Direction::Trim),
            checkers,
            saves: verify.dumps.then(|| wrong_block::Saves::new(plan, wrong_blocks.clone())),
            saver: None,
        })
    }

    /// What is to be read back, in the order in which it was written.
    pub fn list(&mut self) -> Vec<Desc> {
        self.writer.written.take_readable(|last| last.desc.with_op(Op::Read))
    }

    /// What the job has written, for the job that reads it back.
    pub fn take_writer(&mut self) -> Writer {
        std::mem::replace(&mut self.writer, Writer::of_nothing())
    }

    /// Does it check anything that it reads?
    pub fn checks(&self) -> bool {
        self.reads != Reads::Load
    }

    /// Does the job need more I/Os than its options ask for, or are some of those checked?
    pub fn guides(&self) -> bool {
        self.checks() || self.trim.is_some()
    }

    /// The job has ended: what threads still check is waited for, and all that was not checked is counted.
    pub fn finish(&mut self) {
        if let Some(checkers) = self.checkers.take() {
            checkers.finish(|judged| self.record(judged));
        }
        if self.reads == Reads::Checked {
            let account = self.writer.written.account();
            let found = &mut self.found;
            let Unchecked { short_reads, newer, unknown, .. } = found.unchecked;
            found.unchecked = Unchecked { short_reads, newer, unknown, ..account.unchecked };
            (found.replaced, found.trimmed) = (account.replaced, account.trimmed);
        }
    }

    /// What was found.
    pub fn found(&self) -> &Verification {
        &self.found
    }

    /// Files of which pages may still be in the page cache when they are read back.
    pub fn stay_cached(&mut self, files: Vec<CachedFile>) {
        self.found.cached = files;
    }

    /// All files of the job were synced at its end.
    pub fn synced(&mut self) {
        self.writer.written.sync_all();
    }

    fn stamp(&self, number: u64) -> Stamp {
        let now = self.epoch_ns + self.clock.since_origin(self.clock.now());
        Stamp {
            seed: self.writer.origin.seed(number),
            write: number,
            thread: self.writer.origin.job as u16 + 1,
            seconds: (now / SECOND) as u32,
            nanos: (now % SECOND) as u32,
        }
    }

    /// Checks what was read, here or in a thread that has room for it.
    fn check(&mut self, desc: &Desc, expectation: Expectation, data: &mut [u8]) {
        let task = Task { desc: *desc, expectation, issued: self.writer.written.issued() };
        let is_taken = self.checkers.is_some() && self.give(task, data);
        if !is_taken {
            let judged = self.judge.judge(task, data, self.saves.is_some());
            self.record(judged);
        }
    }

    /// Gives what was read to a thread that has room for it, and counts what threads have checked by now.
    fn give(&mut self, task: Task, data: &mut [u8]) -> bool {
        let is_taken = self.checkers.as_mut().is_some_and(|checkers| checkers.give(task, data));
        self.collect();
        is_taken
    }

    /// Counts what threads have checked since the last time.
    fn collect(&mut self) {
        if let Some(mut checkers) = self.checkers.take() {
            checkers.collect(|judged| self.record(judged));
            self.checkers = Some(checkers);
        }
    }

    /// Counts what was checked.
    fn record(&mut self, judged: Judged) {
        let Judged { task: Task { desc, expectation, .. }, faults, is_newer } = judged;
        if let Some(number) = expectation.number() {
            self.end_reading(number, !is_newer);
        }
        if is_newer {
            self.found.unchecked.newer += 1;
            return;
        }
        self.writer.checked += 1;
        let found = &mut self.found;
        found.ios += 1;
        found.bytes += desc.bytes();
        found.wrong += faults.len() as u64;
        for (fault, contents) in faults {
            if found.faults.len() == FAULTS_KEPT {
                break;
            }
            let saved = self
                .saves
                .as_mut()
                .zip(contents)
                .and_then(|(saves, contents)| saves.save(&desc, &fault, contents));
            let at =
                FaultAt { file: desc.file(), fault, io_offset: desc.offset, io_bytes: desc.len(), saved };
            found.faults.push(at);
        }
    }

    /// Writes that are complete and not yet read back, as reads: at most `most`.
    pub fn backlog(&mut self, most: usize) -> Vec<Desc> {
        let writes = self.writer.written.take_complete(most);
        writes.into_iter().map(|desc| desc.with_op(Op::Read)).collect()
    }

    /// How many writes are not yet read back and can be, and their bytes; `None` while I/Os are in flight that change blocks.
    pub fn unread(&self) -> Option<(u64, u64)> {
        self.writer.written.unread()
    }

    /// Blocks that are complete and chosen to be trimmed: at most `most`.
    pub fn trims(&mut self, most: usize) -> Vec<Desc> {
        let Some(VerifyTrim { percentage, .. }) = self.trim else { return Vec::new() };
        let writes = self.writer.written.take_for_trim(most, |number| is_chosen(number, percentage));
        writes.into_iter().map(|desc| Desc::trim(desc.offset, desc.bytes(), desc.file())).collect()
    }

    /// The I/Os in flight that the verification added, and their bytes.
    pub fn own_in_flight(&self) -> (u64, u64) {
        let bytes = |of: &Use| match of {
            Use::Check(expectation) => self.writer.written.due_bytes(expectation.number()?),
            Use::Trim(_, bytes) if self.owns_trims => Some(*bytes),
            _ => None,
        };
        self.uses.iter().filter_map(bytes).fold((0, 0), |(ios, all), bytes| (ios + 1, all + bytes))
    }

    /// See [`Written::end_reading`]. A job that writes also reads for its own load, so of its reads only those count that it made to
    /// check.
    fn end_reading(&mut self, number: u64, is_checked: bool) -> bool {
        self.writer.written.end_reading(number, is_checked, self.reads == Reads::Backlog)
    }

    /// The read of what was to be checked failed or was short.
    fn leave(&mut self, expectation: Expectation) {
        let counts = match expectation.number() {
            None => true,
            Some(number) => self.end_reading(number, false),
        };
        self.found.unchecked.short_reads += u64::from(counts);
    }

    /// What a read of this place must find, if it is to be checked.
    fn expectation(&self, desc: &Desc) -> Option<Expectation> {
        let last = self.writer.written.at(desc);
        match (self.reads, last) {
            (Reads::Load, _) | (Reads::Backlog, None) => None,
            (Reads::Checked, None) => Some(Expectation::Any),
            (_, Some(last)) if last.is_trimmed => Some(Expectation::Zeros(last.number)),
            (_, Some(last)) => Some(Expectation::Write(last.number)),
        }
    }

    fn end_write(&mut self, number: u64, desc: &Desc, is_whole: bool) {
        let written = &mut self.writer.written;
        written.end(number, is_whole);
        if self.writes_sync {
            let covered = written.begin_sync(desc.file());
            written.end_sync(covered, is_whole);
        }
        self.has_written();
    }

    /// How many of at most `most` I/Os may be made now. A job that ends at the first wrong block makes none after it, and
    /// before it one at a time, so that it issues nothing that was made before the block was known to be wrong.
    pub fn room(&mut self, most: usize) -> usize {
        if self.ends_at_first && self.checkers.is_some() {
            self.collect();
        }
        match (self.ends_at_first, self.found.wrong) {
            (false, _) => most,
            (true, 0) => 1,
            (true, _) => 0,
        }
    }
}

/// Is the block of the write of this number trimmed? Every hundred of them are spread evenly, by multiples of the golden
/// ratio.
fn is_chosen(number: u64, percent: u32) -> bool {
    let place = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (place * 100) >> 32 < u64::from(percent)
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
                self.judge.format.write(data, desc.offset, &stamp);
                Use::Write(number)
            }
            Op::Trim => {
                let zeroes = self.trim.is_some_and(|trim| trim.expects_zero);
                Use::Trim(self.writer.written.begin_trim(desc, zeroes), desc.bytes())
            }
            Op::Fsync | Op::Fdatasync => Use::Sync(self.writer.written.begin_sync(desc.file())),
            Op::Read => self.expectation(desc).map_or(Use::Nothing, Use::Check),
            Op::SyncRange => Use::Nothing,
        };
    }

    fn complete(&mut self, slot: u32, desc: &Desc, result: i32, data: &mut [u8]) {
        let is_whole = u64::try_from(result) == Ok(desc.bytes());
        match std::mem::take(&mut self.uses[slot as usize]) {
            Use::Write(number) => self.end_write(number, desc, is_whole),
            Use::Trim(trim, _) => self.writer.written.end_trim(trim, result == 0),
            Use::Sync(covered) => self.writer.written.end_sync(covered, result == 0),
            // What should be there is not known to the state.
            Use::Check(Expectation::Any) if self.writer.origin.restored.is_some() => {
                self.found.unchecked.unknown += 1
            }
            // If another write of this place was issued while the read was in flight, either may have been read.
            Use::Check(expectation) if is_whole => {
                if expectation == Expectation::Any || self.expectation(desc) == Some(expectation) {
                    self.check(desc, expectation, data);
                }
            }
            Use::Check(expectation) => self.leave(expectation),
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
