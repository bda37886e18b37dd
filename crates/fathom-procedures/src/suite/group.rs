//! A group of cells: one job text, and what varies in it.

use super::text::put;
use super::{Before, Over, Rule, Shown, TARGETS_COLUMN, Vary};
use serde::Deserialize;

/// Cells that belong together: one job text, and what varies in it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CellGroup {
    /// Its short name; cells are called by it.
    pub name: String,
    /// What it measures, a few words.
    pub what: String,
    /// Done once before its first cell, for each set of targets.
    #[serde(default)]
    pub first: Vec<Before>,
    /// Done before each of its cells.
    #[serde(default)]
    pub before: Vec<Before>,
    /// On which targets its cells run.
    #[serde(default)]
    pub over: Over,
    /// How often each cell is measured: the cells once, then once more, ….
    #[serde(default = "once")]
    pub repeat: u32,
    /// Each job once for each target of the cell, at the same time; the rates of a cell are those of all of them together.
    /// Otherwise the jobs go to a list of all targets.
    #[serde(default)]
    pub per_target: bool,
    /// What varies, as it is written: `iodepth=1,2,4..256`, `bs=${blocks}`.
    #[serde(default, rename = "vary")]
    pub varied: Vec<String>,
    /// What varies; the last changes fastest.
    #[serde(skip)]
    pub vary: Vec<Vary>,
    /// `false` of conditioning: it is done, and no table has it.
    #[serde(default = "yes")]
    pub measure: bool,
    /// The text of a job file.
    #[serde(default)]
    pub job: String,
    /// A job file in the place of `job`, beside the suite.
    #[serde(default)]
    pub job_file: Option<String>,
    /// The name whose values are the columns of its tables; without it, the columns are the figures.
    #[serde(default)]
    pub columns: Option<String>,
    /// The figures of its tables, of which the first is in the answer.
    #[serde(default = "usual")]
    pub values: Vec<Shown>,
    /// The name of a group with whose cells its first figure is compared; its own name for its first cell.
    #[serde(default)]
    pub against: Option<String>,
    /// Rules of published texts that judge it.
    #[serde(default)]
    pub rules: Vec<Rule>,
}

fn once() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn usual() -> Vec<Shown> {
    Shown::usual()
}

impl CellGroup {
    /// Puts variables in the place of `${name}` in what varies.
    ///
    /// # Errors
    /// One sentence: it is no list of values.
    pub fn fill(&mut self, variables: &[(String, String)]) -> Result<(), String> {
        let vary = |text: &String| match put(text, variables) {
            put if put.contains("${") => {
                Err(format!("{text:?} names a variable that the suite does not have"))
            }
            put => put.parse(),
        };
        self.vary = self.varied.iter().map(vary).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Whether it can be run as it is written, apart from its targets.
    ///
    /// # Errors
    /// One sentence: what is wrong.
    pub fn is_sound(&self, is_each_target: bool) -> Result<(), String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || !self.name.chars().all(is_plain) {
            return Err("its name may have letters, digits, '-', '_' and '.'".to_owned());
        }
        if is_each_target && self.over != Over::Together {
            return Err("over has no meaning with each-target".to_owned());
        }
        if self.repeat == 0 || self.values.is_empty() {
            return Err("repeat must be at least 1, and values must name a figure".to_owned());
        }
        let mut varied: Vec<&str> = self.vary.iter().map(|vary| vary.name.as_str()).collect();
        varied.push(TARGETS_COLUMN);
        match self.columns.as_deref().filter(|column| !varied.contains(column)) {
            None => Ok(()),
            Some(column) => {
                Err(format!("columns = {column:?} does not vary; what varies is {}", varied.join(", ")))
            }
        }
    }
}
