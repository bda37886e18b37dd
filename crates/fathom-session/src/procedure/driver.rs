//! The loop: step, history, next step.

use super::directory::{self, LockedDirectory};
use super::request::{DriverTerms, ProcedureRequest};
use super::saved::unreadable;
use super::{expected, jobs, same, wait};
use crate::base::{HostBefore, RunBase};
use crate::ending::exit_of;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::notice::Notice;
use crate::planning::globals;
use crate::request::{Request, RunDir, SavedAt};
use crate::tuned::Tuned;
use crate::{facts, run_dir, run_id};
use fathom_guard::Door;
use fathom_job::plan::Plan;
use fathom_results::procedure::{
    HistoryWriter, JobSource, ProcedureRecord, ROUNDS, SharedRecord, StepDone, StepRecord, TargetIdentity,
    load_procedure,
};
use fathom_results::{RunResult, Verdict};
use fathom_suites::procedure::{self, History, Procedure, Round, Step};
use fathom_text::carried::{of_os, to_path};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A procedure with rounds that has ended, or was interrupted.
#[derive(Clone, Debug)]
pub struct DrivenRounds {
    /// Its directory.
    pub dir: PathBuf,
    /// The exit code of a command that ran it.
    pub exit: Exit,
    /// Its answer; `None` if it was interrupted, and can be resumed.
    pub verdict: Option<Verdict>,
}

/// Runs a procedure from its first step, in a directory of rounds.
///
/// # Errors
/// A step could not be done. What was measured before is saved.
pub fn run_procedure(request: ProcedureRequest<'_>, here: &Here) -> Result<DrivenRounds, Failure> {
    let open = procedure::open(request.procedure, &request.parameters);
    let procedure = open.map_err(|e| Failure::new(Exit::Usage, format!("{}: {e}", request.procedure)))?;
    run_opened(procedure, request, here)
}

/// The same for a procedure that the caller made. One that is not in the table cannot be resumed.
///
/// # Errors
/// As [`run_procedure`].
pub fn run_opened(
    procedure: Box<dyn Procedure>,
    request: ProcedureRequest<'_>,
    here: &Here,
) -> Result<DrivenRounds, Failure> {
    let ProcedureRequest { name, procedure: kind, parameters, jobs, command, dir, seed, terms } = request;
    let forecast = expected::forecast(&*procedure, &jobs, here)?;
    let base = RunBase::new(Door::Native, terms.consent.clone(), terms.state_dir.clone(), here);
    let (shared, targets) = shared(&*procedure, &jobs, &base)?;
    let random = |e| Failure::new(Exit::Failed, format!("no random number for the procedure: {e}"));
    let record = ProcedureRecord {
        format: fathom_results::procedure::FORMAT,
        id: run_id::new_id().map_err(random)?,
        name,
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: now_unix_ns(),
        command,
        procedure: kind.to_owned(),
        parameters,
        jobs,
        seed: seed.map_or_else(new_seed, Ok).map_err(random)?,
        forecast,
        working_dir: same::working_dir(),
        targets,
        shared,
        note: None,
        tags: Vec::new(),
        conclusion: None,
        seal: None,
        record_crc32: String::new(),
    };
    let made = run_dir::create_procedure(&record, &dir, here)?;
    let path = made.path.clone();
    let dir = LockedDirectory::lock(&path)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    directory::sync(&path).and_then(|()| directory::sync(parent)).map_err(|e| unsaved(&path, &e))?;
    let begun = load_procedure(&path).map_err(|e| unreadable(&path, &e))?;
    let history = HistoryWriter::resume(&path, begun.extent).map_err(|e| unsaved(&path, &e))?;
    let steps = Vec::new();
    let driver = Driver { base, dir, record, procedure, steps, history, sitting: 0, tuned: None, terms };
    let ended = driver.drive();
    if ended.is_err() && load_procedure(&path).is_ok_and(|saved| saved.steps.is_empty()) {
        // Nothing was measured, so nothing is left. A round that was begun stays.
        let _ = std::fs::remove_dir(path.join(ROUNDS));
        if !path.join(ROUNDS).exists() {
            made.undo();
        }
    }
    ended
}

