//! How what a job writes, or reads, is verified ([`VerifyPlan`]), and what cannot be verified, found before anything runs.
//!
//! The rules are fio's, checked against fio 3.33, as far as its result is right: `verify_pattern` alone asks for
//! `pattern_hdr`; jobs that only read check what they read, whatever `do_verify` says, and mixed jobs check only what
//! they wrote; an interval that does not divide the blocks is replaced by one that does; zeros, patterns and duplicates
//! of the buffer options are not written. Where fio writes one header over another, ends with an assertion, or
//! verifies nothing and reports success, this is an error.

use super::notes::{self, Checked, Notes};
use super::overlap::{self, Meeting, PairKind};
use super::target::{Machine, TargetKind, TargetLookup};
use super::verify_headers::headers;
use super::{Passes, PlannedFile, PlannedJob, ResolvedJob};
use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::Direction;
use crate::engine::EngineDef;
use crate::job::Job;
use crate::option::{Key, OptionDef};
use crate::options;
use crate::value::Mix;
use fathom_verify::{Method, Pattern, PatternPart};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the blocks of a job are verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyPlan {
    /// The method by which a block is checked.
    pub method: Method,
    /// Bytes from one header to the next (`verify_interval`); `None`: one header for each I/O. Every block is a multiple
    /// of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<u32>,
    /// Bytes from the start of the block, or interval, to its header (`verify_offset`).
    pub header_offset: u32,
    /// What is written behind the header in place of random bytes (`verify_pattern`). With `meta`, it is checked too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
    /// The pattern begins again at each interval (`verify_pattern_interval`).
    pub pattern_per_interval: bool,
    /// Percent of each block that is zeros (`buffer_compress_percentage`); 0 where there is a pattern.
    pub zero_percent: u32,
    /// What was written is read back and checked (`do_verify`).
    pub reads_back: bool,
    /// Nothing is written: what an earlier run of the same job wrote is read and checked (`verify_only`).
    pub only: bool,
    /// The job only reads, and every block that it reads is checked.
    pub checks_reads: bool,
    /// The job ends at the first block that is wrong (`verify_fatal`).
    pub is_fatal: bool,
    /// Blocks that are wrong are saved (`verify_dump`).
    pub dumps: bool,
    /// Blocks are checked while others are written (`verify_backlog`). With `verify_only`, the run that wrote checked them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<Backlog>,
    /// What was written is also read back after each pass but the last, and what the verification adds while the job writes counts
    /// for `number_ios` and `io_size`, as in fio.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each_pass: bool,
    /// Threads that check blocks; 0 is the worker itself (`verify_async`).
    pub threads: u32,
    /// CPUs of these threads, all of them present; `None` inherits (`verify_async_cpus`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<Vec<usize>>,
    /// The number of each write is checked (`verify_write_sequence`).
    pub checks_sequence: bool,
    /// The seed in each header is checked (`verify_header_seed`).
    pub checks_seed: bool,
    /// Which writes are expected.
    pub policy: VerifyPolicy,
    /// What was written is saved when the run is interrupted (`verify_state_save`).
    pub saves_state: bool,
    /// It continues from what was saved (`verify_state_load`).
    pub loads_state: bool,
    /// Blocks that are trimmed and checked (`trim_percentage`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<VerifyTrim>,
}

/// When blocks are checked while others are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Backlog {
    /// After this many writes, at least 1.
    pub writes: u64,
    /// Blocks checked at a time, at least 1.
    pub batch: u64,
}

/// Which writes a verification expects to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerifyPolicy {
    /// All that completed.
    Completed,
    /// Those before a sync that completed.
    Fsynced,
}

/// Blocks that were written and are trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyTrim {
    /// Percent of the verified blocks.
    pub percentage: u32,
    /// They must read as zeros (`trim_verify_zero`).
    pub expects_zero: bool,
    /// After this many writes; 0 is when all are written (`trim_backlog`).
    pub backlog: u64,
    /// Blocks at a time (`trim_backlog_batch`).
    pub batch: u64,
}

