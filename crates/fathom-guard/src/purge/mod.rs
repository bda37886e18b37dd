//! Emptying a device, with proof.
//!
//! ```text
//! path ─plan─► what would be done, to which devices ─consent─► guard claims each
//!                                                                  │
//!   record ◄─ proof ◄─ identity again ◄─ method, on the claimed descriptor
//! ```
//! [`plan`] finds out, without a write, which method of the [`LADDER`] the
//! drive offers, every device that it would empty and what each holds.
//! [`execute`] claims all of them behind the guard, makes sure that the plan
//! still holds, and carries it out. The proof says what reading shows; the
//! [`Ledger`] keeps it for the precondition that starts from there.
//!
//! Adding a method is one entry in `methods/` and its place in the ladder.

mod drive;
mod error;
mod execute;
mod facts;
mod ledger;
mod live;
mod method;
mod methods;
mod perform;
mod plan;
mod proof;
mod record;
mod samples;
mod sense;

pub use drive::{AdminChannel, BlockInterface, DriveInterfaces, Emptying, Scsi, ScsiCommand, ScsiReply};
pub use error::PurgeError;
pub use execute::{ClaimedPurge, execute};
pub(crate) use execute::{claim, same};
pub use facts::DriveFacts;
pub use ledger::{DeviceState, Ledger, PurgeState, Written};
pub use method::{LADDER, PurgeProgress, Reach, Wish};
pub use perform::{Bench, PurgeTask, PurgedDevice, perform};
pub(crate) use plan::examine;
pub use plan::{Affected, Choice, PurgePlan, Rung, affected, choose, plan};
pub use proof::{Outcome, Proof};
pub use record::{PurgeDocument, PurgeFailure, PurgeRecord};
pub use samples::Sampling;
