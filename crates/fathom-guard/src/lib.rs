//! The guard: the only way to a descriptor.
//!
//! ```text
//! path ─pin─► facts ─inspect─► findings ─judge(door, consent)─► open O_EXCL
//!                ▲                                                   │
//!                └────── the same questions again, on the held fd ◄──┘
//! ```
//! [`Facts`] gathers, [`inspect`] is a pure function of the facts, [`judge`]
//! is a pure function of the findings and what the user said, and [`Guard`]
//! ties them to descriptors. Nothing is opened for writing before the first
//! judgement, and nothing is written before the second, made while the device
//! is held exclusively.
//!
//! A device that is mounted, is swap, belongs to a running array or is used in another way is never
//! written, whatever was allowed. A device that holds data is written only when the person at the
//! keyboard names exactly that device by something that does not change (serial, WWID, by-id name,
//! backing path and size). A job file carries no consent, so a job file alone can never destroy
//! what a device holds.
//!
//! [`purge`] empties devices, through the guard; [`array`](mod@array) makes arrays of them and takes these apart.

mod admitted;
pub mod array;
mod block;
mod changes;
mod command_node;
mod consent;
mod created;
mod error;
mod facts;
mod file;
mod file_system;
mod finding;
mod in_use;
mod inspect;
mod judge;
mod lock;
mod mount_point;
mod names;
mod open;
mod pin;
mod program;
pub mod purge;
mod sys;
mod used_by;
mod uses;

pub use crate::error::FileSystemError;
pub use crate::file::OutputGuard;
pub use crate::finding::{RELEASE_FIRST, Refusal};
pub use crate::lock::{Access, Holder};
pub use admitted::{Admitted, AdmittedKind, AdmittedNode, OpenFlags};
pub use changes::Changes;
pub use consent::{Consent, ConsentError, DeviceName, consent_words};
pub use created::{CreatedFiles, Writing};
pub use error::GuardError;
pub use facts::{Facts, SharedFacts};
pub use file_system::{
    FILE_SYSTEMS, FileSystemKind, check_file_system, create_file_system, make_file_system, mount, unmount,
};
pub use finding::{Finding, FindingKind, Weight};
pub use inspect::inspect;
pub use judge::{ConsentNeeded, Door, consent_needed, judge};
pub use names::{AdmittedName, StatCall};
pub use open::{FileOrigin, Guard, GuardMessage};
