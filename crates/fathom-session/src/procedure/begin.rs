//! The beginning of a procedure: its record, its directory, and what its rounds will share.

use super::directory::{self, LockedDirectory};
use super::driver::{DrivenRounds, Driver, now_unix_ns, unsaved};
use super::request::{DriverTerms, ProcedureRequest};
use super::saved::unreadable;
use super::{expected, jobs, same};
use crate::base::{HostBefore, RunBase};
use crate::coverage::Covered;
use crate::exit::{Exit, Failure};
use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::request::RunDir;
use crate::{facts, left_settings, outputs, run_dir, run_id};
use fathom_guard::Door;
use fathom_job::plan::Plan;
use fathom_procedures as procedure;
use fathom_procedures::Procedure;
use fathom_results::procedure::{
    HistoryWriter, JobSource, ProcedureRecord, ROUNDS, SharedRecord, StepDone, StepRecord, TargetIdentity,
    load_procedure,
};
use fathom_text::carried::{of_os, to_path};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    let (consent, state_dir) = (request.terms.consent.clone(), request.terms.state_dir.clone());
    here.slow_look().gives_up_after(request.terms.patience.give_up_after);
    left_settings::report(here);
    let base = RunBase::new(Door::Native, consent, state_dir, here);
    let (at, record, terms) = described(&*procedure, request, &base)?;
    let base = base.of_procedure(&record.id);
    let made = run_dir::create_procedure(&record, &at, here)?;
    let path = made.path.clone();
    let dir = LockedDirectory::lock(&path)?;
    flush(&path).map_err(|e| unsaved(&path, &e))?;
    let begun = load_procedure(&path).map_err(|e| unreadable(&path, &e))?;
    let history = HistoryWriter::resume(&path, begun.extent).map_err(|e| unsaved(&path, &e))?;
    let steps = Vec::new();
    let driver = Driver {
        base,
        dir,
        record,
        procedure,
        steps,
        history,
        sitting: 0,
        tuned: None,
        mounts: Vec::new(),
        terms,
    };
    let ended = driver.drive();
    if ended.is_err() && load_procedure(&path).is_ok_and(|saved| saved.steps.iter().all(has_only_waited)) {
        // Nothing was measured, so nothing is left. A round that was begun stays.
        let _ = std::fs::remove_dir(path.join(ROUNDS));
        if !path.join(ROUNDS).exists() {
            made.undo();
        }
    }
    ended
}

/// The record of the procedure, and where it goes.
fn described<'a>(
    procedure: &dyn Procedure,
    request: ProcedureRequest<'a>,
    base: &RunBase<'_>,
) -> Result<(RunDir, ProcedureRecord, DriverTerms<'a>), Failure> {
    let ProcedureRequest { name, labels, procedure: kind, parameters, jobs, command, dir, seed, terms } =
        request;
    let forecast = expected::forecast(procedure, &jobs, base.here())?;
    if procedure.has_steady_targets() {
        expected::refuse_later(procedure.expected(), &jobs, base)?;
    }
    let (shared, targets) = shared(procedure, &jobs, base)?;
    let random = |e| Failure::new(Exit::Failed, format!("no random number for the procedure: {e}"));
    let record = ProcedureRecord {
        format: fathom_results::procedure::FORMAT,
        id: run_id::new_id().map_err(random)?,
        name: labels.name.unwrap_or(name),
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: now_unix_ns(),
        command,
        procedure: kind.to_owned(),
        parameters,
        jobs,
        seed: seed.map_or_else(run_id::random, Ok).map_err(random)?,
        forecast,
        working_dir: same::working_dir(),
        targets,
        shared,
        resumes: 0,
        resumed: Vec::new(),
        note: labels.note,
        tags: labels.tags,
        conclusion: None,
        seal: None,
        record_crc32: String::new(),
    };
    Ok((dir, record, terms))
}

fn has_only_waited(step: &StepRecord) -> bool {
    matches!(step.did, StepDone::Waited { .. })
}

/// Forces the directory and its name to stable storage.
fn flush(path: &Path) -> std::io::Result<()> {
    directory::sync(path)?;
    directory::sync(outputs::parent(path))
}

/// How many targets are told from others of the same name.
const TARGETS_MAX: usize = 64;

/// What the rounds share, and the targets, as they are before the first of them.
fn shared(
    procedure: &dyn Procedure,
    jobs: &JobSource,
    base: &RunBase<'_>,
) -> Result<(SharedRecord, Vec<TargetIdentity>), Failure> {
    let mut rounds = procedure.expected().into_iter().map(|(round, _)| round);
    let Some(first) = rounds.next() else { return Ok(Default::default()) };
    let (_, plan) = jobs::plan(jobs, &first, &[], base.here())?;
    let HostBefore { targets, facts: host, audit } = base.host(&plan, &PlanGrounds::of(&plan));
    let mut paths = paths_of(&plan);
    // Rounds of a procedure may have targets of their own.
    for round in rounds {
        if paths.len() >= TARGETS_MAX {
            break;
        }
        let (_, plan) = jobs::plan(jobs, &round, &[], base.here())?;
        paths.extend(paths_of(&plan));
    }
    let paths = paths.iter().map(String::as_str).take(TARGETS_MAX);
    let of_all = PlanGrounds { targets: paths.map(to_path).collect(), facts: Vec::new() };
    let known = facts::host_facts(base.here(), &of_all);
    let holds_written = |path: &Path| matches!(Covered::read(base.here().root(), path), Covered::Still(_));
    let identity = |path: &PathBuf| TargetIdentity {
        holds_written: holds_written(path),
        ..same::identity(&of_os(path), &known)
    };
    let identities = of_all.targets.iter().map(identity).collect();
    let targets = targets.iter().map(of_os).collect();
    Ok((SharedRecord { targets, host, audit }, identities))
}

/// The files and devices of all jobs.
fn paths_of(plan: &Plan) -> BTreeSet<String> {
    let files = plan.jobs.iter().flat_map(|job| &job.files).map(|file| file.path.clone());
    files.filter(|path| !path.is_empty()).collect()
}
