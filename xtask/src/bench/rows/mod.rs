//! The other budgets of the design: figures that need no second tool.
//!
//! One function each, one line in [`ROWS`]. The absence of allocations is not here: a counting allocator
//! proves it in the engine's own tests.

mod compat;
mod log;
mod memory;
mod oracle;
mod pacing;
mod start_up;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::job_file;
use super::tool::{Run, Tool};

/// One budget, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The figure.
    pub value: f64,
    /// Its unit; empty for a ratio.
    pub unit: String,
    /// What is allowed, in words.
    pub budget: String,
    /// Whether the figure is within it.
    pub met: bool,
}

/// What is there for measuring a row.
pub struct Ground<'a> {
    /// The binary.
    pub program: &'a Path,
    /// fathom on its processor.
    pub fathom: &'a Tool,
    /// fio on the same processor.
    pub fio: &'a Tool,
    /// A directory on a disk.
    pub scratch: &'a Path,
    /// Length of a timed run.
    pub seconds: u64,
}

type Measure = fn(&Ground) -> Result<Vec<Row>, String>;

/// Every row by the name that `--case` takes.
pub const ROWS: &[(&str, Measure)] = &[
    ("start-up", start_up::measure),
    ("faults", memory::faults),
    ("memory", memory::resident),
    ("binary", memory::binary),
    ("pacing", pacing::measure),
    ("log", log::measure),
    ("compat", compat::measure),
    ("oracle", oracle::measure),
];

impl Row {
    /// A figure that must not be above `most`.
    fn at_most(what: &str, value: f64, most: f64, unit: &str) -> Self {
        let budget = format!("≤ {most} {unit}").trim_end().to_owned();
        Self { what: what.to_owned(), value, unit: unit.to_owned(), budget, met: value <= most }
    }

    /// A figure that must not be below `least`.
    fn at_least(what: &str, value: f64, least: f64, unit: &str) -> Self {
        let budget = format!("≥ {least} {unit}").trim_end().to_owned();
        Self { what: what.to_owned(), value, unit: unit.to_owned(), budget, met: value >= least }
    }

    /// A ratio that must be 1, with at most this error.
    fn near_one(what: String, value: f64, error_max: f64) -> Self {
        let budget = format!("1 ± {error_max:.4}");
        Self { what, value, unit: String::new(), budget, met: (value - 1.0).abs() <= error_max }
    }

    /// One line of the terminal.
    pub fn print(&self) {
        let verdict = if self.met { "met" } else { "NOT MET" };
        let figure = format!("{:.4} {}", self.value, self.unit);
        println!("  {:<72}{figure:>14}  budget {}: {verdict}", self.what, self.budget);
    }
}

impl Ground<'_> {
    /// Runs a job of these lines.
    fn run(&self, tool: &Tool, lines: &[&str]) -> Result<Run, String> {
        tool.run(&job_file::write(self.scratch, &job(lines))?, None)
    }
}

/// A job without the lines that only a comparison needs.
fn job(lines: &[&str]) -> String {
    let shared = "bs=4k\nnorandommap=1\nrandrepeat=0\nthread=1\nclocksource=cpu";
    format!("[row]\n{shared}\n{}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_itself_is_within_the_budget() {
        assert!(Row::at_most("a", 5.0, 5.0, "ms").met);
        assert!(!Row::at_most("a", 5.1, 5.0, "ms").met);
        assert_eq!(Row::at_most("a", 0.0, 0.0, "").budget, "≤ 0");
        assert!(Row::at_least("a", 5.0, 5.0, "").met);
        assert!(!Row::at_least("a", 4.9, 5.0, "").met);
    }

    #[test]
    fn too_many_is_as_wrong_as_too_few() {
        for (value, met) in [(1.0, true), (1.0009, true), (0.9991, true), (1.002, false), (0.998, false)] {
            assert_eq!(Row::near_one(String::new(), value, 0.001).met, met, "{value}");
        }
        assert!(!Row::near_one(String::new(), f64::NAN, 0.001).met);
    }
}
