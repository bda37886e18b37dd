//! The last steps: finding a device again, and the conclusion.

use super::driver::{DrivenRounds, Driver, Outcome, now_unix_ns, resume_hint};
use super::same;
use crate::exit::{Exit, Failure};
use crate::facts;
use crate::grounds::PlanGrounds;
use crate::runs::LATEST;
use fathom_device::target::{self, PathKind};
use fathom_procedures::{History, Procedure, content_fault};
use fathom_results::procedure::{Conclusion, ProcedureSeal, StepDone};
use fathom_results::{Answer, RunEnd, Verdict};
use fathom_text::carried::to_path;
use fathom_text::shown;

/// Is what a procedure that came to its end measured not valid: by what was read back, or by its own rule?
pub(super) fn is_not_valid(procedure: &dyn Procedure, history: &History<'_>) -> bool {
    history.samples().is_some_and(|samples| content_fault(samples).is_some())
        || procedure.is_not_valid(history)
}

/// The answer whose next command names its procedure by the id: it is the latest one only until another is saved, and only where
/// runs are usually saved.
fn with_id(mut answer: Answer, id: &str) -> Answer {
    let word = |word| if word == LATEST { id } else { word };
    answer.next.command = answer.next.command.split(' ').map(word).collect::<Vec<_>>().join(" ");
    answer
}

impl Driver<'_> {
    /// Finds a device again, which may have changed its size.
    pub(super) fn identify(&self, path: &str) -> Result<Outcome, Failure> {
        let (here, targets) = (self.base.here(), vec![to_path(path)]);
        let target_facts = here.slow_look().at(&targets[0], || target::inspect(here.root(), &targets[0]));
        let is_device = target_facts.is_ok_and(|target_facts| target_facts.kind == PathKind::Block);
        let facts = facts::host_facts(here, &PlanGrounds { targets, facts: Vec::new() });
        let identity_now = same::identity(path, &facts);
        if !is_device {
            let message = format!("{path} is no device any more");
            return Err(Failure::new(Exit::Failed, message).hint(resume_hint(self.dir.path())));
        }
        Ok(Outcome::done(StepDone::Identified { path: path.to_owned(), found: identity_now }))
    }

    /// Saves the conclusion and the seal in one step.
    pub(super) fn conclude(&mut self, verdict: &Verdict, exit: Exit) -> Result<DrivenRounds, Failure> {
        // What went wrong in a round of an earlier sitting counts as well.
        let history = History::new(&self.steps);
        let exit = match exit {
            Exit::Ok if history.failed().is_some() => Exit::Failed,
            Exit::Ok if history.rounds().any(|round| round.errors > 0) => Exit::IoErrors,
            Exit::Ok if is_not_valid(&*self.procedure, &history) => Exit::NotValid,
            exit => exit,
        };
        let extent = self.history.extent();
        self.record.conclusion = Some(Conclusion {
            at_unix_ns: now_unix_ns(),
            ended: if matches!(exit, Exit::Ok | Exit::IoErrors | Exit::NotValid) {
                RunEnd::ByItself
            } else {
                RunEnd::JobFailed
            },
            verdict: verdict.clone(),
            answer: self.procedure.answer(&history).map(|answer| Box::new(with_id(answer, &self.record.id))),
        });
        self.record.seal = Some(ProcedureSeal {
            history_bytes: extent.bytes,
            history_crc32: format!("{:08x}", extent.crc32),
        });
        let dir = self.dir.path();
        let ended = match self.record.save(dir) {
            Ok(()) => self.stopped(exit),
            Err(e) => {
                let message = format!("cannot save the conclusion in {}: {e}", shown::path(dir));
                self.broken_off(Failure::new(Exit::Incomplete, message).hint(resume_hint(dir)))
            }
        };
        Ok(DrivenRounds { verdict: Some(verdict.clone()), ..ended })
    }
}
