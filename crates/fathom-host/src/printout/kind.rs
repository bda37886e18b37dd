//! A kind of printout, and what is found in one.

use std::path::PathBuf;

use crate::audit::Observation;

/// A program whose printouts are read.
#[derive(Debug, Clone, Copy)]
pub struct PrintoutKind {
    /// The program.
    pub program: &'static str,
    /// How it is called, so that its printout tells most.
    pub called: &'static str,
    /// Whether this line can only come from this program. From such a line on
    /// the text is this program's, until a line is another's.
    pub(super) marks: fn(&str) -> bool,
    /// Judges a printout. All printouts that were given are there too, for what
    /// only two of them together tell.
    pub(super) judge: fn(&Part, &[Part]) -> Vec<Found>,
}

/// What one program printed in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The program.
    pub program: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The lines.
    pub text: String,
}

/// What was found in a printout, and the check whose rule judges it.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Id of the check.
    pub check: &'static str,
    /// What was seen.
    pub seen: Observation,
}

impl Found {
    /// Under the check with this id.
    pub fn of(check: &'static str, seen: Observation) -> Self {
        Self { check, seen }
    }
}
