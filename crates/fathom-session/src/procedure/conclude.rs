//! The last step: the conclusion.

use super::driver::{DrivenRounds, Driver, now_unix_ns, resume_hint};
use crate::exit::{Exit, Failure};
use crate::runs::LATEST;
use fathom_procedures::{History, Procedure, Proof, content_fault};
use fathom_results::procedure::{Conclusion, ProcedureSeal};
use fathom_results::{Answer, RunEnd, Verdict};
use fathom_text::shown;

/// Is what a procedure that came to its end measured not valid: by what was read back, or by its own rule?
pub(super) fn is_not_valid(procedure: &dyn Procedure, history: &History<'_>) -> bool {
    history.samples().is_some_and(|samples| content_fault(samples).is_some())
        || procedure.is_not_valid(history)
}

/// How a procedure ended whose command exits with this code. Jobs that went on after I/O errors did not fail, and a single run
/// with such errors is complete as well.
fn ended(exit: Exit, history: &History<'_>) -> RunEnd {
    let every_step_is_done = matches!(exit, Exit::Ok | Exit::IoErrors | Exit::NotValid);
    if every_step_is_done && history.failed().is_none() { RunEnd::ByItself } else { RunEnd::JobFailed }
}

/// The answer whose next command names its procedure by the id: it is the latest one only until another is saved, and only where
/// runs are usually saved.
fn with_id(mut answer: Answer, id: &str) -> Answer {
    let word = |word| if word == LATEST { id } else { word };
    answer.next.command = answer.next.command.split(' ').map(word).collect::<Vec<_>>().join(" ");
    answer
}

/// The exit code of a procedure that asks whether what was written is there.
fn of_proof(proof: Proof) -> Exit {
    match proof {
        Proof::Whole => Exit::Ok,
        Proof::Missing => Exit::NotValid,
        Proof::Wrong => Exit::IoErrors,
    }
}

impl Driver<'_> {
    /// Saves the conclusion and the seal in one step.
    pub(super) fn conclude(&mut self, verdict: &Verdict, exit: Exit) -> Result<DrivenRounds, Failure> {
        // What went wrong in a round of an earlier sitting counts as well.
        let history = History::new(&self.steps);
        let exit = match exit {
            Exit::Ok | Exit::Failed | Exit::IoErrors if let Some(proof) = self.procedure.proof(&history) => {
                of_proof(proof)
            }
            Exit::Ok if history.failed().is_some() => Exit::Failed,
            Exit::Ok if history.rounds().any(|round| round.errors > 0) => Exit::IoErrors,
            Exit::Ok if is_not_valid(&*self.procedure, &history) => Exit::NotValid,
            exit => exit,
        };
        let extent = self.history.extent();
        self.record.conclusion = Some(Conclusion {
            at_unix_ns: now_unix_ns(),
            ended: ended(exit, &history),
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
