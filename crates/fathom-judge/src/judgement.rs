//! What a saved run means: judged from what is saved and nothing else.
//!
//! So a run can be judged again at any time, by this or a later version. The words are the same
//! unless the rules have changed, and the record names the rules that it was judged by.

use crate::own_jobs::{Own, OwnJobs};
use crate::surrounds::Surrounds;
use crate::{answer, checks, taint};
use fathom_results::{RunRecord, RunResult};

/// Judges a run: its checks, what the rules find, and the answer. Findings that no rule here
/// makes, such as settings that drifted while it ran, stay as they were recorded. `own` are the jobs that fathom writes itself.
pub fn judge(run: &mut RunResult, own: &OwnJobs) {
    let surrounds = Surrounds::of(run);
    let rules: Vec<String> = taint::RULES.iter().map(|rule| rule.code.to_owned()).collect();
    let mut recorded = std::mem::take(&mut run.record.findings);
    recorded.retain(|finding| rules.iter().all(|code| code != finding.code()));
    run.record.self_knowledge.checks = checks::checks(run, &surrounds);
    run.record.findings = taint::findings(run, &surrounds);
    run.record.findings.extend(recorded);
    run.record.rules = rules;
    run.record.answer = Some(answer::answer(run, &surrounds, Own::of(run, own)));
}

/// The rules of today that a run was not judged by. `None` for a run that does not name its rules.
pub fn new_rules(run: &RunRecord) -> Option<Vec<&'static str>> {
    let is_new = |code: &&str| !run.rules.iter().any(|known| known == code);
    (!run.rules.is_empty()).then(|| taint::RULES.iter().map(|rule| rule.code).filter(is_new).collect())
}
