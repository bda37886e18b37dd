//! Reading what fio left: logs, JSON and terse output, into figures.
//!
//! [`find`] turns what was named (files, directories, patterns that the shell did not expand) into a list of files, and
//! [`read`] reads them. An error in one file ends the import, and names the file and the line; what is only worth knowing
//! becomes a note.

mod find;
mod pattern;
mod read;

pub use find::{ImportSource, find};
pub use read::{ImportTerms, read};
