//! Jobs that issue the I/Os of a trace (`read_iolog`): which, where, and what follows from that for the rest of the plan.
//!
//! Names, directions, sizes and offsets are those of the trace. A job of it has them as its own before anything else is planned, so every
//! rule about targets, consent, alignment and space holds for it too.

use super::layout::PlannedLayout;
use super::notes::{self, Checked, Notes};
use super::region::Spot;
use super::target::{PlannedTarget, TargetKind, TargetLookup};
use super::{
    BlockSizes, EndRule, Expected, PlannedFile, PlannedJob, ResolvedJob, duration, files, memory, zones,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::{Direction, PerDirection};
use crate::engine;
use crate::engine::EngineDef;
use crate::job::{Job, OptionSetting, Origin};
use crate::option::Key;
use crate::options;
use crate::trace::{MergeTerms, ReplayTerms, SKIPPED, TraceColumns, TraceFacts, TraceFile};
use crate::units::{Bytes, Nanos};
use crate::value::{Mix, Rw, Value};
use fathom_text::words::{counted, first_of};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Direct I/O of whole pages is possible on every device.
const PAGE: u64 = 4096;

/// The trace of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayPlan {
    /// The file with the trace.
    pub trace: String,
    /// Those that it is merged with (`merge_blktrace_file`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_with: Vec<String>,
    /// How it is replayed.
    pub terms: ReplayTerms,
    /// I/Os of one pass over it.
    pub ios: PerDirection<u64>,
    /// Syncs of one pass.
    pub syncs: u64,
    /// When the last I/O of a pass is meant to start.
    pub last_start: Nanos,
}

