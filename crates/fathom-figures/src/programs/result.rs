//! What a program printed, as data. What its format does not hold is missing, and never 0.

use super::finding::ProgramFinding;
use super::program::Program;
use crate::metric::Metric;
use std::collections::HashMap;

/// A run of a program, read.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramResult {
    /// Which program it is of.
    pub program: Program,
    /// Its version, where the file has it.
    pub version: Option<String>,
    /// The host, where the file has it.
    pub host: Option<String>,
    /// Its rows, in the order of the file.
    pub rows: Vec<ProgramRow>,
    /// What is odd about it, and what could not be read.
    pub findings: Vec<ProgramFinding>,
}

/// The figures of one disk, processor, job or test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramRow {
    /// The line of the file where it begins, from 1.
    pub line: u64,
    /// The disk, processor, job or test.
    pub key: String,
    /// `read`, `write`, `trim`, `mixed`; empty for what is of no direction.
    pub direction: &'static str,
    /// What it was asked to do.
    pub load: ProgramLoad,
    /// Its figures, each once.
    pub figures: Vec<ProgramFigure>,
}

/// What a row was asked to do; `None` where the file does not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramLoad {
    /// The pattern in fio's words: `randread`.
    pub rw: Option<String>,
    /// Bytes of an I/O.
    pub block_bytes: Option<f64>,
    /// I/Os to keep in flight for each thread.
    pub depth: Option<u64>,
    /// Threads, processes or virtual users.
    pub jobs: Option<u64>,
}

/// One figure of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProgramFigure {
    /// What it is, with its unit.
    pub metric: &'static Metric,
    /// Its value in the base unit of the metric; of several the mean.
    pub value: f64,
    /// How many values of the file it is made of.
    pub n: u64,
    /// The smallest and the largest of several; `None` of one.
    pub range: Option<(f64, f64)>,
}

impl ProgramResult {
    /// Nothing read yet.
    pub(super) fn new(program: Program) -> ProgramResult {
        ProgramResult { program, version: None, host: None, rows: Vec::new(), findings: Vec::new() }
    }

    /// The name of each row, with its number where others have the same key, direction and load.
    pub fn labels(&self) -> Vec<String> {
        let mut counts: HashMap<(&str, &str, String), (usize, usize)> = HashMap::new();
        let same = |row: &ProgramRow| format!("{:?}", row.load);
        for row in &self.rows {
            counts.entry((row.key.as_str(), row.direction, same(row))).or_default().0 += 1;
        }
        let mut labels = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let (all, before) = counts.entry((row.key.as_str(), row.direction, same(row))).or_default();
            *before += 1;
            labels.push(if *all > 1 { format!("{} #{before}", row.key) } else { row.key.clone() });
        }
        labels
    }
}

impl ProgramRow {
    /// The figure of a metric, where the file has it.
    pub fn figure(&self, id: &str) -> Option<&ProgramFigure> {
        self.figures.iter().find(|figure| figure.metric.id == id)
    }

    /// The value of a metric, where the file has it.
    pub fn value(&self, id: &str) -> Option<f64> {
        self.figure(id).map(|figure| figure.value)
    }

    /// Adds a figure that is one value of the file; one that is missing adds nothing.
    pub(super) fn add(&mut self, metric: &'static Metric, value: Option<f64>) {
        self.figures.extend(value.map(|value| ProgramFigure { metric, value, n: 1, range: None }));
    }
}
