//! What other programs printed, as figures (docs/adr/0030).
//!
//! Text goes in and rows come out; nothing here opens a file. What a format does not hold is missing, and what cannot be read is told
//! with its line.

mod columns;
mod disk_mark;
mod elbencho;
mod finding;
mod format;
mod formats;
mod gather;
mod hammerdb;
mod imported;
mod number;
mod program;
mod report_row;
mod result;
mod sysstat;
mod sysstat_json;
#[cfg(test)]
mod tests;
mod unit;
mod vdbench;
mod vmstat;

pub use finding::{ProgramFinding, RowFault};
pub use format::ProgramFormat;
pub use formats::{PROGRAM_FORMATS, program_format};
pub use imported::ImportedProgram;
pub use program::Program;
pub use result::{ProgramFigure, ProgramLoad, ProgramResult, ProgramRow};
