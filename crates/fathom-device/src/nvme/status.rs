//! How a drive refuses a command, in the specification's words.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The status field of a completion without the phase bit; 0 is success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        for (raw, said) in cases {
            assert_eq!(NvmeStatus(raw).to_string(), said);
            assert!(!NvmeStatus(raw).is_success());
        }
        assert!(NvmeStatus(0).is_success() && NvmeStatus(0x1d).is_busy());
    }
}