impl ReplayPlan {
    /// All files that are read.
    pub fn traces(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.trace).chain(&self.merged_with)
    }

    /// The trace, what it holds, how fast it is replayed, and what is changed: `web.blk: 900 reads, 100 writes; at 200 % of the speed of
    /// the trace, 3 s to the last I/O`.
    pub(super) fn words(&self) -> String {
        let names: Vec<&str> = self.traces().map(String::as_str).collect();
        let counts = self.ios.iter().map(|(direction, ios)| (*ios, direction.name()));
        let counts = counts.chain([(self.syncs, "sync")]).filter(|(ios, _)| *ios > 0);
        let counts: Vec<String> = counts.map(|(ios, name)| counted(ios, name)).collect();
        let parts = [
            Some(format!("{}: {}", names.join(" and "), counts.join(", "))),
            Some(self.terms.speed(self.last_start)),
            (self.terms.scale > 1).then(|| format!("offsets divided by {}", self.terms.scale)),
            (self.terms.align > 1)
                .then(|| format!("offsets and lengths in multiples of {}", Bytes(self.terms.align))),
            self.terms.left_out().map(|kinds| format!("without its {kinds}")),
            self.terms.is_redirected.then(|| "all I/Os on one target (replay_redirect)".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

impl<Files> ResolvedJob<Files> {
    /// How its offsets follow each other: `random`, `sequential`, or `replayed` from a trace.
    pub fn order(&self) -> &'static str {
        match (&self.replays, self.rw.random) {
            (Some(_), _) => "replayed",
            (None, true) => "random",
            (None, false) => "sequential",
        }
    }

    /// Does it start the I/Os of a trace at the times of the trace?
    pub fn keeps_gaps(&self) -> bool {
        self.replays.as_ref().is_some_and(|replays| replays.terms.keeps_gaps)
    }

    /// Does it write down what it issues (`write_iolog`)?
    pub fn records(&self) -> bool {
        self.reads_back.is_none() && self.job.get(&options::WRITE_IOLOG).is_some_and(|name| !name.is_empty())
    }
}

/// A trace with all that a plan needs of it.
pub(super) struct Trace {
    /// Its file, or those that are merged.
    paths: Vec<String>,
    terms: ReplayTerms,
    facts: Arc<TraceFacts>,
}

/// The job of a clone as its trace makes it, and the trace; jobs without one stay as they are.
pub(super) fn with_trace(
    job: Arc<Job>,
    subjob: u32,
    targets: &dyn TargetLookup,
) -> Checked<(Arc<Job>, Option<Trace>)> {
    let Some(paths) = job.get(&options::READ_IOLOG).filter(|paths| !paths.is_empty()) else {
        return Ok((job, None));
    };
    let job = &job;
    excluded(job)?;
    let terms = terms(job, paths.len())?;
    let paths =
        if terms.merges.is_empty() { vec![paths[subjob as usize % paths.len()].clone()] } else { paths };
    let facts = targets.trace(&paths, &terms).map_err(|why| {
        let message = format!("job {}: the trace {}: {}", job.name, paths.join(", "), why.message);
        let error = notes::error(job, &options::READ_IOLOG, "bad-trace", message);
        why.hint.into_iter().fold(error, Diagnostic::hint)
    })?;
    let trace = Trace { paths, terms, facts };
    let job = Arc::new(trace.job(job));
    Ok((job, Some(trace)))
}

/// Options that contradict a trace: why, and what to do.
const EXCLUDED: &[(&str, &str)] = &[
    ("filename", "the trace names its files; replay_redirect= issues all of its I/Os on one file or device"),
    ("rate", "the trace has the times; replay_time_scale= changes the speed"),
    ("rate_iops", "the trace has the times; replay_time_scale= changes the speed"),
    ("ramp_time", "a trace begins with its first I/O"),
    ("ramp_size", "a trace begins with its first I/O"),
    ("verify", "what a trace writes is not verified in this version"),
    ("latency_target", "the trace has the times; remove it"),
    ("fill_device", "a trace ends where it ends; remove it"),
];

fn excluded(job: &Job) -> Checked<()> {
    let is_on = |name: &str| {
        job.named(name)
            .filter(|_| name != options::FILENAME.def.name || target_of_all(job).is_none())
            .is_some_and(|setting| !matches!(setting.value, Value::Word("0") | Value::Flag(false)))
    };
    let engine = job.get(&options::IOENGINE);
    if engine::named(&engine).is_some_and(|engine| engine.names.is_some()) {
        let message = format!("job {}: ioengine={engine} and read_iolog exclude each other", job.name);
        return Err(notes::error(job, &options::IOENGINE, "replay-excludes", message)
            .hint("the I/Os of a trace move data: ioengine=psync, libaio or io_uring"));
    }
    match EXCLUDED.iter().find(|(name, _)| is_on(name)) {
        None => Ok(()),
        Some((name, hint)) => {
            let message = format!("job {}: {name} and read_iolog exclude each other", job.name);
            Err(notes::at_name(Diagnostic::error("replay-excludes", message), job, name).hint(*hint))
        }
    }
}

/// The target that the command line gives to every job (`--target`), in the place of the files of its trace too.
fn target_of_all(job: &Job) -> Option<String> {
    job.setting(&options::FILENAME).filter(|setting| setting.origin == Origin::Override)?;
    let names = job.get(&options::FILENAME)?;
    (names.len() == 1).then(|| names.into_iter().next())?
}

/// The one target of all I/Os, if they do not go to the files of the trace.
fn redirect(job: &Job) -> Option<String> {
    target_of_all(job).or_else(|| job.get(&options::REPLAY_REDIRECT))
}

fn terms(job: &Job, traces: usize) -> Checked<ReplayTerms> {
    let align = job.get(&options::REPLAY_ALIGN).map_or(0, |align| align.0);
    if align > 0 && !align.is_power_of_two() {
        let message = format!("job {}: replay_align of {align} bytes is no power of two", job.name);
        return Err(notes::error(job, &options::REPLAY_ALIGN, "bad-align", message)
            .hint("replay_align=4k, for example"));
    }
    let mut skips = [false; 4];
    let typed = job.get(&options::REPLAY_SKIP).unwrap_or_default();
    for word in typed.split([',', ':']).map(str::trim).filter(|word| !word.is_empty()) {
        // fio's help calls a sync a flush.
        let is = |known: &&str| *known == word || *known == "sync" && word == "flush";
        let Some(at) = SKIPPED.iter().position(is) else {
            let message = format!("job {}: replay_skip={typed}: there is no `{word}`", job.name);
            let error = notes::error(job, &options::REPLAY_SKIP, "bad-value", message);
            return Err(error.hint("read, write, trim and sync, separated by commas"));
        };
        skips[at] = true;
    }
    Ok(ReplayTerms {
        keeps_gaps: !job.get(&options::REPLAY_NO_STALL),
        time_scale: job.get(&options::REPLAY_TIME_SCALE).into(),
        scale: job.get(&options::REPLAY_SCALE).into(),
        align,
        skips,
        is_redirected: redirect(job).is_some(),
        columns: columns(job)?,
        merges: merges(job, traces)?,
    })
}

fn columns(job: &Job) -> Checked<Option<TraceColumns>> {
    let Some(typed) = job.get(&options::TRACE_COLUMNS) else { return Ok(None) };
    TraceColumns::read(&typed).map(Some).map_err(|why| {
        let message = format!("job {}: trace_columns={typed}: {why}", job.name);
        notes::error(job, &options::TRACE_COLUMNS, "bad-value", message)
            .hint("trace_columns=time_us,op,offset,length for example, or msr, alibaba, blkparse")
    })
}

/// How each of so many traces is merged; empty where they are not.
fn merges(job: &Job, traces: usize) -> Checked<Vec<MergeTerms>> {
    if job.get(&options::MERGE_BLKTRACE_FILE).is_none_or(|name| name.is_empty()) {
        return Ok(Vec::new());
    }
    if job.is_given(&options::TRACE_COLUMNS) {
        let message = format!("job {}: recordings of blktrace have no columns", job.name);
        return Err(
            notes::error(job, &options::TRACE_COLUMNS, "bad-value", message).hint("remove trace_columns")
        );
    }
    let numbers = |key: &Key<Option<Vec<f64>>>, neutral: f64, least: f64| {
        let given = job.get(key).unwrap_or_else(|| vec![neutral; traces]);
        match given.iter().find(|number| **number < least) {
            _ if given.len() != traces => Err(format!("{} numbers for {traces} traces", given.len())),
            Some(number) => Err(format!("{number} is less than {least}")),
            None => Ok(given),
        }
        .map_err(|why| {
            notes::error(job, key, "bad-value", format!("job {}: {}: {why}", job.name, key.def.name))
        })
    };
    let scalars = numbers(&options::MERGE_BLKTRACE_SCALARS, 100.0, 0.0)?;
    let passes = numbers(&options::MERGE_BLKTRACE_ITERS, 1.0, 1.0)?;
    let terms = scalars.iter().zip(passes);
    let of = |(percent, passes): (&f64, f64)| MergeTerms {
        time_ppm: (percent * 10_000.0) as u64,
        passes: passes as u64,
    };
    Ok(terms.map(of).collect())
}

impl Trace {
    /// The job, whose files and pattern are those of the trace.
    fn job(&self, job: &Job) -> Job {
        let mut own = job.clone();
        let names: Vec<String> = match redirect(job) {
            Some(target) => vec![target],
            None => self.facts.files.iter().map(|file| file.name.clone()).collect(),
        };
        let text = names.iter().map(|name| name.replace(':', "\\:")).collect::<Vec<_>>().join(":");
        set(&mut own, options::FILENAME.def.name, Value::List(names), text);
        let rw = Rw { mix: self.mix(), random: false, postfix: None };
        let value = Value::Rw(rw);
        let text = crate::parse::print(&value);
        set(&mut own, options::RW.def.name, value, text);
        own.settings.remove(options::NRFILES.def.name);
        self.as_recorded(&mut own);
        own
    }

    /// A recording of devices has the depth that they had, as in fio 3.33, unless the job says otherwise. It is of what
    /// reached the device, below the page cache, so the replay passes that by (docs/differences.md).
    fn as_recorded(&self, own: &mut Job) {
        let Some(depth) = self.facts.depth else { return };
        if !own.is_given(&options::IODEPTH) {
            set(own, options::IODEPTH.def.name, Value::Int(depth.into()), depth.to_string());
        }
        let says = own.is_given(&options::DIRECT) || own.is_given(&options::BUFFERED);
        if !says && self.facts.unit.is_multiple_of(PAGE) {
            set(own, options::DIRECT.def.name, Value::Flag(true), "1".to_owned());
        }
    }

    fn mix(&self) -> Mix {
        match Direction::ALL.map(|d| self.issues(d)) {
            [true, false, false] => Mix::Read,
            [false, true, false] => Mix::Write,
            [false, false, true] => Mix::Trim,
            _ => Mix::ReadWrite,
        }
    }

    pub(super) fn issues(&self, direction: Direction) -> bool {
        self.facts.ios[direction] > 0
    }

    /// Percent of reads, rounded so that a mix stays one.
    pub(super) fn read_percent(&self) -> u8 {
        let PerDirection { read, write, trim } = self.facts.ios;
        let (read, all) = (u128::from(read), u128::from(read) + u128::from(write) + u128::from(trim));
        let percent = (read * 100 + all / 2) / all.max(1);
        match read {
            0 => 0,
            _ if read == all => 100,
            _ => percent.clamp(1, 99) as u8,
        }
    }

    pub(super) fn sizes(&self) -> PerDirection<BlockSizes> {
        PerDirection::from_fn(|d| match (self.facts.smallest[d], self.facts.largest[d]) {
            (low, high) if low == high => BlockSizes::Fixed(Bytes(low)),
            (low, high) => BlockSizes::Range { low: Bytes(low), high: Bytes(high) },
        })
    }

    pub(super) fn plan(&self) -> ReplayPlan {
        ReplayPlan {
            trace: self.paths[0].clone(),
            merged_with: self.paths[1..].to_vec(),
            terms: self.terms.clone(),
            ios: self.facts.ios,
            syncs: self.facts.syncs,
            last_start: Nanos(self.facts.last_due_ns),
        }
    }
}

fn set(job: &mut Job, name: &'static str, value: Value, text: String) {
    let given = job.named(options::READ_IOLOG.def.name).expect("a job with a trace has this setting");
    let setting = OptionSetting { value, text, ..given.clone() };
    job.settings.insert(name, setting);
}

/// What no option of the job decides, because the trace does.
const WITHOUT_EFFECT: &[&str] = &[
    "bs",
    "bsrange",
    "bssplit",
    "size",
    "filesize",
    "offset",
    "io_size",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "random_distribution",
    "file_service_type",
    "openfiles",
    "percentage_random",
    "zonemode",
    "file_append",
];

/// The rest of the plan: a region of each file from its start to the end of the I/O that ends last, and what ends the job.
pub(super) fn add_files(
    planned: &mut PlannedJob,
    trace: &Trace,
    targets: &[PlannedTarget],
    layout: &mut PlannedLayout,
    notes: &mut Notes,
) -> Option<()> {
    notes.take(zones::check(planned, targets))?;
    note_without_effect(&planned.job, notes);
    note_new_files(&planned.job, trace, targets, notes);
    let ends = of_targets(&trace.facts.files, targets.len());
    let mut files: Vec<PlannedFile> = Vec::with_capacity(targets.len());
    for (index, (target, end)) in targets.iter().zip(&ends).enumerate() {
        let spot = Spot::new(planned, target, index, targets.len() as u64);
        files.push(notes.take(region_of(&spot, trace, end))?);
    }
    layout.assign(planned, &mut files);
    for target in targets {
        notes.take(is_aligned(planned, trace, target))?;
    }
    planned.end = notes.take(end_rule(planned, trace))?;
    planned.files = files.into();
    planned.expected = expected(planned, trace);
    planned.memory = memory::estimate(planned);
    Some(())
}

/// fio's text separates words by white space, so it holds no name that has some.
pub(super) fn can_be_recorded(planned: &PlannedJob) -> Checked<()> {
    if !planned.records() {
        return Ok(());
    }
    let has_space = |file: &&PlannedFile| file.path.contains(char::is_whitespace);
    let Some(file) = planned.files.iter().find(has_space) else { return Ok(()) };
    let message = format!(
        "job {}: write_iolog cannot name {:?}: words of fio's text of I/Os are separated by white space",
        planned.name, file.path
    );
    Err(notes::error(&planned.job, &options::WRITE_IOLOG, "iolog-name", message)
        .hint("a link without white space in its name as the target, or leave write_iolog out"))
}

fn note_without_effect(job: &Job, notes: &mut Notes) {
    let given: Vec<&str> = WITHOUT_EFFECT.iter().copied().filter(|name| job.named(name).is_some()).collect();
    let Some(first) = given.first() else { return };
    let message =
        format!("job {}: the trace of read_iolog decides, so {} has no effect", job.name, given.join(", "));
    notes.push(notes::at_name(Diagnostic::new(Severity::Note, "replay-decides", message), job, first));
}

/// New files of a trace of which so many are named; the others are counted.
const NEW_NAMED: usize = 5;

/// Names of a trace that are no files here would be made where nobody expects them.
fn note_new_files(job: &Job, trace: &Trace, targets: &[PlannedTarget], notes: &mut Notes) {
    let paths = files::missing(targets);
    if paths.is_empty() || trace.terms.is_redirected {
        return;
    }
    let message = format!(
        "job {}: the trace names files that are not there, and the job makes them: {}",
        job.name,
        first_of(&paths, NEW_NAMED)
    );
    let note = Diagnostic::new(Severity::Note, "replay-makes-files", message);
    notes.push(notes::at_name(note, job, options::READ_IOLOG.def.name).hint(notes::REDIRECT));
}

/// The last I/O of each target: where all files go to one, the one that ends furthest behind the start.
fn of_targets(files: &[TraceFile], targets: usize) -> Vec<TraceFile> {
    if files.len() == targets {
        return files.to_vec();
    }
    let last = files.iter().max_by_key(|file| file.end).cloned();
    last.into_iter().collect()
}

fn region_of(spot: &Spot<'_>, trace: &Trace, last: &TraceFile) -> Checked<PlannedFile> {
    let facts = &spot.target.facts;
    if let Some(length) = facts.size.filter(|_| facts.kind.is_drive())
        && last.end > length.0
    {
        let bytes = last.end - last.offset;
        let message = format!(
            "job {}: the trace {}: {}: an I/O of {bytes} bytes at offset {} ends behind the end of {}, which has {} bytes",
            spot.planned.name,
            trace.paths.join(", "),
            last.at,
            last.offset,
            spot.name(),
            length.0
        );
        let error = spot.error(&options::READ_IOLOG, "trace-beyond-end", &message);
        return Err(match length.0.checked_sub(bytes) {
            None | Some(0) => error.hint("replay on a larger device"),
            Some(room) => {
                let by = u128::from(last.offset) * u128::from(trace.terms.scale) / u128::from(room) + 1;
                error.hint(format!("replay_scale={by} divides the offsets, so that they end within it"))
            }
        });
    }
    let needs = if facts.kind == TargetKind::None { 0 } else { last.end };
    Ok(spot.file(0, last.end, needs))
}

/// Direct I/O wants every offset and length in multiples of a unit.
fn is_aligned(planned: &PlannedJob, trace: &Trace, target: &PlannedTarget) -> Checked<()> {
    let is_direct = planned.direct || planned.engine_def().is_some_and(EngineDef::sends_commands);
    let unit = target.facts.direct_align.filter(|unit| is_direct && unit.0 > 1);
    match unit {
        Some(unit) if !trace.facts.unit.is_multiple_of(unit.0) => {
            let message = format!(
                "job {}: {} takes direct I/O in multiples of {} bytes, and the trace {} has offsets or lengths that are not",
                planned.name,
                target.path,
                unit.0,
                trace.paths.join(", ")
            );
            let error = notes::error(&planned.job, &options::READ_IOLOG, "alignment", message);
            Err(error.hint(format!("replay_align={} aligns both; direct=0 takes any", unit.0)))
        }
        _ => Ok(()),
    }
}

fn end_rule(planned: &PlannedJob, trace: &Trace) -> Checked<EndRule> {
    let job = &planned.job;
    let time = Some(job.get(&options::RUNTIME)).filter(|time| time.0 > 0);
    let time_based = job.get(&options::TIME_BASED);
    if time_based && time.is_none() {
        let message = format!("job {}: time_based needs a runtime", job.name);
        return Err(
            notes::error(job, &options::TIME_BASED, "time-based", message).hint("runtime=30s, for example")
        );
    }
    let loops = job.get(&options::LOOPS);
    let bytes = trace.facts.bytes.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
    let ios = Some(job.get(&options::NUMBER_IOS)).filter(|ios| *ios > 0 && !time_based);
    let bytes = Bytes(bytes.saturating_mul(u64::from(loops)));
    Ok(EndRule {
        bytes: Some(bytes).filter(|_| !time_based && ios.is_none()),
        ios: ios.map(|ios| ios.saturating_mul(u64::from(loops))),
        time,
        loops,
        time_based,
        ..EndRule::NONE
    })
}

fn expected(planned: &PlannedJob, trace: &Trace) -> Expected {
    let end = &planned.end;
    let passes = Nanos(trace.facts.last_due_ns.saturating_mul(u64::from(end.loops)));
    let own = Some(passes).filter(|_| trace.terms.keeps_gaps && !end.time_based && end.ios.is_none());
    let time = match (own, end.time) {
        (Some(own), Some(limit)) => Some(own.min(limit)),
        (own, limit) => own.or(limit.filter(|_| end.time_based)),
    };
    let before = duration::before(planned);
    Expected {
        bytes: end.bytes.filter(|_| end.time.is_none()),
        time: time.map(|time| Nanos(time.0.saturating_add(before))),
    }
}