impl VerifyPlan {
    /// Is anything read and checked, and not only written so that it can be?
    pub fn checks(&self) -> bool {
        self.reads_back || self.only || self.checks_reads
    }

    /// The line of the plan.
    pub(super) fn words(&self) -> String {
        let mut text = self.method.name().to_owned();
        match self.interval {
            Some(bytes) if self.method.has_header() => text += &format!(", a header every {bytes} bytes"),
            _ => {}
        }
        text += match () {
            () if self.only => ", nothing is written: checks what an earlier run of this job wrote",
            () if self.checks_reads => ", checks each block that is read",
            () if self.backlog.is_some() => "",
            () if self.reads_back => ", read back and checked when all is written",
            () => ", not read back (do_verify=0)",
        };
        if let Some(Backlog { writes, batch }) = self.backlog.filter(|_| !self.only) {
            text += &format!(", read back and checked {batch} blocks at a time after each {writes} writes");
        }
        if let Some(VerifyTrim { percentage, expects_zero, .. }) = self.trim {
            text += &format!(", {percentage} % of the blocks are trimmed");
            text += if expects_zero { " and must read as zeros" } else { "" };
        }
        match self.threads {
            0 => {}
            1 => text += ", 1 thread checks",
            threads => text += &format!(", {threads} threads check"),
        }
        if self.policy == VerifyPolicy::Fsynced {
            text += ", only writes before a completed sync are expected";
        }
        text + if self.is_fatal { ", ends at the first wrong block" } else { "" }
    }
}

impl<Files> ResolvedJob<Files> {
    /// Does it read and check what was written, by itself or before?
    pub fn verifies(&self) -> bool {
        self.verify.as_ref().is_some_and(VerifyPlan::checks)
    }

    /// Does it read back after each pass, or count what its verification adds? A job that makes one pass and has no backlog does
    /// not.
    pub fn verifies_passes(&self) -> bool {
        let each_pass = |verify: &&VerifyPlan| verify.each_pass && verify.reads_back;
        let Some(verify) = self.verify.as_ref().filter(each_pass) else { return false };
        let may_go_on =
            |passes: Passes| self.end.loops > 1 || passes.wanted.0 > 0 || verify.backlog.is_some();
        self.reads_back.is_none() && self.end.passes.is_some_and(may_go_on)
    }
}

/// The method of a job. A pattern alone asks for one, as in fio.
pub(super) fn method_of(job: &Job) -> Option<Method> {
    match job.given(&options::VERIFY) {
        Some(name) => Method::named(name),
        None => job.is_given(&options::VERIFY_PATTERN).then_some(Method::PatternHdr),
    }
}

/// Bytes of one repetition.
pub(super) fn pattern_bytes(pattern: &Pattern) -> u64 {
    let bytes = pattern.parts.iter().map(|part| match part {
        PatternPart::Bytes(bytes) => bytes.len() as u64,
        PatternPart::BlockOffset => 8,
    });
    bytes.sum()
}

