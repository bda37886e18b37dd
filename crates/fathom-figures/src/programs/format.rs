//! What a form of results of a program is.

use super::program::Program;
use super::result::ProgramResult;

/// A form in which a program prints its results.
#[derive(Clone, Copy, Debug)]
pub struct ProgramFormat {
    /// The program.
    pub program: Program,
    /// Is a file of this form that begins so?
    pub is_it: fn(&str) -> bool,
    /// Reads a whole file: the runs in it, in their order. A run without a row has findings that say why.
    pub parse: fn(&str) -> Vec<ProgramResult>,
}
