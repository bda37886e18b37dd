//! A run's taints against those that it must have.

use super::kept::Expected;
use fathom_job::plan::TargetKind;
use fathom_job::units::Bytes;
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
