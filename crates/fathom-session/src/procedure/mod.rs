//! The driver of procedures: does what a procedure asks for, saves each step, and resumes.
//!
//! ```text
//! procedure.next(history) ─► step ─► done ─► history on stable storage ─┐
//!            ▲──────────────────────────────────────────────────────────┘
//! ```
//! What must last longer than a round lasts as long as the procedure: the claims of the guard, the
//! clock, the audit, the tuning, the stream of random numbers. A round is an ordinary run in the
//! directory `rounds`.

mod conclude;
mod directory;
mod driver;
mod expected;
mod jobs;
mod numbers;
mod prepare;
mod request;
mod resume;
mod round;
mod same;
mod saved;
mod wait;

pub(crate) use directory::LockedDirectory;
pub use driver::{DrivenRounds, run_one, run_opened, run_procedure};
pub use expected::forecast;
pub use jobs::{read as read_jobs, saved_plan};
pub use request::{DriverTerms, Operator, ProcedureRequest, ResumeRequest, Tuner};
pub use resume::resume;
pub use saved::{is_running, rejudged, saved_procedure};
