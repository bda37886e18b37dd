//! Reading what fio left: its logs and its results, into figures.
//!
//! [`find`] turns what was named (files, directories, patterns that the shell did not expand) into a list of files, and
//! [`read`] reads them. A file that cannot be read is told with its line, and the
//! others are read; what is only worth knowing becomes a note.

mod find;
mod notes;
mod pattern;
mod read;

pub use find::{FoundBy, FoundFiles, ImportSource, find};
pub use read::read;

use crate::Failure;
use fathom_figures::fio::{FioLogKind, LatencyUnit};
use std::time::Duration;

/// How files are read.
#[derive(Clone, Debug, Default)]
pub struct ImportTerms {
    /// What the values of all logs are, whatever their names say.
    pub kind: Option<FioLogKind>,
    /// The unit of latencies in logs.
    pub latency_unit: LatencyUnit,
    /// Nothing before this time of a log.
    pub from: Duration,
    /// Nothing from this time of a log on.
    pub to: Option<Duration>,
    /// What the reader calls it.
    pub title: String,
    /// The command has no `--kind`, so no hint names it.
    pub has_no_kind: bool,
}

impl ImportTerms {
    /// A failure with a hint that names `--kind`, where the command has it.
    fn with_kind(&self, failure: Failure, hint: impl Into<String>) -> Failure {
        if self.has_no_kind { failure } else { failure.hint(hint) }
    }
}
