//! What is compared: its figures, and the properties by which it can differ from others.

use super::cell_runs::{CellRuns, Doubt};
use super::metric::ComparedMetric;
use fathom_figures::DepthTarget;
use fathom_figures::metric::Metric;
use fathom_job::plan::Rate;
use fathom_results::{ComparedSubject, DifferenceOf, LeftOut, LeftOutPart, LeftOutReason, LoadDifference};
use fathom_stats::{Estimate, RUNS_MIN};
use std::collections::BTreeSet;

/// One of the things that are compared.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// Who it is. The letter is given by the comparison.
    pub about: ComparedSubject,
    pub(super) properties: Vec<Property>,
    pub(super) figures: Vec<SubjectFigure>,
    pub(super) left_out: Vec<LeftOut>,
    /// Its runs, cell by cell; none of what nobody measured with fathom.
    pub(super) cells: Vec<CellRuns>,
    /// Why its figures need care, the most serious first.
    pub(super) doubts: Vec<Doubt>,
    /// The procedure in which its runs were made in turn with those of others: their n-th runs are a
    /// pair.
    pub(super) in_turn: Option<String>,
    /// The command that measured it, the program first; empty where it is not known.
    pub(super) command: Vec<String>,
    /// What its jobs use, in their order.
    pub(super) targets: Vec<UsedTarget>,
    /// No figure is a disk's because of what the target is, such as a loop device; each run alike.
    pub(super) is_no_disk: bool,
    /// It was read from a file of fio: what it did is known in part, and nobody chose what differs from another one.
    pub(super) is_imported: bool,
    /// Why its only job is not compared with that of the baseline.
    pub(super) other_io: Option<LeftOut>,
    /// It was kept to be compared with, and is not measured again.
    pub(super) is_kept: bool,
}

impl Subject {
    /// Are these the same runs? Two copies of a procedure are not, if one of them was resumed and has more rounds.
    pub fn is_same_as(&self, other: &Subject) -> bool {
        let name =
            |subject: &Subject| subject.about.id.clone().unwrap_or_else(|| subject.about.source.clone());
        let values = |subject: &Subject| -> Vec<Vec<f64>> {
            subject.figures.iter().map(|figure| figure.values.clone()).collect()
        };
        name(self) == name(other) && values(self) == values(other)
    }
}

/// A figure with the values of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedFigure {
    /// What it is: `TPM`, `IOPS`.
    pub name: String,
    /// One value for each run.
    pub values: Vec<f64>,
    /// Whether a larger value is a better one.
    pub is_more_better: bool,
}

/// A target of the jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UsedTarget {
    pub path: String,
    /// A job writes to it.
    pub is_written: bool,
}

impl UsedTarget {
    /// Adds it to those that are known; one that any job writes is written.
    pub fn add_to(self, known: &mut Vec<UsedTarget>) {
        match known.iter_mut().find(|other| other.path == self.path) {
            Some(same) => same.is_written |= self.is_written,
            None => known.push(self),
        }
    }
}

/// The property that is the name of a job.
const NAME: &str = "name";

/// A property of the job, the target or the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub of: DifferenceOf,
    /// The job whose option it is.
    pub job: Option<String>,
    /// The number of the target that it is of, where it is not the first.
    pub target: Option<u64>,
    pub what: String,
    /// In a spelling in which equal values are equal texts.
    pub value: Option<String>,
    /// As a person wrote it, where that is another spelling.
    pub written: Option<String>,
    /// Where it was read; of a fact only.
    pub source: Option<String>,
}

impl Property {
    /// The value as it is shown.
    pub fn shown(&self) -> Option<&str> {
        self.written.as_deref().or(self.value.as_deref())
    }
}

/// A figure of a subject.
#[derive(Clone, Debug)]
pub(super) struct SubjectFigure {
    pub key: FigureKey,
    /// The cell of the suite; empty of what is no suite.
    pub cell: String,
    pub metric: ComparedMetric,
    /// What I/O it was measured with.
    pub load: Load,
    /// One value for each run.
    pub values: Vec<f64>,
    /// The interval within the run, if it is one run.
    pub within: Option<Estimate>,
    /// In how many of its runs the rate of its job fell.
    pub fallen: usize,
    /// Its values are those of the rounds of a measurement window, and no runs.
    pub is_of_window: bool,
}

