//! A subject made from saved runs.

use super::cell_runs::{self, CellRuns, Doubt};
use super::metric::ComparedMetric;
use super::properties::{is_scratch, properties};
use super::subject::{FigureKey, Load, Property, Subject, SubjectFigure, UsedTarget, joined_blocks};
use crate::cell::kept_rate;
use fathom_figures::metric::{Columns, Metric, Output};
use fathom_figures::workload::described;
use fathom_figures::{DirectionFigures, LARGE_BLOCK, Row, reported_jobs};
use fathom_job::direction::Direction;
use fathom_job::plan::{BlockSizes, TargetKind};
use fathom_results::{
    ComparedSubject, Finding, Gap, JobRecord, LeftOutPart, LeftOutReason, RoundFailure, RunResult,
    TrustLevel, Unrated, Weight,
};
use fathom_stats::Estimate;
use std::collections::BTreeMap;

/// Collects the figures of the runs of one subject. Each run is given once, and can be dropped then.
#[derive(Debug)]
pub struct SubjectOfRuns {
    /// What is compared of each run.
    metrics: Vec<&'static Metric>,
    /// A person chose these, so what is missing is said.
    are_chosen: bool,
    subject: Subject,
    /// Place of each figure.
    places: BTreeMap<FigureKey, usize>,
    /// Place of each cell in those of the subject.
    cells: BTreeMap<String, usize>,
}

impl Default for SubjectOfRuns {
    fn default() -> Self {
        SubjectOfRuns::new(ComparedSubject::default(), Columns::USUAL)
    }
}

impl SubjectOfRuns {
    /// A subject that has no run yet; these columns of a comparison are its figures.
    pub fn new(about: ComparedSubject, columns: &Columns) -> Self {
        SubjectOfRuns {
            metrics: columns.of(Output::Comparison),
            are_chosen: columns.are_chosen(),
            subject: Subject { about, ..Subject::default() },
            places: BTreeMap::new(),
            cells: BTreeMap::new(),
        }
    }

    /// Adds the figures of a run that was judged.
    pub fn add(&mut self, run: &RunResult) {
        self.add_cell("", run);
    }

    /// Adds the figures of a round of this cell, whose name is a part of their names. Each cell has its own rounds.
    pub fn add_cell(&mut self, cell: &str, run: &RunResult) {
        if self.add_findings(cell, &run.record.findings) {
            let of_cell = |mut property: Property| {
                property.job = property.job.map(|job| in_cell(cell, &job, run));
                property
            };
            self.is_of_first(run, properties(run).into_iter().map(of_cell).collect());
        }
        self.count(run);
        if let Some(answer) = &run.record.answer {
            self.is_trusted(answer.trust.level, Doubt::of(answer, cell));
        }
        let mut names = BTreeMap::new();
        for row in reported_jobs(run) {
            let times: &mut u32 = names.entry(row.name()).or_default();
            *times += 1;
            let name = match times {
                1 => row.name().to_owned(),
                more => format!("{} ({more})", row.name()),
            };
            self.row((cell, &in_cell(cell, &name, run)), &row, run);
        }
    }

    /// Adds what the rules found in a run of this cell. Is it the first one?
    pub(super) fn add_findings(&mut self, cell: &str, findings: &[Finding]) -> bool {
        let place = *self.cells.entry(cell.to_owned()).or_insert_with(|| {
            self.subject.cells.push(CellRuns { name: cell.to_owned(), ..CellRuns::default() });
            self.subject.cells.len() - 1
        });
        self.subject.cells[place].add(findings);
        self.subject.cells[place].runs == 1
    }

    /// Counts a run.
    pub(super) fn count(&mut self, run: &RunResult) {
        self.subject.is_no_disk &= is_no_disk(run);
        self.subject.about.runs += 1;
    }

    /// A run can be trusted so far, and why not further.
    pub(super) fn is_trusted(&mut self, level: TrustLevel, doubt: Option<Doubt>) {
        let about = &mut self.subject.about;
        about.trust = Some(about.trust.map_or(level, |known| known.min(level)));
        doubt.into_iter().for_each(|doubt| doubt.add_to(&mut self.subject.doubts));
    }

