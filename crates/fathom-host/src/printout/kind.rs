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
    /// The observation and its verdict.
    pub seen: Observation,
}

impl Found {
    /// For the check with this id.
    pub fn of(check: &'static str, seen: Observation) -> Self {
        Self { check, seen }
    }
}
