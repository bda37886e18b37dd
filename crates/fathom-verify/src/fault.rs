//! What is wrong with a block, as data.

use crate::header::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A block that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Where the block begins, bytes from the start of its file.
    pub offset: u64,
    /// Bytes of the block.
    pub len: u32,
    /// What happened to it.
    pub kind: FaultKind,
    /// The first check that failed.
    pub check: FailedCheck,
    /// The write that was expected, where it is known.
    pub expected: Option<Identity>,
    /// What the header of the received block says, where it has a valid one.
    pub received: Option<Identity>,
}

/// What happened to a block. Where more than one fits, the first in this list is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum FaultKind {
    /// Bytes are zero that were written with something else.
    Zeroed {
        /// How many, in whole sectors of 512 bytes unless all of the block is zero.
        bytes: u32,
    },
    /// It is the block of another place.
    Misplaced {
        /// The offset at which it belongs, bytes from the start of its file.
        belongs_at: u64,
    },
    /// It is an earlier write of this place: of this run, or of another one.
    Stale {
        /// Does the earlier write belong to this run?
        of_this_run: bool,
    },
    /// One part belongs to one write and the rest to another.
    Torn {
        /// Where the second part begins, bytes from the start of the block.
        at: u32,
    },
    /// It is the expected block, but for a few bits.
    BitFlip {
        /// How many bits differ.
        bits: u32,
        /// The first byte that differs, from the start of the block.
        first: u32,
    },
    /// The header is right, and the checksum does not fit the content, which another program made.
    Checksum,
    /// It is nothing that a verifying job writes.
    Foreign,
}

/// The check that failed first. Numbers are those that fio prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "failed")]
pub enum FailedCheck {
    /// The first bytes are no header.
    Magic {
        /// The first two bytes as a number.
        received: u16,
    },
    /// The checksum of the header itself does not fit it.
    HeaderChecksum {
        /// In the header.
        received: u32,
        /// Of its bytes.
        calculated: u32,
    },
    /// It was written with another method.
    Method {
        /// The number in the header.
        received: u16,
    },
    /// The header is of a block of another length.
    Length {
        /// Bytes that it says.
        received: u32,
    },
    /// The header names another place.
    Offset {
        /// The place that it names.
        received: u64,
    },
    /// The header names another write of this place.
    Write {
        /// The number in the header.
        received: u64,
    },
    /// The checksum does not fit the content.
    Checksum {
        /// In the block, in hexadecimal digits.
        stored: String,
        /// Of the content, in hexadecimal digits.
        calculated: String,
    },
    /// A byte is not that of the pattern.
    Pattern {
        /// Which, from the start of the block.
        at: u32,
    },
}

/// What a header says about the write of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The offset of the block, bytes from the start of its file.
    pub offset: u64,
    /// The seed of its content.
    pub seed: u64,
    /// When it was issued: seconds since the epoch, or since the start of the machine for a block of fio. 0 where it is
    /// not known.
    pub seconds: u32,
    /// And nanoseconds.
    pub nanos: u32,
    /// The clone that wrote, from 1.
    pub thread: u16,
    /// The number of the write in its clone, from 0; its lowest 16 bits where the header has no more.
    pub write: u64,
}

impl From<Header> for Identity {
    fn from(header: Header) -> Identity {
        let Header { seed, offset, seconds, nanos, thread, write, .. } = header;
        Identity { offset, seed, seconds, nanos, thread, write }
    }
}