impl SubjectFigure {
    /// A figure of runs whose rate did not fall.
    pub fn new(
        key: FigureKey,
        cell: String,
        metric: ComparedMetric,
        load: Load,
        values: Vec<f64>,
    ) -> SubjectFigure {
        SubjectFigure { key, cell, metric, load, values, within: None, fallen: 0, is_of_window: false }
    }
}

/// What a figure is called. Two figures with the same key are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FigureKey {
    /// The job; empty for typed values.
    pub job: String,
    /// `read`, `write`, `trim`, where the job has more than one; else empty.
    pub direction: &'static str,
    /// The figure in words.
    pub metric: String,
}

impl FigureKey {
    /// A figure that was measured.
    pub fn measured(job: &str, direction: &'static str, metric: &Metric) -> FigureKey {
        FigureKey { job: job.to_owned(), direction, metric: metric.words.to_owned() }
    }

    /// It as something that is left out.
    pub fn part(&self) -> LeftOutPart {
        LeftOutPart::Figures { job: self.place(), metrics: vec![self.metric.clone()] }
    }

    /// The job and its direction.
    pub fn place(&self) -> String {
        match self.direction {
            "" => self.job.clone(),
            direction => format!("{} {direction}", self.job),
        }
    }
}

/// The I/O of a job, as far as it decides whether figures can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// `read`, `write`, `trim`; empty where it is not known.
    pub direction: &'static str,
    /// `random read`; empty where it is not known.
    pub pattern: String,
    /// The block sizes of the whole job, because those of one direction change the figures of the others: `4 KiB`, `read 4 KiB,
    /// write 64 KiB`; empty where they are not known.
    pub block: String,
    /// Whether IOPS, and not bandwidth, is the figure of this block size.
    pub is_small: bool,
    /// Which latency its latencies are: `response`, `completion`, `total`; empty where it is not known.
    pub latency: &'static str,
    /// How many I/Os its workers keep in flight.
    pub depth: DepthTarget,
    /// The rate that its job asks for in this direction, where each run reached it: IOPS and bandwidth are then the job's choice.
    pub kept_rate: Option<Rate>,
    /// It was read from a file of fio.
    pub is_imported: bool,
}

/// The block sizes of directions: one text where all have the same.
pub(super) fn joined_blocks(each: Vec<(&str, String)>) -> String {
    let is_one = each.iter().all(|(_, block)| *block == each[0].1);
    match each.as_slice() {
        [(_, first), ..] if is_one => first.clone(),
        _ => each.iter().map(|(name, block)| format!("{name} {block}")).collect::<Vec<_>>().join(", "),
    }
}

impl Load {
    /// In what two loads differ, as far as both are known.
    pub fn differences(&self, other: &Load) -> Vec<LoadDifference> {
        let both = |one: &str, two: &str| {
            let differ = !one.is_empty() && !two.is_empty() && one != two;
            differ.then(|| [one.to_owned(), two.to_owned()])
        };
        let pattern = match self.direction == other.direction {
            true => both(&self.pattern, &other.pattern).map(LoadDifference::Pattern),
            false => both(self.direction, other.direction).map(LoadDifference::Direction),
        };
        let block = both(&self.block, &other.block).map(LoadDifference::Block);
        let depth = match (self.depth, other.depth) {
            (DepthTarget::Of(one), DepthTarget::Of(two)) if one != two => {
                Some(LoadDifference::InFlight([one, two]))
            }
            _ => None,
        };
        [pattern, block, depth].into_iter().flatten().collect()
    }
}

impl Subject {
    /// A subject of which only the values are known.
    pub fn typed(name: &str, source: &str, figures: Vec<TypedFigure>) -> Subject {
        let runs = figures.iter().map(|figure| figure.values.len()).max().unwrap_or(0) as u32;
        let about =
            ComparedSubject { name: name.to_owned(), source: source.to_owned(), runs, ..Default::default() };
        let figure = |typed: TypedFigure| {
            let key = FigureKey { job: String::new(), direction: "", metric: typed.name };
            let metric = ComparedMetric::Typed { is_more_better: typed.is_more_better };
            SubjectFigure::new(key, String::new(), metric, Load::default(), typed.values)
        };
        Subject { about, figures: figures.into_iter().map(figure).collect(), ..Subject::default() }
    }

