//! What an NVMe drive answers, as types.
//!
//! Each structure has a `parse` over the bytes alone and a `read` that asks a [`Root`], live or
//! recorded, by a [`Question`]; asking changes nothing. Bytes that cannot be such a structure (too
//! short, a block of less than 512 bytes) are garbled: zeroes are never taken for values.
//!
//! Field names are those of the NVM Express Base Specification 2.0, sections
//! 5.16 (Get Log Page) and 5.17 (Identify).

mod controller;
mod fields;
mod health;
mod namespace;
mod sanitize;
mod self_test;
mod status;

pub use controller::{Controller, PowerState};
pub use fields::Malformed;
pub use health::{CriticalWarning, Health};
pub use namespace::{Deallocated, FormatProgress, LbaFormat, Namespace};
pub use sanitize::{SanitizeLog, SanitizeState};
pub use self_test::{SelfTestKind, SelfTestLog};
pub use status::NvmeStatus;

pub use crate::sys::nvme::{AdminCommand, AdminCompletion};

use crate::ask::Question;
use crate::root::{Root, Unknown, Why};

/// Asks, and parses the answer; what cannot be parsed is garbled.
fn ask<T>(
    root: &Root,
    question: &Question,
    parse: impl FnOnce(&[u8]) -> Result<T, Malformed>,
) -> Result<T, Unknown> {
    let bytes = root.ask(question)?;
    parse(&bytes).map_err(|e| Unknown { path: question.path(), reason: e.to_string(), why: Why::Garbled })
}
