//! `fathom quick`: the one-minute answer.
//!
//! Six measurements ([`SIX`]), one job file ([`job_text`]), one verdict ([`judge`]): what the
//! target does in one sentence, what limited it, what to distrust. A target that may be written is
//! filled before it is read. A minute cannot show steady state, and the verdict says so.

mod distrust;
mod fill;
mod headline;
mod job;
mod judge;
mod limit;
mod part_measured;
mod short_run;
mod six;
#[cfg(test)]
mod supported;
mod target;
mod told;

pub(crate) use distrust::rules_of_quick;
pub use fill::{FILL, FILL_SECONDS_MAX, FILL_SIZE_MAX};
pub use job::{QUICK_SECONDS, adjust, job_text};
pub use judge::judge;
pub(crate) use limit::{claim, reasons};
pub(crate) use short_run::CODE as SHORT_RUN;
pub use six::{Group, Measurement, SIX, named};
pub use target::{QuickTarget, SCRATCH};
