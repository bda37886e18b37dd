//! A table of which each number has its own file.

use std::path::PathBuf;

use super::{Sampler, SamplerTable, TableReading};
use crate::root::Root;

/// Reads a file for each number.
pub(super) struct FileTable {
    pub(super) table: SamplerTable,
    /// For each row its files, in the order of the columns.
    pub(super) rows: Vec<Vec<NumberAt>>,
}

/// Where a number comes from.
pub(super) enum NumberAt {
    /// A file, and how its text is understood.
    File(PathBuf, fn(&str) -> Option<u64>),
    /// It stays what it was in the beginning.
    Constant(u64),
}

impl Sampler for FileTable {
    fn table(&self) -> &SamplerTable {
        &self.table
    }

    fn read(&mut self, root: &Root) -> TableReading {
        let number = |at: &NumberAt| match at {
            NumberAt::File(path, parse) => parse(&root.read_text(path).ok()?),
            NumberAt::Constant(value) => Some(*value),
        };
        self.rows.iter().map(|row| row.iter().map(number).collect()).collect()
    }
}

pub(super) fn whole(text: &str) -> Option<u64> {
    text.parse().ok()
}
