//! `quick`: the one-minute answer, as a procedure of one round, whose judgement is the answer.
//!
//! Six measurements ([`SIX`]) in one job file ([`job_text`]). A target that may be written is
//! filled before it is read. A minute cannot show steady state, and the answer says so.

mod fill;
#[cfg(test)]
mod fixture;
mod job;
mod six;
mod sizes;
mod target;

pub use fill::{FILL_SECONDS_MAX, FILL_SIZE_MAX};
pub use job::{QUICK_SECONDS, adjust, job_text};
pub use six::SIX;
pub use sizes::{SCRATCH_USUAL, scratch_size, scratch_size_max};
pub use target::QuickTarget;

use super::{History, Procedure, Round, RoundJobs, Step};
use fathom_judge::OwnJobs;
use fathom_results::answer::Headline;
use fathom_results::quick::{
    FILL, RAND_READ_IOPS, RAND_READ_LATENCY, RAND_WRITE_IOPS, SEQ_READ_BANDWIDTH, SEQ_WRITE_BANDWIDTH,
};
use fathom_results::{RunResult, Verdict};

/// What the judge must know of the six.
const OWN: OwnJobs = OwnJobs {
    command: "quick",
    measurements: SIX.len() as u64,
    seconds: QUICK_SECONDS,
    prepares: FILL,
    named: &[RAND_READ_IOPS, RAND_WRITE_IOPS, SEQ_READ_BANDWIDTH, SEQ_WRITE_BANDWIDTH, RAND_READ_LATENCY],
    headline: |jobs, block_bytes, depth| Headline::Quick { jobs, block_bytes, depth },
};

/// Judges a run, by the rules for the jobs of `quick` too if it is one of them.
pub fn judge(run: &mut RunResult) {
    fathom_judge::judge(run, &OWN);
}

/// Six measurements in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quick {
    /// What is measured, and how.
    pub target: QuickTarget,
    /// What the generator can do without a target is measured too.
    pub calibrates: bool,
}

impl Quick {
    fn round(&self) -> Round {
        let jobs = RoundJobs::Text { text: job_text(&self.target), adjust: adjust(&self.target) };
        let (calibrates, removes_created) = (self.calibrates, self.target.is_scratch);
        Round { calibrates, removes_created, ..Round::of(OWN.command, jobs) }
    }
}

impl Procedure for Quick {
    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(self.round(), 1)]
    }

    /// The verdict is in the record of the round, where [`judge`] puts it.
    fn next(&self, history: &History<'_>) -> Step {
        match history.rounds().next() {
            None => Step::Run(self.round()),
            Some(_) => Step::Done(Verdict::default()),
        }
    }

    fn is_one_run(&self) -> Option<&'static str> {
        Some(OWN.command)
    }
}
