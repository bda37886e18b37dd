//! Reading what fio left: logs, JSON and terse output, into figures.
//!
//! [`find`] turns what was named (files, directories, patterns that the shell did not expand) into a list of files, and
//! [`read`] reads them. A file that cannot be read is told with its line, and the
//! others are read; what is only worth knowing becomes a note.

mod content;
mod find;
mod notes;
mod pattern;
mod read;
mod terms;

pub use find::{FoundFiles, ImportSource, find};
pub use read::read;
pub use terms::ImportTerms;
