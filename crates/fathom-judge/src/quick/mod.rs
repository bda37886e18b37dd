//! `fathom quick`: the one-minute answer.
//!
//! Six measurements ([`SIX`]) in one job file ([`job_text`]). A target that may be written is
//! filled before it is read. A minute cannot show steady state, and two rules of its own say so.

mod fill;
mod job;
mod part_measured;
mod short_run;
mod six;
mod target;

pub use fill::{FILL_SECONDS_MAX, FILL_SIZE_MAX};
pub use job::{QUICK_SECONDS, adjust, job_text};
pub(crate) use short_run::CODE as SHORT_RUN;
pub use six::{Group, Measurement, SIX, named};
pub use target::{QuickTarget, SCRATCH};

use crate::taint::TaintRule;

/// Rules that hold only after one minute; for any other run, the user chose its length and its range.
pub(crate) const RULES: [TaintRule; 2] = [part_measured::RULE, short_run::RULE];
