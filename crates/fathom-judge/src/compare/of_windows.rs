//! A subject made from tests of the SNIA specification: what the rounds of each measurement window measured.
//!
//! The rounds of a test are steps to a steady state, and no repetitions. Those of the window in which it was reached are alike, so
//! their values are compared as those of runs are, and the comparison says that they are of one test.

use super::cell_runs::Doubt;
use super::metric::ComparedMetric;
use super::of_runs::SubjectOfRuns;
use super::properties::properties;
use super::subject::{FigureKey, Load, Property, SubjectFigure};
use crate::taint::{RATE_FELL, UNSTABLE};
use fathom_figures::DepthTarget;
use fathom_figures::metric::of_id;
use fathom_results::answer::JudgedFigure;
use fathom_results::{DifferenceOf, Finding, LeftOutPart, LeftOutReason, RunResult, TrustLevel, Weight};

/// Findings that say nothing of a round of a test: its cells are short, and each changes what the drive does.
const OF_ANY_ROUND: [&str; 3] = ["few-samples", RATE_FELL, UNSTABLE];

/// A figure of a test, in the rounds of its measurement window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowFigure {
    /// The title of the test.
    pub test: String,
    /// What its rounds are called.
    pub rounds_of: String,
    /// What is measured: `RND 4 KiB, 0/100`.
    pub cell: String,
    /// Which figure of it.
    pub quantity: JudgedFigure,
    /// I/Os in flight.
    pub in_flight: u64,
    /// The value of each round; `None` where it has too few I/Os.
    pub values: Vec<Option<f64>>,
}

impl SubjectOfRuns {
    /// Adds what the rules found in a round of a measurement window, and what it was measured on. Its figures come apart.
    pub fn add_window_round(&mut self, rounds_of: &str, run: &RunResult) {
        let is_of_test = |finding: &&Finding| !OF_ANY_ROUND.contains(&finding.code());
        let findings: Vec<Finding> = run.record.findings.iter().filter(is_of_test).cloned().collect();
        let is_first = self.add_findings(rounds_of, &findings);
        if is_first {
            // Its jobs are those of the test, which its figures name.
            let facts = properties(run).into_iter().filter(|property| property.job.is_none());
            self.is_of_first(run, facts.collect());
        }
        let is_doubted = findings.iter().any(|finding| finding.weight < Weight::Aside);
        self.count(run);
        let about = &mut self.subject_mut().about;
        about.window_rounds = Some(about.runs);
        let doubt = run.record.answer.as_ref().filter(|_| is_doubted);
        let doubt = doubt.and_then(|answer| Doubt::of(answer, rounds_of));
        self.is_trusted(doubt.as_ref().map_or(TrustLevel::High, |doubt| doubt.of_run.trust.level), doubt);
    }

    /// Adds a figure. One that a round does not have is left out.
    pub fn add_window_figure(&mut self, figure: WindowFigure) {
        let metric = match figure.quantity {
            JudgedFigure::Iops => "iops",
            JudgedFigure::Bandwidth => "bandwidth",
            JudgedFigure::Latency => "latency_mean",
        };
        let metric = of_id(metric);
        let load = Load {
            // The test says which of the two is the figure of a block.
            is_small: figure.quantity == JudgedFigure::Iops,
            depth: DepthTarget::Of(figure.in_flight),
            ..Load::default()
        };
        let metric_of_cell = format!("{} {}", figure.cell, metric.words);
        let key = FigureKey { job: figure.test, direction: "", metric: metric_of_cell };
        let values: Vec<f64> = figure.values.iter().flatten().copied().collect();
        let (rounds, of) = (values.len() as u64, figure.values.len() as u64);
        let subject = self.subject_mut();
        if rounds < of {
            return subject.leave_out(key.part(), LeftOutReason::TooFewInRounds { rounds, of });
        }
        let cell = figure.rounds_of;
        subject.figures.push(SubjectFigure {
            is_of_window: true,
            ..SubjectFigure::new(key, cell, ComparedMetric::Measured(metric), load, values)
        });
    }

    /// Says that a test, or its rounds of this name, is not compared.
    pub fn leave_out_test(&mut self, what: &str, reason: LeftOutReason) {
        self.subject_mut().leave_out(LeftOutPart::Job(what.to_owned()), reason);
    }

    /// Adds what was asked for, as far as the figures depend on it.
    pub fn add_parameter(&mut self, name: &str, value: &str) {
        self.subject_mut().properties.push(Property {
            of: DifferenceOf::Job,
            job: None,
            target: None,
            what: name.replace('_', " "),
            value: Some(value.to_owned()),
            written: None,
            source: None,
        });
    }
}
