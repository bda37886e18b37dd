//! Blocks that can be verified.
//!
//! A job with `verify=` writes blocks with a header, a checksum, and content that follows from the header
//! alone. So a block that was read back can be judged without a copy of it: whether it is what was written, and if
//! not, what is wrong with it (a flipped bit, an earlier write, the block of another place, two halves …).
//!
//! The header is fio's (docs/adr/0024), so fio reads what fathom wrote and the other way round. The content behind it is
//! fathom's own, and every 512 bytes of it say which write they belong to.
//!
//! Everything here is arithmetic on bytes: no I/O, no clock, no thread.

#![forbid(unsafe_code)]

mod block;
mod body;
mod check;
mod checksum;
mod classify;
mod content_crc;
mod fault;
mod header;
mod lineage;
mod method;
mod pattern;
pub mod power_cut;
mod scramble;
#[cfg(test)]
mod tests;

pub use block::{BlockFormat, Expected, Stamp};
pub use check::HeaderChecks;
pub use checksum::checksum;
pub use fault::{FailedCheck, Fault, FaultKind, Identity, WrongPart};
pub use header::{Header, HeaderVersion};
pub use lineage::{Lineage, WriteName};
pub use method::Method;
pub use pattern::{Pattern, PatternPart};