/// The verification of a job, or why there can be none.
pub(super) fn plan_of(
    planned: &PlannedJob,
    engine: &EngineDef,
    machine: &Machine,
    notes: &mut Notes,
) -> Checked<Option<VerifyPlan>> {
    let job = &planned.job;
    let Some(method) = method_of(job) else {
        return without_method(job, notes).map(|()| None);
    };
    can_verify(planned, engine, method)?;
    let writes = planned.uses(Direction::Write);
    let only = job.get(&options::VERIFY_ONLY) && writes;
    let checks_reads = planned.rw.mix == Mix::Read;
    let loads_state = job.get(&options::VERIFY_STATE_LOAD);
    match (loads_state, only) {
        (true, _) => can_load_state(job, only || checks_reads)?,
        (false, true) => can_only_verify(job)?,
        (false, false) => {}
    }
    let headers = headers(planned, method, notes)?;
    let pattern = job.get(&options::VERIFY_PATTERN);
    let zero_percent =
        job.get(&options::BUFFER_COMPRESS_PERCENTAGE).filter(|_| pattern.is_none()).unwrap_or(0);
    let plan = VerifyPlan {
        method,
        interval: headers.interval,
        header_offset: headers.offset,
        pattern,
        pattern_per_interval: job.get(&options::VERIFY_PATTERN_INTERVAL),
        zero_percent,
        reads_back: writes && job.get(&options::DO_VERIFY),
        only,
        checks_reads,
        is_fatal: job.get(&options::VERIFY_FATAL),
        dumps: job.get(&options::VERIFY_DUMP),
        backlog: backlog(job).filter(|_| writes && job.get(&options::DO_VERIFY)),
        each_pass: false,
        threads: job.get(&options::VERIFY_ASYNC),
        cpus: present_cpus(job, machine)?,
        checks_sequence: job.get(&options::VERIFY_WRITE_SEQUENCE),
        checks_seed: job.get(&options::VERIFY_HEADER_SEED),
        policy: match job.get(&options::VERIFY_POLICY) {
            "fsynced" => VerifyPolicy::Fsynced,
            _ => VerifyPolicy::Completed,
        },
        saves_state: job.get(&options::VERIFY_STATE_SAVE),
        loads_state,
        trim: trim(planned, notes),
    };
    remark(planned, &plan, notes);
    Ok(Some(plan))
}

fn backlog(job: &Job) -> Option<Backlog> {
    let writes = job.get(&options::VERIFY_BACKLOG);
    let batch = match job.get(&options::VERIFY_BACKLOG_BATCH) {
        0 => writes,
        batch => u64::from(batch),
    };
    (writes > 0).then_some(Backlog { writes, batch })
}

/// What is trimmed of the blocks that are verified. fio 3.33 trims nothing without `trim_backlog`; here the blocks are
/// trimmed when all are written, but not where a job is to do what fio does.
fn trim(planned: &PlannedJob, notes: &mut Notes) -> Option<VerifyTrim> {
    let job = &planned.job;
    let (percentage, backlog) = (job.get(&options::TRIM_PERCENTAGE), job.get(&options::TRIM_BACKLOG));
    if percentage == 0 || !planned.uses(Direction::Write) || !job.get(&options::DO_VERIFY) {
        return None;
    }
    if backlog == 0 && planned.compat_fio {
        let message =
            format!("job {}: trim_percentage trims nothing without trim_backlog, as in fio", job.name);
        notes.push(
            notes::note(job, &options::TRIM_PERCENTAGE, "verify-trims-nothing", message)
                .hint("trim_backlog=64 trims after each 64 writes"),
        );
        return None;
    }
    let batch = match job.get(&options::TRIM_BACKLOG_BATCH) {
        0 => backlog,
        batch => u64::from(batch),
    };
    Some(VerifyTrim { percentage, expects_zero: expects_zero(planned, notes), backlog, batch })
}

/// Must trimmed blocks read as zeros? Holes of files do. Linux says of no device whether its discarded blocks do, so
/// they are expected to only where the job says so, or does what fio does, which always expects it.
fn expects_zero(planned: &PlannedJob, notes: &mut Notes) -> bool {
    let job = &planned.job;
    let is_files =
        planned.files.iter().all(|file| matches!(file.kind, TargetKind::File | TargetKind::Missing));
    let expects = job.get(&options::TRIM_VERIFY_ZERO);
    if !expects || is_files || planned.compat_fio || job.is_given(&options::TRIM_VERIFY_ZERO) {
        return expects;
    }
    let message = format!(
        "job {}: Linux does not say whether blocks of a device that were trimmed read as zeros, so they are not read back",
        job.name
    );
    notes.push(
        notes::note(job, &options::TRIM_PERCENTAGE, "verify-trimmed", message)
            .hint("trim_verify_zero=1 expects zeros"),
    );
    false
}

