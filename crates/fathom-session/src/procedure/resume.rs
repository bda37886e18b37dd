//! Goes on with a procedure that was interrupted, after its last step.

use super::directory::LockedDirectory;
use super::driver::{DrivenRounds, Driver, Outcome, now_unix_ns};
use super::request::{DriverTerms, ResumeRequest};
use super::saved::{is_single_run, round_damage, unreadable};
use super::{content, jobs, same};
use crate::base::{HostBefore, RunBase};
use crate::ender::Ender;
use crate::exit::{Exit, Failure};
use crate::facts;
use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::notice::Message;
use fathom_guard::Door;
use fathom_procedures as procedure;
use fathom_procedures::{History, Step, Wait};
use fathom_results::procedure::{
    HistoryWriter, Preparation, ProcedureResult, ROUNDS, ResumedOtherwise, StepDone, load_procedure,
};
use fathom_text::carried::to_path;
use fathom_text::shell::quoted;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Resumes the procedure in a directory.
///
/// # Errors
/// Nothing is changed if the procedure is complete, damaged, running elsewhere, or not as it was
/// when it began.
pub fn resume(request: ResumeRequest<'_>, here: &Here) -> Result<DrivenRounds, Failure> {
    let ResumeRequest { dir, anyway, terms } = request;
    here.slow_look().touch(&dir);
    let known = load(&dir)?;
    let lock = LockedDirectory::lock(&dir)?;
    // Another process may have gone on with it in between.
    let known = if known.record.conclusion.is_none() { load(&dir)? } else { known };
    is_open(&known)?;
    rounds_are_there(&known, &terms.ender)?;
    let procedure = procedure::open(&known.record.procedure, &known.record.parameters);
    let procedure = procedure.map_err(|e| {
        Failure::new(Exit::Refused, format!("{} cannot be resumed: {e}", dir.display()))
            .hint(format!("it was begun by fathom {}", known.record.fathom))
    })?;
    let sitting = known.record.resumes_until(&known.steps).saturating_add(1);
    let next = procedure.next(&History::new(&known.steps).in_sitting(sitting));
    let differences = is_same(&known, &next, anyway, here)?;
    let base = base(&known, &terms, here);
    let history = HistoryWriter::resume(&dir, known.extent).map_err(|e| {
        Failure::new(Exit::Failed, format!("cannot write to the history in {}: {e}", dir.display()))
    })?;
    if known.rest_bytes > 0 {
        here.tell(Message::note(format!(
            "{} bytes of a step that was not saved whole were removed from the history",
            known.rest_bytes
        )));
    }
    let ProcedureResult { mut record, steps, .. } = known;
    let before = record.clone();
    let is_as_before = differences.is_empty();
    if !is_as_before {
        record.resumed.push(ResumedOtherwise { sitting, differences });
    }
    record.resumes = sitting;
    match record.save(&dir) {
        Ok(()) => {}
        // Without the number of this resume everything else can be saved all the same, once there is room.
        Err(_) if is_as_before => {}
        Err(e) => {
            let message = format!("cannot save the record in {}: {e}", dir.display());
            return Err(Failure::new(Exit::Failed, message));
        }
    }
    let is_tuned = History::new(&steps).is_tuned();
    let mut driver = Driver {
        base,
        dir: lock,
        record,
        procedure,
        steps,
        history,
        sitting,
        tuned: None,
        mounts: Vec::new(),
        terms,
    };
    let rounds = History::new(&driver.steps).rounds().count();
    here.tell(Message::note(format!(
        "going on with {}: {}, {rounds} of {} rounds are measured",
        driver.dir.path().display(),
        driver.record.name,
        driver.record.forecast.rounds
    )));
    jobs::tell_changes(&driver.record.jobs, here);
    if is_tuned {
        // The tuning ended with the process that had put it in force.
        driver.tune()?;
    }
    if driver.waited_for_arrays() {
        // An array may be built again after a crash: it has no bitmap of what was being written.
        let wait = Wait::Built { at_most_seconds: REBUILD_S_MAX };
        if let Outcome::Stopped(exit) = driver.wait(&wait) {
            return Ok(driver.stopped(exit));
        }
    }
    let steps = driver.steps.len();
    let driven = driver.drive();
    if driven.as_ref().is_err_and(|e| is_refusal(e.exit))
        && load_procedure(&dir).is_ok_and(|now| now.steps.len() == steps)
    {
        // Nothing was done, so nothing was interrupted. If it cannot be saved, it is one interruption too many.
        let _ = before.save(&dir);
    }
    driven
}

/// Was the procedure not gone on with, because of what the command line says or lacks?
fn is_refusal(exit: Exit) -> bool {
    matches!(exit, Exit::Refused | Exit::Usage)
}

