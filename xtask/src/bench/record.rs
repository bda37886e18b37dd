//! `benches/history/`: what was measured when, where and at which commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::machine::Machine;
use super::rows::Row;
use crate::workspace;

/// Version of the records; a new field does not change it.
pub const FORMAT: u32 = 1;

/// The record of one session of `cargo xtask bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// When it ended, UTC.
    pub date: String,
    /// What was measured.
    pub commit: String,
    /// The machine.
    pub machine: Machine,
    /// The other tool, such as `fio-3.33`.
    pub fio: String,
    /// Number of pairs that were asked for.
    pub pairs: u64,
    /// Length of a run, in seconds.
    pub seconds: u64,
    /// The comparisons.
    pub cases: Vec<Figure>,
    /// Instructions per I/O by case: fathom's, and fio's if fio can run the case.
    pub instructions: BTreeMap<String, (f64, Option<f64>)>,
    /// The other budgets.
    pub rows: Vec<Row>,
}

impl Record {
    /// Writes it under its date and commit, and returns the path.
    pub fn save(&self) -> Result<PathBuf, String> {
        self.save_in(&directory())
    }

    fn save_in(&self, directory: &Path) -> Result<PathBuf, String> {
        let day = self.date.split('T').next().unwrap_or(&self.date);
        let path = directory.join(format!("{day}-{}.json", self.commit));
        let text = serde_json::to_string_pretty(self).map_err(|e| said(&path, &e))?;
        fs::create_dir_all(directory).map_err(|e| said(directory, &e))?;
        fs::write(&path, text + "\n").map_err(|e| said(&path, &e))?;
        Ok(path)
    }

    /// Every record, oldest first.
    pub fn all() -> Result<Vec<Record>, String> {
        Self::all_in(&directory())
    }

    fn all_in(directory: &Path) -> Result<Vec<Record>, String> {
        if !directory.exists() {
            return Ok(Vec::new());
        }
        let mut records = Vec::new();
        for entry in directory.read_dir().map_err(|e| said(directory, &e))? {
            let path = entry.map_err(|e| said(directory, &e))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                records.push(Self::load(&path)?);
            }
        }
        records.sort_by(|a, b| a.date.cmp(&b.date));
        Ok(records)
    }

    fn load(path: &Path) -> Result<Record, String> {
        let text = fs::read_to_string(path).map_err(|e| said(path, &e))?;
        serde_json::from_str(&text).map_err(|e| said(path, &e))
    }
}

fn directory() -> PathBuf {
    workspace::root().join("benches/history")
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::bench::figure::{Quantity, Ratio};

    /// A record with one case, whose ratio and interval are given.
    pub fn record(date: &str, value: f64, interval: (f64, f64)) -> Record {
        let ratio = Ratio { value, interval: Some(interval), pairs: 12 };
        let quantity = |ratio| Quantity { ours: 2.0, theirs: Some(1.0), ratio };
        Record {
            format: FORMAT,
            date: date.to_owned(),
            commit: "0123456789".to_owned(),
            machine: Machine { cpu: "a processor".to_owned(), cpus: 2, kernel: "6.1".to_owned() },
            fio: "fio-3.33".to_owned(),
            pairs: 12,
            seconds: 3,
            cases: vec![Figure {
                name: "null-plain".to_owned(),
                iops: quantity(Some(ratio)),
                cpu_ns: quantity(None),
                machine_ns: quantity(None),
                calls: Some((0.5, Some(1.0))),
            }],
            instructions: BTreeMap::from([("null".to_owned(), (50.0, Some(3000.0)))]),
            rows: Vec::new(),
        }
    }

    #[test]
    fn records_come_back_in_the_order_of_their_dates() {
        let directory = tempfile::tempdir().unwrap();
        let newer = record("2026-02-01T10:00:00Z", 2.0, (1.9, 2.1));
        let older = record("2026-01-31T10:00:00Z", 1.0, (0.9, 1.1));
        for one in [&newer, &older] {
            one.save_in(directory.path()).unwrap();
        }
        assert_eq!(Record::all_in(directory.path()), Ok(vec![older, newer]));
        assert_eq!(Record::all_in(&directory.path().join("none")), Ok(Vec::new()));
    }

    #[test]
    fn the_records_in_the_repository_can_be_read() {
        for one in Record::all().unwrap() {
            assert_eq!(one.format, FORMAT);
        }
    }
}