fn present_cpus(job: &Job, machine: &Machine) -> Checked<Option<Vec<usize>>> {
    let Some(mut cpus) = job.get(&options::VERIFY_ASYNC_CPUS) else { return Ok(None) };
    cpus.retain(|cpu| *cpu < machine.cpus);
    if cpus.is_empty() {
        let message = format!(
            "job {}: verify_async_cpus names no CPU of this machine, which has {}",
            job.name, machine.cpus
        );
        return Err(notes::error(job, &options::VERIFY_ASYNC_CPUS, "verify-cpus", message)
            .hint(format!("verify_async_cpus=0-{}", machine.cpus - 1)));
    }
    Ok(Some(cpus))
}

/// Options that say how to verify, and that do nothing in a job that verifies nothing.
const ONLY_WITH_VERIFY: &[&OptionDef] = &[
    options::VERIFY_INTERVAL.def,
    options::VERIFY_OFFSET.def,
    options::VERIFY_PATTERN.def,
    options::VERIFY_PATTERN_INTERVAL.def,
    options::VERIFY_FATAL.def,
    options::VERIFY_BACKLOG.def,
    options::VERIFY_BACKLOG_BATCH.def,
    options::VERIFY_STATE_LOAD.def,
];

/// A job without a method: it checks nothing, so nothing may ask it to.
fn without_method(job: &Job, notes: &mut Notes) -> Checked<()> {
    if job.get(&options::VERIFY_ONLY) {
        let message =
            format!("job {}: verify_only has nothing to check, because verify is not given", job.name);
        let error = notes::error(job, &options::VERIFY_ONLY, "verify-only", message);
        return Err(error.hint("verify= as the job had it that wrote, or verify_only=0"));
    }
    let idle: Vec<&str> =
        ONLY_WITH_VERIFY.iter().map(|def| def.name).filter(|name| asks_for_something(job, name)).collect();
    if let Some(first) = idle.first() {
        let (verb, why) = (
            if idle.len() == 1 { "has" } else { "have" },
            match job.is_given(&options::VERIFY) {
                true => "verify=0",
                false => "verify is not given",
            },
        );
        let message = format!("job {}: {} {verb} no effect: {why}", job.name, idle.join(", "));
        let note = Diagnostic::new(Severity::Note, "verify-idle", message);
        notes.push(notes::at_name(note, job, first).hint("verify=crc32c checks what is written"));
    }
    Ok(())
}

/// Is the option set to something else than its default?
fn asks_for_something(job: &Job, name: &str) -> bool {
    let default = options::find(name).and_then(crate::parse::default_of);
    job.named(name).is_some_and(|setting| Some(&setting.value) != default.as_ref())
}

/// What nobody could verify.
fn can_verify(planned: &PlannedJob, engine: &EngineDef, method: Method) -> Checked<()> {
    let job = &planned.job;
    let (code, why, hint) = match () {
        () if engine.diskless || !engine.moves_data() => (
            "verify-engine",
            format!("ioengine={} keeps no data, so nothing that is written can be read back", engine.name),
            "verify=0, or an engine that reads and writes a target: ioengine=psync or io_uring",
        ),
        () if planned.rw.mix == Mix::Trim => (
            "verify-trim",
            "a job that does nothing but trim writes nothing that could be verified".to_owned(),
            "verify=0; or rw=trimwrite, which writes what it trims",
        ),
        () if method.needs_pattern() && !job.is_given(&options::VERIFY_PATTERN) => (
            "verify-pattern",
            format!("verify={} needs the bytes that are written and expected", method.name()),
            "verify_pattern=0xdeadbeef, or verify=crc32c, which needs no pattern",
        ),
        () => return Ok(()),
    };
    Err(refused(job, &options::VERIFY, code, (&why, hint)))
}

/// Why a job cannot be verified as an option asks, and what to write instead.
fn refused<T>(job: &Job, option: &Key<T>, code: &str, (why, hint): (&str, &str)) -> Diagnostic {
    notes::error(job, option, code, format!("job {}: {why}", job.name)).hint(hint)
}