/// The longest wait for an array that is built again, in seconds: a week, as before the first round.
const REBUILD_S_MAX: u64 = 7 * 86_400;

fn load(dir: &Path) -> Result<ProcedureResult, Failure> {
    load_procedure(dir).map_err(|e| if is_single_run(dir) { no_steps(dir) } else { unreadable(dir, &e) })
}

/// A run has no steps, so it cannot be resumed.
fn no_steps(dir: &Path) -> Failure {
    Failure::new(Exit::Usage, format!("{} cannot be resumed: it is a single run", dir.display()))
        .hint("to print what was saved: fathom report")
        .hint("what is measured with --repeat can be resumed")
}

fn is_open(known: &ProcedureResult) -> Result<(), Failure> {
    let dir = &known.dir;
    if let Some(damage) = &known.damage {
        let message = format!("{} cannot be resumed: {damage}", dir.display());
        return Err(
            Failure::new(Exit::Incomplete, message).hint("nothing was changed; begin a new procedure")
        );
    }
    match &known.record.conclusion {
        None => Ok(()),
        Some(_) => {
            let message =
                format!("the procedure in {} is complete; there is nothing to resume", dir.display());
            Err(Failure::new(Exit::Refused, message).hint(format!("fathom report {}", quoted(dir))))
        }
    }
}

/// Every step must be known, and every round of the history there, whole.
fn rounds_are_there(known: &ProcedureResult, ender: &Ender) -> Result<(), Failure> {
    let cannot = |exit, why: &str| {
        let message = format!("{} cannot be resumed: {why}", known.dir.display());
        Failure::new(exit, message).hint("nothing was changed")
    };
    if known.steps.iter().any(|step| is_unknown(&step.did)) {
        return Err(cannot(Exit::Refused, "it has a step that this fathom does not know"));
    }
    for round in known.rounds() {
        if let Some(cause) = ender.cause() {
            return Err(cannot(cause.exit(), "it was interrupted while its rounds were checked"));
        }
        if let Some(damage) = round_damage(known, round)? {
            return Err(
                cannot(Exit::Incomplete, &damage).hint("put the round back, or begin a new procedure")
            );
        }
    }
    Ok(())
}

fn is_unknown(did: &StepDone) -> bool {
    matches!(did, StepDone::Unknown | StepDone::Prepared { preparation: Preparation::Unknown, .. })
}

/// What differs and was accepted.
fn is_same(known: &ProcedureResult, next: &Step, anyway: bool, here: &Here) -> Result<Vec<String>, Failure> {
    let targets = known.record.targets.iter().map(|target| to_path(&target.path)).collect();
    let now = facts::host_facts(here, &PlanGrounds { targets, facts: Vec::new() });
    let mut differences = same::differences(known, &now, now_unix_ns());
    differences.extend(owner(&known.dir));
    differences.extend(content::lost(known, next, here));
    match (differences.is_empty(), anyway) {
        (true, _) => Ok(differences),
        (false, true) => {
            differences.iter().for_each(|what| here.tell(Message::warning(what.clone())));
            Ok(differences)
        }
        (false, false) => {
            let message = format!(
                "{} was begun under other conditions: {}",
                known.dir.display(),
                differences.join("; ")
            );
            Err(Failure::new(Exit::Refused, message).hint("to go on all the same: --anyway"))
        }
    }
}

/// A procedure says what is written to which target, so one of another user is not this user's to carry out unseen. What is in
/// a directory of rounds that is a link was not made by this procedure.
fn owner(dir: &Path) -> Option<String> {
    let owner = std::fs::metadata(dir).ok()?.uid();
    let own = rustix::process::geteuid().as_raw();
    let is_link = std::fs::symlink_metadata(dir.join(ROUNDS)).is_ok_and(|meta| meta.is_symlink());
    let of_other = (owner != own)
        .then(|| format!("the procedure belongs to the user {owner}, and fathom runs as the user {own}"));
    of_other.or_else(|| is_link.then(|| format!("{} is a link now", dir.join(ROUNDS).display())))
}

/// What the rounds share is what was read when the procedure began.
fn base<'h>(known: &ProcedureResult, terms: &DriverTerms<'_>, here: &'h Here) -> RunBase<'h> {
    let base = RunBase::new(Door::Native, terms.consent.clone(), terms.state_dir.clone(), here);
    let base = base.of_procedure(&known.record.id);
    let shared = &known.record.shared;
    base.knows(HostBefore {
        targets: shared.targets.iter().map(|path| to_path(path)).collect(),
        facts: shared.host.clone(),
        audit: shared.audit.clone(),
    });
    base
}
