//! What a target may hold after its power was cut, by the log of what it had acknowledged.
//!
//! ```text
//! workload ─► writes and flushes ─► target ── the power is cut ── what each unit reads as ─┐
//!     └─► records ─► log, on another disk or host ─► history: what must be there ─► judge ◄┘
//! ```
//! The region of the target is divided into *units*, the pieces that the target promises to write as a whole: logical blocks,
//! or more where the drive promises more. Each unit carries the header of its write (docs/adr/0025).
//!
//! A write is *durable* if it was complete before a flush began that was completed, or if it was a complete write with
//! forced unit access (FUA), or, on a target without a volatile cache, as soon as it was complete. After the cut, a unit must
//! hold its last durable write or any write that was issued later, as a whole. Writes that are not durable may be there or
//! not, each unit for itself.
//!
//! An acknowledgement counts only where it is in the log. The log is never ahead of the target, so a log whose
//! end was lost demands less, and never too much. A write that is newer than the log is recognised by its seed.

mod history;
mod judge;
mod log;
mod model;
#[cfg(test)]
mod tests;
mod unit;
mod workload;

pub use history::{Acknowledged, FlushMark, History, MalformedLog, Promise};
pub use judge::{CutFault, CutJudge, CutTally, CutVerdict, LossOrder, UnitFault};
pub use log::{Durability, FlushMode, HeaderFault, LogHeader, LogTarget, RECORD_BYTES, Record, RecordCoder};
pub use model::{DeviceModel, Recorded, Recording, RecordingTrial, TrialTally};
pub use unit::{UnitContent, UnitFormat};
pub use workload::{Act, CutWrite, Workload, WorkloadTerms};