/// `verify_only` repeats the writes of the job without writing, so they must be the same and have an end.
fn can_only_verify(job: &Job) -> Checked<()> {
    let reason = match () {
        () if job.get(&options::TIME_BASED) => (
            "a job with time_based wrote as much as it had time for, which verify_only cannot repeat",
            "rw=read with the same verify= checks each block of the region",
        ),
        () if job.is_given(&options::RUNTIME) => (
            "a job with a run time may have written less than verify_only expects",
            "without runtime; or rw=read with the same verify=, which checks each block of the region",
        ),
        () if job.get(&options::RAMP_TIME).0 > 0 || job.get(&options::RAMP_SIZE).0 > 0 => (
            "what a job wrote in its ramp cannot be repeated by verify_only",
            "without ramp_time and ramp_size; or rw=read with the same verify=, which checks each block of the region",
        ),
        () if job.get(&options::TRIM_PERCENTAGE) > 0 => (
            "which blocks a job with trim_percentage trimmed depends on the order in which its writes completed",
            "trim_percentage=0 for both jobs",
        ),
        () if !job.get(&options::RANDREPEAT) && !job.is_given(&options::RANDSEED) => (
            "with randrepeat=0 the order of the writes was another in each run",
            "randrepeat=1 and the randseed of the run that wrote; or rw=read with the same verify=",
        ),
        () if !job.get(&options::DO_VERIFY) => {
            ("with verify_only and do_verify=0 nothing is written and nothing is checked", "do_verify=1")
        }
        () => return Ok(()),
    };
    Err(refused(job, &options::VERIFY_ONLY, "verify-only", reason))
}

/// A state says what is to be there, so nothing may be written first.
fn can_load_state(job: &Job, only_reads: bool) -> Checked<()> {
    let reason = match () {
        () if !only_reads => (
            "verify_state_load checks what an earlier run wrote, and this job would write over it",
            "verify_only=1, or rw=read with the same verify=",
        ),
        () if !job.get(&options::DO_VERIFY) => {
            ("with verify_state_load and do_verify=0 nothing is checked", "do_verify=1")
        }
        () => return Ok(()),
    };
    Err(refused(job, &options::VERIFY_STATE_LOAD, "verify-state", reason))
}

/// Options of the data that a verification replaces.
const REPLACED_DATA: &[&OptionDef] =
    &[options::ZERO_BUFFERS.def, options::BUFFER_PATTERN.def, options::DEDUPE_PERCENTAGE.def];

/// What a person should know of a verification that will not do what its options say.
fn remark(planned: &PlannedJob, plan: &VerifyPlan, notes: &mut Notes) {
    let job = &planned.job;
    let writes = planned.writes() && !plan.only;
    let replaced: Vec<&str> = REPLACED_DATA
        .iter()
        .map(|def| def.name)
        .filter(|name| writes && asks_for_something(job, name))
        .collect();
    if let Some(first) = replaced.first() {
        let message = format!(
            "job {}: {} has no effect with verify: verified blocks have content of their own, as in fio",
            job.name,
            replaced.join(", ")
        );
        let note = Diagnostic::new(Severity::Note, "verify-data", message);
        notes.push(notes::at_name(note, job, first).hint("verify_pattern for bytes that are known"));
    }
    let is_timed = planned.job.get(&options::TIME_BASED) && plan.backlog.is_none();
    if is_timed && plan.reads_back && !planned.uses(Direction::Read) {
        let message = format!(
            "job {} writes until its time is over, and reads back what it wrote after that; fio has no time left then, and \
             verifies nothing",
            job.name
        );
        notes.push(
            notes::note(job, &options::TIME_BASED, "verify-after-time", message)
                .hint("verify_backlog=1024 verifies while it writes, as in fio"),
        );
    }
    if !plan.checks() && !planned.uses(Direction::Write) {
        let message = format!(
            "job {}: a mix verifies what it wrote, and this one writes nothing, so nothing is verified",
            job.name
        );
        notes.push(
            notes::note(job, &options::RW, "verify-nothing", message)
                .hint("rw=read or randread checks each block that is read"),
        );
    }
}

// What is only known of all jobs together.

