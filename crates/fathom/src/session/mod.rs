//! A run from plan to saved result: the one path that every command takes.
//!
//! Guard → run directory → snapshot → engine, with frames going to the spool →
//! record → load. The result that is reported is always the one loaded from
//! the directory, so a later report of it is the same.

mod disks;
mod facts;
mod live;
mod logs;
mod run_dir;
mod signals;
mod sink;
mod steal;
mod targets;

pub use facts::surrounds;
pub use live::Progress;

use crate::cli::{ConsentArgs, PlaceArgs};
use crate::failure::{Exit, Failure, say};
use crate::look::look;
use crate::surroundings::Here;
use disks::Disks;
use fathom_engine::clock::Clock;
use fathom_engine::runner::{self, Setting};
use fathom_engine::sink::Stop;
use fathom_host::guard::{Consent, DeviceName, Door, Guard};
use fathom_job::plan::Plan;
use fathom_results::record::FORMAT;
use fathom_results::{Finish, JobResult, RunRecord, RunResult, Verdict};
use live::Live;
use sink::SpoolSink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use targets::Guarded;

/// What is to run.
pub struct Request<'a> {
    /// What the run is called.
    pub name: String,
    /// What it does.
    pub plan: Plan,
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
    /// Where fio-style logs go: the run's directory, or the current one.
    pub logs_here: bool,
    /// The target is a scratch file: its name is removed once it is open.
    pub is_scratch: bool,
    /// Judges the result, for procedures that do.
    pub judge: Option<&'a dyn Fn(&RunResult) -> Verdict>,
}

/// Runs it, saves it, loads it. Fails only if nothing was run; errors of jobs
/// stand in the result.
pub fn run(request: Request<'_>, here: &Here) -> Result<RunResult, Failure> {
    let guard = Guard::new(here.root().clone(), request.door, request.consent.clone());
    let targets = Guarded::admit(&guard, &request.plan)?;
    if request.is_scratch {
        targets.remove_untouched();
    }
    match Begun::new(&request, here) {
        Ok(begun) => begun.execute(&request, here, &targets),
        Err(e) => {
            targets.remove_untouched();
            Err(e)
        }
    }
}

/// What the guard would refuse of a plan. Devices are looked at and let go
/// again; files are left alone, since looking would create them.
pub fn refusals(plan: &Plan, door: Door, consent: Consent, here: &Here) -> Vec<Failure> {
    let guard = Guard::new(here.root().clone(), door, consent);
    targets::refused_devices(&guard, plan)
}

/// A run that has everything it needs, and has not touched its targets.
struct Begun {
    interrupt: Arc<Stop>,
    signals: signals::Signals,
    clock: Clock,
    dir: PathBuf,
    record: RunRecord,
    live: Live,
    sink: SpoolSink,
}

impl Begun {
    fn new(request: &Request<'_>, here: &Here) -> Result<Begun, Failure> {
        let (id, dir) = run_dir::create(&request.name, request.place)?;
        let saving = |e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", dir.display()));
        let logs = logs::Logs::open(&request.plan, if request.logs_here { None } else { Some(&dir) })?;
        let record = record(request, id, here);
        record.save(&dir).map_err(saving)?;
        let interrupt = Arc::new(Stop::default());
        let signals = signals::Signals::watch(interrupt.clone())?;
        let clock = Clock::calibrate(here.kernel_trusts_tsc());
        let live = Live::start(request.progress, &request.plan);
        let disks = Disks::beneath(here, &request.plan);
        let sink = SpoolSink::create(&dir, live.state(), disks, logs, interrupt.clone()).map_err(saving)?;
        Ok(Begun { interrupt, signals, clock, dir, record, live, sink })
    }

    /// From here on nothing measured is thrown away: what cannot be saved is
    /// told, and the result is what the directory holds.
    fn execute(
        mut self,
        request: &Request<'_>,
        here: &Here,
        targets: &Guarded,
    ) -> Result<RunResult, Failure> {
        let setting = Setting { targets, clock: self.clock, interrupt: &self.interrupt };
        let cpu = steal::CpuTime::now(here);
        runner::run(&request.plan, &setting, &mut self.sink);
        self.record.host.push(cpu.steal_since(here));
        self.live.stop();
        let end = self.sink.finish();
        self.record.disks = end.disks;
        self.record.finish = Some(Finish {
            elapsed_ns: self.clock.since_origin(self.clock.now()),
            complete: end.complete && end.trouble.is_none(),
            how: how(&self.signals, &end.trouble, end.complete),
        });
        for trouble in end.trouble.iter().chain(&end.log_trouble) {
            say(&format!("warning: {trouble}"));
        }
        save(&self.record, &self.dir);
        let mut result = load(&self.dir)?;
        self.record.taints = fathom_suites::taint::taints(&result, &surrounds(here, &result));
        result.record.taints = self.record.taints.clone();
        self.record.verdict = request.judge.map(|judge| judge(&result));
        save(&self.record, &self.dir);
        load(&self.dir)
    }
}

/// Saves the record; a full disk leaves the one from the start, which says
/// that the run is incomplete.
fn save(record: &RunRecord, dir: &Path) {
    if let Err(e) = record.save(dir) {
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
        Some(signals::INTERRUPTED) => Exit::Interrupted,
        Some(signals::TERMINATED) => Exit::Terminated,
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

/// The failures of a run, one line each, on stderr.
pub fn tell_failures(run: &RunResult) {
    for job in &run.jobs {
        if let Some(failure) = job.outcome.as_ref().and_then(|o| o.failure.as_ref()) {
            say(&format!("error: job {}: {}", job.planned.name, failure.message));
        }
    }
    for event in run.events.iter().filter(|e| e.kind == "unlink") {
        say(&format!("warning: {}", event.text));
    }
}

/// Consent as typed; a kernel name is no consent.
pub fn consent(args: &ConsentArgs) -> Result<Consent, Failure> {
    let names = |words: &[String]| -> Result<Vec<DeviceName>, Failure> {
        let parse = |w: &String| {
            w.parse()
                .map_err(|e: fathom_host::guard::ConsentError| Failure::new(Exit::Refused, &e).hint(e.hint()))
        };
        words.iter().map(parse).collect()
    };
    Ok(Consent {
        write: names(&args.write)?,
        destroy: names(&args.destroy)?,
        overwrite_files: args.overwrite.clone(),
    })
}

fn record(request: &Request<'_>, id: String, here: &Here) -> RunRecord {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    RunRecord {
        format: FORMAT,
        id,
        name: request.name.clone(),
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: now.as_nanos() as u64,
        command: std::env::args().collect(),
        plan: request.plan.clone(),
        globals: request.globals.clone(),
        host: facts::host_facts(here, &request.plan),
        disks: Vec::new(),
        taints: Vec::new(),
        verdict: None,
        finish: None,
    }
}

fn how(signals: &signals::Signals, trouble: &Option<String>, complete: bool) -> String {
    match (signals.caught(), trouble) {
        (Some(name), _) => name.to_owned(),
        (None, Some(trouble)) => trouble.clone(),
        (None, None) if complete => "every job ended by its own rule".to_owned(),
        (None, None) => "a job failed".to_owned(),
    }
}

/// Findings of a plan worth telling before it runs.
pub fn tell_findings(plan: &Plan) {
    for finding in plan.findings.iter().filter(|f| look(f)) {
        say(&finding.to_string());
    }
}
