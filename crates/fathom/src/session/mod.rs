//! A run from plan to saved result: the one path that every command takes.
//!
//! Guard → run directory → snapshot → engine, with frames going to the spool →
//! record → load. The result that is reported is always the one loaded from
//! the directory, so a later report of it is the same.

mod alone;
mod calibrate;
mod created;
mod disks;
mod facts;
mod grounds;
mod host_watch;
mod kernel_workers;
mod latest;
mod live;
mod log_writer;
mod logs;
mod map;
mod probes;
mod put_back;
mod read_back;
mod run_dir;
mod self_knowledge;
pub mod signals;
mod sink;
mod steal;
mod stuck;
mod targets;
mod tuned;
mod written;

pub use facts::surrounds;
pub use live::Progress;
pub use logs::AggregateLogs;
pub use put_back::tell_open;
pub use tuned::Tuned;
pub use written::{device_states, since_purge};

use crate::cli::{ConsentArgs, PlaceArgs};
use crate::failure::{Exit, Failure, say, say_block};
use crate::held;
use crate::look::look;
use crate::place::InUse;
use crate::slow_look;
use crate::surroundings::Here;
use disks::Disks;
use fathom_engine::clock::Clock;
use fathom_engine::runner::{self, Patience, Setting};
use fathom_engine::sink::Stop;
use fathom_guard::{Consent, DeviceName, Door, Guard};
use fathom_job::listing::bounded;
use fathom_job::plan::Plan;
use fathom_results::record::FORMAT;
use fathom_results::{Finish, JobFailure, JobResult, RunRecord, RunResult, SelfKnowledge, Verdict};
use fathom_text::carried;
use grounds::Grounds;
use kernel_workers::Watch;
use live::Live;
use read_back::ReadBack;
use sink::{SinkEnd, SpoolSink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use targets::Guarded;

/// What is to run.
pub struct Request<'a> {
    /// What the run is called.
    pub name: String,
    /// What it does.
    pub plan: Arc<Plan>,
    /// Options of `[global]` as typed.
    pub globals: Vec<(String, String)>,
    /// Whose rules hold: fathom's own or fio's.
    pub door: Door,
    /// What may be written.
    pub consent: Consent,
    /// Where results go.
    pub place: &'a PlaceArgs,
    /// How it is shown while it runs.
    pub progress: Progress,
    /// fio-style logs go to the current directory, and none of these files is
    /// emptied for one. Without it they go to the run's directory.
    pub logs_here: Option<&'a InUse>,
    /// How long a target may be silent.
    pub patience: Patience,
    /// The generator is measured without a target afterwards.
    pub calibrates: bool,
    /// The target is a scratch file: its name is removed once it is open.
    pub is_scratch: bool,
    /// The host was tuned for it.
    pub tuned: Option<Arc<Tuned>>,
    /// Judges the result, for procedures that do.
    pub judge: Option<&'a dyn Fn(&RunResult) -> Verdict>,
}

/// Runs it, saves it, loads it. Fails only if nothing was run; errors of jobs
/// stand in the result.
pub fn run(request: Request<'_>, here: &Here) -> Result<RunResult, Failure> {
    let interrupt = Arc::new(Stop::default());
    let signals = signals::Signals::watch(interrupt.clone())?;
    slow_look::touch(request.place.output_dir.as_deref().unwrap_or(&request.place.runs_dir));
    let guard = Guard::new(here.root().clone(), request.door, request.consent.clone());
    let mut guard = created::knowing_created(guard, request.place.state_dir.clone());
    if !matches!(request.progress, Progress::Never) {
        guard = guard.telling(say);
    }
    let guard = Arc::new(guard);
    let targets = Arc::new(Guarded::admit(&guard, &request.plan)?);
    if request.is_scratch {
        targets.remove_untouched();
    }
    let begun = match signals.ended_early() {
        Some(early) => Err(early),
        None => Begun::new(&request, here, interrupt, signals),
    };
    match begun {
        Ok(begun) => {
            written::note(&guard, &request.plan, &begun.record.id);
            begun.execute(&request, here, &guard, &targets)
        }
        Err(e) => {
            targets.remove_untouched();
            Err(e)
        }
    }
}

/// What the guard would refuse of a plan. Devices are looked at and let go
/// again; files are left alone, since looking would create them.
pub fn refusals(plan: &Plan, door: Door, consent: Consent, here: &Here) -> Vec<Failure> {
    let guard = Guard::new(here.root().clone(), door, consent).telling(say);
    targets::refused_devices(&guard, plan)
}

/// A run that has everything it needs, and has not touched its targets.
struct Begun {
    interrupt: Arc<Stop>,
    signals: signals::Signals,
    clock: Clock,
    dir: PathBuf,
    held: run_dir::Held,
    record: RunRecord,
    grounds: Grounds,
    live: Live,
    sink: SpoolSink,
}

