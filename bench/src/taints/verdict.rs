//! A run's taints against those that it must have.

use super::making::Expected;
use crate::intervals::Table;
use fathom_job::plan::TargetKind;
use fathom_job::units::Bytes;
use fathom_judge::taint::RULES;
use fathom_judge::{Surrounds, taint};
use fathom_results::RunResult;

/// These taints depend on the number of I/Os, and on what earlier runs wrote, which no disturbance decides.
pub const NOT_JUDGED: [&str; 2] = ["few-samples", "unknown-content"];

/// The judgement of a run.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The run.
    pub name: String,
    /// Whether it was disturbed on purpose.
    pub is_disturbed: bool,
    /// Taints that it must have.
    pub must: Vec<String>,
    /// Taints that it may have.
    pub may: Vec<String>,
    /// Taints that it must have and does not have.
    pub missed: Vec<String>,
    /// Taints that it has and must not have.
    pub wrong: Vec<String>,
    /// The texts of the wrong taints.
    said: Vec<String>,
}

impl Judged {
    /// Judges it.
    pub fn of(name: &str, expected: &Expected, run: &RunResult) -> Result<Self, String> {
        let found = taint::findings(run, &surrounds(expected, run));
        let has = |code: &String| found.iter().any(|finding| finding.code() == code);
        let fits = |code: &String| expected.must.contains(code) || expected.may.contains(code);
        let wrong =
            found.iter().filter(|it| !NOT_JUDGED.contains(&it.code()) && !fits(&it.code().to_owned()));
        let wrong: Vec<_> = wrong.collect();
        let limits = run.record.answer.as_ref().and_then(|answer| answer.limit.as_ref());
        let named = limits.map(fathom_words::limit::line).unwrap_or_default();
        let is_named = named.contains(&expected.limit);
        let limit = (!is_named).then(|| format!("limit {:?} in {named:?}", expected.limit));
        Ok(Judged {
            name: name.to_owned(),
            is_disturbed: expected.is_disturbed,
            must: expected.must.clone(),
            may: expected.may.clone(),
            missed: expected.must.iter().filter(|code| !has(code)).cloned().chain(limit).collect(),
            wrong: wrong.iter().map(|finding| finding.code().to_owned()).collect(),
            said: wrong.iter().map(|finding| fathom_words::of_finding(finding).evidence).collect(),
        })
    }

    /// Whether it has all taints that it must have, and none that it must not have.
    pub fn is_right(&self) -> bool {
        self.missed.is_empty() && self.wrong.is_empty()
    }

    /// One line for people.
    pub fn line(&self) -> String {
        let missed = self.missed.iter().map(|code| format!("MISSED {code}"));
        let wrong = self.wrong.iter().zip(&self.said).map(|(code, said)| format!("WRONG {code} ({said})"));
        let all: Vec<String> = missed.chain(wrong).collect();
        let verdict = if all.is_empty() { "right".to_owned() } else { all.join("; ") };
        format!("{:<20} {verdict}", self.name)
    }
}

/// The machine of the run, from its record.
fn surrounds(expected: &Expected, run: &RunResult) -> Surrounds {
    let files = || run.record.plan.jobs.iter().flat_map(|job| &job.files);
    let fact = |name: &str| {
        let known = run.record.host.iter().find(|fact| fact.name == name);
        known.and_then(|fact| fact.value.clone())
    };
    let target = |what: &str| fact(&format!("target.{}.{what}", files().next()?.path));
    let disk_name = target("disk");
    Surrounds {
        kind: files().next().map_or(TargetKind::None, |file| file.kind),
        is_virtual: target("is_virtual_disk").map(|text| text == "true"),
        is_loop: disk_name.as_ref().is_some_and(|name| name.starts_with("loop")),
        disk_name,
        fs_type: target("fs_type"),
        hypervisor: fact("hypervisor"),
        memory: Bytes(expected.memory_bytes),
        cpus: expected.cpus,
        direct: run.record.plan.jobs.iter().all(|job| job.direct),
        // The runs are kept where no target lies.
        results_on_same_fs: false,
        steal_percent: fact("run.steal_percent").and_then(|text| text.parse().ok()),
    }
}

// The table of docs/measurement.md, how often each taint was a false alarm and how often it was missed, and the share of
// clean runs that had a taint without a reason, and of disturbed ones that lacked theirs.

/// A row for each taint that some run must have, and for those that none must have.
pub fn of(all: &[Judged]) -> Table {
    let headings =
        ["taint", "runs that must not have it", "false alarms", "runs that must have it", "missed"];
    let rules = RULES.iter().filter(|rule| !NOT_JUDGED.contains(&rule.code));
    Table {
        headings: headings.map(str::to_owned).to_vec(),
        rows: rules.map(|rule| (rule.code.to_owned(), cells(all, rule.code))).collect(),
    }
}

fn cells(all: &[Judged], code: &str) -> Vec<String> {
    let is_in = |codes: &[String]| codes.iter().any(|one| one == code);
    let must = || all.iter().filter(|run| is_in(&run.must));
    let must_not = || all.iter().filter(|run| !is_in(&run.must) && !is_in(&run.may));
    let counts = [
        must_not().count(),
        must_not().filter(|run| is_in(&run.wrong)).count(),
        must().count(),
        must().filter(|run| is_in(&run.missed)).count(),
    ];
    counts.map(|count| count.to_string()).to_vec()
}

/// Largest share of either.
const SHARE_MAX: f64 = 0.05;

/// A line with the share of false alarms and of misses; an error where one is too large.
pub fn shares(all: &[Judged]) -> Result<String, String> {
    let (disturbed, clean): (Vec<&Judged>, Vec<&Judged>) = all.iter().partition(|run| run.is_disturbed);
    let count = |runs: &[&Judged], is_it: fn(&Judged) -> bool| runs.iter().filter(|run| is_it(run)).count();
    let wrong = count(&clean, |run| !run.wrong.is_empty());
    let missed = count(&disturbed, |run| !run.missed.is_empty());
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let (wrong_share, missed_share) = (share(wrong, clean.len()), share(missed, disturbed.len()));
    let line = format!(
        "{wrong} of {} clean runs with a false alarm ({:.1} %), {missed} of {} disturbed runs missed ({:.1} %)",
        clean.len(),
        100.0 * wrong_share,
        disturbed.len(),
        100.0 * missed_share
    );
    if wrong_share.max(missed_share) > SHARE_MAX { Err(line) } else { Ok(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_above_five_per_cent_fail() {
        let run = |is_disturbed: bool, is_bad: bool| {
            let code = |is: bool| if is { vec!["x".to_owned()] } else { Vec::new() };
            let (missed, wrong) = (code(is_disturbed && is_bad), code(!is_disturbed && is_bad));
            Judged { is_disturbed, missed, wrong, ..Judged::default() }
        };
        let all = |clean_bad: usize, disturbed_bad: usize| -> Vec<Judged> {
            let clean = (0..30).map(|n| run(false, n < clean_bad));
            clean.chain((0..40).map(|n| run(true, n < disturbed_bad))).collect()
        };
        let line = shares(&all(1, 2)).unwrap();
        let said = "1 of 30 clean runs with a false alarm (3.3 %), 2 of 40 disturbed runs missed (5.0 %)";
        assert_eq!(line, said);
        assert!(shares(&all(2, 0)).is_err() && shares(&all(0, 3)).is_err());
    }
}
