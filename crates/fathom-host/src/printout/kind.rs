//! A kind of printout, and what is found in a printout.

use std::path::PathBuf;

use crate::audit::Observation;

/// A program whose printouts are read.
#[derive(Debug, Clone, Copy)]
pub struct PrintoutKind {
    /// The program.
    pub program: &'static str,
    /// The command line whose printout contains the most.
    pub called: &'static str,
    /// Whether only this program prints such a line. The text from such a line on
    /// belongs to this program, up to a line that only another one prints.
    pub(super) marks: fn(&str) -> bool,
    /// Judges a printout. It also gets all printouts, because some things can be
    /// seen only by comparing two of them.
    pub(super) judge: fn(&Part, &[Part]) -> Vec<Found>,
}

/// What one program printed in one file.
pub(super) struct Part {
    /// The program.
    pub program: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The lines.
    pub text: String,
}

impl Part {
    /// Begins an observation, with the line that shows it.
    pub fn seen(&self, subject: impl Into<String>, line: impl AsRef<str>) -> Observation {
        Observation::on(subject).with(&self.path, line)
    }
}

/// The id of the check whose rule judges what was found in a printout, and what
/// was seen.
pub(super) type Found = (&'static str, Observation);
