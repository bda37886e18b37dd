//! Reading what fio left: logs, JSON and terse output, into figures.
//!
//! [`find`] turns what was named (files, directories, patterns that the shell did not expand) into a list of files, and
//! [`read`] reads them. A file that cannot be read is told with its line, and the
//! others are read; what is only worth knowing becomes a note.

mod find;
mod notes;
mod pattern;
mod read;

pub use find::{FoundFiles, ImportSource, find};
pub use read::read;

use fathom_figures::fio::{FioLogKind, LatencyUnit, is_terse};
use std::path::Path;
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
}

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Empty,
    Json,
    Terse,
    /// Of gzip.
    Gzip,
    /// fio's normal output, and no other form behind it.
    Normal,
    /// The log of I/Os that `write_iolog` makes.
    IoLog,
    /// Columns of numbers, or nothing that is known.
    Log,
}

/// What a file with these first bytes is.
fn content(head: &[u8], path: &Path) -> Content {
    let name = path.to_string_lossy();
    let text = String::from_utf8_lossy(head);
    match () {
        () if head.is_empty() => Content::Empty,
        () if head.starts_with(&[0x1f, 0x8b]) => Content::Gzip,
        () if text.starts_with("fio version ") => Content::IoLog,
        // fio writes warnings, and the lines of the normal form, before its JSON and its terse lines.
        () if text.trim_start().starts_with('{') || text.contains("\n{\n") => Content::Json,
        () if is_terse(&text) => Content::Terse,
        () if is_normal(&text) => Content::Normal,
        () if name.ends_with(".json") => Content::Json,
        () => Content::Log,
    }
}

/// Has it the lines with which the normal form names a job, before the run and behind it?
fn is_normal(text: &str) -> bool {
    let names_job =
        |line: &str| line.contains(": (groupid=") || line.contains(": (g=") && line.contains("rw=");
    text.lines().any(names_job)
}
