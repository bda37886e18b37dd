//! fathom-suites: procedures as pure state, and what a result means.
//!
//! Nothing here runs anything, reads a clock or touches a file. A procedure says what to measure
//! ([`quick::job_text`]); the binary runs it; [`judge`] then says what the saved result means: the
//! reasons to doubt it ([`taint::findings`]), and the verdict of its procedure ([`quick::judge`]).
//!
//! A rule of judgement is one entry of one table and one small file, with the
//! claim, the evidence in numbers and, where there is some, what speaks against
//! it. Adding a rule is adding both.
#![forbid(unsafe_code)]

mod again;
mod answer;
mod case;
mod cell;
pub mod checks;
mod class;
pub mod compare;
mod datasheet;
mod figure;
#[cfg(test)]
mod fixture;
mod generator;
mod in_disk;
mod judgement;
mod place;
pub mod procedure;
pub mod quick;
pub mod sizes;
pub mod steady;
pub mod suite;
mod surrounds;
pub mod taint;
mod witness;

pub use again::Again;
pub use datasheet::{Claims, datasheet, datasheet_of_rounds};
pub use judgement::{QUICK, judge, new_rules};
pub use surrounds::Surrounds;