    /// What the first run of a cell says for all of them.
    pub(super) fn is_of_first(&mut self, run: &RunResult, properties: Vec<Property>) {
        let subject = &mut self.subject;
        let is_first = subject.about.runs == 0;
        let of_cell = properties.into_iter().filter(|property| is_first || property.job.is_some());
        subject.properties.extend(of_cell);
        targets(run).into_iter().for_each(|target| target.add_to(&mut subject.targets));
        let measured = run.record.answer.as_ref().map(|answer| &answer.measured);
        // A scratch file has another number in each run.
        let is_told = is_first || !has_scratch(run);
        let known = &mut subject.about.targets;
        let measured = measured.filter(|target| is_told && !known.contains(target)).cloned();
        known.extend(measured);
        if is_first {
            let jobs = run.record.answer.as_ref().and_then(|answer| answer.jobs.clone());
            if subject.about.jobs.is_none() && jobs.is_some() {
                subject.about.jobs = jobs;
                subject.about.workload = Some(described(&reported_jobs(run), true));
            }
            subject.command.clone_from(&run.record.command);
            subject.is_no_disk = true;
        }
    }

    pub(super) fn subject_mut(&mut self) -> &mut Subject {
        &mut self.subject
    }

    /// Says what of the subject failed or is missing.
    pub fn lacks(&mut self, what: Gap) {
        let known = &mut self.subject.about.incomplete;
        if !known.contains(&what) {
            known.push(what);
        }
    }

    /// Says that a round failed, and does not count.
    pub fn round_failed(&mut self, round: &str, why: RoundFailure) {
        let reason = LeftOutReason::RoundFailed { why };
        self.subject.leave_out(LeftOutPart::Round(round.to_owned()), reason);
    }

    /// All runs were added. A figure that some of the runs of its cell do not have is left out.
    pub fn done(self) -> Subject {
        let SubjectOfRuns { mut subject, .. } = self;
        let figures = std::mem::take(&mut subject.figures);
        let with_runs = |mut figure: SubjectFigure| {
            let runs = subject.cell(&figure.cell).map_or(0, |cell| cell.runs as usize);
            figure.within = figure.within.filter(|_| runs == 1);
            (figure, runs)
        };
        let all: Vec<_> = figures.into_iter().map(with_runs).collect();
        let (whole, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(figure, runs)| figure.values.len() == *runs);
        for (figure, runs) in rest {
            let (runs, of) = (figure.values.len() as u64, runs as u64);
            subject.leave_out(figure.key.part(), LeftOutReason::NotInAllRuns { runs, of });
        }
        subject.figures = whole.into_iter().map(|(figure, _)| figure).collect();
        cell_runs::sort(&mut subject.doubts);
        subject.about.doubts = subject.doubts.iter().map(|doubt| doubt.of_run.clone()).collect();
        let runs = || subject.cells.iter().map(|cell| cell.runs);
        if let Some(cells) = &mut subject.about.cells {
            cells.measured = subject.cells.len() as u32;
            cells.runs_min = runs().min().unwrap_or(0);
            cells.runs_max = runs().max().unwrap_or(0);
        }
        subject
    }

    fn row(&mut self, (cell, job): (&str, &str), row: &Row<'_>, run: &RunResult) {
        if let Some(reason) = unusable(row, run) {
            let job = job.to_owned();
            match reason.clone() {
                LeftOutReason::Failed { message } => self.lacks(Gap::JobFailed { job: job.clone(), message }),
                LeftOutReason::Incomplete { why } => self.lacks(Gap::JobIncomplete { job: job.clone(), why }),
                _ => {}
            }
            return self.subject.leave_out(LeftOutPart::Job(job), reason);
        }
        let is_one = self.subject.cell(cell).is_some_and(|cell| cell.runs == 1);
        let has_fallen = row.has_target() && row.rate_fall().is_some();
        let flows: Vec<_> = row.flows().map(|(direction, _)| direction).collect();
        for direction in &flows {
            let flow = row.flow(*direction);
            let load = load(row, &flow, *direction);
            let place = if flows.len() > 1 { flow.name } else { "" };
            for metric in self.metrics.clone() {
                let key = FigureKey::measured(job, place, metric);
                let Some(value) = metric.of_flow_compared(&flow) else {
                    if self.are_chosen && metric.percentile().is_some() {
                        let ios = flow.totals.ios;
                        self.subject.leave_out(key.part(), LeftOutReason::TooFewBeyond { ios });
                    }
                    continue;
                };
                let within = is_one.then(|| metric.interval(&flow)).flatten();
                self.value((cell, key), metric, &load, Measured { value, within, has_fallen });
            }
        }
        let Some(direction) = flows.first() else { return };
        for metric in self.metrics.clone() {
            let Some(value) = metric.of_row(row).filter(|value| *value > 0.0) else { continue };
            let load = load(row, &row.flow(*direction), *direction);
            let measured = Measured { value, within: None, has_fallen };
            self.value((cell, FigureKey::measured(job, "", metric)), metric, &load, measured);
        }
    }