/// Runs a procedure that is one run ([`Procedure::is_one_run`]). It is saved as that run.
///
/// # Errors
/// Nothing was run.
pub fn run_one(
    procedure: &dyn Procedure,
    command: Vec<String>,
    dir: RunDir,
    terms: &DriverTerms<'_>,
    here: &Here,
) -> Result<RunResult, Failure> {
    let (Step::Run(round), Some(name)) = (procedure.next(&History::new(&[])), procedure.is_one_run()) else {
        return Err(Failure::new(Exit::Usage, "the procedure is not a single run"));
    };
    let (jobs, plan) = jobs::plan(&JobSource::default(), &round, &[], here)?;
    let saved = SavedAt { dir, state_dir: terms.state_dir.clone() };
    let request = Request {
        globals: globals(&jobs),
        procedure: Some(name),
        command,
        ..round_request(name.to_owned(), plan, &round, saved, terms)
    };
    crate::run::run(request, here)
}

/// The request of a round.
pub(super) fn round_request<'a>(
    name: String,
    plan: Plan,
    round: &Round,
    saved: SavedAt,
    terms: &DriverTerms<'_>,
) -> Request<'a> {
    Request {
        name,
        plan: Arc::new(plan),
        globals: Vec::new(),
        command: Vec::new(),
        door: Door::Native,
        consent: terms.consent.clone(),
        saved,
        logs_here: None,
        patience: terms.patience,
        calibrates: round.calibrates,
        removes_created: round.removes_created,
        tuned: None,
        procedure: None,
        round: None,
        ender: terms.ender.clone(),
    }
}

/// How many targets are told from others of the same name.
const TARGETS_MAX: usize = 64;

/// What the rounds share, and the targets, as they are before the first of them.
fn shared(
    procedure: &dyn Procedure,
    jobs: &JobSource,
    base: &RunBase<'_>,
) -> Result<(SharedRecord, Vec<TargetIdentity>), Failure> {
    let Some((first, _)) = procedure.expected().into_iter().next() else {
        return Ok(Default::default());
    };
    let (_, plan) = jobs::plan(jobs, &first, &[], base.here())?;
    let HostBefore { targets, facts: host, audit } = base.host(&plan, &PlanGrounds::of(&plan));
    let paths: BTreeSet<&str> =
        plan.jobs.iter().flat_map(|job| &job.files).map(|file| file.path.as_str()).collect();
    let paths = paths.into_iter().filter(|path| !path.is_empty()).take(TARGETS_MAX);
    let of_all = PlanGrounds { targets: paths.map(to_path).collect(), facts: Vec::new() };
    let known = facts::host_facts(base.here(), &of_all);
    let identities = of_all.targets.iter().map(|path| same::identity(&of_os(path), &known)).collect();
    let targets = targets.iter().map(of_os).collect();
    Ok((SharedRecord { targets, host, audit }, identities))
}

fn new_seed() -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

pub(super) fn now_unix_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// A step that could not be saved. It is done again after a resume.
pub(super) fn unsaved(dir: &std::path::Path, e: &std::io::Error) -> Failure {
    let said = format!("cannot save the history in {}: {e}", dir.display());
    Failure::new(Exit::Incomplete, said).hint(resume_hint(dir))
}

pub(super) fn resume_hint(dir: &std::path::Path) -> String {
    format!("fathom resume {} goes on after the last round", fathom_text::shell::quoted(dir))
}

