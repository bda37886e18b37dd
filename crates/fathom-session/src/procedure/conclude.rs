//! The last steps: finding a device again, and the conclusion.

use super::driver::{DrivenRounds, Driver, Outcome, now_unix_ns, resume_hint};
use super::same;
use crate::exit::Exit;
use crate::facts;
use crate::failure::Failure;
use crate::grounds::PlanGrounds;
use fathom_results::procedure::{Conclusion, ProcedureSeal, StepDone};
use fathom_results::{RunEnd, Verdict};
use fathom_text::carried::to_path;

impl Driver<'_> {
    /// Finds a device again, which may have changed its size.
    pub(super) fn identify(&self, path: &str) -> Result<Outcome, Failure> {
        let targets = vec![to_path(path)];
        let facts = facts::host_facts(self.base.here(), &PlanGrounds { targets, facts: Vec::new() });
        let found = same::identity(path, &facts);
        if found.size_bytes.is_none() {
            let said = format!("{path} is no device any more");
            return Err(Failure::new(Exit::Failed, said).hint(resume_hint(self.dir.path())));
        }
        Ok(Outcome::Done(StepDone::Identified { path: path.to_owned(), found }))
    }

    /// Saves the conclusion and the seal in one step.
    pub(super) fn conclude(&mut self, verdict: &Verdict, exit: Exit) -> Result<DrivenRounds, Failure> {
        let extent = self.history.extent();
        self.record.conclusion = Some(Conclusion {
            at_unix_ns: now_unix_ns(),
            ended: if exit == Exit::Ok { RunEnd::ByItself } else { RunEnd::JobFailed },
            verdict: verdict.clone(),
        });
        self.record.seal = Some(ProcedureSeal {
            history_bytes: extent.bytes,
            history_crc32: format!("{:08x}", extent.crc32),
        });
        let dir = self.dir.path();
        self.record.save(dir).map_err(|e| {
            let said = format!("cannot save the conclusion in {}: {e}", dir.display());
            Failure::new(Exit::Incomplete, said).hint(resume_hint(dir))
        })?;
        Ok(DrivenRounds { dir: dir.to_owned(), exit, verdict: Some(verdict.clone()) })
    }
}
