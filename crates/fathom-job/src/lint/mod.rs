//! Lints: findings about options that are allowed but mislead.
//!
//! A rule looks at one resolved job (all its clones at once) and finds at most one thing, with its
//! reason and the option that corrects it. Rules never fail a plan. To add one: a function in
//! `rules.rs`, and its line in [`RULES`].

mod idle;
mod rules;
#[cfg(test)]
mod tests;
mod whole;

use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::Direction;
use crate::engine::EngineDef;
use crate::job::Job;
use crate::option::Key;
use crate::options;
use crate::plan::{Machine, Plan, PlannedFile, PlannedJob, TargetKind};
use crate::units::Bytes;
use std::collections::{BTreeMap, HashMap};

pub use rules::RULES;

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct LintRule {
    /// Short name, the `code` of its findings.
    pub code: &'static str,
    /// The check, which gets the code; `None` when there is nothing to say.
    pub check: fn(&LintInput<'_>, &'static str) -> Option<Diagnostic>,
}

/// Notes that a person should see before a run and not only in its plan: what was asked for, and does not happen.
const BEFORE_A_RUN: &[&str] = &[
    "rwmix-rates",
    "rwmix-one-rate",
    "option-idle",
    "mix-unused",
    "mix-few",
    "stonewall-first",
    "late-delay",
    "batch-whole",
    "batch-clipped",
    "early-end",
    "size-zero",
    "pace-unused",
    "pause-never",
    "hist-log",
    "colon-in-name",
    "replay-makes-files",
    "blocks-cut",
    "separator-in-name",
    "shared-target",
    "verify-idle",
    "verify-after-time",
    "verify-nothing",
];

/// Is a finding to be seen before a run begins: a warning, or a note of an option that does not do what it says?
pub fn is_for_the_start(finding: &Diagnostic) -> bool {
    finding.severity >= Severity::Warning || BEFORE_A_RUN.contains(&finding.code.as_str())
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub struct LintInput<'a> {
    /// The first clone.
    pub first: &'a PlannedJob,
    /// All clones of the job.
    pub clones: &'a [PlannedJob],
    /// The job behind it, if there is one.
    pub next: Option<&'a PlannedJob>,
    /// What the stages before it write.
    pub filled: &'a Filled<'a>,
    /// Its engine.
    pub engine: &'a EngineDef,
    /// The machine it runs on.
    pub machine: &'a Machine,
}

impl LintInput<'_> {
    /// The job as written.
    pub fn job(&self) -> &Job {
        &self.first.job
    }

    /// A file of the first clone that is of this kind.
    fn file(&self, kind: TargetKind) -> Option<&PlannedFile> {
        self.first.files.iter().find(|file| file.kind == kind)
    }

    /// Does it go through the page cache of a real target?
    fn buffered(&self) -> bool {
        !self.first.direct
            && !self.engine.diskless
            && !self.engine.sends_commands()
            && self.file(TargetKind::Char).is_none()
    }

    /// The most I/Os that the first clone can make; `None` where only time ends it.
    fn most_ios(&self) -> Option<u64> {
        let end = &self.first.end;
        let by_size = end.bytes.map(|bytes| bytes.0.div_ceil(self.first.block_min().0.max(1)));
        end.ios.into_iter().chain(by_size).min()
    }

    /// Bytes of all clones' regions, shared ranges counted once for each path.
    fn footprint(&self) -> Bytes {
        let mut spans: Vec<(&str, u64, u64)> =
            self.clones.iter().flat_map(|clone| &clone.files).map(span).collect();
        spans.sort_unstable();
        let mut sum = 0u64;
        let mut reached = ("", 0);
        for (path, start, end) in spans {
            let from = if reached.0 == path { start.max(reached.1) } else { start };
            sum = sum.saturating_add(end.saturating_sub(from));
            reached = (path, if reached.0 == path { end.max(reached.1) } else { end });
        }
        Bytes(sum)
    }
}

fn span(file: &PlannedFile) -> (&str, u64, u64) {
    (&file.path, file.offset.0, file.offset.0.saturating_add(file.size.0))
}

/// Findings of all rules on all jobs of a plan, job by job.
pub fn findings(plan: &Plan, engines: &[EngineDef], machine: &Machine) -> Vec<Diagnostic> {
    let jobs = plan.jobs.chunk_by(|a, b| a.id - a.subjob == b.id - b.subjob);
    let mut all: Vec<Diagnostic> = Vec::new();
    let (mut filled, mut earlier) = (Filled::default(), plan.jobs.iter().peekable());
    for clones in jobs {
        while let Some(job) = earlier.next_if(|job| job.stage < clones[0].stage) {
            filled.add(job);
        }
        let Some(engine) = engines.iter().find(|engine| engine.name == clones[0].engine) else {
            continue;
        };
        if !engine.moves_data() {
            // The rules are about data.
            continue;
        }
        let next = plan.jobs.get(clones[clones.len() - 1].id as usize + 1);
        let input = LintInput { first: &clones[0], clones, next, filled: &filled, engine, machine };
        all.extend(RULES.iter().filter_map(|rule| (rule.check)(&input, rule.code)));
    }
    all
}

fn warning<T>(
    input: &LintInput<'_>,
    code: &'static str,
    key: &Key<T>,
    message: impl Into<String>,
) -> Diagnostic {
    crate::plan::at(Diagnostic::new(Severity::Warning, code, message), input.job(), key)
}

fn note<T>(
    input: &LintInput<'_>,
    code: &'static str,
    key: &Key<T>,
    message: impl Into<String>,
) -> Diagnostic {
    crate::plan::at(Diagnostic::new(Severity::Note, code, message), input.job(), key)
}

/// The filled regions of each path: first byte and end. A region within another one is not kept, so
/// a region that begins later also ends later, and one lookup finds the region that reaches
/// furthest.
#[derive(Debug, Default)]
pub struct Filled<'a> {
    paths: HashMap<&'a str, BTreeMap<u64, u64>>,
}

impl<'a> Filled<'a> {
    fn add(&mut self, job: &'a PlannedJob) {
        let is_uniform = job.job.get(&options::RANDOM_DISTRIBUTION).is_uniform();
        if job.uses(Direction::Write) && (is_uniform || !job.rw.random) {
            job.files.iter().for_each(|file| self.add_region(file));
        }
    }

    fn add_region(&mut self, file: &'a PlannedFile) {
        if self.holds(file) {
            return;
        }
        let (start, end) = (file.offset.0, end(file));
        let regions = self.paths.entry(&file.path).or_default();
        let within: Vec<u64> =
            regions.range(start..).take_while(|(_, other)| **other <= end).map(|(start, _)| *start).collect();
        for start in within {
            regions.remove(&start);
        }
        regions.insert(start, end);
    }

    /// Has one job written every block of this region?
    fn holds(&self, file: &PlannedFile) -> bool {
        let regions = self.paths.get(file.path.as_str());
        let furthest = regions.and_then(|regions| regions.range(..=file.offset.0).next_back());
        furthest.is_some_and(|(_, reach)| *reach >= end(file))
    }
}

fn end(file: &PlannedFile) -> u64 {
    file.offset.0.saturating_add(file.size.0)
}
