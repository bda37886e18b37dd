//! `benches/instructions.json`: what each case costs, as last accepted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::command::{capture, command};
use crate::workspace;

/// A count may grow by this much before it is a regression. Counts repeat to about 0.5 %; a real
/// change of the loop is several instructions.
pub const GROWTH_MAX: f64 = 0.03;

/// The counts that were accepted, and under which compiler.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `rustc --version`: another compiler makes other counts.
    pub rustc: String,
    /// Instructions per I/O by the name of the case.
    pub per_io: BTreeMap<String, f64>,
}

/// How a new count compares with the recorded one.
#[derive(Debug, PartialEq)]
pub enum Change {
    /// There is nothing to compare with.
    New,
    /// Within the allowance.
    Same,
    /// Fewer by more than the allowance: worth accepting, so that it stays.
    Better,
    /// More by more than the allowance.
    Worse,
}

impl Record {
    /// Reads it; an empty one where there is none yet.
    pub fn load() -> Result<Self, String> {
        let path = path();
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(&path).map_err(|e| said(&path, &e))?;
        serde_json::from_str(&text).map_err(|e| said(&path, &e))
    }

    /// Replaces the file.
    pub fn save(&self) -> Result<(), String> {
        let path = path();
        let text = serde_json::to_string_pretty(self).map_err(|e| said(&path, &e))?;
        std::fs::write(&path, text + "\n").map_err(|e| said(&path, &e))
    }

    /// How `now` compares with what is recorded for `name`.
    pub fn change(&self, name: &str, now: f64) -> Change {
        match self.per_io.get(name) {
            None => Change::New,
            Some(then) if now > then * (1.0 + GROWTH_MAX) => Change::Worse,
            Some(then) if now < then * (1.0 - GROWTH_MAX) => Change::Better,
            Some(_) => Change::Same,
        }
    }
}

/// The compiler that cargo uses here.
pub fn rustc() -> Result<String, String> {
    Ok(capture(&mut command("rustc", &["--version"]))?.trim().to_owned())
}

fn path() -> PathBuf {
    workspace::root().join("benches/instructions.json")
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::case::CASES;

    #[test]
    fn three_per_cent_is_allowed_and_no_more() {
        let per_io = BTreeMap::from([("psync".to_owned(), 100.0)]);
        let record = Record { rustc: String::new(), per_io };
        assert_eq!(record.change("psync", 103.0), Change::Same);
        assert_eq!(record.change("psync", 103.1), Change::Worse);
        assert_eq!(record.change("psync", 97.0), Change::Same);
        assert_eq!(record.change("psync", 96.9), Change::Better);
        assert_eq!(record.change("null", 1.0), Change::New);
    }

    #[test]
    fn the_record_holds_only_cases_that_exist() {
        let record = Record::load().expect("the record in the repository parses");
        for name in record.per_io.keys() {
            assert!(CASES.iter().any(|case| case.name == name), "{name} is recorded but not counted");
        }
    }
}
