//! `suite`: the steps of a suite ([`crate::suite`]), one after the other, and its tables.
//!
//! All steps are known before the first, so the next step is the one at the place in the list that the history has reached.
//! After an interruption what was prepared for a round that did not follow is done again.

mod against;
mod answer;
mod beside;
mod charts;
mod gathered;
mod lacking;
mod links;
mod parameters;
mod parts;
mod report;
mod rules;
mod set_charts;
mod tables;
#[cfg(test)]
mod tests;

pub use beside::{SavedSuite, SideBySide, side_by_side};

use super::definition::{Parameters, ProcedureDef};
use super::pts::RoundRuns;
use super::repeat::failure;
use super::{History, Procedure, Round, RoundJobs, Step, Wait};
use crate::suite::{Expanded, SuiteCell, SuiteSpec, SuiteStep, SuiteTerms, built_in, expand};
use fathom_figures::metric::Columns;
use fathom_job::parse::Adjust;
use fathom_judge::steady::ConfidentTerms;
use fathom_results::answer::Deviation;
use fathom_results::procedure::{Preparation, ProcedureRecord, RoundDone};
use fathom_results::{Answer, Reason, StandardReport, Verdict};
use std::collections::BTreeSet;

/// The longest wait for an array to be built, seconds: it may take days.
const ARRAY_WAIT_S: u64 = 7 * 86_400;

/// A suite for its targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// What it is called.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The texts of the job files that it names.
    pub job_files: Vec<(String, String)>,
    /// Its targets, and what the command line changes.
    pub terms: SuiteTerms,
    /// A cell that fails ends it; otherwise the other cells are measured, and its place in the tables stays empty.
    pub stops: bool,
    file: SuiteSpec,
    steps: Expanded,
}

impl Suite {
    /// What the suite is called that `fathom sweep` makes.
    pub const SWEEP: &str = "sweep";

    /// Its line in the table.
    pub const DEFINITION: ProcedureDef =
        ProcedureDef { name: "suite", open: |parameters| Ok(Box::new(parameters::open(parameters)?)) };

    /// The suite with this text.
    ///
    /// # Errors
    /// What is wrong in the text, or why it does not fit its targets.
    pub fn new(
        name: impl Into<String>,
        text: impl Into<String>,
        job_files: Vec<(String, String)>,
        terms: SuiteTerms,
        stops: bool,
    ) -> Result<Suite, String> {
        let (name, text) = (name.into(), text.into());
        let read = |path: &str| {
            let found = job_files.iter().find(|(known, _)| known == path);
            found.map(|(_, text)| text.clone()).ok_or_else(|| format!("the job file {path} was not read"))
        };
        let mut file = SuiteSpec::parse(&text, &read)?;
        file.fill(&terms.variables)?;
        // A title may name the very option that was given another value.
        let set: Vec<String> = terms.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !set.is_empty() {
            file.groups.iter_mut().for_each(|group| group.what += &format!(", with {}", set.join(", ")));
        }
        if !terms.values.is_empty() {
            file.groups.iter_mut().for_each(|group| group.values.clone_from(&terms.values));
        }
        let steps = expand(&file, &terms)?;
        Ok(Suite { name, text, job_files, terms, stops, file, steps })
    }

    /// The suite that was run.
    ///
    /// # Errors
    /// The procedure is another one, or a parameter is missing or wrong.
    pub fn saved(record: &ProcedureRecord) -> Result<Suite, String> {
        if record.procedure != Suite::DEFINITION.name {
            return Err(format!("{} is not the run of a suite", record.id));
        }
        let suite = parameters::open(&Parameters(&record.parameters));
        suite.map_err(|why| format!("{} cannot be read: {why}", record.id))
    }

    /// The name of the file of a suite that a person wrote; `None` of a suite of fathom, and of what is no suite.
    pub fn own_name(record: &ProcedureRecord) -> Option<&str> {
        let (_, name) = record.parameters.iter().find(|(key, _)| key == "suite")?;
        let is_known = name == Suite::SWEEP || built_in(name).is_some();
        (record.procedure == Suite::DEFINITION.name && !is_known).then_some(name.as_str())
    }

    /// Parameters whose tables have the figures of a person's choice.
    pub fn choose(parameters: &mut Vec<(String, String)>, columns: &Columns) {
        parameters::choose(parameters, columns);
    }

    /// The suite as types.
    pub fn file(&self) -> &SuiteSpec {
        &self.file
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        parameters::saved(self)
    }

