//! fathom-judge: what a saved result means.
//!
//! Nothing here runs anything, reads a clock or touches a file. [`judge()`] adds to a saved result the reasons to doubt it
//! ([`taint::findings`]) and the answer; [`compare`] judges several.
//!
//! A rule of judgement is one entry of one table and one small file, with the
//! claim, the evidence in numbers and, where there is some, what speaks against
//! it. Adding a rule is adding both.
#![forbid(unsafe_code)]

mod answer;
mod case;
mod cell;
pub mod checks;
mod class;
pub mod compare;
mod datasheet;
#[cfg(test)]
mod fixture;
mod generator;
mod in_disk;
mod judgement;
mod limit;
mod own_jobs;
mod place;
pub mod steady;
mod surrounds;
pub mod taint;
mod typed_command;
mod witness;

pub use cell::Cell;
pub use datasheet::{Claims, datasheet, datasheet_of_rounds};
pub use judgement::{judge, new_rules};
pub use own_jobs::OwnJobs;
pub use surrounds::Surrounds;
pub use typed_command::Again;
pub use witness::Witness;
