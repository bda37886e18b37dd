//! What an NVMe drive answers, as types.
//!
//! Each structure has a `parse` over the bytes alone and a `read` that asks a [`Root`], live or
//! recorded, by a [`Question`]; asking changes nothing. Bytes that cannot be such a structure (too
//! short, a block of less than 512 bytes) are garbled: zeroes are never taken for values.
//!
//! Field names are those of the NVM Express Base Specification 2.0, sections
//! 5.16 (Get Log Page) and 5.17 (Identify).

mod controller;
mod logs;
mod namespace;

pub use controller::{Controller, PowerState};
pub use logs::{CriticalWarning, Health, SanitizeLog, SanitizeState, SelfTestKind, SelfTestLog};
pub use namespace::{Deallocated, FormatProgress, LbaFormat, Namespace};

pub use crate::sys::nvme::{AdminCommand, AdminCompletion};

use crate::ask::Question;
use crate::root::{Root, Unknown, Why};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Asks, and parses the answer; what cannot be parsed is garbled.
fn ask<T>(
    root: &Root,
    question: &Question,
    parse: impl FnOnce(&[u8]) -> Result<T, Malformed>,
) -> Result<T, Unknown> {
    let bytes = root.ask(question)?;
    parse(&bytes).map_err(|e| Unknown { path: question.path(), reason: e.to_string(), why: Why::Garbled })
}

/// The bytes are not the structure they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// There are too few of them.
    #[error("{structure} needs {needs} bytes, there are {len}")]
    TooShort {
        /// The structure.
        structure: &'static str,
        /// How many it needs.
        needs: usize,
        /// How many there are.
        len: usize,
    },
    /// A field has a value that no drive can mean.
    #[error("{structure}: {what}")]
    Impossible {
        /// The structure.
        structure: &'static str,
        /// The field and its value.
        what: String,
    },
}

/// A structure's bytes, known to be enough.
#[derive(Clone, Copy)]
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub fn of(structure: &'static str, bytes: &'a [u8], needs: usize) -> Result<Self, Malformed> {
        match bytes.len() >= needs {
            true => Ok(Self(bytes)),
            false => Err(Malformed::TooShort { structure, needs, len: bytes.len() }),
        }
    }

    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("the range has N bytes")
    }

    pub fn u8(self, at: usize) -> u8 {
        self.0[at]
    }

    pub fn u16(self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    pub fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    pub fn u64(self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    pub fn u128(self, at: usize) -> u128 {
        u128::from_le_bytes(self.array(at))
    }

    /// ASCII padded with blanks (sometimes with zeroes).
    pub fn text(self, at: usize, len: usize) -> String {
        let text = String::from_utf8_lossy(&self.0[at..at + len]).into_owned();
        text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned()
    }

    pub fn bit(self, at: usize, bit: u32) -> bool {
        self.0[at] >> bit & 1 == 1
    }
}

/// The status field of a completion without the phase bit; 0 is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NvmeStatus(
    /// Type in bits 8 to 10, code in 0 to 7, do-not-retry in 14.
    pub u16,
);

/// Type and code in one, and its name (NVMe base specification 2.0, figures
/// "Generic Command Status Values" and the following).
const NAMES: [(u16, &str); 32] = [
    (0x000, "Successful Completion"),
    (0x001, "Invalid Command Opcode"),
    (0x002, "Invalid Field in Command"),
    (0x004, "Data Transfer Error"),
    (0x005, "Aborted due to Power Loss Notification"),
    (0x006, "Internal Error"),
    (0x007, "Command Abort Requested"),
    (0x00b, "Invalid Namespace or Format"),
    (0x00c, "Command Sequence Error"),
    (0x015, "Operation Denied"),
    (0x01c, "Sanitize Failed"),
    (0x01d, "Sanitize In Progress"),
    (0x020, "Namespace is Write Protected"),
    (0x021, "Command Interrupted"),
    (0x022, "Transient Transport Error"),
    (0x024, "Admin Command Media Not Ready"),
    (0x080, "LBA Out of Range"),
    (0x082, "Namespace Not Ready"),
    (0x083, "Reservation Conflict"),
    (0x084, "Format In Progress"),
    (0x109, "Invalid Log Page"),
    (0x10a, "Invalid Format"),
    (0x110, "Firmware Activation Requires Reset"),
    (0x11d, "Device Self-test In Progress"),
    (0x123, "Sanitize Prohibited While Persistent Memory Region is Enabled"),
    (0x280, "Write Fault"),
    (0x281, "Unrecovered Read Error"),
    (0x286, "Access Denied"),
    (0x287, "Deallocated or Unwritten Logical Block"),
    (0x302, "Asymmetric Access Inaccessible"),
    (0x370, "Host Pathing Error"),
    (0x371, "Command Aborted By Host"),
];

impl NvmeStatus {
    /// Whether the command did what was asked.
    pub fn is_success(self) -> bool {
        self.kind() == 0
    }

    /// Type and code, without the bits that say what to do about it.
    pub fn kind(self) -> u16 {
        self.0 & 0x7ff
    }

    /// Whether another operation of the drive is in the way and will end.
    pub fn is_busy(self) -> bool {
        matches!(self.kind(), 0x01d | 0x084 | 0x11d)
    }
}

impl fmt::Display for NvmeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind();
        match NAMES.iter().find(|(code, _)| *code == kind) {
            Some((_, name)) => write!(f, "{name} (status 0x{kind:x})"),
            None if kind >> 8 == 7 => write!(f, "a vendor's own error (status 0x{kind:x})"),
            None => write!(f, "status 0x{kind:x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drives_words() {
        let cases = [
            (0x410a, "Invalid Format (status 0x10a)"),
            (0x4286, "Access Denied (status 0x286)"),
            (0x001d, "Sanitize In Progress (status 0x1d)"),
            (0x7c1, "a vendor's own error (status 0x7c1)"),
            (0x0aa, "status 0xaa"),
        ];
        for (raw, message) in cases {
            assert_eq!(NvmeStatus(raw).to_string(), message);
            assert!(!NvmeStatus(raw).is_success());
        }
        assert!(NvmeStatus(0).is_success() && NvmeStatus(0x1d).is_busy());
    }
}
