//! The loop: step, history, next step.

use super::directory::{self, LockedDirectory};
use super::request::DriverTerms;
use super::wait;
use crate::base::RunBase;
use crate::exit::{Exit, Failure, exit_of};
use crate::notice::Notice;
use crate::tuned::Tuned;
use fathom_procedures::{History, Procedure, Step};
use fathom_results::procedure::{HistoryWriter, ProcedureRecord, ROUNDS, StepDone, StepRecord};
use fathom_results::{RunResult, Verdict};
use fathom_text::carried::to_path;
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
    /// Why it could not go on, or could not be saved; `None` if it came to its end, and if a signal ended it.
    pub broken_off: Option<Box<BrokenOff>>,
}

/// A procedure that could not go on, or could not be saved. What was measured may be here alone.
#[derive(Clone, Debug)]
pub struct BrokenOff {
    /// Its record, with its conclusion if there is one.
    pub record: ProcedureRecord,
    /// The steps that ended, also one that could not be saved.
    pub steps: Vec<StepRecord>,
    /// The cause.
    pub why: Failure,
}

pub(super) fn now_unix_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// A step that could not be saved. It is done again after a resume.
pub(super) fn unsaved(dir: &Path, e: &std::io::Error) -> Failure {
    let message = format!("cannot save the history in {}: {e}", dir.display());
    Failure::new(Exit::Incomplete, message).hint(resume_hint(dir))
}

pub(super) fn resume_hint(dir: &Path) -> String {
    format!("fathom resume {} goes on after the last round", fathom_text::shell::quoted(dir))
}

/// A procedure that is being driven.
pub(super) struct Driver<'a> {
    pub base: RunBase<'a>,
    pub dir: LockedDirectory,
    pub record: ProcedureRecord,
    pub procedure: Box<dyn Procedure>,
    /// The steps that ended. All but the last are saved.
    pub steps: Vec<StepRecord>,
    pub history: HistoryWriter,
    /// Which start of fathom this is, from 0.
    pub sitting: u32,
    /// The tuning that is in force.
    pub tuned: Option<Arc<Tuned>>,
    /// The directories on which the procedure has mounted something, in order.
    pub mounts: Vec<PathBuf>,
    pub terms: DriverTerms<'a>,
}

/// What a step led to.
pub(super) enum Outcome {
    /// It is done.
    Done(Box<StepDone>),
    /// It was cut short, and will be done again.
    Stopped(Exit),
    /// It measured something that could not be saved, for this reason. It will be done again.
    Unsaved(Box<StepDone>, Failure),
}

impl Outcome {
    pub(super) fn done(did: StepDone) -> Self {
        Outcome::Done(Box::new(did))
    }
}

impl Driver<'_> {
    /// Does all steps that are left. Whatever happens, the tuning is taken back, and what was mounted
    /// is unmounted.
    pub fn drive(mut self) -> Result<DrivenRounds, Failure> {
        let listener = self.base.here().listener();
        listener.notice(Notice::SavesIn(self.dir.path()));
        let rounds = History::new(&self.steps).rounds().count() as u32;
        listener.notice(Notice::ProcedureBegins { of: &self.record.forecast, rounds });
        let ended = self.mount_again().and_then(|()| self.steps());
        let untuned = self.untune();
        match (ended, untuned.and(self.unmount_all())) {
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
            let step = self.procedure.next(&History::new(&self.steps).in_sitting(self.sitting));
            let outcome = match &step {
                Step::Run(round) => match self.round(round, &mut exit) {
                    // What is refused was not begun, and a resume is as if it had not been.
                    Err(why) if self.has_rounds() && !matches!(why.exit, Exit::Refused | Exit::Usage) => {
                        return Ok(self.broken_off(why));
                    }
                    outcome => outcome?,
                },
                Step::Prepare(preparation) => self.prepare(preparation)?,
                Step::Wait(wait) => self.wait(wait),
                Step::Ask(request) => self.ask(request)?,
                Step::Identify(path) => self.identify(path)?,
                Step::Prove { range, windows } => self.sample(range, *windows)?,
                Step::Done(verdict) => return self.conclude(verdict, exit),
            };
            match outcome {
                Outcome::Done(did) => {
                    self.keep(began_unix_ns, *did);
                    if let Err(why) = self.save() {
                        return Ok(self.broken_off(why));
                    }
                }
                Outcome::Unsaved(did, why) => {
                    self.keep(began_unix_ns, *did);
                    return Ok(self.broken_off(why));
                }
                Outcome::Stopped(exit) => return Ok(self.stopped(exit)),
            }
        }
    }

    fn has_rounds(&self) -> bool {
        History::new(&self.steps).rounds().next().is_some()
    }

    /// Adds a step to those that ended.
    fn keep(&mut self, began_unix_ns: u64, did: StepDone) {
        let (number, sitting) = (self.steps.len() as u32, self.sitting);
        self.steps.push(StepRecord { number, sitting, began_unix_ns, ended_unix_ns: now_unix_ns(), did });
    }

    /// Appends the last step to the history.
    fn save(&mut self) -> Result<(), Failure> {
        let Some(step) = self.steps.last() else { return Ok(()) };
        if let StepDone::Round(round) = &step.did {
            // The history never names a round that a power cut can take away.
            let rounds = self.dir.path().join(ROUNDS);
            let synced =
                directory::sync(&rounds.join(&round.directory)).and_then(|()| directory::sync(&rounds));
            synced.map_err(|e| unsaved(self.dir.path(), &e))?;
        }
        self.history.append(step).map_err(|e| unsaved(self.dir.path(), &e))?;
        self.base.here().listener().notice(Notice::StepEnded { step, of: &self.record.forecast });
        Ok(())
    }

    pub(super) fn stopped(&self, exit: Exit) -> DrivenRounds {
        DrivenRounds { dir: self.dir.path().to_owned(), exit, verdict: None, broken_off: None }
    }

    /// With everything that was measured, which may not be saved.
    pub(super) fn broken_off(&self, why: Failure) -> DrivenRounds {
        let exit = why.exit;
        let broken_off = BrokenOff { record: self.record.clone(), steps: self.steps.clone(), why };
        DrivenRounds { broken_off: Some(Box::new(broken_off)), ..self.stopped(exit) }
    }

    /// Has the procedure waited for arrays before its first round?
    pub(super) fn waited_for_arrays(&self) -> bool {
        self.steps.iter().any(|step| matches!(&step.did, StepDone::Waited { .. }))
    }

    pub(super) fn wait(&self, what: &fathom_procedures::Wait) -> Outcome {
        let targets: Vec<PathBuf> = self.record.shared.targets.iter().map(|path| to_path(path)).collect();
        match wait::wait(what, &targets, &self.terms.ender, self.base.here()) {
            Some(did) => Outcome::done(did),
            None => {
                Outcome::Stopped(self.terms.ender.cause().map_or(Exit::Interrupted, |cause| cause.exit()))
            }
        }
    }

    fn ask(&self, request: &str) -> Result<Outcome, Failure> {
        let answer = self.terms.operator.ask(request).map_err(|e| e.hint(resume_hint(self.dir.path())))?;
        Ok(Outcome::done(StepDone::Asked { request: request.into(), answer }))
    }
}

/// The exit code of a round that was not cut short.
pub(super) fn worse(exit: Exit, run: &RunResult) -> Exit {
    if exit == Exit::Ok { exit_of(run) } else { exit }
}
