//! What is wrong with a block, as data.

use crate::header::Header;
use minicbor::{Decode, Encode};
use serde::{Deserialize, Serialize};

/// A block that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// Where the block begins, bytes from the start of its file.
    #[n(0)]
    pub offset: u64,
    /// Bytes of the block.
    #[n(1)]
    pub len: u32,
    /// What happened to it.
    #[n(2)]
    pub kind: FaultKind,
    /// The first check that failed.
    #[n(3)]
    pub check: FailedCheck,
    /// The write that was expected, where it is known.
    #[n(4)]
    pub expected: Option<Identity>,
    /// What the header of the received block says, where it has a valid one.
    #[n(5)]
    pub received: Option<Identity>,
    /// The sectors of which `kind` is true, where other sectors of the block are what was written.
    #[n(6)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<WrongPart>,
}

/// A part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrongPart {
    /// How many sectors of 512 bytes are wrong.
    #[n(0)]
    pub sectors: u32,
    /// Where the first of them begins, bytes from the start of the block.
    #[n(1)]
    pub at: u32,
}

/// What happened to a block. Where more than one fits, the first in this list is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum FaultKind {
    /// Bytes are zero that were written with something else.
    #[n(0)]
    Zeroed {
        /// How many, in whole sectors of 512 bytes unless all of the block is zero.
        #[n(0)]
        bytes: u32,
    },
    /// It is the block of another place.
    #[n(1)]
    Misplaced {
        /// The offset at which it belongs, bytes from the start of its file.
        #[n(0)]
        belongs_at: u64,
    },
    /// It is an earlier write of this place: of this run, or of another one.
    #[n(2)]
    Stale {
        /// Does the earlier write belong to this run?
        #[n(0)]
        of_this_run: bool,
    },
    /// One part belongs to one write and the rest to another.
    #[n(3)]
    Torn {
        /// Where the second part begins, bytes from the start of the block.
        #[n(0)]
        at: u32,
    },
    /// It is the expected block, but for a few bits.
    #[n(4)]
    BitFlip {
        /// How many bits differ.
        #[n(0)]
        bits: u32,
        /// The first byte that differs, from the start of the block.
        #[n(1)]
        first: u32,
    },
    /// The header is right, and the checksum does not fit the content, which another program made.
    #[n(5)]
    Checksum,
    /// It is nothing that a verifying job writes.
    #[n(6)]
    Foreign,
    /// Its place was trimmed, and does not read as zeros.
    #[n(7)]
    NotTrimmed {
        /// The first byte that is not zero, from the start of the block.
        #[n(0)]
        first: u32,
    },
    /// It is a write of this place by an earlier pass of the same verification (`fathom verify --for`).
    #[n(8)]
    EarlierPass,
}

/// The check that failed first. Numbers are those that fio prints.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "failed")]
pub enum FailedCheck {
    /// The first bytes are no header.
    #[n(0)]
    Magic {
        /// The first two bytes as a number.
        #[n(0)]
        received: u16,
    },
    /// The checksum of the header itself does not fit it.
    #[n(1)]
    HeaderChecksum {
        /// In the header.
        #[n(0)]
        received: u32,
        /// Of its bytes.
        #[n(1)]
        calculated: u32,
    },
    /// It was written with another method.
    #[n(2)]
    Method {
        /// The number in the header.
        #[n(0)]
        received: u16,
    },
    /// The header is of a block of another length.
    #[n(3)]
    Length {
        /// Bytes that it says.
        #[n(0)]
        received: u32,
    },
    /// The header names another place.
    #[n(4)]
    Offset {
        /// The place that it names.
        #[n(0)]
        received: u64,
    },
    /// The header names another write of this place.
    #[n(5)]
    Write {
        /// The number in the header.
        #[n(0)]
        received: u64,
    },
    /// The checksum does not fit the content.
    #[n(6)]
    Checksum {
        /// In the block, in hexadecimal digits.
        #[n(0)]
        stored: String,
        /// Of the content, in hexadecimal digits.
        #[n(1)]
        calculated: String,
    },
    /// A byte is not that of the pattern.
    #[n(7)]
    Pattern {
        /// Which, from the start of the block.
        #[n(0)]
        at: u32,
        /// What it is.
        #[n(1)]
        received: u8,
        /// What it should be.
        #[n(2)]
        expected: u8,
    },
}

/// What a header says about the write of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// The offset of the block, bytes from the start of its file.
    #[n(0)]
    pub offset: u64,
    /// The seed of its content.
    #[n(1)]
    pub seed: u64,
    /// When it was issued: seconds since the epoch, or since the start of the machine for a block of fio. 0 where it is
    /// not known.
    #[n(2)]
    pub seconds: u32,
    /// And nanoseconds.
    #[n(3)]
    pub nanos: u32,
    /// The clone that wrote, from 1.
    #[n(4)]
    pub thread: u16,
    /// The number of the write in its clone, from 0; its lowest 16 bits where the header has no more.
    #[n(5)]
    pub write: u64,
}

impl From<Header> for Identity {
    fn from(header: Header) -> Identity {
        let Header { seed, offset, seconds, nanos, thread, write, .. } = header;
        Identity { offset, seed, seconds, nanos, thread, write }
    }
}
