//! `quick` as a procedure: one round, whose judgement is the answer.

use super::{History, Procedure, Round, RoundJobs, Step};
use fathom_judge::QUICK;
use fathom_judge::quick::{QuickTarget, adjust, job_text};
use fathom_results::Verdict;

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
        Round { calibrates, removes_created, ..Round::of(QUICK, jobs) }
    }
}

impl Procedure for Quick {
    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(self.round(), 1)]
    }

    /// The verdict is in the record of the round, where [`fathom_judge::judge`] puts it.
    fn next(&self, history: &History<'_>) -> Step {
        match history.rounds().next() {
            None => Step::Run(self.round()),
            Some(_) => Step::Done(Verdict::default()),
        }
    }

    fn is_one_run(&self) -> Option<&'static str> {
        Some(QUICK)
    }
}