    /// Its runs were made in turn with those of other subjects of this procedure.
    pub fn in_turn(self, procedure: &str) -> Subject {
        Subject { in_turn: Some(procedure.to_owned()), ..self }
    }

    /// It was kept to be compared with: no advice asks to measure it again.
    pub fn kept(self) -> Subject {
        Subject { is_kept: true, ..self }
    }

    /// Has it a figure that can be compared?
    pub fn is_usable(&self) -> bool {
        !self.figures.is_empty()
    }

    /// The first thing that does not count, with its reason.
    pub fn first_left_out(&self) -> Option<&LeftOut> {
        self.left_out.first()
    }

    /// Leaves something out for a reason that lies in this subject.
    pub(super) fn leave_out(&mut self, what: LeftOutPart, reason: LeftOutReason) {
        let left_out = LeftOut { subject: None, what, reason };
        if !self.left_out.contains(&left_out) {
            self.left_out.push(left_out);
        }
    }

    /// Was it measured by a command that varies options of one job?
    pub(super) fn is_varied(&self) -> bool {
        const VARYING: [&str; 2] = ["suite", "sweep"];
        self.command.get(1).is_some_and(|verb| VARYING.contains(&verb.as_str()))
    }

    /// Can no comparison with it decide anything? It has too few runs for an interval of any figure, and none within its run.
    pub fn has_no_interval(&self) -> bool {
        self.figures.iter().all(|figure| figure.values.len() < RUNS_MIN && figure.within.is_none())
    }

    /// Is any option of this job known?
    pub(super) fn has_job(&self, name: &str) -> bool {
        self.properties.iter().any(|property| property.job.as_deref() == Some(name))
    }

    /// The jobs that have figures, each once, in their order.
    pub(super) fn jobs(&self) -> Vec<&str> {
        let mut known = BTreeSet::new();
        let jobs = self.figures.iter().map(|figure| figure.key.job.as_str());
        jobs.filter(|job| known.insert(*job)).collect()
    }

    /// The cell of this name, if it has runs.
    pub(super) fn cell(&self, name: &str) -> Option<&CellRuns> {
        self.cells.iter().find(|cell| cell.name == name)
    }

    /// How many runs each of its figures has; the fewest, where cells have different numbers.
    pub fn runs_of_each(&self) -> u32 {
        self.about.cells.map_or(self.about.runs, |cells| cells.runs_min)
    }

    /// The name and the cell of its only job. A suite of which only one of several cells has figures has no only job.
    pub(super) fn only_job(&self) -> Option<(String, String)> {
        let has_cells = self.about.cells.is_some_and(|cells| cells.planned > 1);
        let first = self.figures.first().filter(|_| !has_cells && self.jobs().len() == 1)?;
        // Two tests of a specification are no two jobs.
        if first.is_of_window {
            return None;
        }
        Some((first.key.job.clone(), first.cell.clone()))
    }

    /// Says what its only job is called, which is known by the name `job` now.
    pub(super) fn says_name(&mut self, job: &str, name: &str) {
        let is_name = |known: &&mut Property| known.what == NAME && known.job.as_deref() == Some(job);
        if self.properties.is_empty() || self.properties.iter_mut().any(|known| is_name(&known)) {
            return;
        }
        self.properties.push(Property {
            of: DifferenceOf::Job,
            job: Some(job.to_owned()),
            target: None,
            what: NAME.to_owned(),
            value: Some(name.to_owned()),
            written: None,
            source: None,
        });
    }

    /// Calls its only job, and the cell of it, by the names of another one.
    pub(super) fn rename_only_job(&mut self, (name, cell): &(String, String)) {
        for figure in &mut self.figures {
            name.clone_into(&mut figure.key.job);
            cell.clone_into(&mut figure.cell);
        }
        self.cells.iter_mut().for_each(|runs| cell.clone_into(&mut runs.name));
        self.doubts.iter_mut().for_each(|doubt| doubt.cells = vec![cell.clone()]);
        let options = self.properties.iter_mut().filter_map(|property| property.job.as_mut());
        options.for_each(|job| name.clone_into(job));
    }
}
