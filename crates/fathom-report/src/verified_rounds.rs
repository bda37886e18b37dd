//! What the jobs of a procedure verified in all rounds: the terminal and the page say the same.

use fathom_results::procedure::{ProcedureResult, RoundDone};
use fathom_results::{FaultAt, Verification, VerifiedJob};
use fathom_words::verification::{verification, wrong_block};

/// What the jobs of one name verified, their clones and all rounds added up.
pub(crate) struct VerifiedRounds<'p> {
    /// The name of the job.
    pub(crate) job: &'p str,
    /// What was counted.
    found: Verification,
    /// The wrong blocks that the history has.
    faults: Vec<WrongBlock<'p>>,
}

/// A wrong block, the round in which it was read, and the job that read it.
type WrongBlock<'p> = (&'p RoundDone, &'p VerifiedJob, &'p FaultAt);

impl VerifiedRounds<'_> {
    /// What was checked, and how much of it was wrong, without a full stop.
    pub(crate) fn counted(&self) -> String {
        verification(&self.found)
    }

    /// The first wrong blocks, at most so many, each with its round.
    pub(crate) fn wrong_blocks(&self, most: usize) -> Vec<String> {
        let words = |(round, job, fault): &WrongBlock<'_>| {
            format!("{}: {}", round.directory, wrong_block(job.path_of(fault), fault))
        };
        self.faults.iter().take(most).map(words).collect()
    }

    /// How many wrong blocks those are not.
    pub(crate) fn left_out(&self, most: usize) -> u64 {
        self.found.wrong.saturating_sub(most.min(self.faults.len()) as u64)
    }
}

/// What each job of the rounds verified; empty where none did.
pub(crate) fn verified_rounds(procedure: &ProcedureResult) -> Vec<VerifiedRounds<'_>> {
    let mut all: Vec<VerifiedRounds<'_>> = Vec::new();
    let each = procedure.rounds().flat_map(|round| round.verified.iter().map(move |job| (round, job)));
    for (round, job) in each {
        let faults = job.verification.faults.iter().map(|fault| (round, job, fault));
        match all.iter_mut().find(|known| known.job == job.job) {
            Some(known) => {
                known.found.add_counts(&job.verification);
                known.faults.extend(faults);
            }
            None => {
                let found = job.verification.clone();
                all.push(VerifiedRounds { job: &job.job, found, faults: faults.collect() });
            }
        }
    }
    all
}
