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
use fathom_results::{Finish, RunRecord, RunResult, Verdict};
use live::Live;
use sink::SpoolSink;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

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
    let targets = targets::Guarded::admit(&guard, &request.plan)?;
    if request.is_scratch {
        targets.remove_untouched();
    }
    let outcome = run_admitted(&request, here, &targets);
    if outcome.is_err() {
        targets.remove_untouched();
    }
    outcome
}

fn run_admitted(
    request: &Request<'_>,
    here: &Here,
    targets: &targets::Guarded,
) -> Result<RunResult, Failure> {
    let interrupt = Arc::new(Stop::default());
    let signals = signals::Signals::watch(interrupt.clone())?;
    let clock = Clock::calibrate(here.kernel_trusts_tsc());
    let (id, dir) = run_dir::create(&request.name, request.place)?;
    let mut record = record(request, id, here);
    let saving = |e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", dir.display()));
    record.save(&dir).map_err(saving)?;
    let live = Live::start(request.progress, &request.plan);
    let disks = Disks::beneath(here, &request.plan);
    let logs = logs::Logs::new(&request.plan, if request.logs_here { None } else { Some(&dir) });
    let mut sink = SpoolSink::create(&dir, live.state(), disks, logs, interrupt.clone()).map_err(saving)?;
    let setting = Setting { targets, clock, interrupt: &interrupt };
    let cpu = steal::CpuTime::now(here);
    runner::run(&request.plan, &setting, &mut sink);
    record.host.push(cpu.steal_since(here));
    live.stop();
    let end = sink.finish();
    record.disks = end.disks;
    record.finish = Some(Finish {
        elapsed_ns: clock.since_origin(clock.now()),
        complete: end.complete && end.trouble.is_none(),
        how: how(&signals, &end.trouble, end.complete),
    });
    record.save(&dir).map_err(saving)?;
    let mut result = load(&dir)?;
    let seen = surrounds(here, &result);
    record.taints = fathom_suites::taint::taints(&result, &seen);
    result.record.taints = record.taints.clone();
    record.verdict = request.judge.map(|judge| judge(&result));
    record.save(&dir).map_err(saving)?;
    if let Some(trouble) = end.trouble {
        say(&format!("warning: {trouble}"));
    }
    load(&dir)
}

/// Reads a run back.
pub fn load(dir: &std::path::Path) -> Result<RunResult, Failure> {
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
        _ if run.incomplete.is_some() => Exit::Incomplete,
        _ => Exit::Ok,
    }
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
