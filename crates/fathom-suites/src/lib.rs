//! fathom-suites: procedures as pure state, and what a result means.
//!
//! Nothing here runs anything, reads a clock or touches a file. A procedure says what to measure
//! ([`quick::job_text`]); the binary runs it; the procedure then judges the result
//! ([`quick::judge`]). [`taint::taints`] names the reasons to doubt a run of any command.
//!
//! A rule of judgement is one entry of one table and one small file, with the
//! claim, the evidence in numbers and, where there is some, what speaks against
//! it. Adding a rule is adding both.
#![forbid(unsafe_code)]

mod case;
mod cell;
pub mod checks;
mod figure;
#[cfg(test)]
mod fixture;
mod generator;
mod known;
mod quantity;
pub mod quick;
pub mod sizes;
mod surrounds;
pub mod taint;
mod witness;

pub use surrounds::Surrounds;
