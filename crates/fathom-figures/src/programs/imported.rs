//! A result and its file.

use super::result::ProgramResult;

/// A result of another program, and its file.
#[derive(Clone, Debug)]
pub struct ImportedProgram {
    /// Its file.
    pub file: String,
    /// Which run of the file it is, from 1; `None` where the file has one.
    pub run: Option<u32>,
    /// What it holds.
    pub result: ProgramResult,
}