    fn value(
        &mut self,
        (cell, key): (&str, FigureKey),
        metric: &'static Metric,
        load: &Load,
        Measured { value, within, has_fallen }: Measured,
    ) {
        let figures = &mut self.subject.figures;
        let place = *self.places.entry(key).or_insert_with_key(|key| {
            let (key, cell, load) = (key.clone(), cell.to_owned(), load.clone());
            figures.push(SubjectFigure {
                within,
                ..SubjectFigure::new(key, cell, ComparedMetric::Measured(metric), load, Vec::new())
            });
            figures.len() - 1
        });
        let known = &mut figures[place].load.kept_rate;
        *known = known.filter(|rate| load.kept_rate == Some(*rate));
        figures[place].values.push(value);
        figures[place].fallen += usize::from(has_fallen);
    }
}

/// A figure of a run.
struct Measured {
    value: f64,
    /// Its interval within the run.
    within: Option<Estimate>,
    /// The rate of its job fell during the run.
    has_fallen: bool,
}

/// The name of a job of a cell: that of the cell, and its own where it is not the only one.
fn in_cell(cell: &str, job: &str, run: &RunResult) -> String {
    match (cell.is_empty(), reported_jobs(run).len() == 1) {
        (true, _) => job.to_owned(),
        (false, true) => cell.to_owned(),
        (false, false) => format!("{cell}, {job}"),
    }
}

/// Is a target of its jobs a file that fathom made for the run?
fn has_scratch(run: &RunResult) -> bool {
    run.record.plan.jobs.iter().flat_map(|job| &job.files).any(|file| is_scratch(&file.path))
}

/// The targets of all jobs, each once, without those that fathom made for the run and removed.
fn targets(run: &RunResult) -> Vec<UsedTarget> {
    let mut found: Vec<UsedTarget> = Vec::new();
    let files = run.record.plan.jobs.iter().flat_map(|job| job.files.iter().map(|file| (job.writes(), file)));
    let files = files.filter(|(_, file)| matches!(file.kind, TargetKind::Block | TargetKind::File));
    for (is_written, file) in files.filter(|(_, file)| !is_scratch(&file.path)) {
        UsedTarget { path: file.path.clone(), is_written }.add_to(&mut found);
    }
    found
}

/// Rules that say what the target is. It is the same in each run on it.
const OF_TARGET: [&str; 5] = ["memory-backed", "no-target", "simulated", "loop-device", "virtual-disk"];

/// Does only the kind of the target say that no disk was measured?
fn is_no_disk(run: &RunResult) -> bool {
    let is_instead = run.record.answer.as_ref().is_some_and(|answer| answer.instead.is_some());
    let other = |finding: &Finding| finding.weight == Weight::Instead && !OF_TARGET.contains(&finding.code());
    is_instead && !run.record.findings.iter().any(other)
}

/// Was the end of each clone saved?
fn is_whole(row: &Row<'_>) -> bool {
    row.members.iter().all(|member| member.outcome.is_some())
}

/// Why a job has no figures that can be compared.
fn unusable(row: &Row<'_>, run: &RunResult) -> Option<LeftOutReason> {
    if let Some(failure) = row.failure() {
        return Some(LeftOutReason::Failed { message: failure.message.clone() });
    }
    if !is_whole(row) {
        return Some(LeftOutReason::Incomplete { why: run.incomplete.clone() });
    }
    if row.ios() == 0 {
        return Some(LeftOutReason::NoIo);
    }
    row.unrated().map(|unrated| match unrated {
        Unrated::TooShort => LeftOutReason::TooShort,
        Unrated::TooFew => LeftOutReason::TooFew { ios: row.ios() },
    })
}

/// The block sizes of all directions of a job.
fn blocks(job: &JobRecord) -> String {
    let used = Direction::ALL.into_iter().filter(|direction| job.uses(*direction));
    joined_blocks(used.map(|direction| (direction.name(), in_words(&job.block[direction]))).collect())
}

fn in_words(block: &BlockSizes) -> String {
    match block {
        BlockSizes::Fixed(bytes) => bytes.to_string(),
        BlockSizes::Range { low, high } => format!("{low} to {high}"),
        BlockSizes::Split(parts) => {
            parts.iter().map(|(bytes, share)| format!("{bytes}: {share} %")).collect::<Vec<_>>().join(", ")
        }
    }
}

fn load(row: &Row<'_>, flow: &DirectionFigures<'_>, direction: Direction) -> Load {
    let job = row.first();
    let order = if job.rw.random { "random" } else { "sequential" };
    Load {
        direction: flow.name,
        pattern: format!("{order} {}", flow.name),
        block: blocks(job),
        is_small: job.block[direction].max() < LARGE_BLOCK,
        latency: flow.main_latency().map_or("", |(name, _)| name),
        depth: row.depth_target(),
        kept_rate: kept_rate(row, direction),
        is_imported: false,
    }
}