impl Begun {
    fn new(
        request: &Request<'_>,
        here: &Here,
        interrupt: Arc<Stop>,
        signals: signals::Signals,
    ) -> Result<Begun, Failure> {
        let (id, dir) = run_dir::create(&request.name, request.place)?;
        let saving = |e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", dir.display()));
        let held = run_dir::Held::open(&dir).map_err(saving)?;
        let logs = logs::Logs::open(&request.plan, logs::Where::of(request.logs_here, &dir))?;
        let grounds = Grounds::of(&request.plan);
        let record = record(request, id, here, &grounds);
        record.save(&held.path()).map_err(saving)?;
        map::draw(here, &grounds, &held.path());
        let clock = Clock::calibrate(here.kernel_trusts_tsc());
        signals::saves_in(&dir);
        let live = Live::start(request.progress, &request.plan);
        let disks = Disks::beneath(here, &request.plan, &grounds);
        let sink = SpoolSink::create(&held.path(), &record.id, live.state(), disks, logs, interrupt.clone())
            .map_err(saving)?;
        Ok(Begun { interrupt, signals, clock, dir, held, record, grounds, live, sink })
    }

    /// From here on nothing measured is thrown away: what cannot be saved is
    /// told, and the result is what the directory holds.
    fn execute(
        mut self,
        request: &Request<'_>,
        here: &Here,
        guard: &Arc<Guard>,
        targets: &Arc<Guarded>,
    ) -> Result<RunResult, Failure> {
        let setting = Setting {
            targets: targets.clone(),
            clock: self.clock,
            interrupt: self.interrupt.clone(),
            patience: request.patience,
        };
        let cpu = steal::CpuTime::now(here);
        let host = host_watch::HostWatch::start(here, &request.plan, &self.grounds);
        let watch = Watch::start(here);
        let tuned = request.tuned.as_deref();
        let mut beside = watch.beside(&mut self.sink);
        let mut sink = ReadBack::before(&mut beside, &request.plan, tuned);
        let alone = alone::Watch::start(guard, here.root(), targets.alarm(), &self.interrupt);
        let given_up = runner::run(&request.plan, &setting, &mut sink);
        if given_up > 0 {
            stuck::leave_by(&self.dir, request.door, request.tuned.clone());
        }
        alone.stop();
        created::record(guard, &request.plan, given_up);
        self.record.self_knowledge.kernel_workers = watch.stop();
        self.record.self_knowledge.disturbances = host.end(here);
        self.record.host.push(cpu.steal_since(here));
        let (drifted, drift_taints) = tuned.map(Tuned::drift_at_end).unwrap_or_default();
        self.record.host.extend(drifted);
        self.live.stop();
        let end = self.sink.finish();
        self.record.finish = Some(Finish {
            elapsed_ns: self.clock.since_origin(self.clock.now()),
            complete: end.complete && end.trouble.is_none() && end.log_trouble.is_none(),
            how: targets.alarm().why().unwrap_or_else(|| how(&self.signals, &end, given_up)),
        });
        self.record.disks = end.disks;
        for trouble in end.trouble.iter().chain(&end.log_trouble) {
            say(&format!("warning: {trouble}"));
        }
        save(&self.record, &self.held, &self.dir);
        let mut result = saved(&self.dir)?;
        let seen = self_knowledge::learn(&mut self.record, &mut result, &setting, here, request.calibrates);
        self.record.taints = fathom_suites::taint::taints(&result, &seen);
        self.record.taints.extend(drift_taints);
        result.record.taints = self.record.taints.clone();
        self.record.verdict = request.judge.map(|judge| judge(&result));
        self.record.said = held::said();
        save(&self.record, &self.held, &self.dir);
        // Not two of them in memory at a time.
        drop(result);
        saved(&self.dir)
    }
}

/// Reads back the run that has just ended. When that cannot be done, somebody
/// took the directory away, or a part of it, while the run went on: the run is
/// incomplete, and the command line was not at fault.
fn saved(dir: &Path) -> Result<RunResult, Failure> {
    load(dir).map_err(|e| {
        let said = format!("the run ended, and its result cannot be read back: {}", e.message);
        Failure::new(Exit::Incomplete, said)
            .hint("if the directory was moved during the run, fathom report NEW_PLACE prints what was saved")
    })
}

/// Saves the record; a full disk leaves the one from the start, which says
/// that the run is incomplete.
fn save(record: &RunRecord, held: &run_dir::Held, dir: &Path) {
    if let Err(e) = record.save(&held.path()) {
        say(&format!("warning: cannot write {}: {e}; the run stays marked incomplete", dir.display()));
    }
}

