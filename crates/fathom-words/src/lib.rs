//! Every sentence that fathom can say of what its rules found, and of what a comparison says.
//!
//! A finding is data (`fathom_results::Finding`); this crate turns it into a claim, the evidence for it, a shorter form of
//! that, and what to do next. Nothing here decides anything, and nothing reads a sentence again: who needs a part of one
//! takes it from [`FindingWords`]. One test prints all of them, so that one person can read them side by side.

#![forbid(unsafe_code)]

pub mod comparison;
mod finding;
mod jobs;

pub use finding::{
    FindingWords, READ_UNWRITTEN, cpu_quota, generator_sign, instead, kernel_work, law, of_finding, rate_fall,
};
pub use jobs::{capital, of_jobs, part};
