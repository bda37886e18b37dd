//! What samples of a range held after it was written.

use serde::{Deserialize, Serialize};

/// A range of a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContentRange {
    /// Path of the device or file.
    pub target: String,
    /// First byte.
    pub offset_bytes: u64,
    /// Length.
    pub size_bytes: u64,
}

/// Samples of a range: windows at both ends and at random places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContentSamples {
    /// The range.
    pub range: ContentRange,
    /// Windows at random places.
    pub random_windows: u32,
    /// Windows that were read, both ends included.
    pub windows: u64,
    /// Whether these are all of the range.
    pub is_whole: bool,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Sectors of 512 bytes that hold nothing but zeros or nothing but ones.
    pub empty_sectors: u64,
    /// Blocks of 4 KiB that are equal to one that was read before.
    pub equal_blocks: u64,
    /// Windows that could not be read.
    pub unreadable: u64,
    /// How often the range was written in order, with nothing else written between; `None` for what is no device.
    pub passes_known: Option<u32>,
    /// The least entropy of the bytes of a window, bits per byte: 8 for random data, 0 where all are equal. What follows from the
    /// place of a byte or from the one before is no entropy.
    pub entropy_bits_min: f64,
}

/// Why samples prove that a range was not written as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum ContentFault {
    /// Sectors that hold nothing.
    Empty {
        /// How many.
        sectors: u64,
    },
    /// Blocks that are equal to another one.
    Equal {
        /// How many.
        blocks: u64,
    },
    /// Data that can be compressed.
    Compressible,
    /// Windows that could not be read.
    Unreadable {
        /// How many.
        windows: u64,
    },
}