/// Reads a run back.
pub fn load(dir: &Path) -> Result<RunResult, Failure> {
    fathom_results::load(dir).map_err(|e| {
        Failure::new(Exit::Usage, e).hint("give the directory of a run: it holds run.json and spool")
    })
}

/// How a run that was saved ends the command.
pub fn exit_of(run: &RunResult) -> Exit {
    let failures = || run.jobs.iter().filter_map(|j| j.outcome.as_ref()).filter_map(|o| o.failure.as_ref());
    match run.record.finish.as_ref().map(|f| f.how.as_str()) {
        Some(signals::HUNG_UP) => Exit::HungUp,
        Some(signals::INTERRUPTED) => Exit::Interrupted,
        Some(signals::TERMINATED) => Exit::Terminated,
        Some(how) if how.starts_with(alone::STOPPED) => Exit::Refused,
        _ if failures().any(stuck::is_stuck) => Exit::Incomplete,
        _ if failures().any(|f| f.offset.is_some()) => Exit::IoErrors,
        _ if failures().next().is_some() => Exit::Failed,
        _ if run.jobs.iter().any(counted_errors) => Exit::IoErrors,
        _ if run.incomplete.is_some() => Exit::Incomplete,
        _ => Exit::Ok,
    }
}

/// Errors that the job was told to go on after are still errors.
fn counted_errors(job: &JobResult) -> bool {
    job.totals.directions.iter().any(|(_, d)| d.errors > 0)
}

/// The failures of a run, one line each, on stderr: of a thousand clones that
/// fail alike, the first tell all.
pub fn tell_failures(run: &RunResult) {
    let failed = |job: &JobResult| Some((job.planned.name.clone(), job.outcome.as_ref()?.failure.clone()?));
    let failures: Vec<(String, JobFailure)> = run.jobs.iter().filter_map(failed).collect();
    for (name, failure) in failures.iter().take(TOLD_MAX) {
        say(&format!("error: job {name}: {}", failure.message));
    }
    if failures.len() > TOLD_MAX {
        say(&format!("error: {} jobs more failed", failures.len() - TOLD_MAX));
    }
    if failures.iter().any(|(_, failure)| stuck::is_stuck(failure)) {
        stuck::hints().iter().for_each(|hint| say(&format!("  hint: {hint}")));
    }
    for event in run.events.iter().filter(|e| e.kind == "unlink") {
        say(&format!("warning: {}", event.text));
    }
}

/// How many failures are told.
const TOLD_MAX: usize = 16;

/// Consent as typed; a kernel name is no consent.
pub fn consent(args: &ConsentArgs) -> Result<Consent, Failure> {
    let names = |words: &[String]| -> Result<Vec<DeviceName>, Failure> {
        let parse = |w: &String| {
            w.parse().map_err(|e: fathom_guard::ConsentError| Failure::new(Exit::Refused, &e).hint(e.hint()))
        };
        words.iter().map(parse).collect()
    };
    Ok(Consent {
        write: names(&args.write)?,
        destroy: names(&args.destroy)?,
        overwrite_files: args.overwrite.clone(),
    })
}

fn record(request: &Request<'_>, id: String, here: &Here, grounds: &Grounds) -> RunRecord {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let tuned = request.tuned.as_deref().map(Tuned::facts).unwrap_or_default();
    RunRecord {
        format: FORMAT,
        id,
        name: request.name.clone(),
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: now.as_nanos() as u64,
        command: std::env::args_os().map(carried::of_os).collect(),
        plan: Plan::clone(&request.plan),
        globals: request.globals.clone(),
        host: facts::host_facts(here, grounds).into_iter().chain(tuned).collect(),
        disks: Vec::new(),
        said: Vec::new(),
        self_knowledge: SelfKnowledge {
            audit: host_watch::audit(here, &request.plan, grounds),
            ..Default::default()
        },
        taints: Vec::new(),
        verdict: None,
        finish: None,
    }
}

fn how(signals: &signals::Signals, end: &SinkEnd, given_up: usize) -> String {
    match (signals.caught(), end.trouble.as_ref().or(end.log_trouble.as_ref())) {
        (Some(name), _) => name.to_owned(),
        (None, Some(trouble)) => trouble.clone(),
        (None, None) if given_up > 0 => "a target stopped answering".to_owned(),
        (None, None) if end.complete => "every job ended by its own rule".to_owned(),
        (None, None) => "a job failed".to_owned(),
    }
}

/// Findings of a plan worth telling before it runs.
pub fn tell_findings(plan: &Plan) {
    let told: Vec<_> = plan.findings.iter().filter(|f| look(f)).cloned().collect();
    bounded(&told).iter().for_each(|finding| say_block(&finding.to_string()));
}
