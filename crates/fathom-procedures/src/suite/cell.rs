//! What a suite does, step by step.

use fathom_results::procedure::Preparation;

/// A step, in the order of the suite.
#[derive(Clone, Debug, PartialEq)]
pub enum SuiteStep {
    /// Prepares a target or the host.
    Prepare(Preparation),
    /// Waits this time, ms.
    Wait(u64),
    /// Waits until the disks are idle, at most so many seconds.
    Idle(u64),
    /// Waits until arrays are built.
    Built,
    /// Measures the cell at this place in the list of cells.
    Measure(usize),
}

/// A cell: one job text for one set of targets with one value of everything that varies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteCell {
    /// What it is called: `random numjobs=16 iodepth=256`.
    pub name: String,
    /// The place of its group in the suite; `None` of a fill.
    pub group: Option<usize>,
    /// Its targets, as places in the list of targets.
    pub set: Vec<usize>,
    /// These targets as they are in its name: `1+2`; `None` where cells have no other ones.
    pub on: Option<String>,
    /// What varies, and the value that it has here.
    pub values: Vec<(String, String)>,
    /// The text of its job file.
    pub text: String,
    /// The target of all its jobs, where it is one and the text does not name it.
    pub target: Option<String>,
    /// Options that are set in each of its jobs.
    pub options: Vec<(String, String)>,
}

impl SuiteCell {
    /// The value of something that varies.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