/// Adds an error for each pair of jobs of which one verifies what the other may write meanwhile, and for each file that
/// is verified and that nobody has written.
pub(super) fn find_faults(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    if jobs.iter().any(PlannedJob::verifies) {
        find_other_writers(jobs, lookup, notes);
        find_unwritten(jobs, lookup, notes);
    }
}

/// Would it write, if `verify_only` did not forbid it? What it expects is then what it would have written.
fn claims(planned: &PlannedJob) -> bool {
    planned.uses(Direction::Write) || planned.uses(Direction::Trim)
}

/// Pairs of which one verifies, and one of the two writes.
const VERIFIED_AND_WRITTEN: PairKind =
    PairKind { class: verifies_or_writes, others: [&[1, 2], &[0, 1, 2], &[0, 1]] };

/// 0: it verifies what others wrote; 1: it verifies what it writes; 2: it only writes.
fn verifies_or_writes(planned: &PlannedJob) -> usize {
    match (planned.verifies(), claims(planned)) {
        (true, false) => 0,
        (true, true) => 1,
        (false, _) => 2,
    }
}

fn find_other_writers(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    let concerned = jobs.iter().filter(|job| claims(job) || job.verifies());
    for reaches in overlap::by_stage_and_place(concerned, lookup) {
        let all_met = overlap::meetings_of(reaches, &[VERIFIED_AND_WRITTEN]);
        all_met.pairs.iter().for_each(|meeting| notes.push(other_writer(meeting)));
    }
}

fn other_writer(meeting: &Meeting<'_>) -> Diagnostic {
    let Meeting { first, second, path, from, to } = meeting;
    let clones = overlap::key(first) == overlap::key(second);
    let message = format!(
        "{}.{} and {}.{} use bytes {from} to {} of {path} at the same time, and at least one of them writes and one \
         verifies: which of them wrote a block cannot be known",
        first.name,
        first.subjob,
        second.name,
        second.subjob,
        to - 1,
    );
    let option = if clones { options::NUMJOBS.def } else { options::FILENAME.def };
    let error = notes::at_name(Diagnostic::error("verify-writers", message), &second.job, option.name);
    error.hint(match clones {
        true => "offset_increment and size that give each clone its own part, or do_verify=0",
        false => "offset and size that keep them apart, or stonewall between them",
    })
}

/// Code of the error where a state says that more was written than the file has.
pub const LOST: &str = "verify-lost";

/// A file that does not exist, or is too short, lacks what is to be checked, unless a job of the plan writes it. fio
/// would write random bytes there first.
fn find_unwritten(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    let written: BTreeSet<String> = jobs
        .iter()
        .filter(|job| job.writes())
        .flat_map(|job| job.files.iter().map(|file| lookup.place(&file.path)))
        .collect();
    let checks = |job: &&PlannedJob| {
        let is_null = job.verify.as_ref().is_some_and(|verify| verify.method == Method::Null);
        job.verifies() && !job.writes() && !is_null
    };
    for job in jobs.iter().filter(checks) {
        let unwritten = job.files.iter().filter(|file| !written.contains(&lookup.place(&file.path)));
        if let Some(lack) = unwritten.filter_map(lack).next() {
            let is_lost = job.verify.as_ref().is_some_and(|verify| verify.loads_state);
            let (code, why, hint) = match is_lost {
                true => (
                    LOST,
                    "; its state says that it was written, so data are lost",
                    "keep the file as it is: what is left of it can be examined; nothing was read or written",
                ),
                false => (
                    "verify-missing",
                    "",
                    "a job with rw=write and the same verify= writes what can be verified",
                ),
            };
            let message = format!("job {}: {lack}{why}", job.name);
            notes.push(notes::error(&job.job, &options::FILENAME, code, message).hint(hint));
        }
    }
}

fn lack(file: &PlannedFile) -> Option<String> {
    let length = file.length.unwrap_or_default();
    match file.kind {
        TargetKind::Missing => Some(format!("{} does not exist, so there is nothing to verify", file.path)),
        TargetKind::File if length < file.needs => {
            Some(format!("{} has {length}, and its first {} are to be verified", file.path, file.needs))
        }
        _ => None,
    }
}