    /// What is not as the suite has it.
    pub fn deviations(&self) -> Vec<Deviation> {
        let set = self.terms.set.iter();
        let set =
            set.map(|(name, value)| Deviation::OptionSet { option: name.clone(), value: value.clone() });
        self.steps.deviations.iter().cloned().chain(set).collect()
    }

    /// The targets that are purged, each once.
    pub fn purged(&self) -> BTreeSet<&str> {
        let mut purged = BTreeSet::new();
        for step in &self.steps.steps {
            if let SuiteStep::Prepare(Preparation::Purge { target } | Preparation::Format { target, .. }) =
                step
            {
                purged.insert(target.as_str());
            }
        }
        purged
    }

    /// The rounds of the cells for which `is_it` is true, each with how often it is measured.
    pub fn rounds_of(&self, is_it: impl Fn(&SuiteCell) -> bool) -> Vec<(Round, u32)> {
        let mut times = vec![0_u32; self.steps.cells.len()];
        for step in &self.steps.steps {
            if let SuiteStep::Measure(place) = step {
                times[*place] += 1;
            }
        }
        let cells = self.steps.cells.iter().zip(times).filter(|(cell, times)| *times > 0 && is_it(cell));
        cells.map(|(cell, times)| (self.round(cell), times)).collect()
    }

    /// Is it a round that the tables have? Otherwise it fills or conditions.
    pub fn is_measured(&self, round: &RoundDone) -> bool {
        self.steps.cells.iter().find(|cell| cell.name == round.cell).is_some_and(|cell| self.tabulates(cell))
    }

    /// The cells that the tables have.
    pub fn measured_cells(&self) -> usize {
        self.steps.cells.iter().filter(|cell| self.tabulates(cell)).count()
    }

    /// Is it a cell that the tables have?
    fn tabulates(&self, cell: &SuiteCell) -> bool {
        cell.group.is_some_and(|group| self.file.groups[group].measure)
    }

    /// The round of a cell. Conditioning and fills do not end before their time.
    fn round(&self, cell: &SuiteCell) -> Round {
        let adjust = Adjust { set: cell.options.clone(), target: cell.target.clone(), ..Adjust::default() };
        let jobs = RoundJobs::Text { text: cell.text.clone(), adjust };
        let share = self.terms.until.filter(|_| self.tabulates(cell));
        let until = share.map(|share| ConfidentTerms { half_width: share.value() });
        Round { until, ..Round::of(cell.name.clone(), jobs) }
    }

    fn step(&self, step: &SuiteStep) -> Step {
        match step {
            SuiteStep::Prepare(preparation) => Step::Prepare(preparation.clone()),
            SuiteStep::Wait(ms) => Step::Wait(Wait::Seconds(ms.div_ceil(1_000))),
            SuiteStep::Idle(seconds) => Step::Wait(Wait::Idle { at_most_seconds: *seconds }),
            SuiteStep::Built => Step::Wait(Wait::Built { at_most_seconds: ARRAY_WAIT_S }),
            SuiteStep::Measure(cell) => Step::Run(self.round(&self.steps.cells[*cell])),
        }
    }
}

impl Procedure for Suite {
    fn expected(&self) -> Vec<(Round, u32)> {
        // What all rounds share is read for the first of them, which is not to be a fill.
        let of_groups = self.rounds_of(|cell| cell.group.is_some());
        of_groups.into_iter().chain(self.rounds_of(|cell| cell.group.is_none())).collect()
    }

    fn next(&self, history: &History<'_>) -> Step {
        // What follows a fill or a conditioning that failed would not be what the suite says.
        let ends = |round: &&RoundDone| round.failed().is_some() && (self.stops || !self.is_measured(round));
        if let Some(failed) = history.rounds().find(ends) {
            return Step::Done(failure(history, failed));
        }
        match self.steps.steps.get(history.steps_that_hold()) {
            Some(step) => self.step(step),
            None => Step::Done(self.verdict(history)),
        }
    }

    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        answer::answer(self, history)
    }

    fn answer_so_far(&self, history: &History<'_>) -> Option<Answer> {
        answer::answer(self, history)
    }

    fn is_not_valid(&self, history: &History<'_>) -> bool {
        rules::judged(self, history).iter().any(|rule| rule.result.passes == Some(false))
    }

    fn standard_report(
        &self,
        record: &ProcedureRecord,
        history: &History<'_>,
        _runs: &dyn RoundRuns,
    ) -> Option<StandardReport> {
        Some(report::report(self, record, history))
    }
}

impl Suite {
    fn verdict(&self, history: &History<'_>) -> Verdict {
        Verdict {
            headline: answer::headline(self, history),
            distrust: self.deviations().into_iter().map(Reason::deviation).chain(history.doubts()).collect(),
        }
    }
}
