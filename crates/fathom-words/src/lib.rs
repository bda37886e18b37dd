//! Every sentence that fathom can say of what its rules found, of an answer, and of what a comparison says.
//!
//! A finding is data (`fathom_results::Finding`), and so is an answer; this crate turns it into a claim, the evidence for it, a shorter form of
//! that, and what to do next. Nothing here decides anything, and nothing reads a sentence again: who needs a part of one
//! takes it from [`FindingWords`]. One test prints all of them, so that one person can read them side by side.

#![forbid(unsafe_code)]

mod check;
mod claim;
pub mod class;
pub mod comparison;
pub mod deviation;
mod ending;
mod finding;
pub mod fio;
mod headline;
mod instead;
mod jobs;
pub mod limit;
pub mod measured_jobs;
mod next;
pub mod power_cut;
pub mod procedure_headline;
pub mod programs;
mod remark;
pub mod report_part;
pub mod settled;
pub mod subject;
pub mod suite;
pub mod trust;
pub mod verification;

pub use check::check;
pub use claim::Claim;
pub use ending::{incomplete, round_failure, run_end};
pub use finding::{
    FindingWords, cpu_quota, generator_sign, instead as measured_instead, kernel_work, law, of_finding,
    rate_fall,
};
pub use headline::{headline, lines};
pub use instead::{instead, of_instead, of_result, result};
pub use jobs::{capital, of_jobs, part};
pub use measured_jobs::whole as measured_jobs;
pub use next::{StepWords, next};
pub use remark::remark;
pub use subject::subject;
