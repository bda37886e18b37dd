//! The driver of procedures: does what a procedure asks for, saves each step, and resumes.
//!
//! ```text
//! procedure.next(history) ─► step ─► done ─► history on stable storage ─┐
//!            ▲──────────────────────────────────────────────────────────┘
//! ```
//! What must last longer than a round lasts as long as the procedure: the claims of the guard, the
//! clock, the audit, the tuning, the stream of random numbers. A round is an ordinary run in the
//! directory `rounds`.

mod begin;
mod conclude;
mod content;
mod directory;
mod driver;
mod expected;
mod jobs;
mod mounts;
mod one_run;
mod prepare;
mod prove;
mod request;
mod resume;
mod round;
mod same;
mod saved;
mod wait;

pub use begin::{run_opened, run_procedure};
pub(crate) use directory::LockedDirectory;
pub use driver::{BrokenOff, DrivenRounds};
pub use expected::{forecast, forecast_of, refusals_of};
pub use jobs::{read as read_jobs, read_apart, saved_plan};
pub use mounts::filesystem_failure;
pub use one_run::run_one;
pub use prepare::purge_refusals;
pub use request::{DriverTerms, ProcedureRequest, ResumeRequest, Tuner};
pub use resume::resume;
pub use same::{is_same_disk, other_target, target_now};
pub use saved::{
    LackingPercentiles, add_percentiles, answer_so_far, is_not_valid, is_running, rejudged, saved_procedure,
    standard_report,
};
pub use wait::arrays_being_built;
