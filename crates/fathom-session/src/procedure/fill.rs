//! Fills a target: every block once, in order. It is a run like a round, and saved beside the rounds.

use super::driver::Driver;
use super::jobs;
use super::one_run::round_request;
use super::round::set_aside;
use crate::ending::exit_of;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::request::{RunDir, SavedAt};
use fathom_device::target::{self, PathKind};
use fathom_job::parse::Adjust;
use fathom_procedures::{Round, RoundJobs};
use fathom_results::procedure::JobSource;
use fathom_text::carried::to_path;
use fathom_text::number::bytes;

/// Name of the directory that holds such runs.
const PREPARATIONS: &str = "preparations";

impl Driver<'_> {
    /// Fills the target. The inner error is the exit code of a run that was cut short.
    pub(super) fn fill(&mut self, target: &str) -> Result<Result<String, Exit>, Failure> {
        let here = self.base.here();
        let path = to_path(target);
        let facts = here.slow_look().at(&path, || target::inspect(here.root(), &path));
        // A file system may be unable to do direct I/O.
        let direct = u8::from(facts.is_ok_and(|facts| facts.kind == PathKind::Block));
        let text = format!(
            "[fill]\nioengine=psync\nrw=write\nbs=1m\nsize=100%\ndirect={direct}\nend_fsync=1\n\
             scramble_buffers=1\ndedupe_percentage=0\n"
        );
        let adjust = Adjust { target: Some(target.to_owned()), ..Adjust::default() };
        let jobs = RoundJobs::Text { text, adjust };
        let fill = Round::of("fill", jobs);
        let (_, plan) = jobs::plan(&JobSource::default(), &fill, &[], here)?;
        let dir = self.dir.path().join(PREPARATIONS).join(format!("{:04}-fill", self.steps.len() + 1));
        if dir.exists() {
            let cannot = |e| Failure::new(Exit::Failed, format!("cannot rename {}: {e}", dir.display()));
            set_aside(&dir).map_err(cannot)?;
        }
        let saved = SavedAt { dir: RunDir::Exactly(dir), state_dir: self.terms.state_dir.clone() };
        let run = self.base.run(round_request("fill".to_owned(), plan, &fill, saved, &self.terms))?;
        match exit_of(&run) {
            Exit::Ok => {
                let written: u64 = run.jobs.iter().map(|job| job.totals.directions.write.bytes).sum();
                Ok(Ok(format!("{} written", bytes(written as f64))))
            }
            exit => Ok(Err(exit)),
        }
    }
}