/// A procedure that is being driven.
pub(super) struct Driver<'a> {
    pub base: RunBase<'a>,
    pub dir: LockedDirectory,
    pub record: ProcedureRecord,
    pub procedure: Box<dyn Procedure>,
    /// The steps that are saved.
    pub steps: Vec<StepRecord>,
    pub history: HistoryWriter,
    /// Which start of fathom this is, from 0.
    pub sitting: u32,
    /// The tuning that is in force.
    pub tuned: Option<Arc<Tuned>>,
    pub terms: DriverTerms<'a>,
}

/// What a step led to.
pub(super) enum Outcome {
    /// It is done.
    Done(StepDone),
    /// It was cut short, and will be done again.
    Stopped(Exit),
}

impl Driver<'_> {
    /// Does all steps that are left. Whatever happens, the tuning is taken back.
    pub fn drive(mut self) -> Result<DrivenRounds, Failure> {
        self.base.here().listener().notice(Notice::SavesIn(self.dir.path()));
        let ended = self.steps();
        match (ended, self.untune()) {
            (Ok(_), Err(not_back)) => Err(not_back),
            (ended, _) => ended,
        }
    }

    fn steps(&mut self) -> Result<DrivenRounds, Failure> {
        let mut exit = Exit::Ok;
        loop {
            if let Some(cause) = self.terms.ender.cause() {
                return Ok(self.stopped(cause.exit()));
            }
            let began_unix_ns = now_unix_ns();
            let step = self.procedure.next(&History::new(&self.steps));
            let outcome = match &step {
                Step::Run(round) => self.round(round, &mut exit)?,
                Step::Prepare(preparation) => self.prepare(preparation)?,
                Step::Wait(wait) => self.wait(wait),
                Step::Ask(request) => self.ask(request)?,
                Step::Identify(path) => self.identify(path)?,
                Step::Done(verdict) => return self.conclude(verdict, exit),
            };
            match outcome {
                Outcome::Done(did) => self.save(began_unix_ns, did)?,
                Outcome::Stopped(exit) => return Ok(self.stopped(exit)),
            }
        }
    }

    /// Appends a step to the history.
    fn save(&mut self, began_unix_ns: u64, did: StepDone) -> Result<(), Failure> {
        if let StepDone::Round(round) = &did {
            // The history never names a round that a power cut can take away.
            let rounds = self.dir.path().join(ROUNDS);
            let synced =
                directory::sync(&rounds.join(&round.directory)).and_then(|()| directory::sync(&rounds));
            synced.map_err(|e| unsaved(self.dir.path(), &e))?;
        }
        let (number, sitting) = (self.steps.len() as u32, self.sitting);
        let step = StepRecord { number, sitting, began_unix_ns, ended_unix_ns: now_unix_ns(), did };
        self.history.append(&step).map_err(|e| unsaved(self.dir.path(), &e))?;
        self.base.here().listener().notice(Notice::StepEnded { step: &step, of: &self.record.forecast });
        self.steps.push(step);
        Ok(())
    }

    fn stopped(&self, exit: Exit) -> DrivenRounds {
        DrivenRounds { dir: self.dir.path().to_owned(), exit, verdict: None }
    }

    fn wait(&self, what: &fathom_suites::procedure::Wait) -> Outcome {
        let targets: Vec<PathBuf> = self.record.shared.targets.iter().map(|path| to_path(path)).collect();
        match wait::wait(what, &targets, &self.terms.ender, self.base.here()) {
            Some(did) => Outcome::Done(did),
            None => {
                Outcome::Stopped(self.terms.ender.cause().map_or(Exit::Interrupted, |cause| cause.exit()))
            }
        }
    }

    fn ask(&self, request: &str) -> Result<Outcome, Failure> {
        let answer = self.terms.operator.ask(request).map_err(|e| e.hint(resume_hint(self.dir.path())))?;
        Ok(Outcome::Done(StepDone::Asked { request: request.to_owned(), answer }))
    }
}

/// The exit code of a round that was not cut short.
pub(super) fn worse(exit: Exit, run: &RunResult) -> Exit {
    if exit == Exit::Ok { exit_of(run) } else { exit }
}
