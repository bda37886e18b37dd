//! The answer of any run: what was measured, the figures, trust, limit, next command.
//!
//! It repeats in short what findings and figures say, so that ten seconds are enough. Each part is a file.

mod jobs;
mod lost;
mod measured;
mod next;
mod remarks;
mod result;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_figures;
#[cfg(test)]
mod tests_of_jobs;
mod trust;

use crate::case::Case;
use crate::cell::Cell;
use crate::class::class;
use crate::limit::limits;
use crate::own_jobs::Own;
use crate::surrounds::Surrounds;
use crate::taint::{RULES, fall_evidence, fallen};
use fathom_results::{Answer, FailedJobs, Finding, Instead, RunResult, Weight};

/// The answer of a run that was judged.
pub(crate) fn answer(run: &RunResult, surrounds: &Surrounds, own: Own<'_>) -> Answer {
    let mut case = Case::new(run, surrounds);
    case.cells.retain(|cell| !own.prepares(cell.name()) && cell.members[0].is_reported());
    let doubts = Doubts::of(&case, own);
    let instead = instead(&case, &doubts);
    Answer {
        measured: measured::measured(&case),
        jobs: jobs::jobs(&case),
        result: result::result(&case, own),
        class: class(&case).filter(|_| instead.is_none()),
        trust: trust::trust(&case, &doubts),
        limit: limits(&case),
        next: next::next(&case, &doubts, own),
        remarks: remarks::remarks(&case, own),
        lost: lost::lost(&case),
        so_far: None,
        instead,
    }
}

/// What takes the place of the result: the jobs that failed, else what was measured instead of the disk.
fn instead(case: &Case<'_>, doubts: &Doubts) -> Option<Instead> {
    if let Some(failed) = failed(case) {
        return Some(Instead { failed: Some(failed), ..Instead::default() });
    }
    let findings: Vec<Finding> = doubts.instead().into_iter().cloned().collect();
    (!findings.is_empty()).then(|| {
        let falls = fallen(case).map(|(cell, fall)| fall_evidence(cell, &fall)).collect();
        Instead { findings, falls, ..Instead::default() }
    })
}

/// The rule about I/O of other programs.
const FOREIGN_IO: &str = "foreign-io";

/// What the rules found, the most serious first: those of every run, then those of jobs that fathom wrote.
struct Doubts(Vec<Finding>);

impl Doubts {
    fn of(case: &Case<'_>, own: Own<'_>) -> Self {
        let found = RULES.iter().filter_map(|rule| rule.found(case));
        Doubts(found.chain(own.findings(case)).collect())
    }

    /// What was measured instead of the disk. What answered the I/O comes before who else used the
    /// disk, and what is true of all jobs before what is true of some.
    fn instead(&self) -> Vec<&Finding> {
        let instead = self.0.iter().filter(|finding| finding.weight == Weight::Instead);
        let (foreign, answered): (Vec<_>, Vec<_>) = instead.partition(|it| it.code() == FOREIGN_IO);
        let mut all: Vec<&Finding> = answered.into_iter().chain(foreign).collect();
        all.sort_by_key(|finding| finding.jobs.is_some());
        all
    }

    /// Was I/O of other programs found, however little?
    fn has_foreign_io(&self) -> bool {
        self.0.iter().any(|finding| finding.code() == FOREIGN_IO)
    }

    /// The codes, those that have the most to say about what to do next first. I/O of others that is too little for low
    /// trust asks for nothing.
    fn codes_to_act_on(&self) -> impl Iterator<Item = &str> {
        let findings = || self.0.iter();
        let foreign = findings().filter(|it| it.code() == FOREIGN_IO && it.weight == Weight::Instead);
        let (instead, rest): (Vec<_>, Vec<_>) =
            findings().filter(|it| it.code() != FOREIGN_IO).partition(|it| it.weight == Weight::Instead);
        instead.into_iter().chain(foreign).chain(rest).map(Finding::code)
    }
}

/// How many jobs failed, and why the first did. Clones are one job, as everywhere in the answer; of a single job its
/// workers are counted.
fn failed(case: &Case<'_>) -> Option<FailedJobs> {
    let failures = || case.run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let first = &failures().next()?.message;
    let all = Cell::all(case.run);
    let (are_workers, failed, of) = match all.as_slice() {
        [only] => (true, failures().count(), only.members.len()),
        several => (false, several.iter().filter(|cell| cell.failure().is_some()).count(), several.len()),
    };
    Some(FailedJobs { are_workers, failed: failed as u64, of: of as u64, first: first.clone() })
}

/// Is all of the run a load on CPUs, which does no I/O by design, and did it run to its end?
fn is_load(case: &Case<'_>) -> bool {
    let is_whole = case.run.incomplete.is_none() && failed(case).is_none();
    let has_run = |cell: &Cell<'_>| cell.planned().burns_cpu() && cell.runtime_ns() > 0;
    is_whole && !case.cells.is_empty() && case.cells.iter().all(has_run)
}

/// Was anything measured?
fn has_figures(case: &Case<'_>) -> bool {
    case.cells.iter().any(|cell| cell.ios() > 0)
}
